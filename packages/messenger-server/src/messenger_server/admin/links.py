"""Links in the console: two mailboxes put in touch, and parted again."""

from messenger_core.wire.admin import ConsoleLink, ConsoleLinks, CreateLink
from messenger_server.admin.etag import polled
from messenger_server.api.call import Call, NoQuery
from messenger_server.database import Batch
from messenger_server.store import console_links
from messenger_server.store.audit import AuditEntry, record
from messenger_server.store.console_links import NewLink


@polled
async def list_links(call: Call[NoQuery, None]) -> ConsoleLinks:
    """Every link with when each side learned of it, newest first."""
    found = await call.services.database.search(console_links.list_console_links)
    return ConsoleLinks(links=found)


async def create_link(call: Call[NoQuery, CreateLink]) -> ConsoleLink:
    """Puts two mailboxes in touch; the watchers of both hear of it."""
    services = call.services
    new = await services.database.write(_create, call.body, call.entry("link_created"))
    for mailbox_id in new.mailbox_ids:
        services.hub.wake_watchers(mailbox_id)
    return new.shown


async def delete_link(call: Call[NoQuery, None]) -> None:
    """Parts two mailboxes."""
    await call.services.database.write(_delete, call.name, call.entry("link_deleted", call.name))


# Each act with its entry in the audit trail, in one transaction.


def _create(batch: Batch, wanted: CreateLink, entry: AuditEntry) -> NewLink:
    new = console_links.create_link(batch, wanted)
    record(batch, entry._replace(target=new.shown.id))
    return new


def _delete(batch: Batch, public_id: str, entry: AuditEntry) -> None:
    console_links.delete_link(batch, public_id)
    record(batch, entry)
