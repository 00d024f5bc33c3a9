"""The audit trail: what was done with the console's account, and with its keys."""

from typing import Annotated

from msgspec import Meta

from messenger_core import limits
from messenger_core.wire.common import PageLimit, Request, Response

Instant = Annotated[str, Meta(min_length=1, max_length=40, description="An RFC 3339 time.")]


class AuditEvent(Response, frozen=True, kw_only=True):
    """Something that was done."""

    at: str
    """No two events share it."""
    action: str
    target: str | None
    """What it was done to; never a secret, and nothing that was typed into a form of passwords."""
    session: str | None
    """The public id of the console session; `null`: from the command line, or nobody was signed
    in."""
    address: str | None
    """The client's network address; `null`: from the command line."""


class AuditQuery(Request, frozen=True, kw_only=True, omit_defaults=True):
    """Which part of the trail is wanted."""

    limit: PageLimit = limits.PAGE_DEFAULT_ROWS
    before: Instant | None = None
    """The `at` of the last event of the page before."""


class AuditTrail(Response, frozen=True, kw_only=True):
    """The trail, newest first."""

    events: list[AuditEvent]
