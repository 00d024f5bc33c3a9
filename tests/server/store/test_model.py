"""The store against the contract in plain Python: whatever happens, both sides are shown the same.

Hypothesis makes histories of sends, replies, readings, filings and purges. After each step all
that any mailbox can see is compared with the model, and everything stored twice is counted anew.
"""

import shutil
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import asdict

from messenger_core.errors import FolderExists, FolderNotFound, SystemFolder
from messenger_core.wire.common import PRIORITIES, Party, Priority
from messenger_core.wire.folders import CreateFolder
from messenger_core.wire.messages import (
    Changed,
    DeleteMessages,
    MarkMessages,
    MoveMessages,
    SentMessage,
)
from messenger_core.wire.threads import RenameThread
from messenger_server.database import Batch
from messenger_server.store.arrivals import mark_announced
from messenger_server.store.filing import delete_messages, mark_messages, move_messages
from messenger_server.store.folders import create_folder, delete_folder
from messenger_server.store.links import links_of, mark_links_received
from messenger_server.store.messages import mark_read
from messenger_server.store.retention import purge_trash
from messenger_server.store.threads import rename_thread
from support.consistency import faults
from support.mail_comparison import compare, compare_files
from support.mail_model import SYSTEM, Letter, MailModel, Talk, attachment, folded
from support.post_office import PostOffice, staged

_PEOPLE = ("alice", "bob", "carol")
_RETENTION_MS = 60_000

_PERSON = st.integers(0, len(_PEOPLE) - 1)
_AWAY = st.integers(1, len(_PEOPLE) - 1)
"""How many chairs further somebody else sits."""
_PICK = st.integers(0, 40)
_WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma"]), min_size=1, max_size=3).map(" ".join)
_FOLDER = st.sampled_from(["work", "WORK", " Work ", "später/5%", *SYSTEM, "Inbox", "all"])
_PLACE = st.sampled_from(["work", "trash"]) | _FOLDER
_IDS = st.lists(_PICK, min_size=1, max_size=8)
_MARK = st.sampled_from([None, True, False])


_APART = {"body", "file_sizes"}


class _Text(NamedTuple):
    """What somebody writes; a subject is there for some replies."""

    body: str
    priority: Priority
    subject: str | None
    thread_name: str | None
    file_sizes: tuple[int, ...]
    """Of the files that come with it, in bytes."""

    def fields(self) -> dict[str, Any]:
        """All but the body, as a send takes them."""
        named = {name: value for name, value in self._asdict().items() if name not in _APART}
        return {**named, "files": [staged(b"x" * size) for size in self.file_sizes]}


_TEXT = st.builds(
    _Text,
    body=_WORDS,
    priority=st.sampled_from(PRIORITIES),
    subject=st.none() | _WORDS,
    thread_name=st.none() | _WORDS,
    file_sizes=st.lists(st.sampled_from([0, 3, 262_145]), max_size=2).map(tuple),
)


