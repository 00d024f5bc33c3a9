"""The directory shows everybody else, by agent, latest activity first."""

from typing import Any

import pytest
from sqlalchemy import insert

from messenger_core.errors import MailboxNotFound
from messenger_core.schema import mailbox as mailbox_table
from messenger_core.wire.mailboxes import Directory, DirectoryQuery
from messenger_server.database import Batch
from messenger_server.store.directory import directory
from messenger_server.store.mailboxes import MailboxRow, card
from support.post_office import PostOffice


def _show(office: PostOffice, viewer: MailboxRow, **query: Any) -> Directory:
    return office.read(directory, viewer.id, DirectoryQuery(**query))


def _shape(shown: Directory) -> list[tuple[str | None, list[str]]]:
    return [
        (agent.agent_name, [mailbox.id for mailbox in agent.mailboxes]) for agent in shown.agents
    ]


def test_agents_are_ordered_by_activity_then_creation_then_address(office: PostOffice) -> None:
    me = office.mailbox("me", agent_name="A")
    office.mailbox("a1", agent_name="A")
    office.mailbox("b1", agent_name="B")
    office.mailbox("n1")
    office.mailbox("n2")
    office.mailbox("a2", agent_name="A")
    assert _shape(_show(office, me)) == [
        ("A", ["a2", "a1"]),
        (None, ["n2"]),
        (None, ["n1"]),
        ("B", ["b1"]),
    ]
    office.send(me, "b1")
    office.send(me, "a1")
    shown = _show(office, me)
    assert _shape(shown) == [("A", ["a1", "a2"]), ("B", ["b1"]), (None, ["n2"]), (None, ["n1"])]
    assert shown.total == 4


def test_mailboxes_of_one_moment_are_ordered_by_address(office: PostOffice) -> None:
    me = office.mailbox("me")

    def several(batch: Batch) -> None:
        rows = [
            {"address": address, "agent_bound": False, "created_at": batch.now_ms}
            for address in ("zed", "abe", "kim")
        ]
        batch.connection.execute(insert(mailbox_table), rows)

    office.write(several)
    assert [mailboxes for _, mailboxes in _shape(_show(office, me))] == [["abe"], ["kim"], ["zed"]]


def test_an_agent_shows_its_three_latest_mailboxes_and_all_when_named(office: PostOffice) -> None:
    me = office.mailbox("me")
    for number in range(5):
        office.mailbox(f"a{number}", agent_name="A", agent_description=f"does {number}")
    agent = _show(office, me).agents[0]
    assert [mailbox.id for mailbox in agent.mailboxes] == ["a4", "a3", "a2"]
    assert (agent.mailbox_count, agent.agent_description) == (5, "does 4")
    named = _show(office, me, agent_name="A", limit=2, offset=3)
    assert _shape(named) == [("A", ["a1", "a0"])]
    assert (named.total, named.agents[0].mailbox_count) == (5, 5)
    assert _shape(_show(office, me, agent_name="A", offset=5)) == [("A", [])]
    nobody = _show(office, me, agent_name="Nobody")
    assert (nobody.agents, nobody.total) == ([], 0)


def test_agents_are_paged(office: PostOffice) -> None:
    me = office.mailbox("me")
    for number in range(5):
        office.mailbox(f"m{number}", agent_name=f"A{number}")
    page = _show(office, me, limit=2, offset=1)
    assert (_shape(page), page.total) == ([("A3", ["m3"]), ("A2", ["m2"])], 5)


def test_neither_the_caller_nor_deleted_mailboxes_appear(office: PostOffice) -> None:
    me, gone = office.mailbox("me", agent_name="A"), office.mailbox("gone", agent_name="A")
    office.delete(gone)
    assert _show(office, me).agents == []
    with pytest.raises(MailboxNotFound):
        office.read(card, me.id, "gone")
    assert office.read(card, me.id, "me").agent_name == "A"


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("harbour", ["h"]),
        ("HARBOUR dredging", ["h"]),
        ("cafe", ["c"]),
        ("CAFÉ", ["c"]),
        ("arb", ["h"]),
        ("zebra-7", ["zebra-7"]),
        ("nobody", []),
        ("harbour cafe", []),
        ("%", []),
    ],
)
def test_a_search_covers_names_descriptions_and_address(
    office: PostOffice, search: str, found: list[str]
) -> None:
    me = office.mailbox("me", agent_name="Harbour")
    office.mailbox("h", agent_name="Harbour", description="dredging")
    office.mailbox("c", agent_description="the Café")
    office.mailbox("zebra-7", display_name="stripes")
    shown = _show(office, me, search=search)
    assert [address for _, addresses in _shape(shown) for address in addresses] == found
    assert shown.total == len(found)


def test_a_search_among_an_agents_mailboxes(office: PostOffice) -> None:
    me = office.mailbox("me")
    office.mailbox("a1", agent_name="A", display_name="dredging")
    office.mailbox("a2", agent_name="A")
    shown = _show(office, me, agent_name="A", search="dredging")
    assert (_shape(shown), shown.total) == ([("A", ["a1"])], 1)
