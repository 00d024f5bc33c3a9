"""A thread is what two mailboxes said to each other, each seeing its own copies."""

from typing import Any

import pytest

from messenger_core.errors import ThreadNotFound
from messenger_core.limits import THREAD_PAGE_MAX_BYTES
from messenger_core.wire.threads import (
    RenameThread,
    Thread,
    ThreadDetail,
    ThreadPage,
    ThreadQuery,
    ThreadReadQuery,
)
from messenger_server.store.mailboxes import MailboxRow
from messenger_server.store.messages import mark_read
from messenger_server.store.threads import get_thread, list_threads, rename_thread
from support.post_office import PostOffice, draft


def _list(office: PostOffice, mailbox: MailboxRow, **query: Any) -> ThreadPage:
    return office.read(list_threads, mailbox.id, ThreadQuery(**query))


def _get(office: PostOffice, mailbox: MailboxRow, thread_id: str, **query: Any) -> ThreadDetail:
    return office.read(get_thread, mailbox.id, thread_id, ThreadReadQuery(**query))


def _rename(office: PostOffice, mailbox: MailboxRow, thread_id: str, **names: Any) -> Thread:
    return office.write(rename_thread, mailbox.id, thread_id, RenameThread(**names))


def _ids(page: ThreadPage) -> list[str]:
    return [thread.id for thread in page.threads]


def test_threads_are_listed_by_their_latest_message(office: PostOffice) -> None:
    alice, bob, carol = (office.mailbox() for _ in range(3))
    one, two = office.send(alice, bob), office.send(carol, alice)
    assert _ids(_list(office, alice)) == [two.thread_id, one.thread_id]
    answer = office.send(bob, None, thread_id=one.thread_id)
    page = _list(office, alice)
    assert _ids(page) == [one.thread_id, two.thread_id]
    assert (page.total, page.total_capped, page.next) == (2, False, None)
    thread = page.threads[0]
    assert (thread.created_at, thread.last_activity_at) == (one.created_at, answer.created_at)
    assert [party.id for party in thread.participants] == [alice.address, bob.address]
    assert thread.last_message is not None
    assert (thread.last_message.id, thread.last_message.role) == (answer.id, "recipient")


