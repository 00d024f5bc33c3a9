"""The floor of `store_c32`: the rows of a send through bare `sqlite3`, one a transaction, FULL.

    python -m tools.bench.floor_sqlite DATABASE MAILBOXES SENDS

prints the seconds it took. The checks and rows are those of a send that opens a thread and carries
an Idempotency-Key.
"""

import sqlite3
import sys
import time
from typing import Final

from messenger_core import ids
from messenger_core.folding import fold
from messenger_core.times import now_ms
from tools.bench.texts import Writer

_READS: Final = (
    "SELECT fingerprint, message_id FROM idempotency WHERE mailbox_id = :sender AND key = :key",
    "SELECT id, last_seen_at FROM mailbox WHERE id = :recipient AND deleted_at IS NULL",
)
_SEQ: Final = "SELECT seq + 1 FROM counter"
_WRITES: Final = (
    "INSERT INTO thread (id, public_id, subject, opener_id, other_id, created_at)"
    " VALUES (:seq, :thread, :subject, :sender, :recipient, :at)",
    "INSERT INTO message (seq, public_id, thread_id, sender_id, recipient_id, subject, preview,"
    " priority, type, attachment_count, created_at, body) VALUES (:seq, :message, :seq, :sender,"
    " :recipient, :subject, :preview, 1, 'message', 0, :at, :body)",
    "INSERT INTO delivery (mailbox_id, seq, folder_id, role, read_at, flagged)"
    " VALUES (:sender, :seq, 2, 0, :at, 0), (:recipient, :seq, 1, 1, NULL, 0)",
    "INSERT INTO thread_member (mailbox_id, thread_id, message_count, unread_count, last_seq,"
    " priority) VALUES (:sender, :seq, 1, 0, :seq, 1), (:recipient, :seq, 1, 1, :seq, 1)",
    "INSERT INTO folder_count (mailbox_id, folder_id, total, unread)"
    " VALUES (:sender, 2, 1, 0), (:recipient, 1, 1, 1) ON CONFLICT DO UPDATE"
    " SET total = total + excluded.total, unread = unread + excluded.unread",
    "UPDATE mailbox SET last_activity_at = :at WHERE id IN (:sender, :recipient)",
    "INSERT INTO idempotency VALUES (:sender, :key, :key, :message, 0, 0, :at)",
    "UPDATE counter SET seq = :seq, change = change + 1",
    "INSERT INTO message_search (rowid, mailboxes, subject, body)"
    " VALUES (:seq, :tokens, :folded_subject, :folded_body)",
)


def main(database: str, mailboxes: int, sends: int) -> float:
    """Writes this many sends; seconds."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")
    writer = Writer()
    texts = [(writer.subject(), writer.body(1000)) for _ in range(64)]
    begin = time.perf_counter()
    for number in range(sends):
        subject, body = texts[number % len(texts)]
        sender = 1 + number % mailboxes
        _send(connection, number, sender, 1 + sender % mailboxes, subject, body)
    return time.perf_counter() - begin


def _send(
    connection: sqlite3.Connection,
    number: int,
    sender: int,
    recipient: int,
    subject: str,
    body: str,
) -> None:
    values: dict[str, object] = {
        "sender": sender,
        "recipient": recipient,
        "key": f"{number:016d}",
        "subject": subject,
        "body": body,
        "preview": body[:200],
        "message": ids.new_message_id(),
        "thread": ids.new_thread_id(),
        "tokens": f"m{sender} m{recipient}",
        "folded_subject": fold(subject),
        "folded_body": fold(body),
        "at": now_ms(),
    }
    connection.execute("BEGIN IMMEDIATE")
    for statement in _READS:
        connection.execute(statement, values).fetchone()
    (values["seq"],) = connection.execute(_SEQ).fetchone()
    for statement in _WRITES:
        connection.execute(statement, values)
    connection.execute("COMMIT")


if __name__ == "__main__":
    print(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
