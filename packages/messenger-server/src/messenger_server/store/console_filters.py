"""Console filters: what a list of the whole server is narrowed to, and how it is found.

A condition that few rows meet is asked first, and what it gives is put in order; one that many meet
is asked of each row while walking down the order. So a page costs what it shows, whichever it is.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BindParameter,
    Connection,
    FromClause,
    Select,
    SmallInteger,
    bindparam,
    func,
    literal_column,
    select,
)

from messenger_core.errors import FieldError, InvalidRequest
from messenger_core.limits import TOTAL_CAP
from messenger_core.schema import delivery, mailbox, thread_member
from messenger_core.wire.admin import ConsoleMessageQuery, ConsoleThreadQuery
from messenger_server.database import Lookup
from messenger_server.store.addresses import mailbox_once_at
from messenger_server.store.full_text import words_of
from messenger_server.store.totals import Total, capped

FEW: Final = 4000
"""So many rows are put in order sooner than many more are walked by."""
HIGH: Final = literal_column("2", SmallInteger)
"""The lowest priority that counts as high; not bound, for the engine to see what an index holds."""

Keys = Callable[["Shape"], Select[*tuple[Any, ...]]]  # Any: the key, and what orders it
"""Gives the statement for the keys of a list, in its order."""
Parameters = dict[str, Any]  # Any: numbers, texts and a list of ids


class Shape(NamedTuple):
    """Which conditions a list has; those with few rows are `rare`."""

    by_ids: bool = False
    """Of mailboxes that are named by their addresses."""
    by_agent: bool = False
    unread: bool = False
    high: bool = False
    searched: bool = False
    before: bool = False
    is_mailbox_rare: bool = False
    is_unread_rare: bool = False
    is_high_rare: bool = False

    @property
    def is_filtered(self) -> bool:
        """Whether anything narrows it, wherever its page begins."""
        return any(self[:5])

    @property
    def has_rare(self) -> bool:
        """Whether something finds few rows: they are put in order, none is walked by."""
        return self.searched or self.is_mailbox_rare or self.is_unread_rare or self.is_high_rare


class Question(NamedTuple):
    """A query with every name in it resolved."""

    shape: Shape
    parameters: Parameters


_MAILBOXES: Final[BindParameter[int]] = bindparam("mailboxes", expanding=True)
_OF_AGENT: Final = select(mailbox.c.id).where(mailbox.c.agent_name == bindparam("agent_name"))
_COPIES_OF: Final = select(
    func.coalesce(func.sum(mailbox.c.sent_count + mailbox.c.received_count), 0)
)
_THREADS_OF: Final = select(func.coalesce(func.sum(mailbox.c.thread_count), 0))


def _size(statement: Select[*tuple[Any, ...]]) -> Lookup[int]:
    some = statement.limit(FEW + 1).subquery("some")
    return Lookup(lambda columns: int(columns[0]), select(func.count()).select_from(some))


_UNREAD_COPIES: Final = _size(select(delivery.c.seq).where(delivery.c.read_at.is_(None)))
_UNREAD_THREADS: Final = _size(
    select(thread_member.c.last_seq).where(thread_member.c.unread_count > literal_column("0"))
)
_HIGH_THREADS: Final = _size(
    select(thread_member.c.thread_id).where(thread_member.c.priority >= HIGH)
)


def question_of(
    connection: Connection, query: ConsoleMessageQuery | ConsoleThreadQuery
) -> Question | None:
    """What a query asks; `None`: it names nothing that could be found.

    Raises:
        InvalidRequest: it names mailboxes in two ways.
    """
    by_agent = isinstance(query, ConsoleThreadQuery) and query.agent_name is not None
    if by_agent and query.agent is not None:
        said = "cannot stand beside `agent`: give one of them"
        raise InvalidRequest(f"`agent_name` {said}.", errors=[FieldError("agent_name", said)])
    ids = [] if query.agent is None else _named(connection, query.agent)
    words = None if query.search is None else words_of(None, query.search)
    if (query.agent is not None and not ids) or (query.search is not None and words is None):
        return None
    of_threads = isinstance(query, ConsoleThreadQuery)
    parameters: Parameters = {
        "mailboxes": ids,
        "agent_name": query.agent_name if isinstance(query, ConsoleThreadQuery) else None,
        "in_messages": words and words.in_messages,
        "in_threads": words and words.in_threads,
        "before": query.before,
        "limit": query.limit + 1,  # one more than wanted tells whether another page follows
        "offset": query.offset,
    }
    shape = Shape(
        by_ids=query.agent is not None,
        by_agent=by_agent,
        unread=query.unread_only,
        high=query.priority is not None,
        searched=words is not None,
        before=query.before is not None,
    )
    return Question(_with_sizes(connection, shape, parameters, of_threads=of_threads), parameters)


def mailboxes_of(shape: Shape) -> Any:  # Any: what SQLAlchemy's `in_` takes
    """The mailboxes that a list is narrowed to."""
    return _OF_AGENT if shape.by_agent else _MAILBOXES


def everything(table: FromClause) -> Lookup[int]:
    """How many rows a table has: the total of a list without a filter."""
    return Lookup(lambda columns: int(columns[0]), select(func.count()).select_from(table))


def total_of(connection: Connection, question: Question, keys: Keys, every: Lookup[int]) -> Total:
    """How many there are, wherever the page begins; `keys` gives the statement for a shape."""
    shape = question.shape._replace(before=False)
    if not shape.is_filtered:
        return Total(every.first(connection) or 0, is_capped=False)
    limited = {**question.parameters, "limit": TOTAL_CAP + 1}
    return capped(connection.execute(_count(shape, keys), limited).scalar_one())


@cache
def _count(shape: Shape, keys: Keys) -> Select[*tuple[Any, ...]]:
    found = keys(shape).order_by(None).limit(bindparam("limit")).subquery("found")
    return select(func.count()).select_from(found)


def _named(connection: Connection, addresses: str) -> list[int]:
    """The mailboxes at these addresses; an unknown one adds nothing."""
    given = dict.fromkeys(each.strip() for each in addresses.split(","))
    found = (mailbox_once_at(connection, each) for each in given if each)
    return sorted({each for each in found if each is not None})


def _with_sizes(
    connection: Connection, shape: Shape, parameters: Parameters, *, of_threads: bool
) -> Shape:
    """The shape with what is known of how many rows each of its conditions finds."""
    holds: int = FEW + 1
    if shape.by_ids or shape.by_agent:
        of = mailbox.c.id.in_(mailboxes_of(shape))
        holding = _THREADS_OF if of_threads else _COPIES_OF
        holds = connection.execute(holding.where(of), parameters).scalar_one()
    unread = _UNREAD_THREADS if of_threads else _UNREAD_COPIES
    return shape._replace(
        is_mailbox_rare=holds <= FEW,
        is_unread_rare=shape.unread and (unread.first(connection) or 0) <= FEW,
        is_high_rare=shape.high and of_threads and (_HIGH_THREADS.first(connection) or 0) <= FEW,
    )
