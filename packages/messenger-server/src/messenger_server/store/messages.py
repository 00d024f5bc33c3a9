"""Messages: the door to everything that a mailbox does with them."""

from messenger_server.store.delivering import (
    Delivered,
    Draft,
    deliver_large,
    deliver_many,
)
from messenger_server.store.listing import list_messages
from messenger_server.store.reading import mark_read, read_message

__all__ = [
    "Delivered",
    "Draft",
    "deliver_large",
    "deliver_many",
    "list_messages",
    "mark_read",
    "read_message",
]
