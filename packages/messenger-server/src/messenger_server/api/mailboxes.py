"""Mailboxes: registration, the directory, the caller's own state and names."""

from typing import Any, NamedTuple

from sqlalchemy import Connection

from messenger_core.wire.common import Mailbox
from messenger_core.wire.folders import Folder
from messenger_core.wire.links import Link
from messenger_core.wire.mailboxes import (
    Directory,
    DirectoryQuery,
    MailboxStatus,
    Registered,
    RegisterMailbox,
    RenameMailbox,
)
from messenger_server.api.call import Answer, Call, NoQuery
from messenger_server.api.links import receive_links
from messenger_server.store.directory import directory
from messenger_server.store.folders import folders_of
from messenger_server.store.keys import KeyRow, find_key
from messenger_server.store.links import links_of
from messenger_server.store.mailboxes import card, head, own_card, rename
from messenger_server.store.registration import key_facts, register


async def register_mailbox(call: Call[NoQuery, RegisterMailbox]) -> Answer[Registered]:
    """Gives the caller its mailbox: the one that it names, or a new one."""
    _, registered = await call.services.database.write(
        register, await _key_of(call), call.caller.address, call.body
    )
    return Answer(registered, status=201 if registered.created else 200)


async def show_directory(call: Call[DirectoryQuery, None]) -> Directory:
    """Everybody that the caller may write to, by agent; the caller's links count as received."""
    # It looks at every mailbox there is, which may take long enough to be noticed by others.
    found = await call.services.database.search(directory, call.mailbox_id, call.query)
    await receive_links(call)
    return found


async def show_mailbox(call: Call[NoQuery, None]) -> Mailbox:
    """One mailbox of the directory, by its address."""
    return await call.services.database.read(card, call.mailbox_id, call.name)


async def rename_mailbox(call: Call[NoQuery, RenameMailbox]) -> Mailbox:
    """Names the caller's mailbox; empty or null clears a name, an absent one stays."""
    return await call.services.database.write(rename, call.mailbox_id, call.body)


async def show_status(call: Call[NoQuery, None]) -> MailboxStatus:
    """The caller's mailbox with its counters, watcher and links, which count as received."""
    await receive_links(call)
    state = await call.services.database.read(_state_of, call.mailbox_id)
    return MailboxStatus(
        mailbox=state.mailbox,
        folders=state.folders,
        watcher=call.services.hub.watcher(call.mailbox_id),
        links=state.links,
        head=state.head,
        key=key_facts(await _key_of(call)),
    )


async def _key_of(call: Call[NoQuery, Any]) -> KeyRow:  # Any: whatever the body is
    key = await find_key(call.services.database, call.caller.fingerprint)
    assert key is not None, "the gate has just found it"
    return key


class _State(NamedTuple):
    """What the base says of a mailbox at one moment."""

    mailbox: Mailbox
    folders: list[Folder]
    links: list[Link]
    head: int


def _state_of(connection: Connection, mailbox_id: int) -> _State:
    return _State(
        own_card(connection, mailbox_id),
        folders_of(connection, mailbox_id),
        links_of(connection, mailbox_id),
        head(connection),
    )
