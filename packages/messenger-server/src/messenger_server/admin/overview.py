"""The fleet at a glance."""

from messenger_core.wire.admin import Overview
from messenger_server.admin.etag import polled_by_minute
from messenger_server.api.call import Call, NoQuery
from messenger_server.store.overview import overview


@polled_by_minute
async def show_overview(call: Call[NoQuery, None]) -> Overview:
    """Every mailbox by its agent, with what passed through it, and the server's totals."""
    services = call.services
    watchers = services.hub.watchers()
    return await services.database.search(overview, watchers, services.clock.now_ms())
