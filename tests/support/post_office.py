"""The store worked directly: mailboxes that write to each other, on a clock that the test moves."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, delete, insert, literal, select, update

from messenger_core import schema
from messenger_core.errors import MessengerError
from messenger_core.ids import new_link_id
from messenger_core.limits import ATTACHMENT_CHUNK_BYTES
from messenger_core.wire.access import NewKey
from messenger_core.wire.mailboxes import RegisterMailbox
from messenger_core.wire.messages import MessagePage, MessageQuery, SendMessage, SentMessage
from messenger_server.database import Batch
from messenger_server.database.engines import writing_engine
from messenger_server.database.transactions import transaction
from messenger_server.markdown import preview
from messenger_server.store.attachments import StagedFile
from messenger_server.store.fingerprints import fingerprint
from messenger_server.store.keys import KeyRow, create_key, key_with
from messenger_server.store.mailboxes import MailboxRow
from messenger_server.store.messages import Delivered, Draft, deliver_many, list_messages
from messenger_server.store.registration import register

P = ParamSpec("P")
T = TypeVar("T")

BEGIN_MS = 1_790_000_000_000
"""Where the clock of a new post office stands."""


class PostOffice:
    """The store functions over one connection, each write a transaction of its own."""

    def __init__(self, path: Path) -> None:
        self.now_ms = BEGIN_MS
        self._engine = writing_engine(path)
        self._connection = self._engine.connect()
        self._for_all: KeyRow | None = None

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()
        self._engine.dispose()

    def write(self, fn: Callable[Concatenate[Batch, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What a write function gives; a second passes before it."""
        self.now_ms += 1000
        with transaction(self._connection, self.now_ms) as batch:
            return fn(batch, *args, **kwargs)

    def read(
        self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What a read function gives."""
        with self._connection.begin():
            return fn(self._connection, *args, **kwargs)

    def key(self, agent_name: str | None = None, **fields: Any) -> KeyRow:
        """A new key, bound to an agent or for all."""
        wanted = NewKey(name="a key", agent_name=agent_name, lifetime_days=None, **fields)
        created = self.write(create_key, wanted)
        found = self.read(key_with, fingerprint(created.secret))
        assert found is not None
        return found

    def mailbox(
        self, address: str | None = None, *, key: KeyRow | None = None, **fields: Any
    ) -> MailboxRow:
        """A mailbox that is connected: a new one, or the one at a fixed address."""
        if key is None:
            self._for_all = key = self._for_all or self.key()
        row, _ = self.write(register, key, address, RegisterMailbox(**fields))
        return row

    def deliver(self, *drafts: Draft) -> list[Delivered | MessengerError]:
        """What becomes of these drafts in one batch."""
        return list(self.write(deliver_many, drafts))

    def send(
        self,
        sender: MailboxRow,
        to: MailboxRow | str | None = None,
        body: str = "text",
        **fields: Any,
    ) -> SentMessage:
        """One message, accepted or refused."""
        outcome = self.deliver(draft(sender, to, body, **fields))[0]
        if isinstance(outcome, MessengerError):
            raise outcome
        return outcome.message

    def delete(self, mailbox: MailboxRow) -> None:
        """Deletes a mailbox; its row stays for the names that its correspondents see."""
        gone = update(schema.mailbox).where(schema.mailbox.c.id == mailbox.id)
        self.write(lambda batch: batch.connection.execute(gone.values(deleted_at=batch.now_ms)))

    def remove_copy(self, mailbox: MailboxRow, seq: int) -> None:
        """Destroys a mailbox's copy of a message; what became of it is kept."""
        where = (schema.delivery.c.mailbox_id == mailbox.id) & (schema.delivery.c.seq == seq)
        trail = select(
            schema.delivery.c.seq,
            schema.delivery.c.mailbox_id,
            schema.delivery.c.role,
            schema.delivery.c.announced_at,
            schema.delivery.c.read_at,
            literal(self.now_ms),
        ).where(where)

        def remove(batch: Batch) -> None:
            batch.connection.execute(
                insert(schema.removed_delivery).from_select(schema.removed_delivery.c.keys(), trail)
            )
            batch.connection.execute(delete(schema.delivery).where(where))

        self.write(remove)

    def move(self, mailbox: MailboxRow, seq: int, folder_id: int) -> None:
        """Puts a mailbox's copy of a message into another folder."""
        here = (schema.delivery.c.mailbox_id == mailbox.id) & (schema.delivery.c.seq == seq)
        moved = update(schema.delivery).where(here).values(folder_id=folder_id)
        self.write(lambda batch: batch.connection.execute(moved))

    def link(self, one: MailboxRow, other: MailboxRow) -> None:
        """Links two mailboxes, as the person does in the console."""

        def work(batch: Batch) -> None:
            row = {"public_id": new_link_id(), "seq": batch.take_seq(), "created_at": batch.now_ms}
            key = batch.connection.execute(insert(schema.link).values(row)).inserted_primary_key
            assert key is not None
            pairs = ((one.id, other.id), (other.id, one.id))
            sides = [{"mailbox_id": a, "other_id": b, "link_id": key[0]} for a, b in pairs]
            batch.connection.execute(insert(schema.link_side), sides)

        self.write(work)

    def list(self, mailbox: MailboxRow, **query: Any) -> MessagePage:
        """A page of a mailbox's messages."""
        return self.read(list_messages, mailbox.id, MessageQuery(**query))


def draft(
    sender: MailboxRow,
    to: MailboxRow | str | list[str] | None = None,
    body: str = "text",
    *,
    key: str | None = None,
    armed: tuple[int, ...] = (),
    files: Sequence[StagedFile] = (),
    **fields: Any,
) -> Draft:
    """A send as the writer gets it; `key` is its idempotency key, `armed` who has a watcher."""
    address = to.address if isinstance(to, MailboxRow) else to
    message = SendMessage(body=body, to=address, **fields)
    return Draft(
        mailbox_id=sender.id,
        message=message,
        preview=preview(body),
        fingerprint=repr(message),
        idempotency_key=key,
        is_armed=lambda mailbox_id: mailbox_id in armed,
        files=files,
    )


def staged(content: bytes, filename: str = "a.bin") -> StagedFile:
    """A file as the writer gets it; it is asked for 256 kB at once, and no more."""

    def read(offset: int, size: int) -> bytes:
        assert 0 < size <= ATTACHMENT_CHUNK_BYTES
        return content[offset : offset + size]

    digest = sha256(content).hexdigest()
    return StagedFile(filename, "application/octet-stream", len(content), digest, read)
