"""Search finds what a reader would, fails on nothing, and shows nobody another's mail."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from messenger_core.folding import search_terms
from messenger_core.limits import SEARCH_MAX_CHARS
from messenger_core.wire.messages import MessagePage
from messenger_core.wire.threads import RenameThread, ThreadQuery
from messenger_server.store.threads import list_threads, rename_thread
from support.post_office import PostOffice, draft

_TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60
)
_SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
"""The examples share one post office: what they leave there harms no other."""


def _seqs(page: MessagePage) -> list[int]:
    return [message.seq for message in page.messages]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("lighthouse", True),
        ("LIGHTHOUSE", True),
        ("lighthouse keeper", True),
        ("keeper lighthouse", True),
        ("report keeper", True),  # one word in the subject, one in the body
        ("lighthouse nobody", False),
        ("light", False),
        ("light*", True),
        ("light* keep*", True),
        ("ete", True),
        ("ÉTÉ", True),
        ("日本語", True),
        ("本語の", True),
        ("語本", False),
        ("well-known", True),
        ("known-well", False),
        ('"lighthouse"', True),
        ("subject:lighthouse", False),
        ("lighthouse OR nobody", False),
        ("m1", False),
    ],
)
def test_a_search_finds_by_words(office: PostOffice, search: str, found: bool) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    body = "The lighthouse keeper of the well-known été, 日本語のメッセージ"
    office.send(alice, bob, body, subject="Weekly report")
    page = office.list(bob, search=search)
    assert (len(page.messages), page.total) == ((1, 1) if found else (0, 0))


def test_a_search_finds_by_the_name_of_the_thread(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    first = office.send(alice, bob, "one", subject="Plain")
    office.send(alice, bob, "two", subject="Elsewhere")
    names = RenameThread(title="Harbour works", description="dredging")
    office.write(rename_thread, bob.id, first.thread_id, names)
    assert _seqs(office.list(bob, search="harbour dredging")) == [first.seq]
    # A word of the message and a word of the thread's name do not add up.
    assert _seqs(office.list(bob, search="harbour one")) == []


def test_the_words_of_an_earlier_name_find_nothing(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    first = office.send(alice, bob, "one", subject="Plain", thread_name="Harbour")
    office.write(rename_thread, bob.id, first.thread_id, RenameThread(title="Airport"))
    assert _seqs(office.list(bob, search="harbour")) == []
    assert _seqs(office.list(bob, search="airport")) == [first.seq]


def test_an_unnamed_thread_is_found_by_the_subject_that_opened_it(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    first = office.send(alice, bob, "one", subject="Harbour")
    answer = office.send(bob, None, "two", reply_to=first.id, subject="Something else")
    assert _seqs(office.list(bob, search="harbour", folder="all")) == [answer.seq, first.seq]
    assert _seqs(office.list(alice, search="harbour")) == [answer.seq]


def test_a_search_takes_filters_and_pages(office: PostOffice) -> None:
    alice, bob, carol = (office.mailbox() for _ in range(3))
    sent = [office.send(alice, bob, "harbour", subject=f"n{number}") for number in range(5)]
    other = office.send(carol, bob, "harbour", subject="other")
    assert _seqs(office.list(bob, search="harbour", from_=carol.address)) == [other.seq]
    assert _seqs(office.list(bob, search="harbour", thread_id=sent[2].thread_id)) == [sent[2].seq]
    assert _seqs(office.list(bob, search="harbour", folder="archive")) == []
    assert _seqs(office.list(alice, search="harbour", folder="sent")) == [
        message.seq for message in reversed(sent)
    ]
    first = office.list(bob, search="harbour", limit=4)
    assert (len(first.messages), first.total, first.next) == (4, 6, first.messages[-1].seq)
    rest = office.list(bob, search="harbour", limit=4, before=first.next)
    assert (_seqs(rest), rest.total, rest.next) == ([sent[1].seq, sent[0].seq], 6, None)
    assert _seqs(office.list(bob, search="harbour", limit=4, offset=4)) == _seqs(rest)


def test_pages_of_what_messages_and_threads_answer_together_follow_each_other(
    office: PostOffice,
) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    named = office.send(alice, bob, "one", subject="Plain", thread_name="Harbour")
    office.send(alice, bob, "harbour", subject="Elsewhere")
    office.send(alice, None, "two", thread_id=named.thread_id)
    office.send(alice, bob, "harbour", subject="Again")
    seen, before = [], None
    for _ in range(4):
        page = office.list(bob, search="harbour", limit=1, before=before)
        assert (len(page.messages), page.total) == (1, 4)
        seen += _seqs(page)
        before = page.next
    assert (seen, before) == ([4, 3, 2, 1], None)


def test_a_search_counts_to_a_thousand(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    office.deliver(*(draft(alice, bob, "harbour", subject="s") for _ in range(1000)))
    exact = office.list(bob, search="harbour", limit=1)
    office.send(alice, bob, "harbour")
    beyond = office.list(bob, search="harbour", limit=1)
    assert (exact.total, exact.total_capped) == (1000, False)
    assert (beyond.total, beyond.total_capped) == (1000, True)


def test_threads_are_found_by_their_names_and_by_the_text_of_their_messages(
    office: PostOffice,
) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    one = office.send(alice, bob, "anchor", subject="First")
    two = office.send(alice, bob, "mast", subject="Second", thread_name="Rigging")

    def found(search: str) -> list[str]:
        page = office.read(list_threads, bob.id, ThreadQuery(search=search))
        return [thread.id for thread in page.threads]

    assert found("anchor") == [one.thread_id]
    assert found("first") == [one.thread_id]
    assert found("rigging") == [two.thread_id]
    assert found("mast second") == [two.thread_id]
    assert found("rigging mast") == []
    assert found("nothing") == []
    assert found("***") == []


@_SHARED
@given(search=_TEXT)
def test_no_text_is_an_error(office: PostOffice, search: str) -> None:
    alice = office.mailbox()
    assert office.list(alice, search=search).messages == []
    page = office.read(list_threads, alice.id, ThreadQuery(search=search))
    assert page.threads == []


@_SHARED
@given(body=_TEXT, subject=_TEXT)
def test_a_message_is_found_by_each_of_its_own_words(
    office: PostOffice, body: str, subject: str
) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    sent = office.send(alice, bob, body, subject=subject)
    for word in [*body.split(), *subject.split()]:
        if search_terms(word):
            assert _seqs(office.list(bob, search=word[:SEARCH_MAX_CHARS])) == [sent.seq], word


@_SHARED
@given(body=_TEXT)
def test_a_thread_is_found_by_each_word_of_its_name(office: PostOffice, body: str) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    sent = office.send(alice, bob, "text", subject="plain", thread_name=body)
    for word in body.split():
        if search_terms(word):
            assert _seqs(office.list(bob, search=word)) == [sent.seq], word


@_SHARED
@given(body=_TEXT, search=_TEXT)
def test_a_search_shows_a_mailbox_its_own_copies_alone(
    office: PostOffice, body: str, search: str
) -> None:
    alice, bob, eve = (office.mailbox() for _ in range(3))
    office.send(alice, bob, body, thread_name=body)
    for word in [search, body]:
        assert office.list(eve, search=word, folder="all").messages == []
        threads = office.read(list_threads, eve.id, ThreadQuery(search=word))
        assert (threads.threads, threads.total) == ([], 0)
