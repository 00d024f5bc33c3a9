"""The console's lists against a plain count of everything, and what their statements read."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from messenger_core.errors import InvalidRequest, MessageNotFound, ThreadNotFound
from messenger_core.wire.admin import (
    ConsoleMessageQuery,
    ConsoleThreadQuery,
    ConsoleThreadReadQuery,
)
from messenger_core.wire.common import PRIORITIES, Priority
from messenger_core.wire.messages import DeleteMessages, MarkMessages, SentMessage
from messenger_core.wire.threads import RenameThread
from messenger_server.store import console_filters
from messenger_server.store.cleanup import Criterion, purge
from messenger_server.store.console_listing import list_console_messages
from messenger_server.store.console_messages import console_message
from messenger_server.store.console_threads import console_thread, list_console_threads
from messenger_server.store.filing import delete_messages, mark_messages
from messenger_server.store.mailboxes import MailboxRow
from messenger_server.store.overview import overview
from messenger_server.store.threads import rename_thread
from support.consistency import faults
from support.post_office import PostOffice
from support.query_plans import plans_of, refuse_scans

_PEOPLE = 4
_NOW_MS = 1_800_000_000_000


class _Step(NamedTuple):
    """A message, and what becomes of its copies at once."""

    sender: int
    recipient: int
    in_thread: bool
    priority: Priority
    body: str
    is_read: bool
    sender_unreads: bool
    sender_destroys: bool
    recipient_destroys: bool


_STEPS = st.lists(
    st.builds(
        _Step,
        sender=st.integers(0, _PEOPLE - 1),
        recipient=st.integers(0, _PEOPLE - 1),
        in_thread=st.booleans(),
        priority=st.sampled_from(PRIORITIES),
        body=st.sampled_from(["alpha", "beta", "alpha beta"]),
        is_read=st.booleans(),
        sender_unreads=st.booleans(),
        sender_destroys=st.booleans(),
        recipient_destroys=st.booleans(),
    ).filter(lambda step: step.sender != step.recipient),
    min_size=1,
    max_size=12,
)


class _Known(NamedTuple):
    """A message as the test knows it."""

    sent: SentMessage
    step: _Step
    is_unread: bool
    """By its recipient, who still has it."""


class _Server:
    """The messages of a history that somebody still has, with the mailboxes that wrote them."""

    def __init__(self, office: PostOffice, people: list[MailboxRow]) -> None:
        self._office = office
        self._people = people
        self._threads: dict[frozenset[int], str] = {}
        self.known: list[_Known] = []

    def take(self, step: _Step) -> None:
        """Makes one step of the history."""
        sent = self._send(step)
        sender, recipient = self._people[step.sender], self._people[step.recipient]
        mark = MarkMessages(ids=[sent.id], read=step.is_read)
        self._office.write(mark_messages, recipient.id, mark)
        if step.sender_unreads:
            self._office.write(mark_messages, sender.id, MarkMessages(ids=[sent.id], read=False))
        gone = DeleteMessages(ids=[sent.id], permanent=True)
        for person, destroys in (
            (sender, step.sender_destroys),
            (recipient, step.recipient_destroys),
        ):
            if destroys:
                self._office.write(delete_messages, person.id, gone)
        if not (step.sender_destroys and step.recipient_destroys):
            is_unread = not step.is_read and not step.recipient_destroys
            self.known.append(_Known(sent, step, is_unread))

    def _send(self, step: _Step) -> SentMessage:
        """In the last thread of the two, where one is wanted and the sender still knows one."""
        pair = frozenset((step.sender, step.recipient))
        sender, recipient = self._people[step.sender], self._people[step.recipient]
        within = self._threads.get(pair) if step.in_thread else None
        mine = [
            each
            for each in self.known
            if each.sent.thread_id == within
            and not (
                each.step.sender_destroys
                if each.step.sender == step.sender
                else each.step.recipient_destroys
            )
        ]
        fields = {"body": step.body, "priority": step.priority, "subject": "s"}
        if within is not None and mine:
            sent = self._office.send(sender, None, thread_id=within, **fields)
        else:
            sent = self._office.send(sender, recipient, **fields)
        self._threads[pair] = sent.thread_id
        return sent


def _queries() -> Iterator[dict[str, Any]]:
    for agent in (None, "0", "1,3", "2,nobody"):
        for search in (None, "alpha", "alpha beta"):
            for unread_only in (False, True):
                for priority in (None, "high"):
                    fields = {"search": search, "unread_only": unread_only, "priority": priority}
                    yield {**fields, "agent": agent}


def _fits(known: _Known, query: dict[str, Any]) -> bool:
    """Whether a message is one of those that are wanted, but for what its thread shares."""
    step = known.step
    return (
        (not query["agent"] or bool({step.sender, step.recipient} & _asked(query)))
        and (not query["search"] or set(query["search"].split()) <= set(step.body.split()))
        and (not query["unread_only"] or known.is_unread)
        and (not query["priority"] or step.priority in {"high", "urgent"})
    )


def _asked(query: dict[str, Any]) -> set[int]:
    return {int(each) for each in query["agent"].split(",") if each.isdigit()}


@pytest.fixture(params=[4000, -1], ids=["few are put in order", "many are walked by"])
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every condition one that few meet, or one that many do."""
    monkeypatch.setattr(console_filters, "FEW", request.param)


