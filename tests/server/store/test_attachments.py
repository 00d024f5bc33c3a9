"""Attachments in the store: written with their message, in rows of 256 kB, for its mailboxes."""

from hashlib import sha256

import pytest
from sqlalchemy import Connection, func, select

from messenger_core import schema
from messenger_core.errors import AttachmentNotFound, MailboxNotFound, MessengerError
from messenger_core.wire.messages import DeleteMessages, SentMessage
from messenger_server.store.attachments import (
    StagedFile,
    StoredAttachment,
    find_attachment,
    read_chunk,
)
from messenger_server.store.filing import delete_messages
from messenger_server.store.mailboxes import MailboxRow
from messenger_server.store.messages import deliver_large
from messenger_server.store.reading import read_message
from support.post_office import PostOffice, draft, staged

_ROW = 256 * 1024


def _broken(_offset: int, _size: int) -> bytes:
    raise OSError("the disk is gone")


@pytest.fixture
def alice(office: PostOffice) -> MailboxRow:
    return office.mailbox("alice")


@pytest.fixture
def bob(office: PostOffice) -> MailboxRow:
    return office.mailbox("bob")


def _send(office: PostOffice, alice: MailboxRow, *files: StagedFile) -> SentMessage:
    (outcome,) = office.deliver(draft(alice, "bob", subject="s", files=files))
    assert not isinstance(outcome, MessengerError)
    return outcome.message


def _rows(office: PostOffice) -> tuple[int, int]:
    """How many files and how many rows of their bytes there are."""

    def count(connection: Connection) -> tuple[int, int]:
        tables = (schema.attachment, schema.attachment_chunk)
        files, chunks = [
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in tables
        ]
        return files, chunks

    return office.read(count)


def _content(office: PostOffice, of: MailboxRow, attachment_id: str) -> bytes:
    found = office.read(find_attachment, of.id, attachment_id)
    content = b""
    number = 0
    while (chunk := office.read(read_chunk, found.id, number)) is not None:
        content += chunk
        number += 1
    assert found.size_bytes == len(content)
    assert found.sha256 == sha256(content).hexdigest()
    return content


@pytest.mark.parametrize(
    ("size", "rows"), [(0, 0), (1, 1), (_ROW, 1), (_ROW + 1, 2), (3 * _ROW, 3)]
)
def test_bytes_stand_in_rows_of_256_kb(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow, size: int, rows: int
) -> None:
    content = bytes(number % 251 for number in range(size))

    sent = _send(office, alice, staged(content))

    assert _rows(office) == (1, rows)
    for of in (alice, bob):
        assert _content(office, of, sent.attachments[0].id) == content


def test_the_files_of_a_batch_stay_with_their_messages(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    outcomes = office.deliver(
        *(
            draft(alice, "bob", subject="s")._replace(
                files=[staged(b"%d-%d" % (number, each), f"{each}.txt") for each in range(number)]
            )
            for number in range(4)
        )
    )

    for number, outcome in enumerate(outcomes):
        assert not isinstance(outcome, MessengerError)
        answer = outcome.message
        assert answer.has_attachments == (number > 0)
        read = office.read(read_message, bob.id, answer.id)
        assert read.attachments == answer.attachments
        assert [each.filename for each in read.attachments] == [
            f"{each}.txt" for each in range(number)
        ]
        assert [_content(office, bob, each.id) for each in read.attachments] == [
            b"%d-%d" % (number, each) for each in range(number)
        ]


def test_a_file_that_cannot_be_read_takes_its_whole_send_back(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    broken = staged(b"abc")._replace(read=_broken)

    with pytest.raises(OSError, match="the disk is gone"):
        _send(office, alice, staged(b"good"), broken)

    assert _rows(office) == (0, 0)
    assert office.list(bob).total == 0
    assert office.list(alice, folder="sent").total == 0


def test_a_refused_send_reads_none_of_its_files(office: PostOffice, alice: MailboxRow) -> None:
    broken = staged(b"abc")._replace(read=_broken)
    refused = draft(alice, "box_0123456789abcdef", subject="s", files=[broken])

    with pytest.raises(MailboxNotFound):
        office.write(deliver_large, refused)
    (outcome,) = office.deliver(refused)

    assert isinstance(outcome, MailboxNotFound)


def test_a_repetition_shows_the_files_of_the_first_send_and_writes_none(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    send = draft(alice, "bob", subject="s", key="k", files=[staged(b"abc")])

    first, second = office.write(deliver_large, send), office.write(deliver_large, send)

    assert (first.created, second.created) == (True, False)
    assert first.message == second.message
    assert _rows(office) == (1, 1)


def test_files_go_with_the_last_copy(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    sent = _send(office, alice, staged(b"x" * _ROW * 2), staged(b"y"))
    kept = _send(office, alice, staged(b"z"))
    gone = DeleteMessages(ids=[sent.id], permanent=True)

    def find(of: MailboxRow, attachment_id: str) -> StoredAttachment:
        return office.read(find_attachment, of.id, attachment_id)

    office.write(delete_messages, bob.id, gone)
    assert _rows(office) == (3, 4)
    with pytest.raises(AttachmentNotFound):
        find(bob, sent.attachments[0].id)
    assert find(alice, sent.attachments[0].id).size_bytes == 2 * _ROW

    office.write(delete_messages, alice.id, gone)
    assert _rows(office) == (1, 1)
    assert find(alice, kept.attachments[0].id).size_bytes == 1


def test_a_stranger_learns_nothing_of_astaged(
    office: PostOffice, alice: MailboxRow, bob: MailboxRow
) -> None:
    eve = office.mailbox("eve")
    sent = _send(office, alice, staged(b"secret"))
    foreign, unknown = sent.attachments[0].id, "att_0123456789abcdef"

    refusals = []
    for each in (foreign, unknown):
        with pytest.raises(AttachmentNotFound) as refusal:
            office.read(find_attachment, eve.id, each)
        refusals.append(str(refusal.value).replace(each, "?"))

    assert refusals[0] == refusals[1]
