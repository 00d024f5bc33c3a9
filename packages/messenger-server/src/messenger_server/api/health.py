"""Health: what a monitor asks."""

from messenger_core.wire.health import DatabaseHealth, Health
from messenger_server import __version__
from messenger_server.api.call import Call, NoQuery


async def show_health(call: Call[NoQuery, None]) -> Health:
    """That the server answers; its database has answered already: it knew the key."""
    services = call.services
    return Health(
        status="ok",
        version=__version__,
        database=DatabaseHealth(kind=services.database.kind, revision=services.database.revision),
        uptime_seconds=int(services.clock.monotonic() - services.started),
    )
