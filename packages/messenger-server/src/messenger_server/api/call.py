"""A call: what a route gets to work with, and what it gives back."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from litestar.types import Receive

from messenger_core.wire.common import Request, Response
from messenger_server.auth.admission import Admission, Client
from messenger_server.auth.agents import Caller, Headers
from messenger_server.auth.attempts import Attempts
from messenger_server.auth.console import ConsoleUser
from messenger_server.auth.passwords import Passwords
from messenger_server.auth.setup_code import SetupCode
from messenger_server.clock import Clock
from messenger_server.config import ServerConfig
from messenger_server.database import Database
from messenger_server.markdown_tree import TreeCache
from messenger_server.marks import AnnouncedMarks
from messenger_server.presence import Hub
from messenger_server.quota import Window
from messenger_server.store.attachments import StagedFile
from messenger_server.store.audit import Action, AuditEntry


class Services(NamedTuple):
    """What lives as long as the server and serves every call."""

    config: ServerConfig
    database: Database
    hub: Hub
    marks: AnnouncedMarks
    clock: Clock
    started: float
    """On the clock's own scale of seconds."""
    passwords: Passwords
    attempts: Attempts
    setup_code: SetupCode
    trees: TreeCache
    """Of the bodies that the console opened last."""


class NoQuery(Request, frozen=True, kw_only=True):
    """The query of a route that takes no parameter."""


Q = TypeVar("Q", bound=Request)
B = TypeVar("B", bound=Request | None)


class Call(Generic[Q, B]):
    """One request to a route, decoded: query `Q` and body `B` (None for a route without one)."""

    __slots__ = ("_admission", "body", "files", "name", "query", "receive", "services")

    def __init__(self, services: Services, admission: Admission) -> None:
        self.services = services
        self._admission = admission

    query: Q
    body: B
    name: str
    """What the path names: the value of its one parameter, else empty."""
    receive: Receive
    """Tells when the client leaves, once the body is read."""
    files: Sequence[StagedFile]
    """What came with a send, open until its answer; of a route that takes files alone."""

    @property
    def headers(self) -> Headers:
        """Those that the server reads, by lower-case name."""
        return self._admission.headers

    @property
    def window(self) -> Window:
        """What this request takes of the caller's quota."""
        return self._admission.window

    @property
    def caller(self) -> Caller:
        """The agent that makes it; for routes of agents."""
        assert self._admission.caller is not None, "the route does not ask for a key"
        return self._admission.caller

    @property
    def mailbox_id(self) -> int:
        """The internal number of the caller's mailbox; for routes that need one."""
        assert self.caller.mailbox_id is not None, "the route does not ask for a mailbox"
        return self.caller.mailbox_id

    @property
    def client(self) -> Client:
        """The browser, or whatever it is, at the other end; for routes of the console."""
        assert self._admission.client is not None, "the route is none of the console's"
        return self._admission.client

    @property
    def visitor(self) -> ConsoleUser | None:
        """Who is signed in, where nobody has to be."""
        return self._admission.console

    @property
    def console(self) -> ConsoleUser:
        """Who is signed in to the console; for routes that need somebody."""
        assert self._admission.console is not None, "the route does not ask for a session"
        return self._admission.console

    def entry(self, action: Action, target: str | None = None) -> AuditEntry:
        """What the audit trail keeps of an act of this call."""
        user = self.visitor
        return AuditEntry(action, target, user and user.session_public_id, self.client.address)


A = TypeVar("A", bound=Response | None)


class Answer(NamedTuple, Generic[A]):
    """What a route gives back when the struct alone does not say it."""

    content: A
    status: int = 200
    headers: tuple[tuple[bytes, bytes], ...] = ()
    after_sent: Callable[[], None] | None = None
    """Called when the answer has left."""


class Download(NamedTuple):
    """Bytes as an answer, sent as they are read; their headers say how many and what they are."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    pieces: AsyncIterator[bytes] | None = None
    """None: the answer has no body."""


class ClientLeft(Exception):
    """The client closed its connection: there is nobody to answer."""
