"""The contract in plain Python: what mailboxes hold and show, without a database.

It takes from the store what only a server can choose (ids and seqs of new messages) and works out
everything else by itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from messenger_core.times import rfc3339, rfc3339_or_none
from messenger_core.wire.common import PRIORITIES, Party, Priority
from messenger_core.wire.folders import Folder
from messenger_core.wire.messages import Attachment, Changed, MessageDetail, MessageSummary
from messenger_core.wire.threads import Thread

SYSTEM = ("inbox", "sent", "archive", "trash")


@dataclass
class Copy:
    """A message as one mailbox has it."""

    folder: str
    """By its folded name."""
    announced_ms: int | None = None
    read_ms: int | None = None
    flagged: bool = False
    trashed_ms: int | None = None


@dataclass
class Talk:
    """A thread."""

    id: str
    subject: str
    opener: int
    other: int
    created_ms: int
    title: str | None = None
    description: str | None = None
    named_by: int | None = None

    @property
    def shown_title(self) -> str:
        return self.title or self.subject


@dataclass
class Letter:
    """A message with the copies that are left of it, and the trail of those that are gone."""

    id: str
    seq: int
    talk: Talk
    sender: int
    recipient: int
    subject: str
    body: str
    priority: Priority
    reply_to: str | None
    created_ms: int
    attachments: list[Attachment] = field(default_factory=list)
    copies: dict[int, Copy] = field(default_factory=dict)
    trail: dict[int, Copy] = field(default_factory=dict)


def attachment(file_id: str, content: bytes) -> Attachment:
    """What is shown of a file."""
    return Attachment(
        id=file_id,
        filename="a.bin",
        mime_type="application/octet-stream",
        size=len(content),
        sha256=sha256(content).hexdigest(),
    )


def folded(name: str) -> str:
    """What makes a folder's name unique."""
    return name.strip().casefold()


