"""Health: what a monitor asks."""

from typing import Literal

from messenger_core.wire.common import Response


class DatabaseHealth(Response, frozen=True, kw_only=True):
    """Which database the server works on."""

    kind: Literal["sqlite", "postgresql"]
    revision: str
    """Of the schema."""


class Health(Response, frozen=True, kw_only=True):
    """The server answers and so does its database."""

    status: Literal["ok"]
    version: str
    database: DatabaseHealth
    uptime_seconds: int
