"""Admission: what the gate found out about a request, handed to the routes behind it."""

from typing import NamedTuple

from messenger_server.auth.agents import Caller, Headers
from messenger_server.auth.console import ConsoleUser
from messenger_server.quota import Window


class Client(NamedTuple):
    """The other end of a request to the console."""

    address: str
    """As far as the trusted proxies vouch for it."""
    counted_as: str
    """Whom limits count for it: several addresses can be one client's."""
    is_https: bool
    """The browser speaks TLS, to us or to a trusted proxy."""


class Admission(NamedTuple):
    """What is known of a request; the routes find it in the state of its scope."""

    request_id: str
    headers: Headers
    """Those that the server reads; where one comes twice, the first."""
    window: Window
    """What the request takes of its quota."""
    caller: Caller | None = None
    """The agent that makes it; None: at this path no agent is asked for."""
    console: ConsoleUser | None = None
    """Who is signed in to the console; None: nobody, or this is no path of the console."""
    client: Client | None = None
    """None: this is no path of the console."""
