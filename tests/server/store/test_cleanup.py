"""Clean-up: what meets a criterion, and what goes with a mailbox and what stays."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, text

from messenger_core.errors import (
    CriterionNoLongerMet,
    MailboxNotFound,
    MailboxNotRegistered,
    MessengerError,
)
from messenger_core.times import parse_rfc3339, to_ms
from messenger_core.wire.admin import ConsoleThreadReadQuery, CreateLink
from messenger_core.wire.folders import CreateFolder
from messenger_core.wire.messages import DeleteMessages, MessageQuery
from messenger_server.store import cleanup
from messenger_server.store.cleanup import (
    Criterion,
    delete_mailbox,
    preview,
    purge,
    rename_mailbox,
)
from messenger_server.store.console_links import create_link, list_console_links
from messenger_server.store.console_messages import console_message
from messenger_server.store.console_threads import console_thread
from messenger_server.store.delivering import Delivered
from messenger_server.store.filing import delete_messages
from messenger_server.store.folders import create_folder
from messenger_server.store.mailboxes import MailboxRow, own_card
from messenger_server.store.messages import list_messages, read_message
from messenger_server.store.overview import overview
from support.consistency import faults
from support.post_office import PostOffice, draft, staged

EMPTY = Criterion("empty")
LATE_MS = 2_000_000_000_000


def _found(office: PostOffice, criterion: Criterion) -> list[str]:
    return sorted(each.id for each in office.read(preview, criterion).mailboxes)


def _state(connection: Connection) -> list[Any]:
    tables = ("mailbox", "message", "delivery", "thread", "thread_member", "link", "link_side")
    return [connection.execute(text(f"SELECT * FROM {table}")).all() for table in tables]


def test_an_empty_mailbox_is_one_that_nothing_ever_passed_through(office: PostOffice) -> None:
    alice, bob, eve = office.mailbox("alice"), office.mailbox("bob"), office.mailbox("eve")
    sent = office.send(alice, bob)
    assert _found(office, EMPTY) == ["eve"]

    gone = DeleteMessages(ids=[sent.id], permanent=True)
    office.write(delete_messages, alice.id, gone)

    assert _found(office, EMPTY) == ["eve"]
    assert office.write(purge, ["eve"], EMPTY).mailbox_ids == [eve.id]
    assert _found(office, EMPTY) == []


def test_a_stale_mailbox_was_made_and_active_before_the_date(office: PostOffice) -> None:
    office.mailbox("old-empty")
    one, two = office.mailbox("active"), office.mailbox("asleep")
    office.send(one, two)
    date_ms = office.now_ms + 1
    office.send(one, office.mailbox("new"))
    office.mailbox("new-empty")

    assert _found(office, Criterion("stale", date_ms)) == ["asleep", "old-empty"]
    assert _found(office, Criterion("created_before", date_ms)) == [
        "active",
        "asleep",
        "old-empty",
    ]


def test_a_date_is_not_before_itself(office: PostOffice) -> None:
    office.mailbox("box")
    made_ms = office.now_ms

    for kind in ("stale", "created_before"):
        assert _found(office, Criterion(kind, made_ms)) == []
        assert _found(office, Criterion(kind, made_ms + 1)) == ["box"]


def test_promise_10_a_preview_shows_what_would_go(office: PostOffice) -> None:
    alice, bob = office.mailbox("alice"), office.mailbox("bob")
    office.send(alice, bob)
    office.send(alice, bob)
    office.send(bob, alice)
    before = office.read(_state)

    shown = office.read(preview, Criterion("created_before", LATE_MS)).mailboxes

    assert {each.id: each.message_count for each in shown} == {"alice": 3, "bob": 3}
    assert all(each.last_activity_at is not None for each in shown)
    assert office.read(_state) == before


def test_promise_10_a_purge_takes_all_that_were_named_or_none_and_names_what_changed(
    office: PostOffice,
) -> None:
    boxes = [office.mailbox(name) for name in ("a", "b", "c", "d")]
    office.send(boxes[1], boxes[3])
    before = office.read(_state)

    with pytest.raises(CriterionNoLongerMet) as caught:
        office.write(purge, ["a", "b", "c", "d"], EMPTY)
    assert "b, d" in caught.value.detail
    assert "a" not in caught.value.detail.partition("criterion:")[2].split(".")[0].split(", ")
    with pytest.raises(MailboxNotFound, match="box_0000, nobody"):
        office.write(purge, ["a", "box_0000", "nobody"], EMPTY)

    assert office.read(_state) == before
    done = office.write(purge, ["a", "c", "a"], EMPTY)
    assert (done.counts.deleted, done.counts.messages_deleted) == (2, 0)
    assert _found(office, Criterion("created_before", LATE_MS)) == ["b", "d"]


def test_promise_6_a_mailbox_goes_with_its_own_copies_alone(office: PostOffice) -> None:
    alice, bob = office.mailbox("alice", display_name="Al"), office.mailbox("bob")
    eve = office.mailbox("eve")
    kept = office.send(alice, bob, "kept", files=[staged(b"x" * 10)])
    lost = office.send(bob, alice, "lost")
    office.write(delete_messages, bob.id, DeleteMessages(ids=[lost.id], permanent=True))
    other = office.send(bob, eve, "of others")
    alone = office.send(alice, eve, "alone")
    office.write(delete_messages, eve.id, DeleteMessages(ids=[alone.id], permanent=True))

    done = office.write(purge, ["alice"], Criterion("created_before", LATE_MS)).counts

    assert (done.deleted, done.messages_deleted, done.threads_deleted) == (1, 2, 2)
    mine = office.read(read_message, bob.id, kept.id)
    assert mine.body == "kept"
    assert mine.attachments
    assert (mine.from_.id, mine.from_.display_name, mine.from_.deleted) == ("alice", "Al", True)
    assert office.read(read_message, eve.id, other.id).body == "of others"
    shown = office.read(console_message, kept.id)
    assert [(each.mailbox.id, each.present, each.folder) for each in shown.deliveries] == [
        ("alice", False, None),
        ("bob", True, "inbox"),
    ]
    found = office.read(list_messages, bob.id, MessageQuery(folder="all", search="kept"))
    assert [each.id for each in found.messages] == [kept.id]
    assert office.read(faults) == []
    with pytest.raises(MailboxNotFound):
        office.send(bob, None, reply_to=kept.id)


def test_a_fixed_address_that_registers_later_is_another_mailbox(office: PostOffice) -> None:
    alice, bob = office.mailbox("alice", display_name="First"), office.mailbox("bob")
    sent = office.send(alice, bob)
    office.write(purge, ["alice"], Criterion("created_before", LATE_MS))

    again = office.mailbox("alice")
    new = office.send(again, bob)

    assert again.id != alice.id
    assert office.list(again, folder="all").total == 1
    old = office.read(console_thread, sent.thread_id, ConsoleThreadReadQuery()).thread
    fresh = office.read(console_thread, new.thread_id, ConsoleThreadReadQuery()).thread
    assert [(each.display_name, each.deleted) for each in old.participants] == [
        ("First", True),
        (None, False),
    ]
    assert [each.deleted for each in fresh.participants] == [False, False]
    assert office.read(faults) == []


def test_the_last_names_go_with_the_last_thread_that_shows_them(office: PostOffice) -> None:
    alice, bob, eve = office.mailbox("alice"), office.mailbox("bob"), office.mailbox("eve")
    sent = office.send(alice, bob)
    office.write(purge, ["alice", "eve"], Criterion("created_before", LATE_MS))
    assert office.read(_rows) == [("alice",), ("bob",)]
    del eve

    office.write(delete_messages, bob.id, DeleteMessages(ids=[sent.id], permanent=True))

    assert office.read(_rows) == [("bob",)]
    assert office.read(faults) == []


def _rows(connection: Connection) -> list[Any]:
    return [tuple(row) for row in connection.execute(text("SELECT address FROM mailbox"))]


def test_what_else_a_mailbox_has_goes_with_it(office: PostOffice) -> None:
    alice, bob = office.mailbox("alice"), office.mailbox("bob")
    office.write(create_folder, alice.id, CreateFolder(name="mine"))
    office.write(create_folder, bob.id, CreateFolder(name="mine"))
    office.write(create_link, CreateLink(mailboxes=["alice", "bob"]))
    office.deliver(draft(alice, bob, key="once"))

    office.write(purge, ["alice"], Criterion("created_before", LATE_MS))

    assert office.read(list_console_links) == []
    left = {
        table: office.read(_count, f"SELECT count(*) FROM {table} WHERE mailbox_id = {alice.id}")
        for table in ("folder", "folder_count", "idempotency", "link_side", "delivery")
    }
    assert left == dict.fromkeys(left, 0)
    assert office.read(_count, f"SELECT count(*) FROM folder WHERE mailbox_id = {bob.id}") == 1
    with pytest.raises(MailboxNotRegistered):
        office.write(create_folder, alice.id, CreateFolder(name="more"))


def _count(connection: Connection, query: str) -> int:
    return int(connection.execute(text(query)).scalar_one())


def test_a_mailbox_with_more_copies_than_fit_into_memory_goes_at_once(
    office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleanup, "_PORTION", 3)
    alice, bob = office.mailbox("alice"), office.mailbox("bob")
    first = office.send(alice, bob, priority="urgent")
    for _ in range(7):
        office.send(bob, None, thread_id=first.thread_id)
    office.send(alice, bob)

    done = office.write(purge, ["alice", "bob"], Criterion("created_before", LATE_MS)).counts

    assert (done.deleted, done.messages_deleted, done.threads_deleted) == (2, 9, 2)
    assert office.read(_rows) == []
    assert office.read(faults) == []


def test_one_mailbox_goes_as_it_was_shown_or_not_at_all(office: PostOffice) -> None:
    alice, bob = office.mailbox("alice"), office.mailbox("bob")
    office.mailbox("empty")
    office.send(alice, bob)
    shown = office.read(own_card, alice.id).last_activity_at
    assert shown is not None
    shown_ms = to_ms(parse_rfc3339(shown))
    office.send(bob, alice)
    before = office.read(_state)

    for seen_ms in (shown_ms, None):
        with pytest.raises(CriterionNoLongerMet, match="alice"):
            office.write(delete_mailbox, "alice", seen_ms)
    with pytest.raises(MailboxNotFound, match="nobody"):
        office.write(delete_mailbox, "nobody", None)
    assert office.read(_state) == before

    office.write(delete_mailbox, "alice", office.now_ms)
    office.write(delete_mailbox, "empty", None)
    assert _found(office, Criterion("created_before", LATE_MS)) == ["bob"]
    with pytest.raises(MailboxNotFound):
        office.write(delete_mailbox, "alice", office.now_ms)


def test_a_renamed_mailbox_has_its_new_name_everywhere(office: PostOffice) -> None:
    alice, bob = office.mailbox("alice", display_name="Before"), office.mailbox("bob")
    sent = office.send(alice, bob)

    shown = office.write(rename_mailbox, "alice", "After")

    assert (shown.id, shown.display_name, shown.linked) == ("alice", "After", False)
    assert office.read(read_message, bob.id, sent.id).from_.display_name == "After"
    again = office.mailbox("alice", display_name="Before")
    assert office.read(own_card, again.id).display_name == "After"
    for nothing in ("", None):
        assert office.write(rename_mailbox, "alice", nothing).display_name is None
    with pytest.raises(MailboxNotFound, match="nobody"):
        office.write(rename_mailbox, "nobody", "x")


_PEOPLE = 4
_HISTORY = st.lists(
    st.tuples(st.integers(0, _PEOPLE - 1), st.integers(0, _PEOPLE - 1), st.booleans()).filter(
        lambda step: step[0] != step[1]
    ),
    max_size=12,
)


@settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(history=_HISTORY, doomed=st.sets(st.integers(0, _PEOPLE - 1), min_size=1))
def test_promise_6_whatever_goes_the_others_keep_every_copy(
    office: PostOffice, history: list[tuple[int, int, bool]], doomed: set[int]
) -> None:
    people = [office.mailbox() for _ in range(_PEOPLE)]
    for sender, recipient, destroys in history:
        (outcome,) = office.deliver(draft(people[sender], people[recipient]))
        assert isinstance(outcome, Delivered)
        if destroys:
            gone = DeleteMessages(ids=[outcome.message.id], permanent=True)
            office.write(delete_messages, people[recipient].id, gone)
    stay = [person for number, person in enumerate(people) if number not in doomed]
    before = [_copies(office, person) for person in stay]
    addresses = [people[number].address for number in doomed]

    office.write(purge, addresses, Criterion("created_before", LATE_MS))

    assert [_copies(office, person) for person in stay] == before
    assert office.read(faults) == []
    living = office.read(overview, {}, office.now_ms)
    shown = {box.id for agent in living.agents for box in agent.mailboxes}
    assert shown.isdisjoint(addresses)
    assert {person.address for person in stay} <= shown
    for person in (people[number] for number in doomed):
        (outcome,) = office.deliver(draft(person, people[0]))
        assert isinstance(outcome, MessengerError)


def _copies(office: PostOffice, person: MailboxRow) -> list[tuple[str, str | None, bool]]:
    page = office.list(person, folder="all", limit=200)
    return [(each.id, each.read_at, each.flagged) for each in page.messages]
