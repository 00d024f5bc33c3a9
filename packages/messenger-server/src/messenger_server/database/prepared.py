"""Prepared statements: SQLAlchemy's, run on the bare driver where a microsecond counts.

A send asks for a few rows by their keys and writes a dozen, thousands of times a second. Through
SQLAlchemy each costs several times what the engine itself needs.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from sqlalchemy import Connection, Delete, Insert, Select, Update
from sqlalchemy.engine import Dialect

Row = TypeVar("Row")


class _Compiled(NamedTuple):
    """A statement as one engine takes it."""

    text: str
    order: tuple[int, ...]
    """Where the value of each of its places stands: among those of the caller, and then among the
    constants."""
    constants: tuple[object, ...]
    is_plain: bool
    """The caller's values are already in the statement's order."""


class _Prepared:
    """A statement, compiled once for each engine, and the order of its values."""

    def __init__(
        self,
        statement: Select[*tuple[Any, ...]] | Insert | Update | Delete,
        names: tuple[str, ...],
    ) -> None:
        self._statement = statement
        self._names = names
        self._by_dialect: dict[str, _Compiled] = {}

    def _compiled(self, connection: Connection) -> _Compiled:
        dialect = connection.dialect
        return self._by_dialect.get(dialect.name) or self._compile(dialect)

    def _compile(self, dialect: Dialect) -> _Compiled:
        # Of an insert the names are the columns; of anything else they are bind parameters.
        columns = self._names if isinstance(self._statement, Insert) else None
        compiled = self._statement.compile(dialect=dialect, column_keys=columns)
        places = list(compiled.positiontup or ())
        own = [name for name in dict.fromkeys(places) if name not in self._names]
        known = [*self._names, *own]
        order = tuple(known.index(name) for name in places)
        constants = tuple(compiled.params[name] for name in own)
        is_plain = order == tuple(range(len(self._names)))
        self._by_dialect[dialect.name] = _Compiled(str(compiled), order, constants, is_plain)
        return self._by_dialect[dialect.name]


class Lookup(_Prepared, Generic[Row]):
    """A question for rows.

    `make` builds a row from the tuple of its columns, which are as the driver gives them: a boolean
    is 0 or 1. `names` are the bind parameters, in the order in which callers give their values.
    """

    def __init__(
        self,
        make: Callable[[tuple[Any, ...]], Row],  # Any: each column has a type of its own
        statement: Select[*tuple[Any, ...]],
        *names: str,
    ) -> None:
        super().__init__(statement, names)
        self._make = make

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
        text, order, constants, is_plain = self._compiled(connection)
        if len(values) != len(self._names):
            raise TypeError(f"{len(self._names)} values are needed: {', '.join(self._names)}")
        # Past the pool's wrapper, which takes a tenth of the whole look-up.
        driver: Any = connection.connection.driver_connection  # any DBAPI's
        cursor = driver.cursor()
        cursor.execute(text, values if is_plain else _ordered(values + constants, order))
        return cursor


class Bulk(_Prepared):
    """One statement for many rows.

    `names` are the columns of an insert, or the bind parameters of an update or a deletion, in the
    order in which callers give the values of a row.
    """

    def __init__(self, statement: Insert | Update | Delete, *names: str) -> None:
        super().__init__(statement, names)

    def write(self, connection: Connection, rows: Sequence[tuple[object, ...]]) -> None:
        """Writes the rows; none is no statement at all."""
        if not rows:
            return
        text, order, constants, is_plain = self._compiled(connection)
        if not is_plain:
            rows = [_ordered(row + constants, order) for row in rows]
        connection.connection.cursor().executemany(text, rows)


def _ordered(known: tuple[object, ...], order: tuple[int, ...]) -> tuple[object, ...]:
    return tuple([known[position] for position in order])
