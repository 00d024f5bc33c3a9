"""Compares all that a mailbox can see in the store with what the model says."""

from collections.abc import Iterable, Mapping, Sequence

import pytest
from sqlalchemy import Connection, select

from messenger_core.errors import AttachmentNotFound, MessageNotFound, ThreadNotFound
from messenger_core.limits import ATTACHMENT_CHUNK_BYTES
from messenger_core.schema import delivery, message
from messenger_core.wire.messages import MessageQuery
from messenger_core.wire.threads import ThreadQuery, ThreadReadQuery
from messenger_server.store.arrivals import arrived
from messenger_server.store.attachments import find_attachment, read_chunk
from messenger_server.store.folders import folders_of
from messenger_server.store.mailboxes import MailboxRow
from messenger_server.store.messages import list_messages, read_message
from messenger_server.store.threads import get_thread, list_threads
from support.mail_model import MailModel, folded
from support.post_office import PostOffice

_SEARCHES = ("alpha", "beta", "gam*", "alpha beta", "re")
"""Of words that histories write, or that a reply gets by itself."""


def compare(
    office: PostOffice, boxes: Sequence[MailboxRow], model: MailModel, ids: Iterable[str]
) -> None:
    """Fails where a mailbox is shown anything else than the model says; `ids` are of all time."""
    for of in range(len(boxes)):
        _compare_lists(office, boxes, model, of)
        _compare_threads(office, boxes, model, of)
        _compare_messages(office, boxes, model, of, ids)
        for words in _SEARCHES:
            _compare_searches(office, boxes, model, of, words)
    _compare_times_in_trash(office, boxes, model)


def _compare_lists(
    office: PostOffice, boxes: Sequence[MailboxRow], model: MailModel, of: int
) -> None:
    """Folders with their counters, each folder's messages, and what a wait hands over."""
    box = boxes[of]
    folders = office.read(folders_of, box.id)
    assert folders == model.folders_of(of)
    names = [folder.name for folder in folders]
    for name in (*names, "all"):
        for unread_only in (False, True):
            shown = office.list(box, folder=name, unread_only=unread_only, limit=200)
            letters = model.listed(of, folded(name), unread_only=unread_only)
            assert shown.messages == [model.summary(of, each) for each in letters]
            assert (shown.total, shown.next) == (len(letters), None)
    for folder in (*names, None):
        messages, _ = office.read(arrived, box.id, 0, folder, True)
        letters = model.arrivals(of, folder and folded(folder))
        assert messages == [model.summary(of, each) for each in letters]


def _compare_threads(
    office: PostOffice, boxes: Sequence[MailboxRow], model: MailModel, of: int
) -> None:
    """The list of threads, each thread whole, and that others' threads are not there."""
    box, talks = boxes[of], model.talks_of(of)
    shown = office.read(list_threads, box.id, ThreadQuery(limit=200))
    assert shown.threads == [model.thread(of, talk) for talk in talks]
    assert shown.total == len(talks)
    for talk in talks:
        detail = office.read(get_thread, box.id, talk.id, ThreadReadQuery(limit=200))
        assert detail.thread == model.thread(of, talk)
        letters = reversed(model.in_talk(of, talk))
        assert detail.messages == [model.detail(of, each) for each in letters]
    for letter in model.letters.values():
        if letter.talk not in talks:
            with pytest.raises(ThreadNotFound):
                office.read(get_thread, box.id, letter.talk.id, ThreadReadQuery())


def _compare_messages(
    office: PostOffice,
    boxes: Sequence[MailboxRow],
    model: MailModel,
    of: int,
    ids: Iterable[str],
) -> None:
    """Each message whole with its trail, and that those without a copy are not there."""
    own = {letter.id: letter for letter in model.letters_of(of)}
    for message_id in ids:
        if message_id in own:
            shown = office.read(read_message, boxes[of].id, message_id)
            assert shown == model.detail(of, own[message_id])
        else:
            with pytest.raises(MessageNotFound):
                office.read(read_message, boxes[of].id, message_id)


def compare_files(
    office: PostOffice, boxes: Sequence[MailboxRow], model: MailModel, contents: Mapping[str, bytes]
) -> None:
    """Fails where a file is not whole for who has a copy of its message, or is there for others.

    `contents` are of all time, by identifier.
    """
    for of, box in enumerate(boxes):
        own = {file.id for letter in model.letters_of(of) for file in letter.attachments}
        for file_id, content in contents.items():
            if file_id in own:
                assert office.read(_content_of, box.id, file_id) == content
            else:
                with pytest.raises(AttachmentNotFound):
                    office.read(find_attachment, box.id, file_id)


def _content_of(connection: Connection, mailbox_id: int, file_id: str) -> bytes:
    number = find_attachment(connection, mailbox_id, file_id).id
    content = b""
    while (
        piece := read_chunk(connection, number, len(content) // ATTACHMENT_CHUNK_BYTES)
    ) is not None:
        content += piece
        if len(piece) < ATTACHMENT_CHUNK_BYTES:
            break
    return content


def _compare_searches(
    office: PostOffice, boxes: Sequence[MailboxRow], model: MailModel, of: int, words: str
) -> None:
    """What a search of messages and one of threads find."""
    for folder in ("all", "trash", "inbox"):
        query = MessageQuery(folder=folder, search=words, limit=200)
        page = office.read(list_messages, boxes[of].id, query)
        found = model.found(of, folder, words)
        assert [each.id for each in page.messages] == [each.id for each in found]
        assert page.total == len(found)
    talks = office.read(list_threads, boxes[of].id, ThreadQuery(search=words, limit=200))
    found_talks = model.found_talks(of, words)
    assert [each.id for each in talks.threads] == [each.id for each in found_talks]
    assert talks.total == len(found_talks)


def _compare_times_in_trash(
    office: PostOffice, boxes: Sequence[MailboxRow], model: MailModel
) -> None:
    """Since when copies are in the trash: nobody is shown it before they are gone."""
    stored = (
        select(delivery.c.mailbox_id, message.c.public_id, delivery.c.trashed_at)
        .join_from(delivery, message)
        .where(delivery.c.trashed_at.is_not(None))
    )
    assert {tuple(row) for row in office.read(Connection.execute, stored)} == {
        (boxes[of].id, letter.id, copy.trashed_ms)
        for letter in model.letters.values()
        for of, copy in letter.copies.items()
        if copy.trashed_ms is not None
    }
