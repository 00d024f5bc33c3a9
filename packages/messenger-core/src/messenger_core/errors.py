"""The error catalogue: every refusal, with its stable code, its HTTP status and its sentence.

    MessengerError
    ├── InvalidRequest 400 ── InvalidJson, OneRecipientOnly, SelfMessage, NotInThread,
    │                         AgentIdMissing, AgentIdInvalid
    ├── Unauthorized 401 ──── ApiKeyMissing, ApiKeyUnknown, ApiKeyRevoked, ApiKeyExpired,
    │                         ConsoleSessionRequired, InvalidCredentials
    ├── Forbidden 403 ─────── MailboxNotYours, CrossSite, SystemFolder, WrongPassword,
    │                         WrongSetupCode, SendNotAllowed
    ├── NotFound 404 ──────── MailboxNotFound, MailboxNotRegistered, MessageNotFound,
    │                         ThreadNotFound, FolderNotFound, AttachmentNotFound, LinkNotFound,
    │                         KeyNotFound, SessionNotFound
    ├── MethodNotAllowed 405
    ├── Conflict 409 ──────── AddressTaken, AgentNameConflict, AgentDescriptionConflict,
    │                         FolderExists, AlreadyLinked, IdempotencyConflict,
    │                         CriterionNoLongerMet, KeyRevoked, AlreadySetUp
    ├── BodyTooLarge 413 ──── AttachmentTooLarge, TooManyAttachments
    ├── UnsupportedMediaType 415
    ├── RangeNotSatisfiable 416
    ├── RateLimited 429 ───── TooManyTries
    ├── InternalError 500
    └── Busy 503

A refusal is raised where it is known, with the values that matter, and becomes an answer at one
border alone: `http_errors.py` on the server, the tool wrapper in the client, `cli.py` for commands.
`MessengerError` itself stands for a code that this version does not know.
"""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Self


class FieldError(NamedTuple):
    """One fault of a request: where it is and what is wrong there."""

    field: str
    message: str


class MessengerError(Exception):
    """A refusal that the caller is told of, in words written for the person or agent reading it."""

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500
    title: ClassVar[str] = "Error"
    sentence: ClassVar[str] = "The request failed."

    def __init__(
        self,
        detail: str | None = None,
        *,
        errors: Sequence[FieldError] = (),
        retry_after_seconds: int | None = None,
        request_id: str | None = None,
    ) -> None:
        self.detail = detail or self.sentence
        self.errors = tuple(errors)
        self.retry_after_seconds = retry_after_seconds
        self.request_id = request_id
        super().__init__(self.detail)


class InvalidRequest(MessengerError):
    """A field, a header or a query parameter has a value that is not allowed."""

    code = "invalid_request"
    status = 400
    title = "Bad Request"
    sentence = "The request is not valid."


class InvalidJson(InvalidRequest):
    """The body is no JSON document."""

    code = "invalid_json"
    sentence = "The body is not valid JSON."


class OneRecipientOnly(InvalidRequest):
    """A message names several recipients."""

    code = "one_recipient_only"
    sentence = "A message has one recipient: send one message to each mailbox."


class SelfMessage(InvalidRequest):
    """A mailbox writes to itself."""

    code = "self_message"
    sentence = "A mailbox cannot write to itself."


class NotInThread(InvalidRequest):
    """The recipient or the original message does not belong to the thread."""

    code = "not_in_thread"
    sentence = "That mailbox or message is not part of this thread."


class AgentIdMissing(InvalidRequest):
    """The header that names the caller's mailbox is missing."""

    code = "agent_id_missing"
    sentence = "The header X-Agent-Id is missing: it names the mailbox that makes the request."


class AgentIdInvalid(InvalidRequest):
    """The header that names the caller's mailbox has no form of an address."""

    code = "agent_id_invalid"
    sentence = "The header X-Agent-Id is not a mailbox address."


class Unauthorized(MessengerError):
    """Nobody that the server knows is calling."""

    code = "unauthorized"
    status = 401
    title = "Unauthorized"
    sentence = "The request is not authenticated."


class ApiKeyMissing(Unauthorized):
    """An agent request without a key."""

    code = "api_key_missing"
    sentence = "An API key is required: send it as `Authorization: Bearer mk_…`."


