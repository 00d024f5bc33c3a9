"""A wait is handed what arrived, in order, and nothing with a smaller number is left behind."""

from sqlalchemy import insert

from messenger_core.ids import new_link_id
from messenger_core.schema import ARCHIVE, TRASH, link, link_side
from messenger_core.wire.links import Link
from messenger_core.wire.messages import MessageSummary
from messenger_server.database import Batch
from messenger_server.store.arrivals import arrived, mark_announced, unannounced
from messenger_server.store.links import has_unreceived_links, links_of, mark_links_received
from messenger_server.store.mailboxes import MailboxRow
from messenger_server.store.messages import mark_read
from support.post_office import PostOffice, draft


def _link(batch: Batch, one: MailboxRow, other: MailboxRow, note: str | None = None) -> int:
    seq = batch.take_seq()
    row = {"public_id": new_link_id(), "seq": seq, "note": note, "created_at": batch.now_ms}
    inserted = batch.connection.execute(insert(link), row).inserted_primary_key
    assert inserted is not None
    sides = [(one.id, other.id), (other.id, one.id)]
    rows = [
        {"mailbox_id": mine, "other_id": theirs, "link_id": inserted[0]} for mine, theirs in sides
    ]
    batch.connection.execute(insert(link_side), rows)
    return seq


def _seqs(arrivals: tuple[list[MessageSummary], list[Link]]) -> tuple[list[int], list[int]]:
    return [message.seq for message in arrivals[0]], [found.seq for found in arrivals[1]]


def test_what_was_received_after_a_number_comes_oldest_first(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    office.deliver(draft(alice, bob), draft(bob, alice), draft(alice, bob), draft(alice, bob))
    assert _seqs(office.read(arrived, bob.id, 0, None, True)) == ([1, 3, 4], [])
    assert _seqs(office.read(arrived, bob.id, 1, None, True)) == ([3, 4], [])
    assert _seqs(office.read(arrived, bob.id, 4, None, True)) == ([], [])
    assert _seqs(office.read(arrived, alice.id, 0, None, True)) == ([2], [])


def test_the_trash_is_left_out_and_a_folder_chooses_by_where_they_are_now(
    office: PostOffice,
) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    office.deliver(*(draft(alice, bob) for _ in range(3)))
    office.move(bob, 1, TRASH)
    office.move(bob, 2, ARCHIVE)
    assert _seqs(office.read(arrived, bob.id, 0, None, True))[0] == [2, 3]
    assert _seqs(office.read(arrived, bob.id, 0, "archive", True))[0] == [2]
    assert _seqs(office.read(arrived, bob.id, 0, "inbox", True))[0] == [3]


def test_links_come_with_the_messages_when_asked_for(office: PostOffice) -> None:
    alice, bob, carol = (office.mailbox() for _ in range(3))
    office.send(alice, bob)
    first = office.write(_link, alice, bob, "work together")
    second = office.write(_link, bob, carol)
    assert _seqs(office.read(arrived, bob.id, 0, None, True)) == ([1], [first, second])
    assert _seqs(office.read(arrived, bob.id, first, None, True)) == ([], [second])
    assert _seqs(office.read(arrived, bob.id, 0, None, False)) == ([1], [])
    assert _seqs(office.read(arrived, carol.id, 0, None, True)) == ([], [second])


def test_a_full_hand_over_leaves_nothing_smaller_behind(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    early = office.write(_link, alice, bob)
    office.deliver(*(draft(alice, bob) for _ in range(250)))
    late = office.write(_link, bob, office.mailbox())
    first = _seqs(office.read(arrived, bob.id, 0, None, True))
    assert (len(first[0]), first[1]) == (200, [early])
    rest = _seqs(office.read(arrived, bob.id, first[0][-1], None, True))
    assert (len(rest[0]), rest[1]) == (50, [late])
    assert [*first[0], *rest[0]] == list(range(early + 1, late))


def test_a_link_is_listed_on_both_sides_and_received_once(office: PostOffice) -> None:
    alice, bob, carol = office.mailbox("alice"), office.mailbox("bob"), office.mailbox("carol")
    office.write(_link, alice, bob, "first")
    office.write(_link, alice, carol)
    links = office.read(links_of, alice.id)
    assert [(found.mailbox.id, found.note) for found in links] == [
        ("carol", None),
        ("bob", "first"),
    ]
    assert [found.mailbox.id for found in office.read(links_of, bob.id)] == ["alice"]
    assert all(found.mailbox.linked and found.received_at is None for found in links)
    assert office.read(has_unreceived_links, alice.id)
    office.write(mark_links_received, alice.id)
    received = [found.received_at for found in office.read(links_of, alice.id)]
    assert None not in received
    office.write(mark_links_received, alice.id)
    assert [found.received_at for found in office.read(links_of, alice.id)] == received
    assert not office.read(has_unreceived_links, alice.id)
    assert office.read(has_unreceived_links, bob.id)


def test_copies_whose_marks_were_lost_are_found_again(office: PostOffice) -> None:
    alice, bob = office.mailbox(), office.mailbox()
    sent = [office.send(alice, bob) for _ in range(5)]
    office.write(mark_announced, {bob.id: [sent[1].seq]})
    office.write(mark_read, bob.id, sent[2].id)
    assert office.read(unannounced, bob.id, sent[3].seq) == [sent[0].seq, sent[3].seq]
    assert office.read(unannounced, alice.id, sent[3].seq) == []
