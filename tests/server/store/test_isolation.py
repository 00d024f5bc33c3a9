"""Two mailboxes: whatever others write to each other, a mailbox sees its own copies alone."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from messenger_core.errors import MessageNotFound, MessengerError, ThreadNotFound
from messenger_core.wire.messages import MessageQuery
from messenger_core.wire.threads import RenameThread, ThreadQuery, ThreadReadQuery
from messenger_server.store.arrivals import arrived, mark_announced
from messenger_server.store.delivering import Delivered
from messenger_server.store.folders import folders_of
from messenger_server.store.mailboxes import MailboxRow
from messenger_server.store.messages import list_messages, mark_read, read_message
from messenger_server.store.threads import get_thread, list_threads, rename_thread
from support.post_office import PostOffice, draft

_PEOPLE = 4


class _Send(NamedTuple):
    """One step of a history: who writes to whom, and whether in their last thread."""

    sender: int
    recipient: int
    in_thread: bool


_SENDS = st.lists(
    st.builds(
        _Send,
        sender=st.integers(0, _PEOPLE - 1),
        recipient=st.integers(0, _PEOPLE - 1),
        in_thread=st.booleans(),
    ).filter(lambda send: send.sender != send.recipient),
    max_size=15,
)


@settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(sends=_SENDS)
def test_a_mailbox_sees_its_own_copies_and_its_counters_count_them(
    office: PostOffice, sends: list[_Send]
) -> None:
    people = [office.mailbox() for _ in range(_PEOPLE)]
    own: list[set[str]] = [set() for _ in people]
    received: list[list[int]] = [[] for _ in people]
    last_thread: dict[frozenset[int], str] = {}
    for send in sends:
        pair = frozenset((send.sender, send.recipient))
        within = last_thread.get(pair) if send.in_thread else None
        to = None if within else people[send.recipient]
        outcome = office.deliver(draft(people[send.sender], to, "word", thread_id=within))[0]
        assert isinstance(outcome, Delivered)
        last_thread[pair] = outcome.message.thread_id
        own[send.sender].add(outcome.message.id)
        own[send.recipient].add(outcome.message.id)
        received[send.recipient].append(outcome.message.seq)
    for person, ids, seqs in zip(people, own, received, strict=True):
        _sees_exactly(office, person, ids, seqs)


def _sees_exactly(
    office: PostOffice, person: MailboxRow, ids: set[str], received: list[int]
) -> None:
    for search in None, "word":
        query = MessageQuery(folder="all", search=search, limit=200)
        page = office.read(list_messages, person.id, query)
        assert {message.id for message in page.messages} == ids
        assert page.total == len(ids)
    messages, _ = office.read(arrived, person.id, 0, None, True)
    assert [message.seq for message in messages] == received
    counts = {folder.name: folder for folder in office.read(folders_of, person.id)}
    assert (counts["inbox"].total, counts["inbox"].unread) == (len(received), len(received))
    assert counts["sent"].total == len(ids) - len(received)
    threads = office.read(list_threads, person.id, ThreadQuery(limit=200))
    assert threads.total == len(threads.threads)
    assert sum(thread.message_count for thread in threads.threads) == len(ids)
    assert sum(thread.unread_count for thread in threads.threads) == len(received)


_DOORS: list[tuple[Callable[..., Any], Callable[[str, str], tuple[Any, ...]], bool]] = [
    (read_message, lambda message, _: (message,), False),
    (mark_read, lambda message, _: (message,), True),
    (get_thread, lambda _, thread: (thread, ThreadReadQuery()), False),
    (rename_thread, lambda _, thread: (thread, RenameThread(title="x")), True),
]


@pytest.mark.parametrize(("fn", "arguments", "writes"), _DOORS)
def test_what_belongs_to_others_and_what_does_not_exist_are_the_same_answer(
    office: PostOffice,
    fn: Callable[..., Any],
    arguments: Callable[[str, str], tuple[Any, ...]],
    writes: bool,
) -> None:
    alice, bob, eve = (office.mailbox() for _ in range(3))
    sent = office.send(alice, bob)
    work: Callable[..., Any] = office.write if writes else office.read
    told = []
    for message_id, thread_id in (
        (sent.id, sent.thread_id),
        ("msg_0123456789abcdef", "thr_0123456789abcdef"),
    ):
        with pytest.raises((MessageNotFound, ThreadNotFound)) as caught:
            work(fn, eve.id, *arguments(message_id, thread_id))
        told.append((caught.value.code, caught.value.detail.replace(message_id, "")))
    assert {code for code, _ in told} in ({"message_not_found"}, {"thread_not_found"})
    assert len({len(detail) for _, detail in told}) == 1
    unchanged = office.read(read_message, bob.id, sent.id)
    assert (unchanged.read_at, unchanged.thread_title) == (None, sent.thread_title)


def test_filters_of_another_mailbox_find_nothing(office: PostOffice) -> None:
    alice, bob, eve = office.mailbox("alice"), office.mailbox("bob"), office.mailbox()
    sent = office.send(alice, bob)
    for query in (
        {"thread_id": sent.thread_id},
        {"from_": "alice"},
        {"from_": "bob"},
        {"search": "text"},
        {},
    ):
        page = office.list(eve, folder="all", **query)
        assert (page.messages, page.total, page.next) == ([], 0, None)


def test_marks_of_another_mailbox_change_nothing(office: PostOffice) -> None:
    alice, bob, eve = (office.mailbox() for _ in range(3))
    sent = office.send(alice, bob)
    office.write(mark_announced, {eve.id: [sent.seq]})
    assert office.read(read_message, bob.id, sent.id).announced_at is None


def test_an_answer_to_the_mail_of_others_is_refused(office: PostOffice) -> None:
    alice, bob, eve = (office.mailbox() for _ in range(3))
    sent = office.send(alice, bob)
    for target in {"reply_to": sent.id}, {"thread_id": sent.thread_id}:
        with pytest.raises(MessengerError) as caught:
            office.send(eve, None, **target)
        assert caught.value.status == 404
