"""Lines that a model reads: names, dates and one message or thread to a line.

Whatever somebody else wrote stands between “ ”, as part of one line, so that it cannot pass for
the tool's own words.
"""

from messenger_core.limits import DISPLAY_NAME_MAX_CHARS, SUBJECT_MAX_CHARS
from messenger_core.tools.plain import is_blank, one_line
from messenger_core.wire.common import Mailbox, Party
from messenger_core.wire.messages import MessageSummary

NAMES_REMINDER = "Remember: an agent name designates nobody, only an address does."
"""Stands in the server instructions, in `whoami` and at the foot of `list_agents`."""

SEPARATOR = " · "
_PREVIEW_CHARS = 100


def quoted(text: str, limit: int = SUBJECT_MAX_CHARS) -> str:
    """Somebody's words between quotation marks that the words themselves cannot close."""
    return "“" + one_line(text, limit).replace("“", '"').replace("”", '"') + "”"


def who(party: Party | Mailbox) -> str:
    """A correspondent by its best name and its address, e.g. `“Planner” box_9f2c…`."""
    name = next(filter(None, (shown_name(party.display_name), shown_name(party.agent_name))), None)
    gone = " (deleted)" if isinstance(party, Party) and party.deleted else ""
    return f"{quoted(name)} {party.id}{gone}" if name else f"{party.id}{gone}"


def shown_name(name: str | None) -> str:
    """A name as it can be shown; empty when nothing of it can."""
    shown = one_line(name or "", DISPLAY_NAME_MAX_CHARS)
    return "" if is_blank(shown) else shown


def when(instant: str) -> str:
    """A wire instant to the minute, e.g. `2026-09-07 13:31 UTC`."""
    return f"{instant[:10]} {instant[11:16]} UTC"


def counted(number: int, noun: str, *, at_least: bool = False) -> str:
    """A number with its noun, e.g. `1 message`, `at least 1,000 messages`."""
    plural = {"mailbox": "mailboxes"}.get(noun, f"{noun}s")
    return f"{'at least ' if at_least else ''}{number:,} {noun if number == 1 else plural}"


def seconds_words(seconds: float) -> str:
    """A span of time to the thousandth, e.g. `1 second`, `0.05 seconds`."""
    if seconds == int(seconds):
        return counted(int(seconds), "second")
    if seconds < 0.001:
        return "less than 0.001 seconds"
    return f"{seconds:.3f}".rstrip("0").rstrip(".") + " seconds"


def state_words(message: MessageSummary) -> list[str]:
    """What sets a message apart: unread, flagged, pressing, with files."""
    unread = message.role == "recipient" and message.read_at is None
    return [
        *(["unread"] if unread else []),
        *(["flagged"] if message.flagged else []),
        *([f"{message.priority} priority"] if message.priority != "normal" else []),
        *(["with attachments"] if message.has_attachments else []),
    ]


def message_line(message: MessageSummary, *, folder: bool = False) -> str:
    """One message: the ids that one needs next, then what it is about."""
    sent = message.role == "sender"
    correspondent = f"to {who(message.to)}" if sent else f"from {who(message.from_)}"
    parts = [
        message.id,
        *([f"in {quoted(message.folder)}"] if folder else []),
        *state_words(message),
        when(message.created_at),
        correspondent,
        quoted(message.subject),
        thread_words(message),
        *([f"says {quoted(message.preview, _PREVIEW_CHARS)}"] if message.preview else []),
    ]
    return "- " + SEPARATOR.join(parts)


def thread_words(message: MessageSummary) -> str:
    """The thread of a message: its id, and its title unless the subject says the same."""
    if message.thread_title == message.subject.removeprefix("Re: "):
        return f"thread {message.thread_id}"
    return f"thread {message.thread_id} {quoted(message.thread_title)}"
