"""The setup code: whoever can read the server's log may make the console's account, once."""

import hmac
import secrets
from typing import Final

_ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Without what looks alike: 0 and O, 1, I and L, U and V."""
_GROUPS: Final = 3
_GROUP_CHARS: Final = 4
_IGNORED: Final = str.maketrans("", "", "- \t\r\n")


class SetupCode:
    """A code that is new with each server; it lives in memory, and in the log that shows it."""

    def __init__(self) -> None:
        self.text: Final = "-".join(
            "".join(secrets.choice(_ALPHABET) for _ in range(_GROUP_CHARS)) for _ in range(_GROUPS)
        )
        """As the log shows it: `K7QD-4MPX-9TRA`."""

    def matches(self, given: str) -> bool:
        """Whether this is the code; case, dashes and spaces do not count."""
        return hmac.compare_digest(_bare(given), _bare(self.text))


def _bare(code: str) -> bytes:
    return code.translate(_IGNORED).upper().encode()
