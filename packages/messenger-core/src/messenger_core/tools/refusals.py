"""Refusals as a model reads them: what did not happen, why, and what to do next."""

from messenger_core import errors
from messenger_core.errors import MessengerError
from messenger_core.tools.lines import counted

_ASK_FOR_KEY = (
    "Tell the person: a new key is made on the server and goes into MESSENGER_API_KEY of this "
    "session's MCP settings."
)
_OWN_IDS = "Ids of this mailbox stand in list_messages and list_threads."

_NEXT_STEP: dict[type[MessengerError], str] = {
    errors.MailboxNotFound: "list_agents shows the addresses; an agent name is not one.",
    errors.MessageNotFound: _OWN_IDS,
    errors.ThreadNotFound: _OWN_IDS,
    errors.FolderNotFound: "list_folders shows the folders.",
    errors.FolderExists: "list_folders shows the folders.",
    errors.AttachmentNotFound: "read_message shows the att_… ids of a message's attachments.",
    errors.SelfMessage: "list_agents shows whom you can write to.",
    errors.NotInThread: (
        "Leave out `to` and give reply_to or thread_id alone, or leave both out to open a new "
        "thread."
    ),
    errors.IdempotencyConflict: "Call the tool again.",
    errors.Unauthorized: _ASK_FOR_KEY,
    errors.SendNotAllowed: "Tell the person: sending needs a key that may send.",
    errors.MailboxNotYours: "Tell the person: the API key and the address do not belong together.",
    errors.InvalidRequest: "Correct that and call the tool again.",
    errors.BodyTooLarge: "Send less, in several messages.",
    errors.InternalError: "Try once more; if it stays so, tell the person.",
}


def refusal_text(undone: str, error: MessengerError) -> str:
    """The refusal of a tool call.

    Args:
        undone: what did not happen, a clause without its full stop.
        error: the refusal.
    """
    parts = [f"{undone}: {_reason(error)}", *_when(error), *_next_step(error)]
    return " ".join(parts)


def _reason(error: MessengerError) -> str:
    reason = error.detail if error.detail.endswith((".", "!", "?")) else f"{error.detail}."
    named = [
        f"`{fault.field}`: {fault.message.rstrip('.')}."
        for fault in error.errors
        if fault.message.rstrip(".") not in error.detail
    ]
    trace = [f"(request {error.request_id})"] if error.request_id else []
    return " ".join([reason, *named, *trace])


def _when(error: MessengerError) -> list[str]:
    if "try again in" in error.detail.lower():
        return []
    if error.retry_after_seconds is not None:
        return [f"Try again in {counted(error.retry_after_seconds, 'second')}."]
    passing = isinstance(error, errors.RateLimited | errors.Busy)
    return ["Try again in a while."] if passing else []


def _next_step(error: MessengerError) -> list[str]:
    for kind in type(error).__mro__:
        if kind in _NEXT_STEP:
            return [_NEXT_STEP[kind]]
    return []
