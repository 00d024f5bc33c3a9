"""Delivering: sends become messages, each with its two copies, its thread and its counters.

All sends that wait are one call. Each is checked by itself, a refusal harming no other; what the
accepted ones add is written afterwards, every table once for all of them.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from msgspec.structs import asdict
from sqlalchemy import insert

from messenger_core.blank import unless_blank
from messenger_core.errors import IdempotencyConflict, MessengerError
from messenger_core.ids import new_message_id, new_thread_id
from messenger_core.schema import mailbox
from messenger_core.times import rfc3339
from messenger_core.wire.common import Party
from messenger_core.wire.messages import SendMessage, SentMessage
from messenger_server.database import Batch
from messenger_server.store.attachments import StagedFile, accepted
from messenger_server.store.cards import party
from messenger_server.store.idempotency import KeptSend, SendRecord, find_send, keep_sends
from messenger_server.store.ledger import Ledger, LedgerThread, Letter
from messenger_server.store.reading import read_copy
from messenger_server.store.routing import Correspondent, Offices, Route, route_of


class Draft(NamedTuple):
    """A send that waits for the writer."""

    mailbox_id: int
    """The sender's."""
    message: SendMessage
    preview: str
    fingerprint: str
    """SHA-256 of the decoded send: what a repetition is compared by."""
    idempotency_key: str | None
    is_armed: Callable[[int], bool]
    """Whether a watcher wakes a mailbox's agent; asked in the writer's thread."""
    files: Sequence[StagedFile] = ()
    """What comes with the message, whose own `attachments` are empty; open until there is a result.
    """


class Delivered(NamedTuple):
    """A send that was accepted, now or at its first try."""

    message: SentMessage
    recipient_id: int
    created: bool
    """False: the same send, under the same key, was accepted before."""


_NEW_MAILBOX: Final = insert(mailbox)


def deliver_many(batch: Batch, drafts: Sequence[Draft]) -> list[Delivered | MessengerError]:
    """What becomes of each draft, in their order: the message as its sender sees it, or a refusal.

    The refusals are those of `route_of`, IdempotencyConflict, and MessageNotFound where the
    sender's copy of a send that is repeated is gone.
    """
    desk = _Desk(batch)
    results = [desk.outcome(draft) for draft in drafts]
    desk.close()
    return results


def deliver_large(batch: Batch, draft: Draft) -> Delivered:
    """The same for one draft whose files are long to write: for a batch of its own.

    Raises:
        MessengerError: the refusal.
    """
    (outcome,) = deliver_many(batch, [draft])
    if isinstance(outcome, MessengerError):
        raise outcome
    return outcome


