"""Copies that are marked, moved and destroyed, and what goes with the last one."""

from typing import Any

import pytest
from sqlalchemy import Connection, func, insert, select

from messenger_core import schema
from messenger_core.errors import FolderNotFound, MessageNotFound, ThreadNotFound
from messenger_core.limits import AUDIT_SECONDS, IDEMPOTENCY_SECONDS
from messenger_core.wire.folders import CreateFolder, Folder
from messenger_core.wire.messages import (
    Changed,
    DeleteMessages,
    MarkMessages,
    MessageQuery,
    MoveMessages,
)
from messenger_core.wire.threads import Thread, ThreadReadQuery
from messenger_server.store.delivering import Delivered
from messenger_server.store.filing import delete_messages, mark_messages, move_messages
from messenger_server.store.folders import create_folder, delete_folder, folders_of
from messenger_server.store.idempotency import purge_idempotency
from messenger_server.store.mailboxes import MailboxRow
from messenger_server.store.messages import list_messages, mark_read, read_message
from messenger_server.store.retention import purge_audit, purge_trash
from messenger_server.store.threads import get_thread
from support.consistency import faults
from support.post_office import PostOffice, draft, staged
from support.query_plans import plans_of, refuse_scans

_DAY_MS = 24 * 3600 * 1000


@pytest.fixture
def alice(office: PostOffice) -> MailboxRow:
    return office.mailbox("alice")


@pytest.fixture
def bob(office: PostOffice) -> MailboxRow:
    return office.mailbox("bob")


def _move(office: PostOffice, of: MailboxRow, folder: str, *ids: str) -> Changed:
    return office.write(move_messages, of.id, MoveMessages(ids=list(ids), folder=folder))


def _delete(office: PostOffice, of: MailboxRow, *ids: str, permanent: bool = False) -> Changed:
    request = DeleteMessages(ids=list(ids), permanent=permanent)
    return office.write(delete_messages, of.id, request)


def _folder(office: PostOffice, of: MailboxRow, name: str) -> Folder:
    return next(each for each in office.read(folders_of, of.id) if each.name == name)


def _thread(office: PostOffice, of: MailboxRow, thread_id: str) -> Thread:
    return office.read(get_thread, of.id, thread_id, ThreadReadQuery()).thread


def _count(connection: Connection, *tables: str) -> list[int | None]:
    return [
        connection.execute(select(func.count()).select_from(schema.metadata.tables[each])).scalar()
        for each in tables
    ]


