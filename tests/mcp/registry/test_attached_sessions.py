"""Attaching takes nothing over, is remembered, and is undone by attaching without an address."""

from support.simulated_machines import World


def test_attaching_to_a_live_sessions_mailbox_takes_nothing_over(world: World) -> None:
    owner = world.session("s", new="box_1")
    guest = world.session("t", new="box_2")

    guest.registry.attach("box_1")
    guest.registry.heartbeat()
    owner.registry.heartbeat()
    owner.close()

    assert guest.working == "box_1"
    assert guest.own == "box_2"
    assert world.session("s").own == "box_1"


def test_the_next_start_returns_to_the_attached_mailbox_and_keeps_its_own(world: World) -> None:
    world.session("s", new="box_1").close()
    guest = world.session("t", new="box_2")
    guest.registry.attach("box_1")
    guest.close()

    again = world.session("t")

    assert again.working == "box_1"
    assert again.registry.detach() == "box_2"


def test_the_next_start_returns_to_a_mailbox_that_its_owner_still_works(world: World) -> None:
    owner = world.session("s", new="box_1")
    guest = world.session("t", new="box_2")
    guest.registry.attach("box_1")
    guest.die()

    again = world.session("t")

    assert (again.own, again.working) == ("box_2", "box_1")
    assert owner.own == "box_1"
    assert world.session("s").own is None


def test_a_second_process_of_an_attached_session_starts_afresh(world: World) -> None:
    world.session("s", new="box_1")
    guest = world.session("t", new="box_2")
    guest.registry.attach("box_1")

    assert world.session("t").working is None


def test_going_back_undoes_the_return(world: World) -> None:
    world.session("s", new="box_1").close()
    guest = world.session("t", new="box_2")
    guest.registry.attach("box_1")
    assert guest.registry.detach() == "box_2"
    guest.close()

    assert world.session("t").working == "box_2"
    assert world.session("s").own == "box_1"


def test_going_back_undoes_a_return_of_an_earlier_start_too(world: World) -> None:
    world.session("s", new="box_1").close()
    first = world.session("t", new="box_2")
    first.registry.attach("box_1")
    first.die()
    second = world.session("t")
    second.registry.detach()
    second.die()

    assert world.session("t").working == "box_2"


def test_attaching_to_ones_own_mailbox_goes_back(world: World) -> None:
    guest = world.session("t", new="box_2")
    guest.registry.attach("box_1")
    guest.registry.attach("box_2")
    guest.close()

    assert guest.working == "box_2"
    assert world.session("t").working == "box_2"


def test_attaching_elsewhere_leaves_the_first_mailbox(world: World) -> None:
    world.session("s", new="box_1").close()
    guest = world.session("t", new="box_2")
    guest.registry.attach("box_1")
    guest.registry.attach("box_3")

    assert world.session("s").own == "box_1"
    guest.close()
    assert world.session("t").working == "box_3"


def test_an_orphan_that_a_guest_works_is_neither_found_nor_offered(world: World) -> None:
    world.session("s", new="box_1").close()
    guest = world.session("t", new="box_2")
    guest.registry.attach("box_1")

    owner = world.session("s", new="box_4")

    assert owner.own == "box_4"
    assert owner.registry.orphans_of_project() == []


def test_a_mailbox_of_an_ended_owner_is_not_offered_while_a_guest_works_it(world: World) -> None:
    owner = world.session("s", new="box_1")
    guest = world.session("t", new="box_2")
    guest.registry.attach("box_1")
    owner.close()
    assert world.session("u").registry.orphans_of_project() == []

    guest.die()
    offered = world.session("u").registry.orphans_of_project()
    assert {orphan.address for orphan in offered} == {"box_1", "box_2"}


def test_two_guests_work_one_mailbox(world: World) -> None:
    for host_session, new in (("t", "box_2"), ("u", "box_3")):
        world.session(host_session, new=new).registry.attach("box_1")
    world.running.clear()

    assert world.session("t").working == "box_1"
    assert world.session("u").working == "box_1"


def test_a_session_that_lost_its_own_mailbox_makes_the_attached_one_its_own(world: World) -> None:
    guest = world.session("t", new="box_2")
    guest.registry.attach("box_1")
    guest.registry.forget("box_2")
    guest.close()

    assert world.session("t").own == "box_1"


def test_forgetting_the_attached_mailbox_goes_back(world: World) -> None:
    guest = world.session("t", new="box_2")
    guest.registry.attach("box_1")
    guest.registry.forget("box_1")

    assert guest.working == "box_2"
    guest.close()
    assert world.session("t").working == "box_2"


def test_a_guest_without_a_session_id_leaves_no_trace_of_itself(world: World) -> None:
    world.session("s", new="box_1").close()
    for _ in range(3):
        guest = world.session(None)
        guest.registry.attach("box_1")
        guest.close()
    world.session(None).registry.attach("box_1")

    assert world.only_entry().read_bytes().count(b'"host_session":null') == 1