class StoreAndModel(RuleBasedStateMachine):
    """Does the same to the store and to the model."""

    base: ClassVar[Path]
    """An empty database, which each history begins with a copy of."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self.office = PostOffice(Path(shutil.copy(self.base, self._folder.name)))
        self.boxes = [self.office.mailbox(name) for name in _PEOPLE]
        self.model = MailModel(
            [Party(id=name, agent_name=None, display_name=None, deleted=False) for name in _PEOPLE]
        )
        self.ids: list[str] = []
        """Of every message that there ever was."""
        self.contents: dict[str, bytes] = {}
        """Of every file that there ever was, by identifier."""
        self.links: list[set[str]] = [set() for _ in _PEOPLE]

    def teardown(self) -> None:
        self.office.close()
        self._folder.cleanup()

    # Mail

    @initialize(texts=st.lists(_TEXT, min_size=3, max_size=6), first=_PERSON)
    def begin(self, texts: list[_Text], first: int) -> None:
        """Some mail and folders: most of what can be done needs something that it is done to."""
        for number, text in enumerate(texts):
            self.send((first + number // 2) % len(_PEOPLE), 1 + number % 2, text, "alpha")
        for of in range(len(_PEOPLE)):
            self.make_folder(of, "Work")

    @rule(of=_PERSON, away=_AWAY, text=_TEXT, subject=_WORDS)
    def send(self, of: int, away: int, text: _Text, subject: str) -> None:
        other = (of + away) % len(_PEOPLE)
        fields = {**text.fields(), "subject": subject}
        answer = self.office.send(self.boxes[of], self.boxes[other], text.body, **fields)
        talk = Talk(answer.thread_id, subject, of, other, self.office.now_ms)
        self._delivered(answer, talk, (of, other), text._replace(subject=subject))

    @rule(of=_PERSON, pick=_PICK, text=_TEXT, by_thread=st.booleans())
    def reply(self, of: int, pick: int, text: _Text, by_thread: bool) -> None:
        if (original := self._own(of, pick)) is None:
            return
        talk = original.talk
        to = {"thread_id": talk.id} if by_thread else {"reply_to": original.id}
        answer = self.office.send(self.boxes[of], None, text.body, **text.fields(), **to)
        answered = talk.subject if by_thread else original.subject
        shown = text.subject or (answered if answered[:4] == "Re: " else f"Re: {answered}")
        other = original.recipient if of == original.sender else original.sender
        reply_to = None if by_thread else original.id
        self._delivered(answer, talk, (of, other), text._replace(subject=shown), reply_to)

    def _delivered(
        self,
        answer: SentMessage,
        talk: Talk,
        sides: tuple[int, int],
        text: _Text,
        reply_to: str | None = None,
    ) -> None:
        """Puts into the model what the store accepted, and compares what its sender is told."""
        letter = Letter(
            id=answer.id,
            seq=answer.seq,
            talk=talk,
            sender=sides[0],
            recipient=sides[1],
            subject=text.subject or "",
            body=text.body,
            priority=text.priority,
            reply_to=reply_to,
            created_ms=self.office.now_ms,
        )
        for file, size in zip(answer.attachments, text.file_sizes, strict=True):
            self.contents[file.id] = b"x" * size
            letter.attachments.append(attachment(file.id, self.contents[file.id]))
        if text.thread_name is not None:
            talk.title, talk.named_by = text.thread_name, sides[0]
        self.model.deliver(letter)
        self.ids.append(letter.id)
        shown = asdict(self.model.detail(letter.sender, letter))
        assert {name: getattr(answer, name) for name in shown} == shown

    @rule(of=_PERSON, pick=_PICK)
    def read(self, of: int, pick: int) -> None:
        if (letter := self._own(of, pick)) is None:
            return
        shown = self.office.write(mark_read, self.boxes[of].id, letter.id)
        self.model.mark(of, [letter.id], True, None, self.office.now_ms)
        assert shown == self.model.detail(of, letter)

    @rule(of=_PERSON)
    def announce(self, of: int) -> None:
        told = self.model.arrivals(of, None)
        self.office.write(mark_announced, {self.boxes[of].id: [letter.seq for letter in told]})
        for letter in told:
            copy = letter.copies[of]
            copy.announced_ms = copy.announced_ms or self.office.now_ms

    @rule(of=_PERSON, pick=_PICK, title=st.just("") | _WORDS, description=st.none() | _WORDS)
    def rename(self, of: int, pick: int, title: str, description: str | None) -> None:
        if (letter := self._own(of, pick)) is None:
            return
        talk = letter.talk
        names = RenameThread(title=title, description=description)
        shown = self.office.write(rename_thread, self.boxes[of].id, talk.id, names)
        talk.title, talk.description = title or None, description
        talk.named_by = of if title else None
        assert shown == self.model.thread(of, talk)

    # Filing

    @rule(of=_PERSON, picks=_IDS, read=_MARK, flagged=_MARK)
    def mark(self, of: int, picks: list[int], read: bool | None, flagged: bool | None) -> None:
        request = MarkMessages(ids=self._ids(picks), read=read, flagged=flagged)
        changed = self.office.write(mark_messages, self.boxes[of].id, request)
        assert changed == self.model.mark(of, request.ids, read, flagged, self.office.now_ms)

    @rule(of=_PERSON, picks=_IDS, folder=_PLACE)
    def move(self, of: int, picks: list[int], folder: str) -> None:
        request = MoveMessages(ids=self._ids(picks), folder=folder)
        work = partial(move_messages, mailbox_id=self.boxes[of].id, request=request)
        if not self._has_folder(of, folder):
            with pytest.raises(FolderNotFound):
                self.office.write(work)
            return
        changed = self.office.write(work)
        assert changed == self.model.move(of, request.ids, folded(folder), self.office.now_ms)

    @rule(of=_PERSON, picks=_IDS, permanent=st.booleans())
    def delete(self, of: int, picks: list[int], permanent: bool) -> None:
        request = DeleteMessages(ids=self._ids(picks), permanent=permanent)
        changed = self.office.write(delete_messages, self.boxes[of].id, request)
        assert changed == self.model.delete(of, request.ids, permanent, self.office.now_ms)

    @rule(pick=_PICK, title=_WORDS, picks=_IDS)
    def both_sides_destroy_in_one_batch(self, pick: int, title: str, picks: list[int]) -> None:
        """A rename and two deletions that wait together: rows of the search wait with them."""
        letters = list(self.model.letters.values())
        if not letters:
            return
        letter = letters[pick % len(letters)]
        sides = sorted(letter.copies)
        ids = [letter.id, *self._ids(picks)]
        request = DeleteMessages(ids=ids, permanent=True)

        def work(batch: Batch) -> list[Changed]:
            first = self.boxes[sides[0]].id
            rename_thread(batch, first, letter.talk.id, RenameThread(title=title))
            return [delete_messages(batch, self.boxes[side].id, request) for side in sides]

        changed = self.office.write(work)
        letter.talk.title, letter.talk.named_by = title, sides[0]
        now_ms = self.office.now_ms
        assert changed == [self.model.delete(side, ids, True, now_ms) for side in sides]

    @rule(of=_PERSON, name=_FOLDER)
    def make_folder(self, of: int, name: str) -> None:
        request = CreateFolder(name=name)
        work = partial(create_folder, mailbox_id=self.boxes[of].id, request=request)
        if self._has_folder(of, name) or name == "all":
            with pytest.raises(FolderExists):
                self.office.write(work)
            return
        self.model.folders[of][folded(name)] = name.strip()
        assert self.office.write(work).name == name.strip()

    @rule(of=_PERSON, name=_PLACE)
    def drop_folder(self, of: int, name: str) -> None:
        place = folded(name)
        if place in self.model.folders[of]:
            self.office.write(delete_folder, self.boxes[of].id, name)
            self.model.drop_folder(of, place)
            return
        with pytest.raises(SystemFolder if place in SYSTEM else FolderNotFound):
            self.office.write(delete_folder, self.boxes[of].id, name)

    @rule(pause_ms=st.sampled_from([0, _RETENTION_MS // 2, _RETENTION_MS]), limit=st.integers(1, 5))
    def purge(self, pause_ms: int, limit: int) -> None:
        self.office.now_ms += pause_ms
        counts = [limit]
        until_ms = self.office.now_ms + 1000 - _RETENTION_MS
        while counts[-1]:
            # Each write takes a second, and what is old enough shall stay the same meanwhile.
            age_ms = _RETENTION_MS + 1000 * (len(counts) - 1)
            counts.append(self.office.write(purge_trash, age_ms, limit))
        assert max(counts) == limit
        assert sum(counts[1:]) == self.model.purge(until_ms)

    @rule(of=_PERSON, away=_AWAY)
    def link(self, of: int, away: int) -> None:
        other = (of + away) % len(_PEOPLE)
        if _PEOPLE[other] in self.links[of]:
            return
        self.office.link(self.boxes[of], self.boxes[other])
        self.office.write(mark_links_received, self.boxes[of].id)
        self.links[of].add(_PEOPLE[other])
        self.links[other].add(_PEOPLE[of])

    # What is compared

    @invariant()
    def every_mailbox_is_shown_what_the_model_says(self) -> None:
        compare(self.office, self.boxes, self.model, self.ids)
        compare_files(self.office, self.boxes, self.model, self.contents)
        for box, linked in zip(self.boxes, self.links, strict=True):
            shown = self.office.read(links_of, box.id)
            assert {link.mailbox.id for link in shown} == linked

    @invariant()
    def what_is_stored_twice_adds_up(self) -> None:
        assert self.office.read(faults) == []

    def _own(self, of: int, pick: int) -> Letter | None:
        letters = self.model.letters_of(of)
        return letters[pick % len(letters)] if letters else None

    def _ids(self, picks: list[int]) -> list[str]:
        """Ids of messages of anybody's, gone ones too, and now and then of none."""
        return [
            self.ids[pick % len(self.ids)] if pick % 10 else f"msg_{pick:010x}" for pick in picks
        ]

    def _has_folder(self, of: int, name: str) -> bool:
        return folded(name) in (*SYSTEM, *self.model.folders[of])


def test_the_store_does_what_the_contract_says(template: Path) -> None:
    class OnACopyOfTheTemplate(StoreAndModel):
        base = template

    profile = settings.default
    assert profile is not None
    run_state_machine_as_test(
        OnACopyOfTheTemplate,
        settings=settings(
            # Exploring takes the profile's own number of examples.
            max_examples=15 if profile.derandomize else profile.max_examples,
            stateful_step_count=50,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