def test_each_id_is_told_once_in_the_order_given(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    first, second = office.send(alice, bob).id, office.send(alice, bob).id
    changed = _move(office, bob, "archive", second, "msg_x", first, second, "msg_x")
    assert changed == Changed(changed=[second, first], unknown=["msg_x"])
    # Nothing had to change this time, and they are found all the same.
    assert _move(office, bob, "ARCHIVE", first) == Changed(changed=[first], unknown=[])


def test_an_id_given_twice_is_not_deleted_twice(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    sent = office.send(alice, bob)
    _delete(office, bob, sent.id, sent.id)
    assert office.read(read_message, bob.id, sent.id).folder == "trash"


def test_marks_change_what_they_name_alone(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    sent = office.send(alice, bob)
    office.write(mark_messages, bob.id, MarkMessages(ids=[sent.id], flagged=True))
    copy = office.read(read_message, bob.id, sent.id)
    assert (copy.flagged, copy.read_at) == (True, None)
    read = office.write(mark_read, bob.id, sent.id)
    office.write(mark_messages, bob.id, MarkMessages(ids=[sent.id], read=True))
    copy = office.read(read_message, bob.id, sent.id)
    assert (copy.flagged, copy.read_at) == (True, read.read_at)
    office.write(mark_messages, bob.id, MarkMessages(ids=[sent.id], read=False, flagged=False))
    assert _folder(office, bob, "inbox").unread == 1
    assert _thread(office, bob, sent.thread_id).unread_count == 1
    # The sender's trail follows what the recipient says of it.
    assert office.read(read_message, alice.id, sent.id).recipient_read_at is None
    assert not office.read(read_message, alice.id, sent.id).flagged


def test_a_move_takes_any_folder_and_touches_one_side(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    sent = office.send(alice, bob)
    office.write(create_folder, bob.id, CreateFolder(name="Work"))
    for folder in ("work", "sent", "archive", "trash", "inbox"):
        _move(office, bob, folder, sent.id)
        assert office.read(read_message, bob.id, sent.id).folder.casefold() == folder
        assert office.read(read_message, bob.id, sent.id).role == "recipient"
        assert [each.id for each in office.list(bob, folder=folder).messages] == [sent.id]
    _move(office, alice, "inbox", sent.id)
    assert office.read(read_message, alice.id, sent.id).role == "sender"
    assert office.read(faults) == []


@pytest.mark.parametrize("name", ["nowhere", "all", "", " "])
def test_a_move_into_no_folder_is_refused_and_moves_nothing(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow, name: str
) -> None:
    sent = office.send(alice, bob)
    with pytest.raises(FolderNotFound):
        _move(office, bob, name, sent.id)
    assert office.read(read_message, bob.id, sent.id).folder == "inbox"


def test_a_copy_is_destroyed_for_one_side_alone(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    sent = office.send(alice, bob, "a rare word")
    read = office.write(mark_read, bob.id, sent.id)
    _delete(office, bob, sent.id, permanent=True)
    with pytest.raises(MessageNotFound):
        office.read(read_message, bob.id, sent.id)
    with pytest.raises(ThreadNotFound):
        _thread(office, bob, sent.thread_id)
    assert office.list(bob, folder="all", search="rare").messages == []
    # The other side keeps its own, and still sees that it was read.
    kept = office.read(read_message, alice.id, sent.id)
    assert (kept.body, kept.recipient_read_at) == ("a rare word", read.read_at)
    assert office.list(alice, folder="all", search="rare").total == 1
    # It can be answered, and the answer opens the thread anew for whoever had left it.
    answer = office.send(alice, None, "again", reply_to=sent.id)
    assert _thread(office, bob, sent.thread_id).message_count == 1
    assert office.read(read_message, bob.id, answer.id).reply_to == sent.id
    assert office.read(faults) == []


def test_the_facts_of_a_thread_follow_what_is_left_of_it(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    first = office.send(alice, bob, priority="high")
    within = {"thread_id": first.thread_id}
    middle = office.send(alice, bob, priority="low", **within)
    last = office.send(alice, bob, priority="urgent", **within)
    seen = []
    for gone in (last, first):
        _delete(office, bob, gone.id, permanent=True)
        thread = _thread(office, bob, first.thread_id)
        assert thread.last_message is not None
        seen.append(
            (thread.message_count, thread.unread_count, thread.priority, thread.last_message.id)
        )
    assert seen == [(2, 2, "high", middle.id), (1, 1, "low", middle.id)]
    whole = _thread(office, alice, first.thread_id)
    assert (whole.message_count, whole.priority) == (3, "urgent")


def test_everything_goes_with_the_last_copy(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    (outcome,) = office.deliver(draft(alice, bob, thread_name="a name", files=(staged(b"x"),)))
    assert isinstance(outcome, Delivered)
    sent = outcome.message
    _delete(office, alice, sent.id, permanent=True)
    everything = ("message", "thread", "attachment", "attachment_chunk", "removed_delivery")
    assert office.read(_count, *everything) == [1, 1, 1, 1, 1]
    _delete(office, bob, sent.id)
    _delete(office, bob, sent.id)
    assert office.read(_count, *everything) == [0, 0, 0, 0, 0]
    assert office.read(_count, "thread_member", "delivery") == [0, 0]
    assert office.read(faults) == []


def test_a_folder_that_is_deleted_hands_its_messages_to_the_archive(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    office.write(create_folder, bob.id, CreateFolder(name="work"))
    ids = [office.send(alice, bob).id for _ in range(3)]
    _move(office, bob, "work", *ids)
    _move(office, bob, "archive", ids[0])
    office.write(mark_read, bob.id, ids[1])
    office.write(delete_folder, bob.id, "WORK")
    archive = _folder(office, bob, "archive")
    assert (archive.total, archive.unread) == (3, 2)
    assert len(office.read(folders_of, bob.id)) == 4
    assert office.read(faults) == []


def test_the_trash_is_emptied_so_long_after_the_move_into_it(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    early, late, back = (office.send(alice, bob).id for _ in range(3))
    _delete(office, bob, early, back)
    office.now_ms += _DAY_MS
    _delete(office, bob, late)
    _move(office, bob, "trash", early)  # there already: its time goes on
    _move(office, bob, "inbox", back)
    _move(office, bob, "trash", back)  # this one's begins anew
    office.now_ms += 29 * _DAY_MS
    assert office.write(purge_trash, 30 * _DAY_MS) == 1
    left = {each.id for each in office.list(bob, folder="trash").messages}
    assert left == {late, back}
    assert office.list(alice, folder="sent").total == 3
    office.now_ms += _DAY_MS
    assert [office.write(purge_trash, 30 * _DAY_MS, 1) for _ in range(3)] == [1, 1, 0]
    assert office.read(faults) == []


def test_both_sides_trash_is_emptied_in_one_go(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    sent = office.send(alice, bob)
    for of in (alice, bob):
        _delete(office, of, sent.id)
    assert office.write(purge_trash, 0) == 2
    assert office.read(_count, "message", "thread", "removed_delivery") == [0, 0, 0]
    assert office.read(faults) == []


def test_large_files_are_given_up_a_few_at_a_time(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    large = (staged(b"12345"),)
    outcomes = office.deliver(*[draft(alice, bob, files=large) for _ in range(3)])
    _delete(office, bob, *[each.message.id for each in outcomes if isinstance(each, Delivered)])
    office.now_ms += _DAY_MS
    purged = [office.write(purge_trash, _DAY_MS, 500, most) for most in (10, 1, 1)]
    assert purged == [2, 1, 0]


def test_records_are_given_up_after_their_time(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    office.deliver(draft(alice, bob, key="once"))
    act = insert(schema.audit).values(action="key_created", at=office.now_ms)
    office.write(lambda batch: batch.connection.execute(act))
    assert (office.write(purge_idempotency), office.write(purge_audit)) == (0, 0)
    office.now_ms += IDEMPOTENCY_SECONDS * 1000
    assert (office.write(purge_idempotency), office.write(purge_audit)) == (1, 0)
    office.now_ms += AUDIT_SECONDS * 1000
    assert (office.write(purge_idempotency), office.write(purge_audit)) == (0, 1)


@pytest.mark.parametrize("folder", ["work", "trash"])
@pytest.mark.parametrize("more", [{}, {"unread_only": True}, {"before": 100}], ids=repr)
def test_a_page_of_any_folder_is_found_in_an_index(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow, folder: str, more: dict[str, Any]
) -> None:
    office.write(create_folder, bob.id, CreateFolder(name="work"))
    _move(office, bob, folder, office.send(alice, bob).id)
    query = MessageQuery(folder=folder, **more)
    plans = office.read(plans_of, list_messages, bob.id, query)
    assert any("COVERING INDEX ix_delivery_" in step for plan in plans for step in plan), plans
    refuse_scans(plans)


def test_nothing_that_files_reads_a_whole_table(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    office.write(create_folder, bob.id, CreateFolder(name="work"))
    ids = [office.send(alice, bob).id for _ in range(2)]
    plans = [
        *office.write(plans_of, mark_messages, bob.id, MarkMessages(ids=ids, read=True)),
        *office.write(plans_of, move_messages, bob.id, MoveMessages(ids=ids, folder="work")),
        *office.write(plans_of, delete_folder, bob.id, "work"),
        *office.write(plans_of, delete_messages, bob.id, DeleteMessages(ids=ids)),
        *office.write(plans_of, purge_trash, 0, 2),
        # The last copies: now the foreign keys of messages and threads are looked up too.
        *office.write(plans_of, delete_messages, alice.id, DeleteMessages(ids=ids, permanent=True)),
    ]
    assert office.read(_count, "message") == [0]
    # Looked through when a folder or a mailbox goes: a few rows a mailbox, and links made by hand.
    few = {"SCAN folder_count", "SCAN link_side USING COVERING INDEX ix_link_side_link_id"}
    refuse_scans([[step for step in plan if step not in few] for plan in plans])
    # The mailbox first would be all that it has: the ids lead.
    assert not [plan for plan in plans if plan[0].endswith("(mailbox_id=?)")], plans


def test_foreign_keys_are_followed_along_an_index(office: PostOffice) -> None:
    """Whoever deletes a row pays for a look at each table that may refer to it."""
    for parent, of in (("message", "seq"), ("thread", "id"), ("attachment", "id")):
        for table in schema.metadata.tables.values():
            for key in table.foreign_keys:
                if key.target_fullname == f"{parent}.{of}":
                    look = select(table).where(key.parent == 1)
                    (plan,) = office.read(plans_of, Connection.execute, look)
                    assert all(step.startswith("SEARCH") for step in plan), (key, plan)
