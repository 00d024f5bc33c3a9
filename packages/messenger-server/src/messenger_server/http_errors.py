"""From any failure to its problem details: the only place that builds an error answer."""

import logging
from typing import Any, NamedTuple

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException
from litestar.types import Send

from messenger_core.errors import (
    Busy,
    ConsoleSessionRequired,
    InternalError,
    InvalidCredentials,
    InvalidRequest,
    MessengerError,
    MethodNotAllowed,
    NotFound,
    RangeNotSatisfiable,
    TooManyTries,
    Unauthorized,
)
from messenger_core.wire.common import Fault, Problem

_log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"

_OF_CONSOLE = (ConsoleSessionRequired, InvalidCredentials)
"""No key opens the console, so they ask for none."""


class SessionNotEnded(Exception):
    """The server cannot write that a console session ended; the browser forgets it all the same."""

    def __init__(self, cookie: tuple[bytes, bytes], because: Busy) -> None:
        self.refusal = Busy(
            "This browser is signed out, but its session could not be ended, for the server cannot"
            " write for the moment: sign in later and close it under the account.",
            retry_after_seconds=because.retry_after_seconds,
        )
        self.cookie = cookie
        """The header that takes the cookie away."""
        super().__init__(self.refusal.detail)


class Refusal(NamedTuple):
    """A problem ready to be sent."""

    status: int
    headers: dict[str, str]
    body: bytes


def refusal_of(failure: Exception, request_id: str) -> Refusal:
    """The answer to a failure; the cause of one that is ours goes to the log under the id."""
    error = _in_catalogue(failure)
    if error is None:
        _log.error("request %s failed", request_id, exc_info=failure)
        error = InternalError(request_id=request_id)
    return Refusal(error.status, _headers(error, failure), msgspec.json.encode(_problem(error)))


def answer_failure(
    request: Request[Any, Any, Any],  # Any: no user, no token, no typed state of Litestar's
    failure: Exception,
) -> Response[bytes]:
    """What Litestar sends for a failure inside a route, and for its own refusals."""
    refusal = refusal_of(failure, request.scope["state"]["request_id"])
    return Response(
        refusal.body, status_code=refusal.status, headers=refusal.headers, media_type=MEDIA_TYPE
    )


async def send_failure(failure: Exception, request_id: str, send: Send) -> None:
    """Sends the answer to a failure in front of the routes."""
    refusal = refusal_of(failure, request_id)
    headers = {
        "content-type": MEDIA_TYPE,
        "content-length": str(len(refusal.body)),
        **refusal.headers,
    }
    await send(
        {
            "type": "http.response.start",
            "status": refusal.status,
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
    )
    await send({"type": "http.response.body", "body": refusal.body, "more_body": False})


def _in_catalogue(failure: Exception) -> MessengerError | None:
    """The catalogue's error for a failure; None: the server's own fault."""
    if isinstance(failure, MessengerError):
        return failure
    if isinstance(failure, SessionNotEnded):
        return failure.refusal
    if isinstance(failure, NotFoundException):
        return NotFound()
    if isinstance(failure, MethodNotAllowedException):
        return MethodNotAllowed(f"This path takes {_allow(failure)} only.")
    if isinstance(failure, HTTPException) and 400 <= failure.status_code < 500:
        return InvalidRequest(failure.detail)
    return None


def _headers(error: MessengerError, failure: Exception) -> dict[str, str]:
    headers = {}
    if isinstance(error, Unauthorized) and not isinstance(error, _OF_CONSOLE):
        headers["www-authenticate"] = "Bearer"
    if isinstance(error, RangeNotSatisfiable):
        headers["content-range"] = f"bytes */{error.size_bytes}"
    if isinstance(failure, SessionNotEnded):
        name, value = failure.cookie
        headers[name.decode()] = value.decode()
    retry_after = error.retry_after_seconds or (1 if isinstance(error, Busy) else None)
    if retry_after is not None:
        headers["retry-after"] = str(retry_after)
    if isinstance(failure, MethodNotAllowedException):
        headers["allow"] = _allow(failure)
    return headers


def _allow(failure: MethodNotAllowedException) -> str:
    """The methods of the path; OPTIONS is Litestar's own."""
    methods = (failure.headers or {})["allow"].split(", ")
    return ", ".join(method for method in methods if method != "OPTIONS")


def _problem(error: MessengerError) -> Problem:
    return Problem(
        title=error.title,
        status=error.status,
        detail=error.detail,
        code=error.code,
        errors=_faults(error),
        request_id=msgspec.UNSET if error.request_id is None else error.request_id,
        retry_after_seconds=_retry_after(error),
    )


def _retry_after(error: MessengerError) -> int | msgspec.UnsetType:
    if isinstance(error, TooManyTries) and error.retry_after_seconds is not None:
        return error.retry_after_seconds
    return msgspec.UNSET


def _faults(error: MessengerError) -> list[Fault] | msgspec.UnsetType:
    """Every refusal of code `invalid_request` names at least one fault, and no other names any."""
    if error.code != InvalidRequest.code:
        return msgspec.UNSET
    if not error.errors:
        return [Fault(field="", message=error.detail)]
    return [Fault(field=fault.field, message=fault.message) for fault in error.errors]
