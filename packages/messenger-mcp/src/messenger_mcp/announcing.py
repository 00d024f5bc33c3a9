"""The watcher's lines: one event a line, whatever the text of others holds.

Hosts cut a line at 500 characters and count lines: each one here has at most 400.
"""

from messenger_core.limits import ADDRESS_MAX_CHARS
from messenger_core.tools.plain import is_blank, one_line
from messenger_core.wire.common import Mailbox, Party
from messenger_core.wire.links import Link
from messenger_core.wire.messages import MessageSummary

KEEPALIVE_LINE = "[messenger] watching"

_PART_MAX_CHARS = 120
"""A name, a title, the reason of a link."""


def message_line(message: MessageSummary) -> str:
    """The line of one message: who wrote, in which thread, and the id to read it by."""
    return f"[messenger] {_message(message)}"


def burst_line(count: int, newest: MessageSummary) -> str:
    """The line of several messages that came too fast for a line each."""
    return f"[messenger] {count} new messages — newest: {_message(newest)} — call list_messages"


def link_line(link: Link) -> str:
    """The line of a link that the person made: with which mailbox, and why when that was said."""
    other = f"{_linked_name(link.mailbox)} ({_address(link.mailbox.id)})"
    reason = one_line(link.note or "", _PART_MAX_CHARS)
    return " — ".join(
        part for part in (f"[messenger] linked with {other}", reason, "call list_links") if part
    )


def _message(message: MessageSummary) -> str:
    title = _name(message.thread_title) or "(no title)"
    return f"{_sender(message.from_)} — {title} ({_address(message.id)})"


def _sender(party: Party) -> str:
    return _name(party.display_name) or _name(party.agent_name) or _address(party.id)


def _linked_name(mailbox: Mailbox) -> str:
    # A link introduces a mailbox that the agent may never have heard of: both its names help.
    names = " · ".join(filter(None, (_name(mailbox.agent_name), _name(mailbox.display_name))))
    return one_line(names, _PART_MAX_CHARS) or _address(mailbox.id)


def _name(text: str | None) -> str:
    shown = one_line(text or "", _PART_MAX_CHARS)
    return "" if is_blank(shown) else shown


def _address(text: str) -> str:
    return one_line(text, ADDRESS_MAX_CHARS)
