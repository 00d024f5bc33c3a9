"""Look-ups: statements of SQLAlchemy that run on the bare driver, where a microsecond counts.

A send and a key check ask for one row by a key, many times a second. Through SQLAlchemy such a
question costs ten times what the engine needs for the answer.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Select
from sqlalchemy.engine import Dialect

Row = TypeVar("Row")


class Lookup(Generic[Row]):
    """A question for rows by their keys, compiled once for each engine.

    `make` builds a row from its columns; `names` are the bind parameters in the order in which the
    callers give their values. Columns arrive as the driver gives them: a boolean as 0 or 1.
    """

    # Any: the columns of a row have types of their own, which `make` states.
    def __init__(
        self, make: Callable[..., Row], statement: Select[*tuple[Any, ...]], *names: str
    ) -> None:
        self._make = make
        self._statement = statement
        self._names = names
        self._compiled: dict[str, tuple[str, tuple[int, ...]]] = {}

    def first(self, connection: Connection, *values: object) -> Row | None:
        """The first row; `None` when there is none."""
        row = self._execute(connection, values).fetchone()
        return None if row is None else self._make(*row)

    def all(self, connection: Connection, *values: object) -> list[Row]:
        """Every row, in the statement's order."""
        make = self._make
        return [make(*row) for row in self._execute(connection, values).fetchall()]

    def _execute(self, connection: Connection, values: tuple[object, ...]) -> Any:  # a DBAPI cursor
        compiled = self._compiled.get(connection.dialect.name) or self._compile(connection.dialect)
        statement, order = compiled
        cursor = connection.connection.cursor()
        cursor.execute(statement, [values[position] for position in order])
        return cursor

    def _compile(self, dialect: Dialect) -> tuple[str, tuple[int, ...]]:
        """The statement's text, and which of the caller's values goes to each of its places.

        Raises:
            ValueError: the statement has a bind parameter that `names` does not hold.
        """
        compiled = self._statement.compile(dialect=dialect)
        places = compiled.positiontup or []
        order = tuple(self._names.index(name) for name in places)
        self._compiled[dialect.name] = (str(compiled), order)
        return self._compiled[dialect.name]
