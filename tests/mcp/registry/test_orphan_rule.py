"""When a mailbox counts as free: closed, dead, or, where nobody can look, quiet."""

import pytest

from support.simulated_machines import CONTAINER, ELSEWHERE, HOME, World


def test_a_pid_used_again_by_another_process_is_dead(world: World) -> None:
    session = world.session("s", new="box_1")
    session.die()
    world.process(pid=session.process.process.pid)

    assert world.session("s").own == "box_1"


def test_a_live_session_that_stopped_beating_keeps_its_mailbox(world: World) -> None:
    world.session("s", new="box_1")
    world.pass_time(10 * 86_400)

    assert world.session("s").own is None


@pytest.mark.parametrize("jump", [-86_400, 86_400, 400 * 86_400])
@pytest.mark.parametrize("place", [HOME, CONTAINER, ELSEWHERE])
def test_a_clock_that_jumps_takes_no_mailbox_from_a_live_session(
    world: World, place: str, jump: float
) -> None:
    session = world.session("s", new="box_1", place=place)
    world.jump(jump)

    assert world.session("s").own is None
    session.registry.heartbeat()
    assert world.session("s").own is None


@pytest.mark.parametrize("place", [CONTAINER, ELSEWHERE])
def test_a_session_that_cannot_be_looked_up_keeps_its_mailbox_for_five_minutes(
    world: World, place: str
) -> None:
    world.session("s", new="box_1", place=place).die()
    world.pass_time(299)
    assert world.session("s").own is None

    world.pass_time(2)
    assert world.session("s").own == "box_1"


@pytest.mark.parametrize("place", [CONTAINER, ELSEWHERE])
def test_a_session_that_beats_where_nobody_can_look_keeps_its_mailbox(
    world: World, place: str
) -> None:
    session = world.session("s", new="box_1", place=place)
    for _ in range(10):
        world.pass_time(240)
        session.registry.heartbeat()

    assert world.session("s").own is None


@pytest.mark.parametrize("place", [CONTAINER, ELSEWHERE])
def test_a_session_closed_where_nobody_can_look_is_free_at_once(world: World, place: str) -> None:
    world.session("s", new="box_1", place=place).close()

    assert world.session("s").own == "box_1"


def test_a_heartbeat_from_the_future_does_not_hold_a_mailbox_for_ever(world: World) -> None:
    world.jump(86_400)
    world.session("s", new="box_1", place=ELSEWHERE).die()
    world.jump(-86_400)
    assert world.session("s").own is None

    world.pass_time(301)
    assert world.session("s").own == "box_1"


def test_a_session_that_froze_and_was_replaced_does_not_take_its_mailbox_back(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    frozen = world.session("s", new="box_1", place=ELSEWHERE)
    world.pass_time(600)
    successor = world.session("s")
    assert successor.own == "box_1"

    frozen.registry.heartbeat()
    frozen.registry.heartbeat()
    frozen.close()

    assert world.session("s").own is None
    assert [message for message in caplog.messages if "both work it now" in message] == [
        "Another session took the mailbox box_1 while this one gave no sign of life: both work it "
        "now."
    ]
    successor.close()
    assert world.session("s").own == "box_1"


def test_a_session_that_froze_holds_its_mailbox_again_once_the_other_ended(world: World) -> None:
    frozen = world.session("s", new="box_1", place=ELSEWHERE)
    world.pass_time(600)
    world.session("s").close()

    frozen.registry.heartbeat()

    assert world.session("s").own is None


def test_orphans_of_the_project_are_offered_used_ones_first_then_the_latest(world: World) -> None:
    used = world.session(None, new="box_used")
    used.registry.mark_used()
    used.close()
    for name in ("box_1", "box_2"):
        world.pass_time(10)
        world.session(None, new=name).close()
    world.session(None, new="box_foreign", project="another").close()
    world.session(None, new="box_held")

    registry = world.session(None, new="box_3").registry

    assert [(orphan.address, orphan.used) for orphan in registry.orphans_of_project()] == [
        ("box_used", True),
        ("box_2", False),
        ("box_1", False),
    ]
    assert len(registry.orphans_of_project(limit=1)) == 1


def test_offering_orphans_takes_nothing(world: World) -> None:
    world.session("s", new="box_1").close()
    world.session("t", new="box_2").registry.orphans_of_project()

    assert world.session("s").own == "box_1"


def test_a_session_without_a_folder_is_offered_nothing(world: World) -> None:
    world.session(None, project=None, new="box_1").close()
    session = world.session(None, project=None)

    assert session.registry.orphans_of_project() == []
