"""Promise 7: a resumed session gets exactly its own mailbox back, or a new one."""

import json
import logging
import stat

import pytest

from support.simulated_machines import World


def test_a_first_start_finds_nothing(world: World) -> None:
    session = world.session("s")

    assert session.own is None
    assert session.working is None


def test_a_closed_session_finds_its_mailbox_again(world: World) -> None:
    world.session("s", new="box_1").close()

    assert world.session("s").own == "box_1"


def test_a_killed_session_finds_its_mailbox_again_at_once(world: World) -> None:
    world.session("s", new="box_1").die()

    assert world.session("s").working == "box_1"


def test_a_mailbox_held_by_a_live_session_is_not_taken_under_the_same_session_id(
    world: World,
) -> None:
    living = world.session("s", new="box_1")

    assert world.session("s").own is None
    assert living.own == "box_1"


def test_another_session_of_the_same_project_gets_a_new_mailbox(world: World) -> None:
    world.session("s", new="box_1").close()

    assert world.session("t").own is None


def test_a_session_without_an_id_gets_a_new_mailbox(world: World) -> None:
    world.session(None, new="box_1").close()

    assert world.session(None).own is None


def test_a_session_finds_its_mailbox_from_another_folder(world: World) -> None:
    world.session("s", new="box_1", project="one").close()

    assert world.session("s", project="two").own == "box_1"


def test_a_mailbox_of_another_server_is_never_found(world: World) -> None:
    world.session("s", new="box_1", server="http://127.0.0.1:3600").close()

    assert world.session("s", server="http://127.0.0.1:3601").own is None
    assert world.session("s", server="http://127.0.0.1:3600").own == "box_1"


def test_the_same_address_on_two_servers_is_two_mailboxes(world: World) -> None:
    world.session("s", new="main", server="http://one").close()
    living = world.session("s", new="main", server="http://two")

    assert world.session("s", server="http://one").own == "main"
    assert living.own == "main"


def test_of_several_mailboxes_the_last_active_is_found(world: World) -> None:
    first = world.session("s", new="box_1")
    second = world.session("s", new="box_2")
    world.pass_time(10)
    second.close()
    world.pass_time(10)
    first.close()

    assert world.session("s").own == "box_1"


def test_the_last_active_is_found_though_the_clock_went_back_meanwhile(world: World) -> None:
    first = world.session("s", new="box_1")
    world.pass_time(10)
    world.jump(-86_400)
    world.session("s", new="box_2").close()
    first.die()

    assert world.session("s").own == "box_2"


def test_a_session_id_is_remembered_though_others_held_the_mailbox_meanwhile(world: World) -> None:
    world.session("s", new="box_1").close()
    guest = world.session("t", new="box_2")
    guest.registry.attach("box_1")
    guest.close()

    assert world.session("s").own == "box_1"


def test_a_mailbox_remembers_the_newest_fifty_sessions(world: World) -> None:
    world.session("owner", new="box_1").close()
    for number in range(60):
        guest = world.session(f"guest {number}")
        guest.registry.attach("box_1")
        guest.close()

    entry = json.loads(world.only_entry().read_bytes())

    assert len(entry["visitors"]) == 50
    assert world.session("owner").own == "box_1"
    assert world.session("guest 0").working is None


def test_neither_the_project_nor_the_session_stands_in_a_file_in_clear(world: World) -> None:
    session = world.session("a-session-id", new="box_1")
    session.registry.attach("box_2")

    for path in world.entry_files():
        assert b"a-session-id" not in path.read_bytes()
        assert "box_" not in path.name
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_log_says_which_path_was_taken_and_what_named_the_session(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    world.session(None)
    world.session("s", new="box_1").close()
    world.session("s").registry.attach("box_2")
    world.running.clear()
    world.session("s")

    assert caplog.messages == [
        "Nothing names the host's session: no mailbox is found again, this session works a new "
        "one.",
        "The host's session is named by A_VARIABLE: no mailbox is found again, this session works "
        "a new one.",
        "The host's session is named by A_VARIABLE: this session works its mailbox box_1 again.",
        "The host's session is named by A_VARIABLE: this session returns to the mailbox box_2, to "
        "which it attached.",
    ]


def test_a_second_claim_of_one_session_changes_nothing(world: World) -> None:
    world.session("s", new="box_1").close()
    world.session("s", new=None).close()
    world.session("t", new="box_2").close()
    session = world.session("s")

    assert session.registry.claim(None) == ("box_1", "box_1")


def test_a_forgotten_mailbox_is_not_found(world: World) -> None:
    session = world.session("s", new="box_1")
    session.registry.forget("box_1")
    session.registry.heartbeat()
    session.close()

    assert list(world.entry_files()) == []
    assert world.session("s").own is None


def test_after_its_mailbox_was_purged_a_session_records_a_new_one(world: World) -> None:
    session = world.session("s", new="box_1")
    session.registry.forget("box_1")
    session.registry.record_new("box_2")
    session.close()

    assert world.session("s").own == "box_2"


def test_a_mailbox_given_up_is_free_and_the_next_one_is_found_first(world: World) -> None:
    session = world.session("s", new="box_1")
    session.registry.give_up("box_1")
    assert [orphan.address for orphan in world.session("t").registry.orphans_of_project()] == [
        "box_1"
    ]
    session.registry.record_new("box_2")
    session.close()

    assert world.session("s").own == "box_2"


def test_an_entry_untouched_for_a_month_is_forgotten(world: World) -> None:
    world.session("s", new="box_1").close()
    world.pass_time(31 * 86_400)

    assert world.session("s").own is None
    assert list(world.entry_files()) == []


def test_an_entry_touched_within_the_month_is_found(world: World) -> None:
    world.session("s", new="box_1").close()
    world.pass_time(29 * 86_400)

    assert world.session("s").own == "box_1"


def test_nothing_is_written_after_the_end(world: World) -> None:
    session = world.session("s", new="box_1")
    session.registry.close()
    session.registry.heartbeat()

    assert world.session("s").own == "box_1"
