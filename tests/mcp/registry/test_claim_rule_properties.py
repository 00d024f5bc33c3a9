"""Promise 7 under any interleaving of sessions, machines, clocks, guests and ends."""

import tempfile
from itertools import count
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from support.simulated_machines import CONTAINER, ELSEWHERE, HOME, Session, World

HOST_SESSIONS = st.sampled_from(["s", "t", "u"])
SERVERS = st.sampled_from(["http://one", "http://two"])
PLACES = st.sampled_from([HOME, HOME, CONTAINER, ELSEWHERE])
CERTAINLY_QUIET_MS = 6 * 60_000


class Known:
    """What the test knows of a session: what must hold whatever the registry's files say."""

    def __init__(self, session: Session, host_session: str, server: str, place: str) -> None:
        self.session = session
        self.host_session = host_session
        self.server = server
        self.place = place
        self.is_closed = False
        self.beat_at_awake_ms = 0

    def has_certainly_ended(self, world: World, place: str) -> bool:
        """Whether a process in a place must take this one for gone."""
        if self.is_closed:
            return True
        if self.session.process.process in world.running:
            return False
        return place == self.place or world.awake_ms - self.beat_at_awake_ms > CERTAINLY_QUIET_MS


class ClaimRule(RuleBasedStateMachine):
    """Drives the registry and remembers who had what."""

    @initialize()
    def start_world(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.world = World(Path(self.folder.name))
        self.numbers = count(1)
        self.running: list[Known] = []
        self.ended: list[Known] = []
        self.owners: dict[tuple[str, str], set[str]] = {}
        self.has_jumped = False
        self.is_damaged = False

    def teardown(self) -> None:
        self.folder.cleanup()

    @rule(host_session=HOST_SESSIONS, server=SERVERS, place=PLACES)
    def start(self, host_session: str, server: str, place: str) -> None:
        held = {known.session.own for known in self.running if known.server == server}
        certain = self.certainly_free(host_session, server, place)
        session = self.world.session(host_session, server=server, place=place)
        own, working = session.own, session.working
        if own is not None:
            assert own not in held
            its_own = host_session in self.owners[server, own]
            assert its_own or (server, own, host_session) in self.visits()
        assert own is not None or not certain
        if working != own:
            assert (server, str(working), host_session) in self.visits()
        if working is None:
            session.registry.record_new(f"box_{next(self.numbers)}")
        if session.own is not None:
            self.owners.setdefault((server, session.own), set()).add(host_session)
        known = Known(session, host_session, server, place)
        known.beat_at_awake_ms = self.world.awake_ms
        self.running.append(known)

    def certainly_free(self, host_session: str, server: str, place: str) -> bool:
        """Whether a mailbox of the session is free beyond doubt, so that it must be found."""
        if self.is_damaged:
            return False
        if self.has_jumped and any(known.place != place for known in self.ended):
            return False
        addresses = {
            address
            for (its_server, address), owners in self.owners.items()
            if its_server == server and host_session in owners
        }
        return any(
            all(
                known.has_certainly_ended(self.world, place)
                for known in self.running + self.ended
                if known.server == server and address in {known.session.own, known.session.working}
            )
            for address in addresses
        )

    def visits(self) -> set[tuple[str, str, str]]:
        """Who has worked what besides its own mailbox, when it ended."""
        return {
            (known.server, str(known.session.working), known.host_session)
            for known in self.ended
            if known.session.working != known.session.own
        }

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        known = self.one_running(data)
        known.session.close()
        known.is_closed = True
        self.end(known)

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def die(self, data: st.DataObject) -> None:
        known = self.one_running(data)
        known.session.die()
        self.end(known)

    def end(self, known: Known) -> None:
        self.running.remove(known)
        self.ended.append(known)

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def attach(self, data: st.DataObject) -> None:
        known = self.one_running(data)
        addresses = [address for server, address in self.owners if server == known.server]
        known.session.registry.attach(data.draw(st.sampled_from(addresses)))
        known.beat_at_awake_ms = self.world.awake_ms

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def detach(self, data: st.DataObject) -> None:
        known = self.one_running(data)
        if known.session.own is not None:
            known.session.registry.detach()

    @rule(minutes=st.integers(1, 20))
    def pass_time(self, minutes: int) -> None:
        for _ in range(minutes):
            self.world.pass_time(60)
            for known in self.running:
                known.session.registry.heartbeat()
                known.beat_at_awake_ms = self.world.awake_ms

    @rule(hours=st.integers(-48, 48))
    def jump(self, hours: int) -> None:
        self.world.jump(hours * 3600)
        self.has_jumped = True

    @precondition(lambda self: any(self.world.entry_files()))
    @rule(data=st.data(), kept=st.integers(0, 400))
    def truncate(self, data: st.DataObject, kept: int) -> None:
        paths = sorted(self.world.entry_files())
        path = data.draw(st.sampled_from(paths))
        path.write_bytes(path.read_bytes()[:kept])
        self.is_damaged = True

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        known = self.one_running(data)
        address = known.session.own
        others = self.running + self.ended
        if address is not None and all(
            other is known or other.server != known.server or other.session.working != address
            for other in others
        ):
            known.session.registry.forget(address)
            self.owners[known.server, address].clear()

    @invariant()
    def no_two_live_sessions_hold_one_mailbox(self) -> None:
        held = [(known.server, known.session.own) for known in self.running if known.session.own]
        assert len(held) == len(set(held))

    def one_running(self, data: st.DataObject) -> Known:
        return data.draw(st.sampled_from(self.running))


TestClaimRule = ClaimRule.TestCase
TestClaimRule.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
