"""Tool: what an agent is offered, and what a tool may use while it runs.

A tool is defined once and serves two programs: the client over stdio and the server's own `/mcp`.
Each picks its list in `catalogue` and wraps the tools in its protocol.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from messenger_core.mail import Mail
from messenger_core.tools.arguments import input_schema, read_arguments
from messenger_core.wire.common import Request

A = TypeVar("A", bound=Request)


class OfferedMailbox(NamedTuple):
    """A mailbox that nobody works now and that the caller may take up again."""

    address: str
    display_name: str | None
    messages: int
    """In all its folders."""
    unread: int


class ToolCall(Protocol):
    """One call of a tool: the mailbox that it works, and what is known around it."""

    @property
    def mail(self) -> Mail:
        """The mailbox that the caller works."""

    @property
    def server_url(self) -> str:
        """Where the server is, as the caller knows it."""

    @property
    def address_is_new(self) -> bool:
        """No earlier mailbox was found again; known once the mailbox was asked for something."""

    @property
    def is_attached(self) -> bool:
        """Another mailbox than the caller's own is worked; known like the above."""

    @property
    def own_address(self) -> str | None:
        """The caller's own mailbox; `None` while there is none."""

    async def offers(self) -> list[OfferedMailbox]:
        """Mailboxes of earlier sessions of the caller's project that nobody works now.

        The best guess first; looking marks nothing. Empty where nobody keeps account of them.
        """

    @property
    def now(self) -> datetime:
        """The instant of the call, aware."""

    async def report_progress(self, seconds: float, total_seconds: float, message: str) -> None:
        """Tells a waiting client how far a long call is; does nothing when it did not ask."""


class Annotations(Request, frozen=True, kw_only=True, rename="camel"):
    """What a host may assume of a tool before it is called (the names are MCP's)."""

    read_only_hint: bool
    destructive_hint: bool = False
    idempotent_hint: bool
    open_world_hint: bool = False


READS = Annotations(read_only_hint=True, idempotent_hint=True)
"""Looks and changes nothing."""
CHANGES = Annotations(read_only_hint=False, idempotent_hint=True)
"""Changes something; twice is the same as once."""
ADDS = Annotations(read_only_hint=False, idempotent_hint=False)
"""Makes something new each time."""

DESTROYS = Annotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False)
"""Takes something away, or may; a second time may take more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool(Generic[A]):
    """A tool: its name, the words that a model reads before it calls, and what runs then."""

    name: str
    title: str
    description: str
    """Says when to use it; under 2 000 characters."""
    arguments: type[A]
    annotations: Annotations
    undone: str
    """What did not happen when the call is refused, e.g. `The message was not sent`."""
    run: Callable[[ToolCall, A], Awaitable[str]]
    always_load: bool = False
    """A host that loads tools on demand shows this one from the start."""
    is_listed: bool = True
    """Without it the tool is answered when it is called, and offered to nobody."""

    def input_schema(self) -> dict[str, object]:
        """The JSON schema of its arguments, an object at the root."""
        return input_schema(self.arguments)

    async def answer(self, call: ToolCall, arguments: Mapping[str, object]) -> str:
        """Runs it: the text that the model reads.

        Raises:
            MessengerError: the arguments are wrong, or the mailbox refuses.
        """
        return await self.run(call, read_arguments(self.arguments, arguments))


AnyTool = Tool[Any]
"""A tool in a list: each has arguments of its own, which only the tool itself looks at."""
