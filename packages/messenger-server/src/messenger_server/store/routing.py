"""Routing: where a draft goes. Its recipient, its thread and its subject, or why it goes nowhere.

Reads alone. What a batch has learned or changed so far is kept in its `Offices`, so that the drafts
of one batch see each other's effects.
"""

from typing import Final, NamedTuple

from sqlalchemy import and_, bindparam, select

from messenger_core.echo import echoed
from messenger_core.errors import (
    FieldError,
    InvalidRequest,
    MailboxNotFound,
    MailboxNotRegistered,
    MessageNotFound,
    NotInThread,
    OneRecipientOnly,
    SelfMessage,
    ThreadNotFound,
)
from messenger_core.ids import is_fixed_address
from messenger_core.limits import SUBJECT_MAX_CHARS
from messenger_core.schema import delivery, mailbox, message, thread, thread_member
from messenger_core.wire.messages import SendMessage
from messenger_server.database import Batch, Lookup
from messenger_server.store.addresses import mailbox_at

_REPLY: Final = "Re: "
_NO_SUBJECT: Final = "(no subject)"


class Correspondent(NamedTuple):
    """A mailbox as a send needs it; the columns of `_CORRESPONDENT`, in their order."""

    id: int
    address: str
    agent_name: str | None
    display_name: str | None
    last_seen_at: int | None
    deleted_at: int | None


class ThreadRow(NamedTuple):
    """A thread that the sender has copies of; the columns of `_THREAD`, in their order."""

    id: int
    public_id: str
    subject: str
    title: str | None
    description: str | None
    opener_id: int
    other_id: int
    known_to_other: int | None
    """The other mailbox, where it still has copies too."""
    answered_subject: str
    """Of the message that is answered; of the opening one where only the thread is named."""

    def other_than(self, mailbox_id: int) -> int:
        """The other of its two mailboxes."""
        return self.other_id if mailbox_id == self.opener_id else self.opener_id


class Route(NamedTuple):
    """Where a draft goes."""

    sender: Correspondent
    recipient: Correspondent | None
    """None: nobody has the fixed address yet, and `address` is where its mailbox will be."""
    address: str
    thread: ThreadRow | None
    """None: it opens one."""
    subject: str


_CORRESPONDENT: Final = Lookup(
    Correspondent._make,
    select(
        mailbox.c.id,
        mailbox.c.address,
        mailbox.c.agent_name,
        mailbox.c.display_name,
        mailbox.c.last_seen_at,
        mailbox.c.deleted_at,
    ).where(mailbox.c.id == bindparam("id")),
    "id",
)
_mine = thread_member.alias("mine")
_theirs = thread_member.alias("theirs")
_THREAD = (
    thread.c.id,
    thread.c.public_id,
    thread.c.subject,
    thread.c.title,
    thread.c.description,
    thread.c.opener_id,
    thread.c.other_id,
    _theirs.c.mailbox_id,
)
_members = and_(_theirs.c.thread_id == thread.c.id, _theirs.c.mailbox_id != bindparam("of"))
_THREAD_BY_ID: Final = Lookup(
    ThreadRow._make,
    select(*_THREAD, thread.c.subject)
    .select_from(
        thread.join(
            _mine, and_(_mine.c.thread_id == thread.c.id, _mine.c.mailbox_id == bindparam("of"))
        ).outerjoin(_theirs, _members)
    )
    .where(thread.c.public_id == bindparam("id")),
    "of",
    "id",
)
_THREAD_OF_MESSAGE: Final = Lookup(
    ThreadRow._make,
    select(*_THREAD, message.c.subject)
    .select_from(
        message.join(
            delivery,
            and_(delivery.c.seq == message.c.seq, delivery.c.mailbox_id == bindparam("of")),
        )
        .join(thread, thread.c.id == message.c.thread_id)
        .outerjoin(_theirs, _members)
    )
    .where(message.c.public_id == bindparam("id")),
    "of",
    "id",
)


class Offices:
    """The mailboxes and threads that the drafts of one batch have to do with, asked for once."""

    def __init__(self, batch: Batch) -> None:
        self._connection = batch.connection
        self._by_id: dict[int, Correspondent | None] = {}
        self._id_by_address: dict[str, int | None] = {}
        self._titles: dict[int, str | None] = {}
        self._reached: dict[int, set[int]] = {}

    def by_id(self, mailbox_id: int) -> Correspondent | None:
        """A mailbox, deleted ones too."""
        if mailbox_id not in self._by_id:
            self._by_id[mailbox_id] = _CORRESPONDENT.first(self._connection, mailbox_id)
        return self._by_id[mailbox_id]

    def at(self, address: str) -> Correspondent | None:
        """The living mailbox that an address means."""
        if address not in self._id_by_address:
            self._id_by_address[address] = mailbox_at(self._connection, address)
        found = self._id_by_address[address]
        return None if found is None else self.by_id(found)

    def add(self, created: Correspondent) -> None:
        """A mailbox that the batch has made."""
        self._by_id[created.id] = created
        self._id_by_address[created.address] = created.id

    def note(self, thread_id: int, title: str | None, recipient_id: int) -> None:
        """What a message of the batch changed in its thread."""
        self._titles[thread_id] = title
        self._reached.setdefault(thread_id, set()).add(recipient_id)

    def thread(self, mailbox_id: int, public_id: str) -> ThreadRow | None:
        """A thread that a mailbox has copies of."""
        return self._current(
            mailbox_id, _THREAD_BY_ID.first(self._connection, mailbox_id, public_id)
        )

    def thread_of(self, mailbox_id: int, message_id: str) -> ThreadRow | None:
        """The thread of a message that a mailbox has a copy of."""
        found = _THREAD_OF_MESSAGE.first(self._connection, mailbox_id, message_id)
        return self._current(mailbox_id, found)

    def _current(self, mailbox_id: int, stored: ThreadRow | None) -> ThreadRow | None:
        """A thread as the messages of this batch have left it."""
        if stored is None or stored.id not in self._titles:
            return stored
        other = stored.other_than(mailbox_id)
        is_reached = other in self._reached[stored.id]
        return stored._replace(
            title=self._titles[stored.id],
            known_to_other=other if is_reached else stored.known_to_other,
        )


