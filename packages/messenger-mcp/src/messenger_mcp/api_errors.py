"""What an answer of the server means when it is not the one that was asked for.

Unreachable     the server did not answer as a Messenger server does: the network, a proxy,
                another program on that port
MessengerError  it answered, and refused: the catalogue's class, by its code
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET

from messenger_core import errors
from messenger_core.errors import FieldError, MessengerError, error_from_code
from messenger_core.mail import MailAway
from messenger_core.wire.common import Problem

_GATEWAY_STATUSES = frozenset({502, 503, 504})
_FAMILIES: dict[int, type[MessengerError]] = {
    family.status: family
    for family in (
        errors.InvalidRequest,
        errors.Unauthorized,
        errors.Forbidden,
        errors.NotFound,
        errors.MethodNotAllowed,
        errors.Conflict,
        errors.BodyTooLarge,
        errors.UnsupportedMediaType,
        errors.RateLimited,
        errors.InternalError,
        errors.Busy,
    )
}
_RETRY_AFTER_MAX_SECONDS = 24 * 3600


class Unreachable(MailAway):
    """No Messenger server answered; the text says where and why, in words."""

    def __init__(
        self,
        server_url: str,
        cause: str,
        *,
        status: int | None = None,
        retry_after_seconds: int | None = None,
        may_have_arrived: bool = True,
    ) -> None:
        super().__init__(f"No answer from the Messenger server at {server_url}: {cause}.")
        self.cause = cause
        self.status = status
        """The HTTP status, when something answered that is no Messenger server."""
        self.retry_after_seconds = retry_after_seconds
        self.may_have_arrived = may_have_arrived
        """Whether the server may have carried the request out."""


def refusal(
    server_url: str, status: int, headers: Mapping[str, str], content: bytes
) -> MessengerError | Unreachable:
    """What an answer that is no success says: a refusal of the server, or somebody else's words.

    Args:
        server_url: the server that was asked.
        status: the HTTP status.
        headers: by name, whose case the mapping ignores.
        content: the body.
    """
    retry_after_seconds = _retry_after(headers.get("retry-after"))
    try:
        problem = msgspec.json.decode(content, type=Problem)
    except (msgspec.DecodeError, UnicodeDecodeError):
        cause = _stranger(status, headers.get("location"))
        return Unreachable(
            server_url, cause, status=status, retry_after_seconds=retry_after_seconds
        )
    error = _from_problem(problem, status, retry_after_seconds)
    path = urlsplit(server_url).path.rstrip("/")
    if type(error) is errors.NotFound and path:
        return errors.NotFound(
            f"There is no Messenger server below the path {path!r}: MESSENGER_SERVER_URL should be "
            "the server's root, like http://127.0.0.1:3600.",
            request_id=error.request_id,
        )
    return error


def not_messenger(server_url: str, status: int) -> Unreachable:
    """What a success that cannot be read says."""
    cause = f"what answers there (HTTP {status}) is not a Messenger server, or a newer one"
    return Unreachable(server_url, cause, status=status)


def _from_problem(problem: Problem, status: int, retry_after: int | None) -> MessengerError:
    kind = error_from_code(problem.code)
    detail = problem.detail
    if kind is MessengerError:
        # A newer server: what it refuses is known by the family of its status at least.
        kind = _FAMILIES.get(status, MessengerError)
        detail = f"{detail} ({problem.title}, HTTP {status}, {problem.code})"
    if retry_after is None and problem.retry_after_seconds is not UNSET:
        retry_after = problem.retry_after_seconds
    return kind(
        detail,
        errors=[
            FieldError(fault.field, fault.message)
            for fault in (() if problem.errors is UNSET else problem.errors)
        ],
        retry_after_seconds=retry_after,
        request_id=None if problem.request_id is UNSET else problem.request_id,
    )


def _stranger(status: int, location: str | None) -> str:
    if 300 <= status < 400 and location:
        target = urlsplit(location)
        where = f"{target.scheme}://{target.netloc.rpartition('@')[2]}" if target.netloc else "/"
        return (
            f"it redirects to {where} (HTTP {status}), and a redirect is not followed: set "
            "MESSENGER_SERVER_URL to the server's own address"
        )
    if status in _GATEWAY_STATUSES:
        return f"the proxy before it has no server to ask (HTTP {status})"
    return f"what answers there (HTTP {status}) is not a Messenger server"


def _retry_after(value: str | None) -> int | None:
    """Seconds of a Retry-After header; its form with a date is not one that our server sends."""
    if value is None or not (value.isascii() and value.isdigit()) or len(value) > 9:
        return None
    return min(int(value), _RETRY_AFTER_MAX_SECONDS)
