"""Addresses and ids in arguments: what has not even the form of one is refused before it is asked.

A name in the place of an address matches nothing, and an empty list would look like an answer.
"""

import re

from msgspec import UnsetType

from messenger_core.errors import FieldError, InvalidRequest
from messenger_core.ids import is_address
from messenger_core.tools.lines import quoted

_SHOWN_MAX_CHARS = 80
_MESSAGE = re.compile(r"msg_[0-9a-z]+")
_THREAD = re.compile(r"thr_[0-9a-z]+")


def check_address(name: str, value: str | UnsetType) -> None:
    """Refuses a value that cannot be a mailbox address; absent and empty pass.

    Args:
        name: of the argument.
        value: what was given.

    Raises:
        InvalidRequest: names the value and where the addresses are.
    """
    if value and not is_address(value):
        raise _refusal(
            name,
            f"`{name}` is {quoted(value, _SHOWN_MAX_CHARS)}, which is no mailbox address (like "
            "box_9f2c4a01b3d7e5f8): list_agents shows the addresses of every agent.",
        )


def check_message_id(name: str, value: str | UnsetType) -> None:
    """Refuses a value that cannot be the id of a message; absent and empty pass.

    Raises:
        InvalidRequest: names the value and where the ids are.
    """
    if value and not _MESSAGE.fullmatch(value):
        raise _refusal(
            name,
            f"`{name}` is {quoted(value, _SHOWN_MAX_CHARS)}, which is no message id (msg_…): "
            "list_messages shows the ids.",
        )


def check_thread_id(name: str, value: str | UnsetType) -> None:
    """Refuses a value that cannot be the id of a thread; absent and empty pass.

    Raises:
        InvalidRequest: names the value and where the ids are.
    """
    if value and not _THREAD.fullmatch(value):
        raise _refusal(
            name,
            f"`{name}` is {quoted(value, _SHOWN_MAX_CHARS)}, which is no thread id (thr_…): "
            "list_threads shows the ids.",
        )


def _refusal(name: str, message: str) -> InvalidRequest:
    return InvalidRequest(message, errors=[FieldError(name, message)])
