"""One mailbox in the console: renamed, or deleted."""

from messenger_core.errors import MailboxNotFound
from messenger_core.wire.admin import DeleteMailboxQuery, NameMailbox
from messenger_core.wire.common import Mailbox
from messenger_server.admin.instants import instant_ms
from messenger_server.api.call import Call, NoQuery, Services
from messenger_server.database import Batch
from messenger_server.store import cleanup
from messenger_server.store.audit import AuditEntry, record
from messenger_server.store.cleanup import Gone


async def rename_mailbox(call: Call[NoQuery, NameMailbox]) -> Mailbox:
    """Gives a mailbox the name that the person chose."""
    entry = call.entry("mailbox_renamed", call.name)
    return await call.services.database.write(_rename, call.name, call.body.display_name, entry)


async def delete_mailbox(call: Call[DeleteMailboxQuery, None]) -> None:
    """Deletes a mailbox to which nothing happened since the caller looked."""
    shown = call.query.last_activity_at
    shown_ms = None if shown is None else instant_ms("last_activity_at", shown)
    entry = call.entry("mailbox_deleted", call.name)
    gone = await call.services.database.write(_delete, call.name, shown_ms, entry, alone=True)
    end_waits(call.services, gone)


def end_waits(services: Services, gone: Gone) -> None:
    """Ends the waits on mailboxes that are no more."""
    for mailbox_id in gone.mailbox_ids:
        services.hub.end_waits_of_mailbox(
            mailbox_id, MailboxNotFound("The mailbox was deleted in the console.")
        )


# Each act with its entry in the audit trail, in one transaction.


def _rename(batch: Batch, address: str, name: str | None, entry: AuditEntry) -> Mailbox:
    renamed = cleanup.rename_mailbox(batch, address, name)
    record(batch, entry._replace(target=renamed.id))
    return renamed


def _delete(batch: Batch, address: str, shown_ms: int | None, entry: AuditEntry) -> Gone:
    gone = cleanup.delete_mailbox(batch, address, shown_ms)
    record(batch, entry)
    return gone
