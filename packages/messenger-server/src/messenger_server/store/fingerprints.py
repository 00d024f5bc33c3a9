"""Fingerprints: what the base keeps of a secret that is random, and how such a secret is made."""

import secrets
from hashlib import sha256
from typing import Final

_SECRET_BYTES: Final = 32
"""43 characters in URL-safe base64."""


def new_secret() -> str:
    """A secret of 43 URL-safe characters that nobody can guess."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def fingerprint(secret: str) -> str:
    """What the base keeps of such a secret: its SHA-256, in hexadecimal.

    What a person chose must go through `auth.passwords` instead: it can be guessed.
    """
    return sha256(secret.encode()).hexdigest()
