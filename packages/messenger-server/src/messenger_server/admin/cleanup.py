"""Clean-up in the console: what would go, and what goes if nothing has changed since."""

from messenger_core.errors import FieldError, InvalidRequest
from messenger_core.wire.admin import (
    CleanupPreview,
    CreatedBeforeQuery,
    Purged,
    PurgeMailboxes,
    StaleQuery,
)
from messenger_server.admin.instants import instant_ms
from messenger_server.admin.mailboxes import end_waits
from messenger_server.api.call import Call, NoQuery, Services
from messenger_server.database import Batch
from messenger_server.store.audit import AuditEntry, record
from messenger_server.store.cleanup import Criterion, Gone, preview, purge


async def preview_empty(call: Call[NoQuery, None]) -> CleanupPreview:
    """The mailboxes that nothing ever passed through."""
    return await _preview(call.services, Criterion("empty"))


async def preview_stale(call: Call[StaleQuery, None]) -> CleanupPreview:
    """The mailboxes that were made before a time, and inactive since."""
    before_ms = instant_ms("before", call.query.before)
    return await _preview(call.services, Criterion("stale", before_ms))


async def preview_created_before(call: Call[CreatedBeforeQuery, None]) -> CleanupPreview:
    """The mailboxes that were made before a time, however active they are."""
    before_ms = instant_ms("created_before", call.query.created_before)
    return await _preview(call.services, Criterion("created_before", before_ms))


async def purge_mailboxes(call: Call[NoQuery, PurgeMailboxes]) -> Purged:
    """Deletes mailboxes if each of them still meets the criterion, else none."""
    wanted = call.body
    criterion = _criterion(wanted)
    entry = call.entry("mailboxes_purged")
    gone = await call.services.database.write(
        _purge, wanted.mailboxes, criterion, entry, alone=True
    )
    end_waits(call.services, gone)
    return gone.counts


async def _preview(services: Services, criterion: Criterion) -> CleanupPreview:
    return await services.database.search(preview, criterion)


def _criterion(wanted: PurgeMailboxes) -> Criterion:
    """The one criterion that a clean-up goes by.

    Raises:
        InvalidRequest: it names none, or several.
    """
    given = []
    if wanted.empty:
        given.append(Criterion("empty"))
    if wanted.before is not None:
        given.append(Criterion("stale", instant_ms("before", wanted.before)))
    if wanted.created_before is not None:
        before_ms = instant_ms("created_before", wanted.created_before)
        given.append(Criterion("created_before", before_ms))
    if len(given) != 1:
        said = f"give exactly one of `before`, `created_before` and `empty: true`, not {len(given)}"
        raise InvalidRequest(
            f"A clean-up has one criterion: {said}.", errors=[FieldError("before", said)]
        )
    return given[0]


def _purge(batch: Batch, addresses: list[str], criterion: Criterion, entry: AuditEntry) -> Gone:
    """The clean-up with its entry in the audit trail, in one transaction."""
    gone = purge(batch, addresses, criterion)
    counts = gone.counts
    told = (
        f"{criterion.kind}: mailboxes: {counts.deleted}, messages: {counts.messages_deleted},"
        f" threads: {counts.threads_deleted}"
    )
    record(batch, entry._replace(target=told))
    return gone
