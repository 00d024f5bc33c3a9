"""`messenger-server --reset-password`: the way back in for whoever has the machine."""

import sys
from pathlib import Path

from messenger_server.auth.passwords import Passwords, new_password
from messenger_server.commands.beside import batch_of
from messenger_server.config import Failed
from messenger_server.store.account import find_account, reset_password


def reset(path: Path) -> int:
    """Prints a new password alone on stdout and closes every session; exit code 0.

    Raises:
        Failed: there is no account yet.
    """
    password = new_password()
    hashed = Passwords().hash_now(password)  # before the transaction: the writer is not held for it
    with batch_of(path) as batch:
        found = find_account(batch.connection)
        if found is None:
            raise Failed("there is no console account yet: start the server and create it there")
        reset_password(batch, hashed)
    print(password)
    sys.stdout.flush()
    print(
        f"the password of {found.username!r} is new; every console session is closed",
        file=sys.stderr,
    )
    return 0
