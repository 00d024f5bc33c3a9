"""Messages: sent, listed, read."""

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

import msgspec

from messenger_core.errors import Busy
from messenger_core.limits import IDEMPOTENCY_KEY_MAX_CHARS, MEGABYTE
from messenger_core.wire.messages import (
    MessageDetail,
    MessagePage,
    MessageQuery,
    ReadQuery,
    SendMessage,
    SentMessage,
)
from messenger_server.api.call import Answer, Call, NoQuery
from messenger_server.api.decoding import invalid
from messenger_server.markdown import preview
from messenger_server.store import messages
from messenger_server.store.attachments import StagedFile

_IDEMPOTENCY_KEY: Final = re.compile(rb"[\x21-\x7e]{1,%d}" % IDEMPOTENCY_KEY_MAX_CHARS)

_GROUPED_MAX_BYTES: Final = MEGABYTE
"""A send with more in its files is a batch of its own: the sends behind it wait for one, not for
all that came at the same time."""

_CANONICAL: Final = msgspec.json.Encoder(order="sorted")


async def send_message(call: Call[NoQuery, SendMessage]) -> Answer[SentMessage]:
    """Accepts one message; the answer comes when it is durable, and its recipient is woken."""
    message, services = call.body, call.services
    draft = messages.Draft(
        mailbox_id=call.mailbox_id,
        message=message,
        preview=preview(message.body),
        fingerprint=fingerprint_of(message, call.files),
        idempotency_key=_idempotency_key(call),
        is_armed=services.hub.is_armed,
        files=call.files,
    )
    if sum(file.size_bytes for file in call.files) > _GROUPED_MAX_BYTES:
        delivered = await services.database.write(messages.deliver_large, draft, alone=True)
    else:
        delivered = await services.database.write_grouped(messages.deliver_many, draft)
    if delivered.created:
        services.hub.wake(delivered.recipient_id)
    return Answer(
        delivered.message,
        status=201 if delivered.created else 200,
        headers=((b"location", f"/api/messages/{delivered.message.id}".encode()),),
    )


async def list_messages(call: Call[MessageQuery, None]) -> MessagePage:
    """A page of the caller's messages, newest first."""
    database = call.services.database
    # A search takes long enough to be noticed by everybody else.
    read = database.search if call.query.search else database.read
    return await read(messages.list_messages, call.mailbox_id, call.query)


async def read_message(call: Call[ReadQuery, None]) -> MessageDetail:
    """One message, whole; marked as read unless the caller says otherwise."""
    database = call.services.database
    found = await database.read(messages.read_message, call.mailbox_id, call.name)
    if call.query.mark_read and found.read_at is None:
        if database.is_full():
            raise Busy
        return await database.write(messages.mark_read, call.mailbox_id, call.name)
    return found


def fingerprint_of(draft: SendMessage, files: Sequence[StagedFile] = ()) -> str:
    """What two sends under one Idempotency-Key are compared by: their decoded fields and files.

    Of a file its name, its type and its digest, whichever encoding of the body carried them.
    """
    if isinstance(draft.to, list) and len(draft.to) == 1:
        draft = msgspec.structs.replace(draft, to=draft.to[0])
    facts = [(file.filename, file.mime_type, file.sha256) for file in files]
    return sha256(_CANONICAL.encode((draft, facts) if facts else draft)).hexdigest()


def _idempotency_key(call: Call[NoQuery, SendMessage]) -> str | None:
    key = call.headers.get(b"idempotency-key")
    if key is None:
        return None
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        raise invalid(
            "Idempotency-Key", f"must be 1 to {IDEMPOTENCY_KEY_MAX_CHARS} visible ASCII characters"
        )
    return key.decode()