@pytest.mark.usefixtures("few")
@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(steps=_STEPS)
def test_a_list_holds_what_fits_in_its_order(office: PostOffice, steps: list[_Step]) -> None:
    _empty(office)
    people = [office.mailbox() for _ in range(_PEOPLE)]
    server = _Server(office, people)
    for step in steps:
        server.take(step)
    for fields in _queries():
        agent = fields["agent"] and ",".join(
            people[int(each)].address if each.isdigit() else each
            for each in fields["agent"].split(",")
        )
        _assert_messages(office, server, fields, agent)
        _assert_threads(office, server, fields, agent)
    assert _overview_counts(office) == {
        people[number].address: (
            sum(known.is_unread for known in server.known if known.step.recipient == number),
            sum(
                not known.step.sender_destroys
                for known in server.known
                if known.step.sender == number
            ),
            sum(
                not known.step.recipient_destroys
                for known in server.known
                if known.step.recipient == number
            ),
        )
        for number in range(_PEOPLE)
    }
    assert office.read(faults) == []


def _assert_messages(
    office: PostOffice,
    server: _Server,
    fields: dict[str, Any],
    agent: str | None,
) -> None:
    expected = [each.sent.id for each in server.known if _fits(each, fields)][::-1]
    query = ConsoleMessageQuery(**{**fields, "agent": agent})
    page = office.read(list_console_messages, query)
    assert [each.id for each in page.messages] == expected, fields
    assert (page.total, page.total_capped, page.next) == (len(expected), False, None)
    found = []
    before = None
    while True:
        part = ConsoleMessageQuery(**{**fields, "agent": agent, "limit": 2, "before": before})
        page = office.read(list_console_messages, part)
        assert page.total == len(expected)
        found += [each.id for each in page.messages]
        before = page.next
        if before is None:
            break
    assert found == expected


def _assert_threads(
    office: PostOffice,
    server: _Server,
    fields: dict[str, Any],
    agent: str | None,
) -> None:
    by_thread: dict[str, list[_Known]] = {}
    for each in server.known:
        by_thread.setdefault(each.sent.thread_id, []).append(each)
    expected = [
        thread_id
        for thread_id, known in sorted(
            by_thread.items(), key=lambda item: item[1][-1].sent.seq, reverse=True
        )
        # Each condition may be met by another of its messages.
        if all(
            any(_fits(each, {**dict.fromkeys(fields), name: value}) for each in known)
            for name, value in fields.items()
        )
    ]
    query = ConsoleThreadQuery(**{**fields, "agent": agent})
    page = office.read(list_console_threads, query)
    assert [each.id for each in page.threads] == expected, fields
    assert page.total == len(expected)
    for shown in page.threads:
        known = by_thread[shown.id]
        assert shown.message_count == len(known)
        assert shown.unread_count == sum(each.is_unread for each in known)
        highest = max(PRIORITIES.index(each.step.priority) for each in known)
        assert shown.priority == PRIORITIES[highest]
        assert shown.last_message is not None
        assert shown.last_message.id == known[-1].sent.id
    first = office.read(
        list_console_threads, ConsoleThreadQuery(limit=1, **fields | {"agent": agent})
    )
    if first.next is not None:
        rest = ConsoleThreadQuery(before=first.next, **fields | {"agent": agent})
        page = office.read(list_console_threads, rest)
        assert [each.id for each in page.threads] == expected[1:]
        assert page.total == len(expected)


def _overview_counts(office: PostOffice) -> dict[str, tuple[int, int, int]]:
    shown = office.read(overview, {}, _NOW_MS)
    return {
        mailbox.id: (mailbox.unread, mailbox.sent, mailbox.received)
        for agent in shown.agents
        for mailbox in agent.mailboxes
    }


def _empty(office: PostOffice) -> None:
    """What an earlier example left goes."""
    office.write(purge, list(_overview_counts(office)), Criterion("created_before", _NOW_MS))
    assert office.read(overview, {}, _NOW_MS).totals.messages == 0


