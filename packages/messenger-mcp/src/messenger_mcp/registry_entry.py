"""What the registry keeps of one mailbox, and the rule that says when it is free."""

from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from messenger_mcp.processes import ProcessMark
from messenger_mcp.surroundings import Surroundings, share_kernel

QUIET_FOR = timedelta(minutes=5)
"""How long a heartbeat must be missing where the process cannot be looked up."""
SESSIONS_KEPT = 50
"""Sessions remembered for each mailbox, the newest kept."""


class Lease(Struct, frozen=True, kw_only=True):
    """One running session's hold on a mailbox, or its visit to it."""

    token: str
    """Random: tells two leases apart even when pid and start time agree."""
    process: ProcessMark
    beat_at_ms: int
    """The last heartbeat by the holder's wall clock."""
    beat_awake_ms: int
    """The same by the monotonic clock of the holder's kernel."""
    closed: bool = False
    """The session ended in order."""


class Visitor(Struct, frozen=True, kw_only=True):
    """A session that attached to the mailbox: its next start returns here."""

    host_session: str | None
    """Fingerprint; absent where the host names no session."""
    lease: Lease


class Entry(Struct, frozen=True, kw_only=True):
    """The record of one mailbox. Neither the project nor a session id stands in it in clear."""

    server: str
    address: str
    project: str | None
    """Fingerprint of the folder that its last session worked in."""
    host_sessions: list[str]
    """Fingerprints of the host sessions whose own mailbox it was, the latest last."""
    holder: Lease
    visitors: list[Visitor]
    """Sessions that attached to it, the latest last."""
    used: bool = False
    """It has carried mail while a session of this registry worked it."""
    created_at_ms: int
    active_at_ms: int
    """When a session last worked it; only the order counts, so it never runs backwards."""


class Moment(Struct, frozen=True):
    """What a lease is judged against: the surroundings, and how old the entry's file is."""

    surroundings: Surroundings
    file_age_ms: int
    """By the file system's own clock, which no machine's jump can shift."""


def is_over(lease: Lease, moment: Moment) -> bool:
    """Whether the session behind a lease is gone.

    Closed, dead by the process table, or, only where that cannot be asked, quiet for five minutes.
    """
    if lease.closed:
        return True
    alive = moment.surroundings.is_alive(lease.process)
    if alive is not None:
        return not alive
    return _quiet_for_ms(lease, moment) > QUIET_FOR.total_seconds() * 1000


def is_orphan(entry: Entry, moment: Moment) -> bool:
    """Whether no live session holds the mailbox."""
    return is_over(entry.holder, moment)


def visit_of(entry: Entry, host_session: str) -> Visitor | None:
    """The latest visit of a host session."""
    visits = [visitor for visitor in entry.visitors if visitor.host_session == host_session]
    return visits[-1] if visits else None


def with_owner(entry: Entry, host_session: str | None) -> Entry:
    """The entry as the own mailbox of a host session, which is no visitor there any more."""
    if host_session is None:
        return entry
    others = [known for known in entry.host_sessions if known != host_session]
    visitors = [visitor for visitor in entry.visitors if visitor.host_session != host_session]
    sessions = [*others, host_session][-SESSIONS_KEPT:]
    return replace(entry, host_sessions=sessions, visitors=visitors)


def with_visitor(entry: Entry, visitor: Visitor, moment: Moment) -> Entry:
    """The entry with a visit added, in place of the earlier ones of the same host session.

    Visits that are over and that no start could return to are dropped.
    """
    others = [
        known
        for known in entry.visitors
        if known.lease.token != visitor.lease.token
        and (
            not is_over(known.lease, moment)
            or known.host_session not in {None, visitor.host_session}
        )
    ]
    return replace(entry, visitors=[*others, visitor][-SESSIONS_KEPT:])


def without_visits(entry: Entry, visitor: Visitor, moment: Moment) -> Entry:
    """The entry without this visit and the host session's earlier ones, free when it held it."""
    token, host_session = visitor.lease.token, visitor.host_session
    visitors = [
        known
        for known in entry.visitors
        if known.lease.token != token
        and (
            host_session is None
            or known.host_session != host_session
            or not is_over(known.lease, moment)
        )
    ]
    holder = replace(visitor.lease, closed=True) if entry.holder.token == token else entry.holder
    return replace(entry, visitors=visitors, holder=holder)


def _quiet_for_ms(lease: Lease, moment: Moment) -> int:
    surroundings = moment.surroundings
    if share_kernel(lease.process, surroundings.process):
        return surroundings.awake_ms() - lease.beat_awake_ms
    # Two machines' clocks may disagree and either may jump: whoever says "fresh" is believed. A
    # heartbeat in the future says nothing at all.
    by_clock = surroundings.now_ms() - lease.beat_at_ms
    return moment.file_age_ms if by_clock < 0 else min(by_clock, moment.file_age_ms)
