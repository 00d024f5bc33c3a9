"""Directory: everybody a mailbox may write to, grouped by agent, latest activity first.

Every living mailbox is looked at in its order, by a few columns; whole cards are read for the page
alone.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, bindparam, select

from messenger_core.folding import fold
from messenger_core.limits import GROUP_PREVIEW_MAILBOXES
from messenger_core.schema import mailbox
from messenger_core.wire.common import Mailbox
from messenger_core.wire.mailboxes import AgentGroup, Directory, DirectoryQuery
from messenger_server.database import Lookup
from messenger_server.store.cards import CARD, CardRow, mailbox_card
from messenger_server.store.links import linked_ids


class _Group(NamedTuple):
    """The mailboxes of one agent, best first, by internal id."""

    agent_name: str | None
    ids: list[int]


_SEARCHED: Final = (
    mailbox.c.agent_name,
    mailbox.c.agent_description,
    mailbox.c.display_name,
    mailbox.c.description,
    mailbox.c.address,
)
_ORDER: Final = (
    mailbox.c.last_activity_at.desc().nulls_last(),
    mailbox.c.created_at.desc(),
    mailbox.c.address,
)
_OTHERS = select(mailbox.c.id, mailbox.c.agent_name).where(
    mailbox.c.deleted_at.is_(None), mailbox.c.id != bindparam("viewer")
)
_ALL: Final = Lookup(tuple, _OTHERS.order_by(*_ORDER), "viewer")
_ALL_WITH_TEXT: Final = Lookup(tuple, _OTHERS.add_columns(*_SEARCHED).order_by(*_ORDER), "viewer")
_OF_AGENT = _OTHERS.where(mailbox.c.agent_name == bindparam("agent")).order_by(*_ORDER)
_AGENT: Final = Lookup(tuple, _OF_AGENT, "viewer", "agent")
_AGENT_WITH_TEXT: Final = Lookup(tuple, _OF_AGENT.add_columns(*_SEARCHED), "viewer", "agent")
_CARDS: Final = select(*CARD).where(mailbox.c.id.in_(bindparam("ids", expanding=True)))


def directory(connection: Connection, viewer_id: int, query: DirectoryQuery) -> Directory:
    """The page of the directory that a mailbox asked for; itself is never in it."""
    groups = _grouped(_found(connection, viewer_id, query))
    page = slice(query.offset, query.offset + query.limit)
    if query.agent_name is None:
        total = len(groups)
        shown = [(group, group.ids[:GROUP_PREVIEW_MAILBOXES]) for group in groups[page]]
    else:
        total = sum(len(group.ids) for group in groups)
        shown = [(group, group.ids[page]) for group in groups]
    cards = _cards(connection, viewer_id, [mailbox_id for _, ids in shown for mailbox_id in ids])
    return Directory(
        agents=[_agent(group, [cards[mailbox_id] for mailbox_id in ids]) for group, ids in shown],
        total=total,
    )


def _found(
    connection: Connection, viewer_id: int, query: DirectoryQuery
) -> Iterable[tuple[int, str | None]]:
    """Id and agent name of every mailbox that fits, best first."""
    wanted = (viewer_id,) if query.agent_name is None else (viewer_id, query.agent_name)
    if query.search is None:
        question = _ALL if query.agent_name is None else _AGENT
        return question.all(connection, *wanted)
    question = _ALL_WITH_TEXT if query.agent_name is None else _AGENT_WITH_TEXT
    words = [fold(word) for word in query.search.split()]
    return [(row[0], row[1]) for row in question.all(connection, *wanted) if _holds(words, row[2:])]


def _holds(words: Sequence[str], texts: Sequence[Any]) -> bool:  # Any: text or null
    """Whether each word is somewhere in the texts, accents and case ignored."""
    folded = fold("\n".join(text for text in texts if text))
    return all(word in folded for word in words)


def _grouped(found: Iterable[tuple[int, str | None]]) -> list[_Group]:
    """The mailboxes by agent, in the order of each agent's best; without agent each by itself."""
    groups: list[_Group] = []
    by_agent: dict[str, _Group] = {}
    for mailbox_id, agent_name in found:
        group = None if agent_name is None else by_agent.get(agent_name)
        if group is None:
            group = _Group(agent_name, [])
            groups.append(group)
            if agent_name is not None:
                by_agent[agent_name] = group
        group.ids.append(mailbox_id)
    return groups


def _cards(connection: Connection, viewer_id: int, ids: Sequence[int]) -> dict[int, Mailbox]:
    linked = linked_ids(connection, viewer_id)
    rows = map(CardRow._make, connection.execute(_CARDS, {"ids": ids}))
    return {row.id: mailbox_card(row, linked=row.id in linked) for row in rows}


def _agent(group: _Group, mailboxes: list[Mailbox]) -> AgentGroup:
    described = (shown.agent_description for shown in mailboxes if shown.agent_description)
    return AgentGroup(
        agent_name=group.agent_name,
        agent_description=next(described, None),
        mailbox_count=len(group.ids),
        mailboxes=mailboxes,
    )
