"""A send is accepted whole or refused with its reason, and harms no neighbour in its batch."""

from typing import Any

import pytest

from messenger_core.errors import (
    IdempotencyConflict,
    InvalidRequest,
    MailboxNotFound,
    MailboxNotRegistered,
    MessageNotFound,
    MessengerError,
    NotInThread,
    OneRecipientOnly,
    SelfMessage,
    ThreadNotFound,
)
from messenger_core.times import rfc3339
from messenger_core.wire.common import Party
from messenger_core.wire.folders import Folder
from messenger_core.wire.threads import ThreadQuery, ThreadReadQuery
from messenger_server.store.delivering import Delivered
from messenger_server.store.folders import folders_of
from messenger_server.store.idempotency import purge_idempotency
from messenger_server.store.mailboxes import MailboxRow, card, head, own_card
from messenger_server.store.messages import read_message
from messenger_server.store.threads import get_thread, list_threads
from support.post_office import BEGIN_MS, PostOffice, draft

_DAY_MS = 24 * 3600 * 1000


def _accepted(outcome: Delivered | MessengerError) -> Delivered:
    assert isinstance(outcome, Delivered)
    return outcome


def _counts(office: PostOffice, mailbox: MailboxRow) -> dict[str, tuple[int, int]]:
    folders: list[Folder] = office.read(folders_of, mailbox.id)
    return {folder.name: (folder.total, folder.unread) for folder in folders if folder.total}


def test_a_message_is_in_both_mailboxes(office: PostOffice) -> None:
    alice = office.mailbox(agent_name="Alice", display_name="At the helm")
    bob = office.mailbox("bob", agent_name="Bob")
    sent = office.send(
        alice, bob, "# Hello\n\n*you*", subject="Greeting", priority="high", type="request",
        correlation_id="c-1",
    )  # fmt: skip
    assert sent.from_ == Party(
        id=alice.address, agent_name="Alice", display_name="At the helm", deleted=False
    )
    assert sent.to == Party(id="bob", agent_name="Bob", display_name=None, deleted=False)
    assert (sent.folder, sent.role, sent.flagged, sent.announced_at) == (
        "sent",
        "sender",
        False,
        None,
    )
    assert sent.created_at == sent.read_at == rfc3339(office.now_ms)
    assert (sent.subject, sent.body, sent.preview) == ("Greeting", "# Hello\n\n*you*", "Hello you")
    assert (sent.priority, sent.type, sent.correlation_id) == ("high", "request", "c-1")
    assert (sent.thread_title, sent.reply_to, sent.to_name) == ("Greeting", None, None)
    assert (sent.attachments, sent.has_attachments) == ([], False)
    assert (sent.recipient_announced_at, sent.recipient_read_at) == (None, None)
    assert (sent.recipient_never_connected, sent.recipient_watcher_armed) == (False, False)
    received = office.read(read_message, bob.id, sent.id)
    assert (received.folder, received.role, received.read_at) == ("inbox", "recipient", None)
    assert (received.seq, received.body, received.thread_id) == (
        sent.seq,
        sent.body,
        sent.thread_id,
    )