def test_mail_is_found_by_an_agents_name_and_by_a_mailbox_whose_copies_are_gone(
    office: PostOffice,
) -> None:
    alice, bob = office.mailbox(agent_name="Team"), office.mailbox()
    sent = office.send(alice, bob)
    office.write(delete_messages, alice.id, DeleteMessages(ids=[sent.id], permanent=True))

    by_address = office.read(list_console_threads, ConsoleThreadQuery(agent=alice.address))
    by_name = office.read(list_console_threads, ConsoleThreadQuery(agent_name="Team"))
    messages = office.read(list_console_messages, ConsoleMessageQuery(agent=alice.address))

    assert [each.id for each in by_address.threads] == [sent.thread_id]
    assert by_name == by_address
    assert [each.id for each in messages.messages] == [sent.id]
    unknown = office.read(list_console_threads, ConsoleThreadQuery(agent_name="nobody"))
    assert (unknown.threads, unknown.total) == ([], 0)
    both = ConsoleThreadQuery(agent_name="Team", agent=alice.address)
    with pytest.raises(InvalidRequest) as caught:
        office.read(list_console_threads, both)
    assert [fault.field for fault in caught.value.errors] == ["agent_name"]


def test_a_thread_is_found_by_the_names_that_it_was_given(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    sent = office.send(alice, bob, "plain")
    office.send(alice, bob, "other")
    names = RenameThread(title="Grüße", description="über Züge")
    office.write(rename_thread, alice.id, sent.thread_id, names)

    none = office.read(list_console_threads, ConsoleThreadQuery(search="zug"))
    threads = office.read(list_console_threads, ConsoleThreadQuery(search="zuge gruße"))
    messages = office.read(list_console_messages, ConsoleMessageQuery(search="zuge"))

    assert [each.id for each in threads.threads] == [sent.thread_id]
    assert threads.threads[0].named_by is not None
    assert threads.threads[0].named_by.id == alice.address
    assert [each.id for each in messages.messages] == [sent.id]
    assert none.threads == []
    for nothing in ('"', "  ", "*"):
        assert office.read(list_console_messages, ConsoleMessageQuery(search=nothing)).total == 0


def test_what_is_not_there_is_named(office: PostOffice) -> None:
    with pytest.raises(MessageNotFound, match="msg_0123456789"):
        office.read(console_message, "msg_0123456789")
    with pytest.raises(ThreadNotFound, match="thr_0123456789"):
        office.read(console_thread, "thr_0123456789", ConsoleThreadReadQuery())


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"before": 9},
        {"priority": "high"},
        {"unread_only": True},
        {"agent": "one"},
        {"search": "word"},
        {"agent": "one", "unread_only": True, "priority": "high", "search": "word"},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    ("fn", "query"),
    [(list_console_messages, ConsoleMessageQuery), (list_console_threads, ConsoleThreadQuery)],
)
def test_no_list_reads_a_table_to_put_it_in_order(
    office: PostOffice, fn: Any, query: Any, fields: dict[str, Any]
) -> None:
    one, two = office.mailbox("one"), office.mailbox("two")
    office.send(one, two, priority="high")

    # What is walked comes in the order of an index or of the table itself, and stops at the page.
    walked = ("SCAN message", "SCAN thread_member USING COVERING INDEX", "SCAN thread USING COV")
    rare = (
        "SCAN high USING",
        "SCAN unread USING",
        "SCAN delivery USING",
        "SCAN thread_member USING INDEX ix_thread_member_high",
        "SCAN thread_member USING INDEX ix_thread_member_unread",
        "SCAN some",
    )
    for plan in office.read(plans_of, fn, query(**fields)):
        scans = [step for step in plan if step.startswith("SCAN") and "VIRTUAL" not in step]
        assert all(step.startswith((*walked, *rare, "SCAN found")) for step in scans), plan
        if any(step.startswith(walked) for step in scans):
            assert not any("TEMP B-TREE FOR ORDER" in step for step in plan), plan


def test_a_message_and_a_thread_are_found_by_their_keys(office: PostOffice) -> None:
    one, two = office.mailbox(), office.mailbox()
    sent = office.send(one, two)

    refuse_scans(office.read(plans_of, console_message, sent.id))
    read = ConsoleThreadReadQuery()
    refuse_scans(office.read(plans_of, console_thread, sent.thread_id, read))


def test_the_overview_reads_no_copy(office: PostOffice) -> None:
    one, two = office.mailbox(), office.mailbox()
    office.send(one, two)

    for step in (step for plan in office.read(plans_of, overview, {}, 0) for step in plan):
        if "delivery" in step:
            assert "ix_delivery_sent_unread" in step or "ix_delivery_announced_unread" in step