class MailModel:
    """Mailboxes, by number, and their mail."""

    def __init__(self, people: Sequence[Party]) -> None:
        self.people = list(people)
        self.letters: dict[str, Letter] = {}
        """Those that somebody still has a copy of, oldest first."""
        self.folders: list[dict[str, str]] = [{} for _ in people]
        """Names as written, by their folded form; the system's are not there."""

    # What happens

    def deliver(self, letter: Letter) -> None:
        """Gives both sides their copy, the sender's already read."""
        letter.copies = {
            letter.sender: Copy("sent", read_ms=letter.created_ms),
            letter.recipient: Copy("inbox"),
        }
        self.letters[letter.id] = letter

    def mark(
        self, of: int, ids: Sequence[str], read: bool | None, flagged: bool | None, now_ms: int
    ) -> Changed:
        for copy in self._own(of, ids):
            if read is not None:
                copy.read_ms = (copy.read_ms or now_ms) if read else None
            copy.flagged = copy.flagged if flagged is None else flagged
        return self._changed(of, ids)

    def move(self, of: int, ids: Sequence[str], folder: str, now_ms: int) -> Changed:
        changed = self._changed(of, ids)
        for copy in self._own(of, ids):
            if copy.folder != folder:
                copy.folder = folder
                copy.trashed_ms = now_ms if folder == "trash" else None
        return changed

    def delete(self, of: int, ids: Sequence[str], permanent: bool, now_ms: int) -> Changed:
        changed = self._changed(of, ids)
        doomed = [
            each
            for each in changed.changed
            if permanent or self.letters[each].copies[of].folder == "trash"
        ]
        self.move(of, [each for each in changed.changed if each not in doomed], "trash", now_ms)
        for each in doomed:
            self._destroy(of, each)
        return changed

    def drop_folder(self, of: int, folder: str) -> None:
        del self.folders[of][folder]
        for letter in self.letters_of(of):
            if letter.copies[of].folder == folder:
                letter.copies[of].folder = "archive"

    def purge(self, until_ms: int) -> int:
        """Empties the trash of what went there by then; how many copies."""
        old = [
            (of, letter.id)
            for letter in self.letters.values()
            for of, copy in letter.copies.items()
            if copy.trashed_ms is not None and copy.trashed_ms <= until_ms
        ]
        for of, each in old:
            self._destroy(of, each)
        return len(old)

    def _destroy(self, of: int, message_id: str) -> None:
        letter = self.letters[message_id]
        letter.trail[of] = replace(letter.copies.pop(of))
        if not letter.copies:
            del self.letters[message_id]

    def _own(self, of: int, ids: Iterable[str]) -> list[Copy]:
        known = [self.letters[each] for each in ids if each in self.letters]
        return [letter.copies[of] for letter in known if of in letter.copies]

    def _changed(self, of: int, ids: Sequence[str]) -> Changed:
        once = list(dict.fromkeys(ids))
        own = {letter.id for letter in self.letters_of(of)}
        return Changed(
            changed=[each for each in once if each in own],
            unknown=[each for each in once if each not in own],
        )

    # What a mailbox is shown

    def letters_of(self, of: int) -> list[Letter]:
        """What it has copies of, newest first."""
        return [letter for letter in reversed(self.letters.values()) if of in letter.copies]

    def talks_of(self, of: int) -> list[Talk]:
        """The threads that it has copies of, latest activity first."""
        return list({letter.talk.id: letter.talk for letter in self.letters_of(of)}.values())

    def listed(self, of: int, folder: str, *, unread_only: bool = False) -> list[Letter]:
        return [
            letter
            for letter in self.letters_of(of)
            if (
                letter.copies[of].folder == folder
                if folder != "all"
                else letter.copies[of].folder != "trash"
            )
            and not (unread_only and letter.copies[of].read_ms)
        ]

    def arrivals(self, of: int, folder: str | None) -> list[Letter]:
        """What a wait hands over, oldest first."""
        found = self.listed(of, folder or "all")
        return [letter for letter in reversed(found) if letter.recipient == of]

    def folders_of(self, of: int) -> list[Folder]:
        own = sorted(self.folders[of].items(), key=lambda pair: pair[1])
        return [
            Folder(
                name=name,
                system=folded in SYSTEM,
                total=len(self.listed(of, folded)),
                unread=len(self.listed(of, folded, unread_only=True)),
            )
            for folded, name in [*((each, each) for each in SYSTEM), *own]
        ]

    def found(self, of: int, folder: str, words: str) -> list[Letter]:
        """What a search in a folder finds."""
        return [
            letter
            for letter in self.listed(of, folder)
            if _holds(words, letter.subject, letter.body) or _is_named(letter.talk, words)
        ]

    def found_talks(self, of: int, words: str) -> list[Talk]:
        return [
            talk
            for talk in self.talks_of(of)
            if _is_named(talk, words)
            or any(_holds(words, each.subject, each.body) for each in self.in_talk(of, talk))
        ]

    def in_talk(self, of: int, talk: Talk) -> list[Letter]:
        """Its copies of a thread's messages, newest first."""
        return [letter for letter in self.letters_of(of) if letter.talk is talk]

    def summary(self, of: int, letter: Letter) -> MessageSummary:
        copy = letter.copies[of]
        return MessageSummary(
            id=letter.id,
            seq=letter.seq,
            thread_id=letter.talk.id,
            thread_title=letter.talk.shown_title,
            from_=self.people[letter.sender],
            to=self.people[letter.recipient],
            subject=letter.subject,
            preview=letter.body,
            priority=letter.priority,
            folder=self.folders[of].get(copy.folder, copy.folder),
            role="sender" if letter.sender == of else "recipient",
            announced_at=rfc3339_or_none(copy.announced_ms),
            read_at=rfc3339_or_none(copy.read_ms),
            flagged=copy.flagged,
            has_attachments=bool(letter.attachments),
            reply_to=letter.reply_to,
            created_at=rfc3339(letter.created_ms),
        )

    def detail(self, of: int, letter: Letter) -> MessageDetail:
        theirs = letter.copies.get(letter.recipient) or letter.trail[letter.recipient]
        summary = self.summary(of, letter)
        return MessageDetail(
            **{name: getattr(summary, name) for name in summary.__struct_fields__},
            body=letter.body,
            attachments=letter.attachments,
            recipient_announced_at=rfc3339_or_none(theirs.announced_ms),
            recipient_read_at=rfc3339_or_none(theirs.read_ms),
            type="message",
            correlation_id=None,
            to_name=None,
        )

    def thread(self, of: int, talk: Talk) -> Thread:
        own = self.in_talk(of, talk)
        return Thread(
            id=talk.id,
            title=talk.shown_title,
            description=talk.description,
            named_by=None if talk.named_by is None else self.people[talk.named_by],
            participants=[self.people[talk.opener], self.people[talk.other]],
            message_count=len(own),
            unread_count=sum(letter.copies[of].read_ms is None for letter in own),
            last_message=self.summary(of, own[0]),
            priority=max((letter.priority for letter in own), key=PRIORITIES.index),
            last_activity_at=rfc3339(own[0].created_ms),
            created_at=rfc3339(talk.created_ms),
        )


def _is_named(talk: Talk, words: str) -> bool:
    return _holds(words, talk.shown_title, talk.description or "")


def _holds(words: str, *texts: str) -> bool:
    """Whether plain lower-case texts hold all words, one with a trailing `*` as a beginning."""
    there = {token for text in texts for token in text.lower().replace(":", " ").split()}
    return all(
        any(token.startswith(word[:-1]) for token in there) if word.endswith("*") else word in there
        for word in words.split()
    )