class ApiKeyUnknown(Unauthorized):
    """An agent request with a key that the server never made."""

    code = "api_key_unknown"
    sentence = "This API key is not known to the server."


class ApiKeyRevoked(Unauthorized):
    """An agent request with a revoked or replaced key."""

    code = "api_key_revoked"
    sentence = "This API key was revoked: ask for a new one."


class ApiKeyExpired(Unauthorized):
    """An agent request with a key past its time."""

    code = "api_key_expired"
    sentence = "This API key has expired: have it extended, or ask for a new one."


class ConsoleSessionRequired(Unauthorized):
    """A console request without a console session."""

    code = "console_session_required"
    sentence = "Sign in to the console first."


class InvalidCredentials(Unauthorized):
    """A sign-in with a wrong name or a wrong password."""

    code = "invalid_credentials"
    sentence = "The user name or the password is wrong."


class Forbidden(MessengerError):
    """The caller is known and may not do this."""

    code = "forbidden"
    status = 403
    title = "Forbidden"
    sentence = "This is not allowed."


class MailboxNotYours(Forbidden):
    """The key is bound to an agent that does not hold this mailbox."""

    code = "mailbox_not_yours"
    sentence = "This API key opens only the mailboxes of its own agent."


class CrossSite(Forbidden):
    """A console write that does not come from the console's own pages."""

    code = "cross_site"
    sentence = "The request comes from another site."


class SystemFolder(Forbidden):
    """A system folder cannot be removed."""

    code = "system_folder"
    sentence = "A system folder (inbox, sent, archive, trash) cannot be deleted."


class WrongPassword(Forbidden):
    """The current password that came with a change is wrong."""

    code = "wrong_password"
    sentence = "The current password is wrong."


class WrongSetupCode(Forbidden):
    """The code that proves access to the server's log is wrong."""

    code = "wrong_setup_code"
    sentence = "The setup code is wrong: it stands in the server's log."


class SendNotAllowed(Forbidden):
    """The key reads and does not send."""

    code = "send_not_allowed"
    sentence = "This API key may read mail but not send it."


class NotFound(MessengerError):
    """Nothing is at this path."""

    code = "not_found"
    status = 404
    title = "Not Found"
    sentence = "There is nothing at this path."


class MailboxNotFound(NotFound):
    """No such mailbox."""

    code = "mailbox_not_found"
    sentence = "Mailbox not found."


class MailboxNotRegistered(NotFound):
    """The caller's own mailbox does not exist, or nobody has registered it yet."""

    code = "mailbox_not_registered"
    sentence = "This mailbox is not registered: call POST /api/agents/register first."


class MessageNotFound(NotFound):
    """No such message in the caller's mailbox."""

    code = "message_not_found"
    sentence = "Message not found in this mailbox."


class ThreadNotFound(NotFound):
    """No such thread in the caller's mailbox."""

    code = "thread_not_found"
    sentence = "Thread not found in this mailbox."


class FolderNotFound(NotFound):
    """No such folder in the caller's mailbox."""

    code = "folder_not_found"
    sentence = "Folder not found in this mailbox."


class AttachmentNotFound(NotFound):
    """No such attachment in the caller's mailbox."""

    code = "attachment_not_found"
    sentence = "Attachment not found in this mailbox."


class LinkNotFound(NotFound):
    """No such link."""

    code = "link_not_found"
    sentence = "Link not found."


class KeyNotFound(NotFound):
    """No such API key."""

    code = "key_not_found"
    sentence = "API key not found."


class SessionNotFound(NotFound):
    """No such console session."""

    code = "session_not_found"
    sentence = "Console session not found."


class MethodNotAllowed(MessengerError):
    """The path exists, the method does not."""

    code = "method_not_allowed"
    status = 405
    title = "Method Not Allowed"
    sentence = "This path does not take that method."


class Conflict(MessengerError):
    """The request contradicts what is stored."""

    code = "conflict"
    status = 409
    title = "Conflict"
    sentence = "The request contradicts what is stored."


class AddressTaken(Conflict):
    """The address exists, or is reserved for another agent."""

    code = "address_taken"
    sentence = "This address is taken."


