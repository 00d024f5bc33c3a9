"""The audit trail in the console."""

from messenger_core.wire.audit import AuditQuery, AuditTrail
from messenger_server.admin.instants import instant_ms
from messenger_server.api.call import Call
from messenger_server.store.audit import trail

_LAST_OF_TIME_MS = 2**62
"""Later than any entry."""


async def show_trail(call: Call[AuditQuery, None]) -> AuditTrail:
    """What was done with the account, newest first."""
    before = call.query.before
    before_ms = _LAST_OF_TIME_MS if before is None else instant_ms("before", before)
    events = await call.services.database.read(trail, before_ms, call.query.limit)
    return AuditTrail(events=events)
