"""What `auth` measures: a constant behind the server's own gate, with a key check and without.

    python -m tools.bench.guarded_app PORT DATABASE   behind the gate
    python -m tools.bench.guarded_app PORT            the bare app

The gate asks for a key at `/api/constant` and nobody at `/constant`; it writes no access line here,
because nothing sets a level for its logger.
"""

import sys
from datetime import timedelta
from pathlib import Path

from litestar import Litestar, Response, get
from litestar.types import ASGIApp

from messenger_server.auth.agents import AgentCheck
from messenger_server.auth.console import ConsoleCheck
from messenger_server.auth.last_use import LastUse
from messenger_server.clock import Clock
from messenger_server.database import Database
from messenger_server.quota import Quota
from messenger_server.web.gate import Gate
from tools.bench.floor_http import serve


def constant_app() -> Litestar:
    """A bare app with one constant at two paths."""

    @get(["/api/constant", "/constant"], sync_to_thread=False)
    def constant() -> Response[bytes]:
        return Response(b'{"status":"ok"}', media_type="application/json")

    return Litestar([constant], openapi_config=None, logging_config=None)


def behind_gate(app: ASGIApp, database: Path) -> ASGIApp:
    """The app behind the server's gate, which asks for a key and a mailbox that it opens."""
    clock = Clock()
    opened = Database.open(database)
    agents = AgentCheck(opened, clock, LastUse(), {})
    console = ConsoleCheck(opened, clock, LastUse())
    return Gate(app, agents, console, Quota(0, timedelta(minutes=15), clock), None)


if __name__ == "__main__":
    served: ASGIApp = constant_app()
    if sys.argv[2:]:
        served = behind_gate(served, Path(sys.argv[2]))
    serve(served, int(sys.argv[1]))