class AgentNameConflict(Conflict):
    """The agent's name contradicts the one that a bound key gave."""

    code = "agent_name_conflict"
    sentence = "The agent name contradicts the one that the API key gives: leave it out."


class AgentDescriptionConflict(Conflict):
    """The agent's description contradicts the one that a bound key gave."""

    code = "agent_description_conflict"
    sentence = "The agent description contradicts the one that the API key gives: leave it out."


class FolderExists(Conflict):
    """A folder of that name exists or is reserved."""

    code = "folder_exists"
    sentence = "A folder of this name exists already."


class AlreadyLinked(Conflict):
    """The two mailboxes are linked already."""

    code = "already_linked"
    sentence = "These two mailboxes are linked already."


class IdempotencyConflict(Conflict):
    """The same idempotency key came with another message."""

    code = "idempotency_conflict"
    sentence = "This Idempotency-Key was used for another message: take a new one."


class CriterionNoLongerMet(Conflict):
    """A mailbox changed since the clean-up was previewed."""

    code = "criterion_no_longer_met"
    sentence = "A mailbox changed since the preview: nothing was deleted."


class KeyRevoked(Conflict):
    """A revoked key cannot be changed."""

    code = "key_revoked"
    sentence = "This API key is revoked and cannot be changed."


class AlreadySetUp(Conflict):
    """The console account exists."""

    code = "already_set_up"
    sentence = "The console account exists already."


class BodyTooLarge(MessengerError):
    """The request body passes its limit."""

    code = "body_too_large"
    status = 413
    title = "Content Too Large"
    sentence = "The request body is too large."


class AttachmentTooLarge(BodyTooLarge):
    """A file, or all of them together, passes its limit."""

    code = "attachment_too_large"
    sentence = "An attachment may have 10 MB, all of a message together 25 MB."


class TooManyAttachments(BodyTooLarge):
    """A message carries more files than allowed."""

    code = "too_many_attachments"
    sentence = "A message carries at most 10 attachments."


class UnsupportedMediaType(MessengerError):
    """The body is of a type that the route does not read."""

    code = "unsupported_media_type"
    status = 415
    title = "Unsupported Media Type"
    sentence = "The body must be JSON: send `Content-Type: application/json`."


class RangeNotSatisfiable(MessengerError):
    """The part of a file that was asked for lies beyond its end."""

    code = "range_not_satisfiable"
    status = 416
    title = "Range Not Satisfiable"
    sentence = "The range lies beyond the end of the file."
    size_bytes: int | None = None
    """Of the file, where the refusal is made; what the header `Content-Range` tells."""

    @classmethod
    def beyond(cls, size_bytes: int) -> Self:
        """The refusal of a range of a file that has this many bytes."""
        refusal = cls(f"The range lies beyond the end of the file, which has {size_bytes} bytes.")
        refusal.size_bytes = size_bytes
        return refusal


class RateLimited(MessengerError):
    """The quota of requests is used up."""

    code = "rate_limited"
    status = 429
    title = "Too Many Requests"
    sentence = "Too many requests: wait before the next one."


class TooManyTries(RateLimited):
    """Too many failed sign-ins."""

    code = "too_many_tries"
    sentence = "Too many failed tries: wait before the next one."


class InternalError(MessengerError):
    """The server failed; the cause is in its log, under the request's identifier."""

    code = "internal_error"
    status = 500
    title = "Internal Server Error"
    sentence = "The server failed to answer this request."


class Busy(MessengerError):
    """The server cannot take more work for the moment; nothing was done."""

    code = "busy"
    status = 503
    title = "Service Unavailable"
    sentence = "The server cannot take more work for the moment: try again soon."


def _below(parent: type[MessengerError]) -> list[type[MessengerError]]:
    return [parent, *(found for child in parent.__subclasses__() for found in _below(child))]


CATALOGUE: dict[str, type[MessengerError]] = {error.code: error for error in _below(MessengerError)}
"""Every error by its code."""


def error_from_code(code: str) -> type[MessengerError]:
    """The class of a code; `MessengerError` itself for one that a newer server sends."""
    return CATALOGUE.get(code, MessengerError)
