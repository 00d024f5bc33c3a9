"""Look-ups: statements of SQLAlchemy that run on the bare driver, where a microsecond counts.

A send and a key check ask for one row by a key, many times a second. Through SQLAlchemy such a
question costs ten times what the engine needs for the answer.
"""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Select
from sqlalchemy.engine import Dialect

Row = TypeVar("Row")


class Lookup(Generic[Row]):
    """A question for rows by their keys, compiled once for each engine.

    `make` builds a row from the tuple of its columns, which are as the driver gives them: a boolean
    is 0 or 1. `names` are the bind parameters, in the order in which callers give their values.
    """

    def __init__(
        self,
        make: Callable[[tuple[Any, ...]], Row],  # Any: each column has a type of its own
        statement: Select[*tuple[Any, ...]],
        *names: str,
    ) -> None:
        self._make = make
        self._statement = statement
        self._names = names
        self._compiled: dict[str, tuple[str, tuple[int, ...], tuple[object, ...]]] = {}

    def first(self, connection: Connection, *values: object) -> Row | None:
        """The first row; `None` when there is none."""
        row = self._execute(connection, values).fetchone()
        return None if row is None else self._make(row)

    def all(self, connection: Connection, *values: object) -> list[Row]:
        """Every row, in the statement's order."""
        return list(map(self._make, self._execute(connection, values).fetchall()))

    def each(self, connection: Connection, *values: object) -> Iterator[Row]:
        """The rows one after the other: what is not asked for is not read."""
        return map(self._make, self._execute(connection, values))

    def _execute(self, connection: Connection, values: tuple[object, ...]) -> Any:  # a DBAPI cursor
        compiled = self._compiled.get(connection.dialect.name) or self._compile(connection.dialect)
        text, order, constants = compiled
        if len(values) != len(self._names):
            raise TypeError(f"{len(self._names)} values are needed: {', '.join(self._names)}")
        cursor = connection.connection.cursor()
        known = values + constants
        cursor.execute(text, [known[position] for position in order])
        return cursor

    def _compile(self, dialect: Dialect) -> tuple[str, tuple[int, ...], tuple[object, ...]]:
        """The statement's text, the position of each place's value, and the statement's constants.

        A position counts through the caller's values first, then through the constants.
        """
        compiled = self._statement.compile(dialect=dialect)
        places = list(compiled.positiontup or ())
        own = [name for name in dict.fromkeys(places) if name not in self._names]
        known = [*self._names, *own]
        order = tuple(known.index(name) for name in places)
        constants = tuple(compiled.params[name] for name in own)
        self._compiled[dialect.name] = (str(compiled), order, constants)
        return self._compiled[dialect.name]
