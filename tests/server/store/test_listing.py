"""Lists show a mailbox its own copies, newest first, a page at a time, without reading the rest."""

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import insert, update

from messenger_core.errors import FolderNotFound, MessageNotFound
from messenger_core.schema import ARCHIVE, TRASH, attachment, message
from messenger_core.times import rfc3339
from messenger_core.wire.mailboxes import RenameMailbox
from messenger_core.wire.messages import MessageDetail, MessagePage, MessageQuery, SentMessage
from messenger_core.wire.threads import ThreadQuery, ThreadReadQuery
from messenger_server.database import Batch
from messenger_server.store.arrivals import arrived, mark_announced
from messenger_server.store.folders import folders_of
from messenger_server.store.listing import list_messages
from messenger_server.store.mailboxes import MailboxRow, rename
from messenger_server.store.messages import mark_read, read_message
from messenger_server.store.threads import get_thread, list_threads
from support.post_office import PostOffice, draft
from support.query_plans import plans_of, refuse_scans


def _seqs(page: MessagePage) -> list[int]:
    return [message.seq for message in page.messages]


class TestAMailboxWithMail:
    """Ten messages from Bob, two from Carol, one to Bob."""

    @pytest.fixture
    def alice(self, office: PostOffice) -> MailboxRow:
        return office.mailbox("alice")

    @pytest.fixture
    def mail(self, office: PostOffice, alice: MailboxRow) -> Sequence[SentMessage]:
        bob, carol = office.mailbox("bob"), office.mailbox("carol")
        first = office.send(bob, alice, subject="first")
        answers = [office.send(bob, alice, thread_id=first.thread_id) for _ in range(4)]
        others = [office.send(bob, alice, subject="other") for _ in range(5)]
        return [
            first,
            *answers,
            *others,
            office.send(carol, alice),
            office.send(carol, alice),
            office.send(alice, bob, thread_id=first.thread_id),
        ]

    def test_the_inbox_is_listed_newest_first(
        self, office: PostOffice, alice: MailboxRow, mail: Sequence[SentMessage]
    ) -> None:
        page = office.list(alice)
        assert _seqs(page) == list(range(12, 0, -1))
        assert (page.total, page.total_capped, page.next) == (12, False, None)
        assert {message.folder for message in page.messages} == {"inbox"}

    def test_pages_follow_each_other_without_gap_or_repetition(
        self, office: PostOffice, alice: MailboxRow, mail: Sequence[SentMessage]
    ) -> None:
        seen, before = [], None
        for expected in (5, 5, 2):
            page = office.list(alice, limit=5, before=before)
            assert (len(page.messages), page.total) == (expected, 12)
            seen += _seqs(page)
            before = page.next
        assert before is None
        assert seen == list(range(12, 0, -1))
        assert _seqs(office.list(alice, limit=5, offset=5)) == seen[5:10]
        assert office.list(alice, limit=12).next is None
        assert office.list(alice, limit=11).next == 2

    def test_a_page_beyond_the_end_is_empty(
        self, office: PostOffice, alice: MailboxRow, mail: Sequence[SentMessage]
    ) -> None:
        page = office.list(alice, offset=100)
        assert (page.messages, page.total, page.next) == ([], 12, None)
        assert office.list(alice, before=1).messages == []

    @pytest.mark.parametrize(
        ("query", "seqs"),
        [
            ({"folder": "sent"}, [13]),
            ({"folder": "SENT"}, [13]),
            ({"folder": "trash"}, []),
            ({"folder": "all", "limit": 3}, [13, 12, 11]),
            ({"from_": "carol"}, [12, 11]),
            ({"from_": "bob", "limit": 2}, [10, 9]),
            ({"from_": "alice"}, []),
            ({"from_": "alice", "folder": "all"}, [13]),
            ({"from_": "nobody"}, []),
            ({"from_": "No Address"}, []),
            ({"from_": "carol", "before": 12}, [11]),
            ({"thread_id": "thr_0123456789abcdef"}, []),
        ],
    )
    def test_filters_choose(
        self,
        office: PostOffice,
        alice: MailboxRow,
        mail: Sequence[SentMessage],
        query: dict[str, Any],
        seqs: list[int],
    ) -> None:
        assert _seqs(office.list(alice, **query)) == seqs

    def test_a_thread_filter_takes_the_folder_too(
        self, office: PostOffice, alice: MailboxRow, mail: Sequence[SentMessage]
    ) -> None:
        thread_id = mail[0].thread_id
        page = office.list(alice, thread_id=thread_id)
        assert (_seqs(page), page.total) == ([5, 4, 3, 2, 1], 5)
        everything = office.list(alice, thread_id=thread_id, folder="all")
        assert (_seqs(everything), everything.total) == ([13, 5, 4, 3, 2, 1], 6)
        assert _seqs(office.list(alice, thread_id=thread_id, from_="carol", folder="all")) == []
        assert _seqs(office.list(alice, thread_id=thread_id, from_="bob", limit=1)) == [5]

    def test_unread_ones_alone_are_listed_and_counted(
        self, office: PostOffice, alice: MailboxRow, mail: Sequence[SentMessage]
    ) -> None:
        for received in mail[:9]:
            office.write(mark_read, alice.id, received.id)
        page = office.list(alice, unread_only=True)
        assert (_seqs(page), page.total) == ([12, 11, 10], 3)
        everywhere = office.list(alice, unread_only=True, folder="all", from_="bob")
        assert (_seqs(everywhere), everywhere.total) == ([10], 1)

    def test_the_trash_is_not_among_all_folders(
        self, office: PostOffice, alice: MailboxRow, mail: Sequence[SentMessage]
    ) -> None:
        office.move(alice, 12, TRASH)
        office.move(alice, 11, ARCHIVE)
        assert _seqs(office.list(alice, folder="all", limit=3)) == [13, 11, 10]
        assert _seqs(office.list(alice, folder="trash")) == [12]
        assert _seqs(office.list(alice, folder="archive")) == [11]

    def test_an_unknown_folder_is_not_there(
        self, office: PostOffice, alice: MailboxRow, mail: Sequence[SentMessage]
    ) -> None:
        with pytest.raises(FolderNotFound):
            office.list(alice, folder="plans")
        with pytest.raises(FolderNotFound):
            office.read(arrived, alice.id, 0, "plans", True)

    def test_what_a_deleted_mailbox_sent_is_still_found_by_its_address(
        self, office: PostOffice, alice: MailboxRow, mail: Sequence[SentMessage]
    ) -> None:
        carol = office.mailbox("carol")
        office.delete(carol)
        page = office.list(alice, from_="carol")
        assert _seqs(page) == [12, 11]
        assert page.messages[0].from_.deleted


