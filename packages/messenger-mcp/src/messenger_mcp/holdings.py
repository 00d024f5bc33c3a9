"""The mailboxes that one session holds or visits, and what it writes of them.

Every change is made under the registry's lock: it reads the entries again, decides, and writes
before the lock is released. A change that fails leaves the files as they were, and this object
saying what the session goes on with.
"""

import logging
import secrets
from collections.abc import Iterable

from msgspec.structs import replace

from messenger_mcp.registry_entry import (
    Entry,
    Lease,
    Visitor,
    is_orphan,
    is_over,
    visit_of,
    with_owner,
    with_visitor,
    without_visits,
)
from messenger_mcp.registry_folder import RegistryFolder, Unreadable
from messenger_mcp.state_dir import StateDirError
from messenger_mcp.surroundings import Surroundings

_log = logging.getLogger(__name__)


class Holdings:
    """What one session has. Each method may raise `StateDirError`: the folder cannot be written."""

    def __init__(
        self, folder: RegistryFolder, project: str | None, surroundings: Surroundings
    ) -> None:
        self.own: str | None = None
        """The mailbox that the session holds as its own."""
        self.attached: str | None = None
        """The mailbox that it works instead."""
        self.host_session: str | None = None
        """The fingerprint by which the next start finds both again."""
        self.used: set[str] = set()
        """Mailboxes that have carried mail."""
        self._folder = folder
        self._project = project
        self._surroundings = surroundings
        self._token = secrets.token_hex(16)
        self._ahead_ms = 0
        self._shared: set[str] = set()

    def find_again(self) -> None:
        """Takes what the host's session had, where no live session holds it."""
        host_session = self.host_session
        if host_session is None or self.own is not None or self.attached is not None:
            return
        entries = self._folder.entries()
        own = _last_active(
            entry
            for entry in entries
            if host_session in entry.host_sessions and self._is_free(entry)
        )
        visited = _last_active(
            entry for entry in entries if entry is not own and self._may_return(entry, host_session)
        )
        if own is None and visited is not None and self._is_free(visited):
            own, visited = visited, None
        activity_ms = self._activity_ms(entries)
        if own is not None:
            self._write_owned(replace(own, project=self._project), self._lease(), activity_ms)
            self.own = own.address
        if visited is not None:
            self._write_visit(visited, activity_ms)
            self.attached = visited.address

    def record_own(self) -> None:
        """Writes the entry of a mailbox that the server has just given."""
        assert self.own is not None
        activity_ms = self._activity_ms(self._folder.entries())
        self._write_owned(self._blank(self.own, activity_ms), self._lease(), activity_ms)

    def record_visit(self) -> None:
        """Writes that the session works another mailbox, and holds it when nobody else does."""
        assert self.attached is not None
        entry = self._folder.read(self.attached)
        if isinstance(entry, Unreadable):
            raise StateDirError(
                "Its entry is damaged, and who holds it is unknown: it is left as it is."
            )
        activity_ms = self._activity_ms(self._folder.entries())
        self._write_visit(entry or self._blank(self.attached, activity_ms), activity_ms)
        self.leave_others()

    def leave_others(self) -> None:
        """Takes the session off every mailbox that it works no more."""
        visitor = Visitor(host_session=self.host_session, lease=self._lease())
        for entry in self._folder.entries():
            if entry.address in {self.own, self.attached}:
                continue
            left = without_visits(entry, visitor, self._folder.moment(entry.address))
            if left != entry:
                self._folder.write(left)

    def renew(self, *, closed: bool = False) -> None:
        """Writes the session's heartbeat, or its end."""
        lease, activity_ms = self._lease(closed=closed), self._activity_ms([])
        if self.own is not None:
            self._renew_own(self.own, lease, activity_ms)
        if self.attached is not None:
            self._renew_visit(self.attached, lease, activity_ms)

    def deserted(self) -> list[Entry]:
        """The mailboxes of the same project that no live session holds or visits, in no order."""
        return [
            entry
            for entry in self._folder.entries()
            if entry.project == self._project and self._is_deserted(entry)
        ]

    def _renew_own(self, address: str, lease: Lease, activity_ms: int) -> None:
        entry = self._folder.read(address)
        if not isinstance(entry, Entry):
            # Removed or damaged under a living session: the mailbox is this session's all the same.
            entry = self._blank(address, activity_ms)
        elif entry.holder.token != self._token and not self._is_free(entry):
            self._note_shared(address)
            return
        self._write_owned(entry, lease, activity_ms)

    def _renew_visit(self, address: str, lease: Lease, activity_ms: int) -> None:
        entry = self._folder.read(address)
        if isinstance(entry, Unreadable):
            return
        entry = entry or self._blank(address, activity_ms)
        # Who came while its holder lived does not hold it later: that one finds it free again.
        holder = lease if entry.holder.token == self._token else entry.holder
        visitor = Visitor(host_session=self.host_session, lease=lease)
        visited = with_visitor(entry, visitor, self._folder.moment(address))
        self._write(replace(visited, holder=holder), activity_ms)

    def _write_owned(self, entry: Entry, lease: Lease, activity_ms: int) -> None:
        self._write(with_owner(replace(entry, holder=lease), self.host_session), activity_ms)

    def _write_visit(self, entry: Entry, activity_ms: int) -> None:
        lease = self._lease()
        holder = lease if self._is_free(entry) else entry.holder
        visitor = Visitor(host_session=self.host_session, lease=lease)
        visited = with_visitor(entry, visitor, self._folder.moment(entry.address))
        self._write(replace(visited, holder=holder), activity_ms)

    def _write(self, entry: Entry, activity_ms: int) -> None:
        used = entry.used or entry.address in self.used
        active_at_ms = max(entry.active_at_ms, activity_ms)
        self._folder.write(replace(entry, used=used, active_at_ms=active_at_ms))

    def _blank(self, address: str, activity_ms: int) -> Entry:
        return Entry(
            server=self._folder.server_url,
            address=address,
            project=self._project,
            host_sessions=[],
            holder=self._lease(),
            visitors=[],
            created_at_ms=self._surroundings.now_ms(),
            active_at_ms=activity_ms,
        )

    def _lease(self, *, closed: bool = False) -> Lease:
        return Lease(
            token=self._token,
            process=self._surroundings.process,
            beat_at_ms=self._surroundings.now_ms(),
            beat_awake_ms=self._surroundings.awake_ms(),
            closed=closed,
        )

    def _activity_ms(self, entries: list[Entry]) -> int:
        """Now, but never before an earlier answer, nor before what these entries know."""
        awake_ms = self._surroundings.awake_ms()
        newest_ms = max((entry.active_at_ms for entry in entries), default=0)
        self._ahead_ms = max(
            self._ahead_ms, self._surroundings.now_ms() - awake_ms, newest_ms + 1 - awake_ms
        )
        return awake_ms + self._ahead_ms

    def _is_free(self, entry: Entry) -> bool:
        return is_orphan(entry, self._folder.moment(entry.address))

    def _may_return(self, entry: Entry, host_session: str) -> bool:
        # A session that is still there keeps its visit: another process of it starts afresh.
        visit = visit_of(entry, host_session)
        return visit is not None and is_over(visit.lease, self._folder.moment(entry.address))

    def _is_deserted(self, entry: Entry) -> bool:
        if entry.address in {self.own, self.attached}:
            return False
        moment = self._folder.moment(entry.address)
        leases = [entry.holder, *(visitor.lease for visitor in entry.visitors)]
        return all(is_over(lease, moment) for lease in leases)

    def _note_shared(self, address: str) -> None:
        if address not in self._shared:
            _log.warning(
                "Another session took the mailbox %s while this one gave no sign of life: both "
                "work it now.",
                address,
            )
            self._shared.add(address)


def _last_active(entries: Iterable[Entry]) -> Entry | None:
    return max(entries, key=lambda entry: entry.active_at_ms, default=None)
