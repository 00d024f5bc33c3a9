"""What a database stores twice, counted anew: no counter and no search row may be off."""

from typing import Any

from sqlalchemy import Connection

_QUERIES: dict[str, tuple[str, str]] = {
    "folder_count": (
        "SELECT mailbox_id, folder_id, total, unread FROM folder_count WHERE total != 0",
        "SELECT mailbox_id, folder_id, count(*), count(*) - count(read_at) FROM delivery"
        " GROUP BY mailbox_id, folder_id",
    ),
    "no unread beyond the total, and nothing below zero": (
        "SELECT * FROM folder_count WHERE unread > total OR unread < 0",
        "SELECT 1 WHERE 0",
    ),
    "thread_member": (
        "SELECT mailbox_id, thread_id, message_count, unread_count, last_seq, priority"
        " FROM thread_member",
        "SELECT mailbox_id, thread_id, count(*), count(*) - count(read_at), max(seq),"
        " max(priority) FROM delivery JOIN message USING (seq) GROUP BY mailbox_id, thread_id",
    ),
    "mailbox.thread_count": (
        "SELECT id, thread_count FROM mailbox WHERE thread_count != 0",
        "SELECT mailbox_id, count(DISTINCT thread_id) FROM delivery JOIN message USING (seq)"
        " GROUP BY mailbox_id",
    ),
    "mailbox.sent_count and received_count": (
        "SELECT id, sent_count, received_count FROM mailbox WHERE sent_count + received_count != 0",
        "SELECT mailbox_id, count(*) FILTER (WHERE role = 0), count(*) FILTER (WHERE role = 1)"
        " FROM delivery GROUP BY mailbox_id",
    ),
    "mailboxes that are gone, while a thread shows their names": (
        "SELECT id FROM mailbox WHERE deleted_at IS NOT NULL",
        "SELECT id FROM mailbox WHERE deleted_at IS NOT NULL AND id IN"
        " (SELECT opener_id FROM thread UNION SELECT other_id FROM thread)",
    ),
    "messages of other mailboxes than their thread's": (
        "SELECT seq FROM message JOIN thread ON thread.id = thread_id"
        " WHERE min(sender_id, recipient_id) != min(opener_id, other_id)"
        " OR max(sender_id, recipient_id) != max(opener_id, other_id)",
        "SELECT 1 WHERE 0",
    ),
    "messages that somebody has": (
        "SELECT seq FROM message",
        "SELECT DISTINCT seq FROM delivery",
    ),
    "threads that hold something": (
        "SELECT id FROM thread",
        "SELECT DISTINCT thread_id FROM message",
    ),
    "trails, of one side while the other has its copy": (
        "SELECT seq, mailbox_id, role FROM removed_delivery",
        "SELECT seq, sender_id, 0 FROM message WHERE NOT EXISTS (SELECT 1 FROM delivery"
        " WHERE mailbox_id = sender_id AND seq = message.seq) UNION ALL"
        " SELECT seq, recipient_id, 1 FROM message WHERE NOT EXISTS (SELECT 1 FROM delivery"
        " WHERE mailbox_id = recipient_id AND seq = message.seq)",
    ),
    "files": (
        "SELECT seq, attachment_count FROM message WHERE attachment_count != 0",
        "SELECT seq, count(*) FROM attachment GROUP BY seq",
    ),
    "pieces of files": (
        "SELECT DISTINCT attachment_id FROM attachment_chunk",
        "SELECT id FROM attachment WHERE size_bytes > 0",
    ),
    "time in the trash": (
        "SELECT mailbox_id, seq FROM delivery WHERE trashed_at IS NOT NULL",
        "SELECT mailbox_id, seq FROM delivery WHERE folder_id = 4",
    ),
    "searchable threads that are gone": (
        "SELECT rowid FROM thread_search WHERE rowid NOT IN (SELECT id FROM thread)",
        "SELECT 1 WHERE 0",
    ),
    "broken references": ("PRAGMA foreign_key_check", "SELECT 1 WHERE 0"),
}
"""What is stored, and what it must be."""


def faults(connection: Connection) -> list[str]:
    """What is stored wrongly, in words; empty: everything adds up."""
    found = []
    for name, (stored, counted) in _QUERIES.items():
        is_there, should_be = _rows(connection, stored), _rows(connection, counted)
        if is_there != should_be:
            found.append(f"{name}: {is_there} is stored, {should_be} would be right")
    found += _search_faults(connection)
    return found


def _search_faults(connection: Connection) -> list[str]:
    """Rows of the search that name other mailboxes than those that have the message."""
    holders: dict[int, set[str]] = {}
    for mailbox_id, seq in _rows(connection, "SELECT mailbox_id, seq FROM delivery"):
        holders.setdefault(seq, set()).add(f"m{mailbox_id}")
    rows = _rows(connection, "SELECT rowid, mailboxes FROM message_search")
    searchable = {seq: set(tokens.split()) for seq, tokens in rows}
    # The words of the index itself, not only the texts it keeps.
    for table in ("message_search", "thread_search"):
        connection.exec_driver_sql(f"INSERT INTO {table}({table}) VALUES ('integrity-check')")
    if searchable == holders:
        return []
    return [f"searchable: {searchable} is stored, {holders} would be right"]


def _rows(
    connection: Connection, query: str
) -> list[tuple[Any, ...]]:  # Any: columns of several types
    return sorted(tuple(row) for row in connection.exec_driver_sql(query))