def route_of(offices: Offices, sender_id: int, draft: SendMessage, preview: str) -> Route:
    """Where a draft goes.

    Raises:
        InvalidRequest, OneRecipientOnly, SelfMessage, NotInThread: it cannot go there.
        MailboxNotFound, MessageNotFound, ThreadNotFound: what it names is not there.
        MailboxNotRegistered: the sender's mailbox was purged meanwhile.
    """
    sender = offices.by_id(sender_id)
    if sender is None or sender.deleted_at is not None:
        raise MailboxNotRegistered
    to = _one_recipient(draft)
    within = _thread(offices, sender, draft)
    if within is not None:
        recipient = _correspondent(offices, sender, within, to)
        subject = draft.subject or _answer_to(within.answered_subject)
        return Route(sender, recipient, recipient.address, within, subject)
    if to is None:
        raise InvalidRequest(
            "The message has no recipient: give `to`, or `reply_to` or `thread_id` to answer.",
            errors=[FieldError("to", "is required unless the message answers one")],
        )
    subject = draft.subject or preview[:SUBJECT_MAX_CHARS] or _NO_SUBJECT
    return Route(sender, _recipient(offices, sender, to), to, None, subject)


def _one_recipient(draft: SendMessage) -> str | None:
    """The address that a draft names, if any."""
    if not isinstance(draft.to, list):
        return draft.to
    if len(draft.to) > 1:
        raise OneRecipientOnly(
            f"A message has one recipient, and this one names {len(draft.to)}: "
            "send one message to each."
        )
    if not draft.to:
        raise InvalidRequest(
            "`to` is an empty list: give one address.",
            errors=[FieldError("to", "holds no address")],
        )
    return draft.to[0]


def _thread(offices: Offices, sender: Correspondent, draft: SendMessage) -> ThreadRow | None:
    """The thread that a draft stays in; `None`: it opens one."""
    named = None
    if draft.thread_id is not None:
        named = offices.thread(sender.id, draft.thread_id)
        if named is None:
            raise ThreadNotFound(f"There is no thread {echoed(draft.thread_id)} in this mailbox.")
    if draft.reply_to is None:
        return named
    answered = offices.thread_of(sender.id, draft.reply_to)
    if answered is None:
        raise MessageNotFound(f"There is no message {echoed(draft.reply_to)} in this mailbox.")
    if named is not None and named.id != answered.id:
        raise NotInThread(
            f"The message {draft.reply_to} belongs to the thread {answered.public_id}, "
            f"not to {named.public_id}: leave `thread_id` out."
        )
    return answered


def _correspondent(
    offices: Offices, sender: Correspondent, within: ThreadRow, to: str | None
) -> Correspondent:
    """Who gets an answer: the other mailbox of the thread, which `to` may name."""
    other = offices.by_id(within.other_than(sender.id))
    assert other is not None
    if to is not None and to != other.address:
        named = offices.at(to)
        if named is None and not is_fixed_address(to):
            raise MailboxNotFound(f"There is no mailbox {echoed(to)}.")
        if named is not None and named.id == sender.id:
            raise SelfMessage
        if named is None or named.id != other.id:
            raise NotInThread(
                f"{to} is not part of this thread: leave `to` out, or open a new thread."
            )
    if other.deleted_at is not None:
        raise MailboxNotFound(f"The mailbox {other.address} is gone: it cannot be answered.")
    return other


def _recipient(offices: Offices, sender: Correspondent, to: str) -> Correspondent | None:
    """Who gets a new thread's first message; `None`: a fixed address that nobody has yet."""
    recipient = offices.at(to)
    if recipient is None and not is_fixed_address(to):
        raise MailboxNotFound(f"There is no mailbox {echoed(to)}.")
    if recipient is not None and recipient.id == sender.id:
        raise SelfMessage
    return recipient


def _answer_to(subject: str) -> str:
    if subject[: len(_REPLY)].casefold() == _REPLY.casefold():
        return subject
    return (_REPLY + subject)[:SUBJECT_MAX_CHARS]
