"""Changes: the number that every transaction raises which changes what the console shows."""

from typing import Final

from sqlalchemy import select

from messenger_core.schema import counter
from messenger_server.database import Database, Lookup

_CHANGE: Final = Lookup(lambda columns: int(columns[0]), select(counter.c.change))


async def change_number(database: Database) -> int:
    """As it is now: while it stays, so does everything that is stored."""
    return await database.lookup(_CHANGE) or 0