def test_the_sender_reads_back_what_it_was_answered(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    sent = office.send(alice, bob, "text", subject="s", thread_name="named")
    stored = office.read(read_message, alice.id, sent.id)
    for field in stored.__struct_fields__:
        assert getattr(stored, field) == getattr(sent, field), field


def test_a_send_moves_every_counter(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    office.deliver(*(draft(alice, bob, subject=f"n{number}") for number in range(3)))
    answered = office.send(bob, alice)
    assert _counts(office, alice) == {"inbox": (1, 1), "sent": (3, 0)}
    assert _counts(office, bob) == {"inbox": (3, 3), "sent": (1, 0)}
    assert answered.seq == 4 == office.read(head)
    for mailbox in alice, bob:
        page = office.read(list_threads, mailbox.id, ThreadQuery())
        assert page.total == 4 == len(page.threads)
        assert office.read(own_card, mailbox.id).last_activity_at == answered.created_at


def test_a_thread_counts_the_copies_of_each_side(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    first = office.send(alice, bob, priority="urgent")
    office.deliver(
        draft(alice, None, thread_id=first.thread_id),
        draft(bob, None, thread_id=first.thread_id, priority="low"),
    )
    for mailbox, unread in (alice, 1), (bob, 2):
        thread = office.read(list_threads, mailbox.id, ThreadQuery()).threads[0]
        assert (thread.message_count, thread.unread_count) == (3, unread)
        assert thread.priority == "urgent"
        assert thread.last_message is not None
        assert thread.last_message.seq == 3


@pytest.mark.parametrize(
    ("original", "answer"),
    [
        ("Plan", "Re: Plan"),
        ("Re: Plan", "Re: Plan"),
        ("RE: Plan", "RE: Plan"),
        ("Re:Plan", "Re: Re:Plan"),
        ("s" * 200, "Re: " + "s" * 196),
    ],
)
def test_an_answer_goes_to_the_other_correspondent_under_re(
    office: PostOffice, original: str, answer: str
) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    first = office.send(alice, bob, subject=original)
    by_message = office.send(bob, None, reply_to=first.id)
    by_thread = office.send(alice, None, thread_id=first.thread_id)
    for sent, to in (by_message, alice), (by_thread, bob):
        assert (sent.subject, sent.to.id, sent.thread_id) == (answer, to.address, first.thread_id)
    assert (by_message.reply_to, by_thread.reply_to) == (first.id, None)
    # An answer to one's own message goes to the other side as well.
    assert office.send(alice, None, reply_to=first.id).to.id == bob.address
    assert office.send(alice, None, reply_to=by_message.id, subject="New").subject == "New"


def test_an_answer_takes_re_of_the_message_that_it_answers(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    first = office.send(alice, bob, subject="One")
    second = office.send(bob, None, reply_to=first.id, subject="Two")
    assert office.send(alice, None, reply_to=second.id).subject == "Re: Two"
    assert office.send(alice, None, thread_id=first.thread_id).subject == "Re: One"


@pytest.mark.parametrize(
    ("body", "subject"),
    [("# Title\n\ntext", "Title text"), ("---", "(no subject)"), ("w" * 300, "w" * 199 + "…")],
)
def test_a_new_thread_without_subject_takes_it_from_the_text(
    office: PostOffice, body: str, subject: str
) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    sent = office.send(alice, bob, body)
    assert sent.subject == subject == sent.thread_title


@pytest.mark.parametrize("to", [["bob"], "bob"])
def test_a_recipient_is_an_address_or_a_list_of_one(office: PostOffice, to: Any) -> None:
    alice = office.mailbox()
    office.mailbox("bob")
    assert office.send(alice, to).to.id == "bob"


@pytest.mark.parametrize(
    ("to", "fields", "refusal"),
    [
        (None, {}, InvalidRequest),
        ([], {}, InvalidRequest),
        (["bob", "carol"], {}, OneRecipientOnly),
        ("alice", {}, SelfMessage),
        ("box_0123456789abcdef", {}, MailboxNotFound),
        ("Not An Address", {}, MailboxNotFound),
        ("box_short", {}, MailboxNotFound),
        (None, {"reply_to": "msg_0123456789abcdef"}, MessageNotFound),
        (None, {"thread_id": "thr_0123456789abcdef"}, ThreadNotFound),
        (None, {"reply_to": "anything at all"}, MessageNotFound),
    ],
)
def test_a_send_that_goes_nowhere_is_refused_and_leaves_nothing(
    office: PostOffice, to: Any, fields: dict[str, Any], refusal: type[MessengerError]
) -> None:
    alice = office.mailbox("alice")
    office.mailbox("bob")
    with pytest.raises(MessengerError) as caught:
        office.send(alice, to, **fields)
    assert type(caught.value) is refusal
    assert office.read(head) == 0
    assert office.list(alice, folder="all").total == 0
    with pytest.raises(MailboxNotFound):
        office.read(card, alice.id, "carol")


def test_a_send_without_recipient_names_the_field(office: PostOffice) -> None:
    with pytest.raises(InvalidRequest) as caught:
        office.send(office.mailbox(), None)
    assert [error.field for error in caught.value.errors] == ["to"]


class TestInAThread:
    """A message stays in its thread, between its two mailboxes."""

    @pytest.fixture
    def people(self, office: PostOffice) -> tuple[MailboxRow, MailboxRow, MailboxRow]:
        return office.mailbox("alice"), office.mailbox("bob"), office.mailbox("carol")

    def test_the_correspondent_may_be_named(
        self, office: PostOffice, people: tuple[MailboxRow, MailboxRow, MailboxRow]
    ) -> None:
        alice, bob, _ = people
        first = office.send(alice, bob)
        assert office.send(bob, "alice", reply_to=first.id).thread_id == first.thread_id

    @pytest.mark.parametrize(
        ("to", "refusal"),
        [
            ("carol", NotInThread),
            ("nobody-yet", NotInThread),
            ("alice", SelfMessage),
            ("box_0123456789abcdef", MailboxNotFound),
        ],
    )
    def test_another_recipient_is_refused_and_not_created(
        self,
        office: PostOffice,
        people: tuple[MailboxRow, MailboxRow, MailboxRow],
        to: str,
        refusal: type[MessengerError],
    ) -> None:
        alice, bob, _ = people
        first = office.send(alice, bob)
        for target in {"reply_to": first.id}, {"thread_id": first.thread_id}:
            with pytest.raises(refusal):
                office.send(alice, to, **target)
        with pytest.raises(MailboxNotFound):
            office.read(card, alice.id, "nobody-yet")

    def test_a_thread_that_is_not_that_of_the_message_is_refused(
        self, office: PostOffice, people: tuple[MailboxRow, MailboxRow, MailboxRow]
    ) -> None:
        alice, bob, _ = people
        first, other = office.send(alice, bob), office.send(alice, bob)
        with pytest.raises(NotInThread):
            office.send(alice, None, reply_to=first.id, thread_id=other.thread_id)
        both = office.send(alice, None, reply_to=first.id, thread_id=first.thread_id)
        assert both.thread_id == first.thread_id

    def test_the_mail_of_others_is_not_there(
        self, office: PostOffice, people: tuple[MailboxRow, MailboxRow, MailboxRow]
    ) -> None:
        alice, bob, carol = people
        first = office.send(alice, bob)
        with pytest.raises(MessageNotFound):
            office.send(carol, None, reply_to=first.id)
        with pytest.raises(ThreadNotFound):
            office.send(carol, None, thread_id=first.thread_id)

    def test_a_mailbox_that_is_gone_cannot_be_answered(
        self, office: PostOffice, people: tuple[MailboxRow, MailboxRow, MailboxRow]
    ) -> None:
        alice, bob, carol = people
        first = office.send(alice, bob)
        office.delete(bob)
        for fields in {"reply_to": first.id}, {"thread_id": first.thread_id}:
            for to in None, "bob":
                with pytest.raises(MailboxNotFound):
                    office.send(alice, to, **fields)
        # Its address lives again with the next message, as a mailbox of its own.
        again = office.send(alice, "bob")
        assert again.recipient_never_connected
        with pytest.raises(MailboxNotFound):
            office.send(alice, None, reply_to=first.id)
        with pytest.raises(NotInThread):
            office.send(carol, "bob", thread_id=office.send(carol, alice).thread_id)

    def test_a_name_titles_the_thread_and_an_empty_one_changes_nothing(
        self, office: PostOffice, people: tuple[MailboxRow, MailboxRow, MailboxRow]
    ) -> None:
        alice, bob, _ = people
        first = office.send(alice, bob, subject="Plain")
        named = office.send(bob, None, reply_to=first.id, thread_name="Harbour")
        kept = office.send(alice, None, reply_to=first.id, thread_name="")
        assert [message.thread_title for message in (first, named, kept)] == [
            "Plain",
            "Harbour",
            "Harbour",
        ]
        thread = office.read(get_thread, alice.id, first.thread_id, ThreadReadQuery()).thread
        assert thread.named_by is not None
        assert (thread.title, thread.named_by.id) == ("Harbour", "bob")

    def test_the_messages_of_one_batch_see_each_others_names(
        self, office: PostOffice, people: tuple[MailboxRow, MailboxRow, MailboxRow]
    ) -> None:
        alice, bob, _ = people
        first = office.send(alice, bob, subject="Plain")
        outcomes = office.deliver(
            draft(alice, None, thread_id=first.thread_id, thread_name="Harbour"),
            draft(bob, None, thread_id=first.thread_id),
        )
        assert [_accepted(one).message.thread_title for one in outcomes] == ["Harbour", "Harbour"]


class TestUnknownFixedAddress:
    """Mail to a fixed address that nobody has makes a mailbox that keeps it."""

    def test_it_is_created_as_never_connected(self, office: PostOffice) -> None:
        alice = office.mailbox()
        sent = office.send(alice, "later")
        assert sent.recipient_never_connected
        shown = office.read(card, alice.id, "later")
        assert (shown.last_seen_at, shown.agent_name) == (None, None)
        assert (shown.created_at, shown.last_activity_at) == (sent.created_at, sent.created_at)

    def test_two_sends_of_one_batch_create_it_once(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        outcomes = office.deliver(draft(alice, "later"), draft(bob, "later"))
        assert len({_accepted(outcome).recipient_id for outcome in outcomes}) == 1

    def test_whoever_registers_it_finds_the_mail(self, office: PostOffice) -> None:
        sent = office.send(office.mailbox(), "later")
        later = office.mailbox("later", agent_name="Late")
        assert [message.id for message in office.list(later).messages] == [sent.id]
        assert not office.send(office.mailbox(), "later").recipient_never_connected


def test_the_sender_learns_whether_a_watcher_wakes_the_recipient(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    outcomes = office.deliver(
        draft(alice, bob, armed=(bob.id,)), draft(alice, bob, armed=(alice.id,))
    )
    armed = [_accepted(outcome).message.recipient_watcher_armed for outcome in outcomes]
    assert armed == [True, False]


def test_a_refused_send_harms_none_of_its_batch(office: PostOffice) -> None:
    alice, bob = office.mailbox("alice"), office.mailbox("bob")
    outcomes = office.deliver(
        draft(alice, bob, "one"),
        draft(alice, alice, "to myself"),
        draft(bob, alice, "two"),
        draft(alice, ["x", "y"], "to two"),
        draft(alice, bob, "three"),
    )
    assert [type(outcome) for outcome in outcomes] == [
        Delivered,
        SelfMessage,
        Delivered,
        OneRecipientOnly,
        Delivered,
    ]
    bodies = [_accepted(outcomes[index]).message.body for index in (0, 2, 4)]
    assert bodies == ["one", "two", "three"]
    assert office.list(bob).total == 2


def test_numbers_rise_in_the_order_of_the_drafts(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    outcomes = office.deliver(*(draft(alice, bob) for _ in range(20)))
    seqs = [_accepted(outcome).message.seq for outcome in outcomes]
    assert seqs == list(range(1, 21))


def test_a_purged_sender_sends_nothing(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    office.delete(alice)
    with pytest.raises(MailboxNotRegistered):
        office.send(alice, bob)


class TestIdempotency:
    """The same key gives back the first answer, and sends nothing."""

    def test_a_repetition_gets_the_first_answer(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        first = _accepted(office.deliver(draft(alice, bob, key="k", armed=(bob.id,)))[0])
        again = _accepted(office.deliver(draft(alice, bob, key="k"))[0])
        assert (first.created, again.created) == (True, False)
        assert again.message == first.message
        assert again.recipient_id == first.recipient_id == bob.id
        assert office.list(bob).total == 1

    def test_the_flags_are_those_of_the_first_answer(self, office: PostOffice) -> None:
        alice = office.mailbox()
        first = _accepted(office.deliver(draft(alice, "later", key="k"))[0])
        office.mailbox("later")
        again = _accepted(office.deliver(draft(alice, "later", key="k"))[0])
        assert first.message.recipient_never_connected
        assert again.message.recipient_never_connected

    def test_a_repetition_in_the_same_batch_waits_for_the_first(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        outcomes = office.deliver(*(draft(alice, bob, key="k") for _ in range(3)))
        delivered = [_accepted(outcome) for outcome in outcomes]
        assert [one.created for one in delivered] == [True, False, False]
        assert len({one.message.id for one in delivered}) == 1
        assert office.list(bob).total == 1

    def test_another_message_under_the_key_is_a_conflict(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        outcomes = office.deliver(draft(alice, bob, "a", key="k"), draft(alice, bob, "b", key="k"))
        assert isinstance(outcomes[1], IdempotencyConflict)
        assert isinstance(office.deliver(draft(alice, bob, "b", key="k"))[0], IdempotencyConflict)
        assert office.list(bob).total == 1

    def test_a_key_belongs_to_its_mailbox(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        outcomes = office.deliver(draft(alice, bob, key="k"), draft(bob, alice, key="k"))
        assert [_accepted(outcome).created for outcome in outcomes] == [True, True]

    def test_a_refused_send_does_not_use_its_key_up(self, office: PostOffice) -> None:
        alice = office.mailbox()
        refused = office.deliver(draft(alice, "box_0123456789abcdef", key="k"))[0]
        assert isinstance(refused, MailboxNotFound)
        assert _accepted(office.deliver(draft(alice, "bob", key="k"))[0]).created

    def test_a_repetition_whose_copy_is_gone_creates_nothing(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        first = _accepted(office.deliver(draft(alice, bob, key="k"))[0])
        office.remove_copy(alice, first.message.seq)
        assert isinstance(office.deliver(draft(alice, bob, key="k"))[0], MessageNotFound)
        assert office.list(bob).total == 1

    def test_a_key_is_forgotten_after_a_day(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        office.deliver(draft(alice, bob, key="k"))
        office.now_ms += _DAY_MS - 2000
        assert not _accepted(office.deliver(draft(alice, bob, key="k"))[0]).created
        office.now_ms += 1000
        renewed = _accepted(office.deliver(draft(alice, bob, "other", key="k"))[0])
        assert renewed.created
        assert not _accepted(office.deliver(draft(alice, bob, "other", key="k"))[0]).created

    def test_old_records_are_purged_and_young_ones_kept(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        office.deliver(*(draft(alice, bob, key=f"old{number}") for number in range(700)))
        office.now_ms = BEGIN_MS + 2 * _DAY_MS
        office.deliver(draft(alice, bob, key="young"))
        assert [office.write(purge_idempotency) for _ in range(3)] == [500, 200, 0]
        assert not _accepted(office.deliver(draft(alice, bob, key="young"))[0]).created
