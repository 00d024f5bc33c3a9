"""A call: what a route gets to work with, and what it gives back."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from litestar.types import Receive

from messenger_core.wire.common import Request, Response
from messenger_server.auth.agents import Caller
from messenger_server.clock import Clock
from messenger_server.config import ServerConfig
from messenger_server.database import Database
from messenger_server.marks import AnnouncedMarks
from messenger_server.presence import Hub
from messenger_server.quota import Window
from messenger_server.store.attachments import StagedFile


class Services(NamedTuple):
    """What lives as long as the server and serves every call."""

    config: ServerConfig
    database: Database
    hub: Hub
    marks: AnnouncedMarks
    clock: Clock
    started: float
    """On the clock's own scale of seconds."""


class NoQuery(Request, frozen=True, kw_only=True):
    """The query of a route that takes no parameter."""


Q = TypeVar("Q", bound=Request)
B = TypeVar("B", bound=Request | None)


class Call(Generic[Q, B]):
    """One request to a route, decoded: query `Q` and body `B` (None for a route without one)."""

    __slots__ = (
        "body",
        "caller",
        "files",
        "headers",
        "name",
        "query",
        "receive",
        "services",
        "window",
    )

    def __init__(
        self,
        services: Services,
        caller: Caller,
        window: Window,
        headers: dict[bytes, bytes],
    ) -> None:
        self.services = services
        self.caller = caller
        self.window = window
        """What this request takes of the caller's quota."""
        self.headers = headers
        """Those that the server reads, by lower-case name."""

    query: Q
    body: B
    name: str
    """What the path names: the value of its one parameter, else empty."""
    receive: Receive
    """Tells when the client leaves, once the body is read."""
    files: Sequence[StagedFile]
    """What came with a send, open until its answer; of a route that takes files alone."""

    @property
    def mailbox_id(self) -> int:
        """The internal number of the caller's mailbox; for routes that need one."""
        assert self.caller.mailbox_id is not None, "the route does not ask for a mailbox"
        return self.caller.mailbox_id


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