class _Desk:
    """Takes the drafts of one batch, one after the other."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._offices = Offices(batch)
        self._ledger = Ledger(batch.now_ms)
        self._created_at = rfc3339(batch.now_ms)
        self._by_key: dict[tuple[int, str], tuple[Draft, Delivered]] = {}
        """What this batch accepted under an idempotency key, by mailbox and key."""

    def outcome(self, draft: Draft) -> Delivered | MessengerError:
        """The answer to a draft."""
        try:
            return self._repetition(draft) or self._accept(draft)
        except MessengerError as refusal:
            return refusal

    def close(self) -> None:
        """Writes what was accepted."""
        self._ledger.write(self._batch)
        kept = [self._kept(*of_key, *pair) for of_key, pair in self._by_key.items()]
        keep_sends(self._batch, kept)

    def _repetition(self, draft: Draft) -> Delivered | None:
        """The answer to the first send under the draft's key; `None`: this is the first."""
        key = draft.idempotency_key
        if key is None:
            return None
        in_batch = self._by_key.get((draft.mailbox_id, key))
        if in_batch is not None:
            first, delivered = in_batch
            _refuse_other_send(draft, first.fingerprint)
            return delivered._replace(created=False)
        record = find_send(self._batch, draft.mailbox_id, key)
        if record is None:
            return None
        _refuse_other_send(draft, record.fingerprint)
        return self._answer_again(draft.mailbox_id, record)

    def _answer_again(self, mailbox_id: int, record: SendRecord) -> Delivered:
        copy = read_copy(self._batch.connection, mailbox_id, record.message_id)
        answer = SentMessage(
            **asdict(copy.detail),
            recipient_never_connected=bool(record.recipient_never_connected),
            recipient_watcher_armed=bool(record.recipient_watcher_armed),
        )
        return Delivered(answer, copy.row.recipient_id, created=False)

    def _accept(self, draft: Draft) -> Delivered:
        """A new message; all its checks come before the first change."""
        route = route_of(self._offices, draft.mailbox_id, draft.message, draft.preview)
        recipient = route.recipient or self._never_connected(route.address)
        letter = self._letter(draft, route, recipient)
        self._ledger.add(letter)
        self._offices.note(letter.thread.id, letter.thread.title, recipient.id)
        delivered = Delivered(
            self._answer(letter, route.sender, recipient, is_armed=draft.is_armed(recipient.id)),
            recipient.id,
            created=True,
        )
        if draft.idempotency_key is not None:
            self._by_key[draft.mailbox_id, draft.idempotency_key] = draft, delivered
        return delivered

    def _never_connected(self, address: str) -> Correspondent:
        """A mailbox at a fixed address that nobody has connected to: it keeps the mail."""
        row = {"address": address, "agent_bound": False, "created_at": self._batch.now_ms}
        inserted = self._batch.connection.execute(_NEW_MAILBOX, row).inserted_primary_key
        assert inserted is not None
        created = Correspondent(int(inserted[0]), address, None, None, None, None)
        self._offices.add(created)
        return created

    def _letter(self, draft: Draft, route: Route, recipient: Correspondent) -> Letter:
        seq = self._batch.take_seq()
        within = route.thread
        title = unless_blank(draft.message.thread_name) or (within.title if within else None)
        return Letter(
            seq=seq,
            public_id=new_message_id(),
            sender_id=route.sender.id,
            recipient_id=recipient.id,
            subject=route.subject,
            preview=draft.preview,
            draft=draft.message,
            attachments=accepted(draft.files),
            thread=LedgerThread(
                # The number of its first message is a thread's own: unique, and known at once.
                id=within.id if within else seq,
                public_id=within.public_id if within else new_thread_id(),
                subject=within.subject if within else route.subject,
                title=title,
                description=within.description if within else None,
                opener_id=within.opener_id if within else route.sender.id,
                other_id=within.other_id if within else recipient.id,
            ),
            opens_thread=within is None,
            reaches_anew=within is not None and within.known_to_other is None,
        )

    def _answer(
        self, letter: Letter, sender: Correspondent, recipient: Correspondent, *, is_armed: bool
    ) -> SentMessage:
        draft = letter.draft
        return SentMessage(
            id=letter.public_id,
            seq=letter.seq,
            thread_id=letter.thread.public_id,
            thread_title=letter.thread.title or letter.thread.subject,
            from_=_party(sender),
            to=_party(recipient),
            subject=letter.subject,
            preview=letter.preview,
            priority=draft.priority,
            folder="sent",
            role="sender",
            announced_at=None,
            read_at=self._created_at,
            flagged=False,
            has_attachments=bool(letter.attachments),
            reply_to=draft.reply_to,
            created_at=self._created_at,
            body=draft.body,
            attachments=[attachment.shown for attachment in letter.attachments],
            recipient_announced_at=None,
            recipient_read_at=None,
            type=draft.type,
            correlation_id=draft.correlation_id,
            to_name=None,
            recipient_never_connected=recipient.last_seen_at is None,
            recipient_watcher_armed=is_armed,
        )

    def _kept(self, mailbox_id: int, key: str, draft: Draft, delivered: Delivered) -> KeptSend:
        answer = delivered.message
        return KeptSend(
            mailbox_id,
            key,
            draft.fingerprint,
            answer.id,
            answer.recipient_never_connected,
            answer.recipient_watcher_armed,
            self._batch.now_ms,
        )


def _refuse_other_send(draft: Draft, fingerprint: str) -> None:
    if draft.fingerprint != fingerprint:
        raise IdempotencyConflict


def _party(correspondent: Correspondent) -> Party:
    _, address, agent_name, display_name, _, deleted_at = correspondent
    return party(address, agent_name, display_name, deleted_at)
