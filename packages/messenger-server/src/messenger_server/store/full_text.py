"""Full text: which messages and threads of a mailbox hold the words that somebody typed.

A message is found by its subject and body together, or by the title and description of its thread
together. An unnamed thread has a row of its own only once a subject no longer carries its title:
until then each of its messages is found by that title anyway.
"""

from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, bindparam, column, literal_column, select, table
from sqlalchemy.sql.selectable import CompoundSelect

from messenger_core.folding import SearchTerm, search_terms
from messenger_core.schema import delivery, message

MESSAGE_WORDS: Final = table("message_search", column("rowid"))
"""One row a message, by its seq."""
THREAD_WORDS: Final = table("thread_search", column("rowid"))
"""One row a thread, by its id."""


class Words(NamedTuple):
    """A search, as the engine is asked it of messages and of threads."""

    in_messages: str
    in_threads: str


def words_of(mailbox_id: int | None, text: str) -> Words | None:
    """The questions for what was typed; `None`: nothing that could be found was.

    Without a mailbox they are asked of everybody's messages.
    Any text is literal: each word is quoted, a trailing `*` alone has a meaning.
    """
    terms = search_terms(text)
    if not terms:
        return None
    words = " AND ".join(map(_quoted, terms))
    own = "" if mailbox_id is None else f'mailboxes : "m{mailbox_id}" AND '
    return Words(
        in_messages=f"{own}{{subject body}} : ({words})",
        in_threads=f"{own}{{title description}} : ({words})",
    )


def holds_message_words() -> ColumnElement[bool]:
    """That a row of `MESSAGE_WORDS` answers `in_messages`."""
    return literal_column("message_search").op("MATCH")(bindparam("in_messages"))


def holds_thread_words() -> ColumnElement[bool]:
    """That a row of `THREAD_WORDS` answers `in_threads`."""
    return literal_column("thread_search").op("MATCH")(bindparam("in_threads"))


def found_threads() -> CompoundSelect[int]:
    """The threads that hold the words, by internal id, in their names or in a message of `of`'s."""
    by_message = (
        select(message.c.thread_id)
        .select_from(
            # The sum keeps the engine from asking the index once for each message.
            MESSAGE_WORDS.join(message, message.c.seq == MESSAGE_WORDS.c.rowid + 0).join(
                delivery, delivery.c.seq == message.c.seq
            )
        )
        .where(holds_message_words(), delivery.c.mailbox_id == bindparam("of"))
    )
    return select(THREAD_WORDS.c.rowid).where(holds_thread_words()).union(by_message)


def _quoted(term: SearchTerm) -> str:
    phrase = '"' + " ".join(term.tokens) + '"'
    return phrase + " *" if term.prefix else phrase
