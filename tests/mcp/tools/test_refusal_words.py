"""When a refused call can be tried again is said once."""

import pytest

from messenger_core.errors import Busy, MessengerError, RateLimited
from messenger_core.tools.refusals import refusal_text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            RateLimited("Too many requests: try again in 59 seconds.", retry_after_seconds=59),
            "Undone: Too many requests: try again in 59 seconds.",
        ),
        (Busy("It is full.", retry_after_seconds=1), "Undone: It is full. Try again in 1 second."),
        (Busy("It is full."), "Undone: It is full. Try again in a while."),
    ],
)
def test_when_to_try_again_is_said_once(error: MessengerError, text: str) -> None:
    assert refusal_text("Undone", error) == text
