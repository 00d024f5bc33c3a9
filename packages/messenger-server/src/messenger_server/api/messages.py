"""Messages: sent, listed, read."""

import re
from hashlib import sha256
from typing import Final

import msgspec

from messenger_core.errors import Busy, FieldError, InvalidRequest, SendNotAllowed
from messenger_core.limits import IDEMPOTENCY_KEY_MAX_CHARS, PREVIEW_SOURCE_CHARS
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

_IDEMPOTENCY_KEY: Final = re.compile(rb"[\x21-\x7e]{1,%d}" % IDEMPOTENCY_KEY_MAX_CHARS)

_CANONICAL: Final = msgspec.json.Encoder(order="sorted")


async def send_message(call: Call[NoQuery, SendMessage]) -> Answer[SentMessage]:
    """Accepts one message; the answer comes when it is durable, and its recipient is woken."""
    draft = call.body
    if not call.caller.can_send:
        raise SendNotAllowed
    if draft.attachments:
        raise InvalidRequest(
            "Attachments are not supported by this version yet: send the message without.",
            errors=[FieldError("attachments", "is not supported by this version yet")],
        )
    services = call.services
    delivered = await services.database.write_grouped(
        messages.deliver_many,
        messages.Draft(
            mailbox_id=call.mailbox_id,
            message=draft,
            preview=preview(draft.body[:PREVIEW_SOURCE_CHARS]),
            fingerprint=fingerprint_of(draft),
            idempotency_key=_idempotency_key(call),
            is_armed=services.hub.is_armed,
        ),
    )
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


def fingerprint_of(draft: SendMessage) -> str:
    """What two sends under one Idempotency-Key are compared by: their decoded fields."""
    if isinstance(draft.to, list) and len(draft.to) == 1:
        draft = msgspec.structs.replace(draft, to=draft.to[0])
    return sha256(_CANONICAL.encode(draft)).hexdigest()


def _idempotency_key(call: Call[NoQuery, SendMessage]) -> str | None:
    key = call.headers.get(b"idempotency-key")
    if key is None:
        return None
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        raise invalid(
            "Idempotency-Key", f"must be 1 to {IDEMPOTENCY_KEY_MAX_CHARS} visible ASCII characters"
        )
    return key.decode()