def test_a_total_with_a_filter_is_counted_to_a_thousand(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox("bob")
    office.deliver(*(draft(bob, alice, subject="s") for _ in range(1000)))
    assert (office.list(alice, from_="bob").total, office.list(alice).total) == (1000, 1000)
    office.send(bob, alice)
    for query in {"from_": "bob"}, {"unread_only": True}:
        page = office.list(alice, **query)
        assert (page.total, page.total_capped) == (1000, True)
    unfiltered = office.list(alice)
    assert (unfiltered.total, unfiltered.total_capped) == (1001, False)


def test_a_page_names_each_of_many_correspondents_as_it_is_now(office: PostOffice) -> None:
    alice = office.mailbox()
    others = [office.mailbox(f"agent-{number}", display_name="old") for number in range(20)]
    for other in others:
        office.send(other, alice)
    office.write(rename, others[7].id, RenameMailbox(display_name="new"))
    office.delete(others[3])
    shown = {message.from_.id: message.from_ for message in office.list(alice).messages}
    assert sorted(shown) == sorted(other.address for other in others)
    assert [each for each, party in shown.items() if party.display_name == "new"] == ["agent-7"]
    assert [each for each, party in shown.items() if party.deleted] == ["agent-3"]


class TestReading:
    """A message is read whole, and marked once."""

    def test_reading_leaves_a_trail_that_the_sender_sees(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        sent = office.send(alice, bob)
        office.write(mark_announced, {bob.id: [sent.seq]})
        announced_at = rfc3339(office.now_ms)
        marked = office.write(mark_read, bob.id, sent.id)
        read_at = rfc3339(office.now_ms)
        assert (marked.announced_at, marked.read_at) == (announced_at, read_at)
        for mailbox in alice, bob:
            seen = office.read(read_message, mailbox.id, sent.id)
            assert (seen.recipient_announced_at, seen.recipient_read_at) == (announced_at, read_at)

    def test_the_trail_outlives_the_recipients_copy(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        sent = office.send(alice, bob)
        office.write(mark_announced, {bob.id: [sent.seq]})
        office.write(mark_read, bob.id, sent.id)
        before = office.read(read_message, alice.id, sent.id)
        office.remove_copy(bob, sent.seq)
        assert office.read(read_message, alice.id, sent.id) == before
        with pytest.raises(MessageNotFound):
            office.read(read_message, bob.id, sent.id)

    def test_the_first_marks_count(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        sent = office.send(alice, bob)
        office.write(mark_announced, {bob.id: [sent.seq]})
        first = office.write(mark_read, bob.id, sent.id)
        office.write(mark_announced, {bob.id: [sent.seq, 999], 12345: [sent.seq]})
        assert office.write(mark_read, bob.id, sent.id) == first

    def test_reading_moves_the_counters_of_folder_and_thread_once(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        first = office.send(alice, bob)
        office.send(alice, None, thread_id=first.thread_id)
        for _ in range(2):
            office.write(mark_read, bob.id, first.id)
        office.write(mark_read, alice.id, first.id)  # the sender's own copy is born read
        inbox = office.read(folders_of, bob.id)[0]
        assert (inbox.name, inbox.total, inbox.unread) == ("inbox", 2, 1)
        thread = office.read(list_threads, bob.id, ThreadQuery()).threads[0]
        assert (thread.message_count, thread.unread_count) == (2, 1)

    @pytest.mark.parametrize("message_id", ["msg_0123456789abcdef", "", "'; DROP TABLE message"])
    def test_an_unknown_message_is_not_there(self, office: PostOffice, message_id: str) -> None:
        alice = office.mailbox()
        with pytest.raises(MessageNotFound):
            office.read(read_message, alice.id, message_id)
        with pytest.raises(MessageNotFound):
            office.write(mark_read, alice.id, message_id)

    def test_the_files_of_a_message_are_told_in_their_order(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        sent = office.send(alice, bob)

        def attach(batch: Batch) -> None:
            files = [
                {
                    "public_id": f"att_{position}",
                    "seq": sent.seq,
                    "position": position,
                    "filename": f"{position}.txt",
                    "mime_type": "text/plain",
                    "size_bytes": 5,
                    "sha256": "0" * 64,
                }
                for position in (1, 0)
            ]
            batch.connection.execute(insert(attachment), files)
            batch.connection.execute(update(message).values(attachment_count=2))

        office.write(attach)
        read = office.read(read_message, bob.id, sent.id)
        assert read.has_attachments
        assert [file.filename for file in read.attachments] == ["0.txt", "1.txt"]
        assert office.list(bob).messages[0].has_attachments

    def test_hostile_text_comes_back_as_written(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        text = "\u202e<script>\u2028'\"; -- \x1b[31m ``` <system> \x07\r\n" + "é😀" * 1000
        sent = office.send(alice, bob, text, subject=text[:150], thread_name=text[:100])
        read: MessageDetail = office.read(read_message, bob.id, sent.id)
        assert (read.body, read.subject, read.thread_title) == (text, text[:150], text[:100])
        assert len(read.preview.splitlines()) == 1


_DRIVERS: list[tuple[dict[str, Any], str]] = [
    ({}, "COVERING INDEX ix_delivery_folder_id_mailbox_id_seq (folder_id=? AND mailbox_id=?"),
    ({"folder": "all"}, "SEARCH delivery USING PRIMARY KEY (mailbox_id=?"),
    ({"unread_only": True}, "COVERING INDEX ix_delivery_unread (mailbox_id=?"),
    ({"unread_only": True, "folder": "all"}, "COVERING INDEX ix_delivery_unread (mailbox_id=?"),
    ({"from_": "bob"}, "ix_message_recipient_id_sender_id_seq (recipient_id=? AND sender_id=?"),
    ({"from_": "bob", "unread_only": True}, "(recipient_id=? AND sender_id=?"),
    ({"thread_id": "of the message"}, "ix_message_thread_id_seq (thread_id=?"),
    ({"search": "text"}, "SCAN message_search VIRTUAL TABLE"),
    ({"search": "text", "from_": "bob", "unread_only": True}, "SCAN message_search VIRTUAL TABLE"),
]
"""Queries, and the step that finds their page."""


@pytest.mark.parametrize("before", [None, 100])
@pytest.mark.parametrize(("query", "driver"), _DRIVERS, ids=repr)
def test_a_page_of_messages_is_found_in_an_index(
    office: PostOffice, query: dict[str, Any], driver: str, before: int | None
) -> None:
    alice, bob = office.mailbox("alice"), office.mailbox("bob")
    sent = office.send(bob, alice)
    if "thread_id" in query:
        query = {"thread_id": sent.thread_id}
    plans = office.read(plans_of, list_messages, alice.id, MessageQuery(**query, before=before))
    assert any(driver in step for plan in plans for step in plan), plans
    refuse_scans(plans)


@pytest.mark.parametrize(
    ("query", "driver"),
    [
        ({}, "COVERING INDEX ix_thread_member_mailbox_id_last_seq (mailbox_id=?"),
        ({"before": 100}, "ix_thread_member_mailbox_id_last_seq (mailbox_id=? AND last_seq<?"),
        ({"unread_only": True}, "ix_thread_member_unread (mailbox_id=?"),
        ({"with_mailbox": "bob"}, "thread_member USING PRIMARY KEY (mailbox_id=? AND thread_id=?"),
        ({"with_mailbox": "bob"}, "_opener_id (other_id=? AND opener_id=?)"),
        ({"search": "text"}, "SCAN message_search VIRTUAL TABLE"),
    ],
    ids=repr,
)
def test_a_page_of_threads_is_found_in_an_index(
    office: PostOffice, query: dict[str, Any], driver: str
) -> None:
    alice, bob = office.mailbox("alice"), office.mailbox("bob")
    office.send(bob, alice)
    plans = office.read(plans_of, list_threads, alice.id, ThreadQuery(**query))
    assert any(driver in step for plan in plans for step in plan), plans
    refuse_scans(plans)


def test_a_thread_and_arrivals_are_read_along_an_index_without_sorting(office: PostOffice) -> None:
    alice, bob = office.mailbox("alice"), office.mailbox("bob")
    sent = office.send(bob, alice)
    plans = [
        *office.read(plans_of, get_thread, alice.id, sent.thread_id, ThreadReadQuery()),
        *office.read(plans_of, arrived, alice.id, 0, None, False),
        *office.read(plans_of, arrived, alice.id, 0, "inbox", False),
    ]
    refuse_scans(plans)
    assert not [step for plan in plans for step in plan if "TEMP B-TREE" in step], plans