def test_pages_of_threads_follow_each_other(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    sent = [office.send(alice, bob).thread_id for _ in range(5)]
    first = _list(office, bob, limit=3)
    rest = _list(office, bob, limit=3, before=first.next)
    assert _ids(first) + _ids(rest) == sent[::-1]
    assert (first.next, rest.next, first.total, rest.total) == (3, None, 5, 5)
    assert _ids(_list(office, bob, limit=3, offset=3)) == _ids(rest)


def test_threads_are_chosen_by_correspondent_and_by_what_is_unread(office: PostOffice) -> None:
    alice, bob, carol = office.mailbox(), office.mailbox("bob"), office.mailbox("carol")
    to_bob, from_bob = office.send(alice, bob), office.send(bob, alice)
    from_carol = office.send(carol, alice)
    assert _ids(_list(office, alice, with_mailbox="bob")) == [
        from_bob.thread_id,
        to_bob.thread_id,
    ]
    assert _list(office, alice, with_mailbox="bob").total == 2
    assert _ids(_list(office, alice, with_mailbox="nobody")) == []
    office.write(mark_read, alice.id, from_bob.id)
    unread = _list(office, alice, unread_only=True)
    assert (_ids(unread), unread.total) == ([from_carol.thread_id], 1)
    assert _ids(_list(office, alice, unread_only=True, with_mailbox="bob")) == []


def test_a_total_of_unread_threads_is_counted_to_a_thousand(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    office.deliver(*(draft(alice, bob) for _ in range(1001)))
    page = _list(office, bob, unread_only=True, limit=1)
    assert (page.total, page.total_capped) == (1000, True)
    everything = _list(office, bob, limit=1)
    assert (everything.total, everything.total_capped) == (1001, False)


class TestReadingAThread:
    """A page of messages, oldest first, that also ends when its bodies get large."""

    def test_messages_come_oldest_first_or_newest_first(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        first = office.send(alice, bob, "0")
        for number in range(1, 5):
            office.send(bob, None, str(number), thread_id=first.thread_id)

        def bodies(**query: Any) -> list[str]:
            detail = _get(office, alice, first.thread_id, **query)
            assert detail.total == 5
            return [message.body for message in detail.messages]

        assert bodies() == ["0", "1", "2", "3", "4"]
        assert bodies(limit=2, offset=1) == ["1", "2"]
        assert bodies(newest_first=True, limit=2) == ["4", "3"]
        assert bodies(offset=5) == []

    def test_a_page_ends_before_its_bodies_pass_a_megabyte(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        long = "é" * 256_000  # 512 000 bytes
        first = office.send(alice, bob, long)
        for _ in range(4):
            office.send(alice, None, long, thread_id=first.thread_id)
        given, offset = [], 0
        while page := _get(office, bob, first.thread_id, offset=offset).messages:
            assert sum(len(message.body.encode()) for message in page) <= THREAD_PAGE_MAX_BYTES
            given.append(len(page))
            offset += len(page)
        assert given == [2, 2, 1]

    def test_only_the_callers_copies_are_shown(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        first = office.send(alice, bob, "one")
        office.send(bob, None, "two", thread_id=first.thread_id)
        office.remove_copy(bob, first.seq)
        shown = [message.body for message in _get(office, bob, first.thread_id).messages]
        assert shown == ["two"]
        assert len(_get(office, alice, first.thread_id).messages) == 2

    def test_a_thread_of_others_is_not_there(self, office: PostOffice) -> None:
        alice, bob, eve = (office.mailbox() for _ in range(3))
        first = office.send(alice, bob)
        for thread_id in first.thread_id, "thr_0123456789abcdef":
            with pytest.raises(ThreadNotFound):
                _get(office, eve, thread_id)
            with pytest.raises(ThreadNotFound):
                _rename(office, eve, thread_id, title="mine")
        assert _get(office, alice, first.thread_id).thread.named_by is None


class TestNaming:
    """Both participants name a thread, and both see the name."""

    def test_the_title_is_the_subject_until_the_thread_is_named(self, office: PostOffice) -> None:
        alice, bob = office.mailbox(), office.mailbox("bob")
        first = office.send(alice, bob, subject="Subject")
        assert _get(office, bob, first.thread_id).thread.title == "Subject"
        renamed = _rename(office, bob, first.thread_id, title="Title", description="About")
        for seen in renamed, _get(office, alice, first.thread_id).thread:
            assert (seen.title, seen.description) == ("Title", "About")
            assert seen.named_by is not None
            assert seen.named_by.id == "bob"

    @pytest.mark.parametrize("nothing", ["", None])
    def test_clearing_gives_the_subject_back(self, office: PostOffice, nothing: str | None) -> None:
        alice, bob = office.mailbox(), office.mailbox()
        first = office.send(alice, bob, subject="Subject", thread_name="Title")
        _rename(office, alice, first.thread_id, description="About")
        cleared = _rename(office, bob, first.thread_id, title=nothing)
        assert (cleared.title, cleared.named_by, cleared.description) == ("Subject", None, "About")
        cleared = _rename(office, bob, first.thread_id, description=nothing)
        assert cleared.description is None

    def test_a_description_alone_does_not_change_who_named_it(self, office: PostOffice) -> None:
        alice, bob = office.mailbox("alice"), office.mailbox("bob")
        first = office.send(alice, bob, thread_name="Title")
        described = _rename(office, bob, first.thread_id, description="About")
        assert described.named_by is not None
        assert described.named_by.id == "alice"
        unnamed = office.send(alice, bob)
        assert _rename(office, bob, unnamed.thread_id, description="About").named_by is None
