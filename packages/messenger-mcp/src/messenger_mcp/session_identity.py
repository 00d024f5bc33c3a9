"""Which session of the host this is, and what told so.

The host's own id is the only proof that a started process continues an earlier session. Only its
fingerprint is kept: the id itself is a handle on a conversation and stays out of every file.
"""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

SESSION_VARIABLES = (
    "MESSENGER_SESSION_KEY",
    "CLAUDE_CODE_SESSION_ID",
    "COPILOT_AGENT_SESSION_ID",
    "AGENT_SESSION_ID",
    "CODEX_THREAD_ID",
)
"""The environment variables that name a session, the strongest first."""

_CODEX_META = "x-codex-turn-metadata"
_CODEX_FIELD = "thread_id"


class HostSession(NamedTuple):
    """A session of the host, known by the fingerprint of its id."""

    fingerprint: str
    source: str
    """Where the id was found, in words for the log: a variable's name, or a field of a call."""


def session_of_environment(environ: Mapping[str, str]) -> HostSession | None:
    """The host's session by the first variable that is set; an empty one counts as unset."""
    for name in SESSION_VARIABLES:
        session_id = environ.get(name, "").strip()
        if session_id:
            return HostSession(session_fingerprint(session_id), name)
    return None


def host_session_fingerprint(environ: Mapping[str, str]) -> str | None:
    """The fingerprint of the environment's session; `None` when no variable names one."""
    session = session_of_environment(environ)
    return None if session is None else session.fingerprint


def session_of_call(meta: Mapping[str, object] | None) -> HostSession | None:
    """The host's session by the `_meta` of a tool call: what Codex sends with each."""
    thread_id = codex_thread_id(meta)
    if thread_id is None:
        return None
    return HostSession(session_fingerprint(thread_id), f"_meta {_CODEX_META}.{_CODEX_FIELD}")


def names_its_session_in_calls(client_name: str) -> bool:
    """Whether a client of this name (`clientInfo.name`) tells its session in its calls alone.

    Its mailbox is bound at the first tool call when the environment gives no session id.
    """
    return client_name.casefold().startswith("codex")


def codex_thread_id(meta: Mapping[str, object] | None) -> str | None:
    """The id of the Codex thread that makes a call, in clear; `None` when the call names none."""
    turn = None if meta is None else meta.get(_CODEX_META)
    if isinstance(turn, str):
        turn = _decoded(turn)
    thread_id = turn.get(_CODEX_FIELD) if isinstance(turn, Mapping) else None
    return (thread_id.strip() or None) if isinstance(thread_id, str) else None


def session_fingerprint(session_id: str) -> str:
    """What is kept of a session id: its SHA-256, in hexadecimal."""
    return hashlib.sha256(session_id.encode(errors="surrogatepass")).hexdigest()


def _decoded(text: str) -> object:
    try:
        decoded: object = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return None
    return decoded
