"""The whole schema.

Revises: nothing.
"""

import sqlalchemy as sa
from alembic import op

from messenger_core import __version__
from messenger_core.schema import SEARCH_DDL, SYSTEM_FOLDER_IDS
from messenger_core.times import now_ms

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Creates every table, the full-text indexes and the rows that all mailboxes share."""
    _create_tables()
    for statement in SEARCH_DDL[op.get_bind().dialect.name]:
        op.execute(statement)
    _write_first_rows()


def downgrade() -> None:
    """Refused: restore a backup instead."""
    raise NotImplementedError("a Messenger database is not downgraded: restore a backup")


def _write_first_rows() -> None:
    connection = op.get_bind()
    connection.execute(
        sa.text("INSERT INTO installation VALUES (1, :at, :version, :version)"),
        {"at": now_ms(), "version": __version__},
    )
    connection.execute(sa.text("INSERT INTO counter (id, seq, change) VALUES (1, 0, 0)"))
    for name, folder_id in SYSTEM_FOLDER_IDS.items():
        connection.execute(
            sa.text("INSERT INTO folder (id, name, name_folded) VALUES (:id, :name, :name)"),
            {"id": folder_id, "name": name},
        )
    if connection.dialect.name == "postgresql":
        connection.execute(
            sa.text("SELECT setval(pg_get_serial_sequence('folder', 'id'), :last)"),
            {"last": max(SYSTEM_FOLDER_IDS.values())},
        )


def _partial_index(table: str, name: str, columns: list[str], where: str) -> None:
    op.create_index(
        f"ix_{table}_{name}",
        table,
        columns,
        unique=False,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )


def _create_tables() -> None:
    op.create_table(
        "account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("username", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_account_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account")),
    )
    op.create_table(
        "api_key",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("start", sa.Text(), nullable=False),
        sa.Column("end", sa.Text(), nullable=False),
        sa.Column("agent_name", sa.Text(), nullable=True),
        sa.Column("agent_slug", sa.Text(), nullable=True),
        sa.Column("agent_description", sa.Text(), nullable=True),
        sa.Column("can_send", sa.Boolean(), nullable=False),
        sa.Column("vendor", sa.Text(), nullable=True),
        sa.Column("relay", sa.Boolean(), nullable=False),
        sa.Column("lifetime_days", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.Column("replaced_by_id", ROW_ID, nullable=True),
        sa.Column("accepted_until", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["replaced_by_id"], ["api_key.id"], name=op.f("fk_api_key_replaced_by_id_api_key")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_key")),
        sa.UniqueConstraint("fingerprint", name=op.f("uq_api_key_fingerprint")),
        sa.UniqueConstraint("public_id", name=op.f("uq_api_key_public_id")),
    )
    op.create_index(op.f("ix_api_key_agent_slug"), "api_key", ["agent_slug"], unique=False)
    op.create_table(
        "audit",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=True),
        sa.Column("session", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_at"), "audit", ["at"], unique=False)
    op.create_table(
        "console_session",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("remembered", sa.Boolean(), nullable=False),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("user_agent", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_console_session")),
        sa.UniqueConstraint("fingerprint", name=op.f("uq_console_session_fingerprint")),
        sa.UniqueConstraint("public_id", name=op.f("uq_console_session_public_id")),
    )
    op.create_table(
        "counter",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("change", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_counter_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_counter")),
    )
    op.create_table(
        "installation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("upgraded_by", sa.Text(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_installation_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_installation")),
    )
    op.create_table(
        "link",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_link")),
        sa.UniqueConstraint("public_id", name=op.f("uq_link_public_id")),
        sa.UniqueConstraint("seq", name=op.f("uq_link_seq")),
    )
    op.create_table(
        "mailbox",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("agent_name", sa.Text(), nullable=True),
        sa.Column("agent_description", sa.Text(), nullable=True),
        sa.Column("agent_bound", sa.Boolean(), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("api_key_id", ROW_ID, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=True),
        sa.Column("last_activity_at", sa.BigInteger(), nullable=True),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.Column("thread_count", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("sent_count", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("received_count", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["api_key_id"], ["api_key.id"], name=op.f("fk_mailbox_api_key_id_api_key")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mailbox")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_mailbox_agent_name", "mailbox", ["agent_name"], unique=False)
    op.create_index(op.f("ix_mailbox_api_key_id"), "mailbox", ["api_key_id"], unique=False)
    op.create_index(
        "uq_mailbox_living_address",
        "mailbox",
        ["address"],
        unique=True,
        sqlite_where=sa.text("deleted_at IS NULL"),
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_table(
        "claimed_name",
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("mailbox_id", ROW_ID, nullable=False),
        sa.Column("agent_name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mailbox_id"], ["mailbox.id"], name=op.f("fk_claimed_name_mailbox_id_mailbox")
        ),
        sa.PrimaryKeyConstraint("slug", name=op.f("pk_claimed_name")),
        sa.UniqueConstraint("mailbox_id", name=op.f("uq_claimed_name_mailbox_id")),
    )
    op.create_table(
        "folder",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("mailbox_id", ROW_ID, nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_folded", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["mailbox_id"], ["mailbox.id"], name=op.f("fk_folder_mailbox_id_mailbox")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_folder")),
        sa.UniqueConstraint(
            "mailbox_id", "name_folded", name=op.f("uq_folder_mailbox_id_name_folded")
        ),
    )
    op.create_table(
        "idempotency",
        sa.Column("mailbox_id", ROW_ID, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("recipient_never_connected", sa.Boolean(), nullable=False),
        sa.Column("recipient_watcher_armed", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mailbox_id"], ["mailbox.id"], name=op.f("fk_idempotency_mailbox_id_mailbox")
        ),
        sa.PrimaryKeyConstraint("mailbox_id", "key", name=op.f("pk_idempotency")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_idempotency_created_at"), "idempotency", ["created_at"], unique=False)
    op.create_table(
        "link_side",
        sa.Column("mailbox_id", ROW_ID, nullable=False),
        sa.Column("other_id", ROW_ID, nullable=False),
        sa.Column("link_id", ROW_ID, nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["link_id"], ["link.id"], name=op.f("fk_link_side_link_id_link")),
        sa.ForeignKeyConstraint(
            ["mailbox_id"], ["mailbox.id"], name=op.f("fk_link_side_mailbox_id_mailbox")
        ),
        sa.ForeignKeyConstraint(
            ["other_id"], ["mailbox.id"], name=op.f("fk_link_side_other_id_mailbox")
        ),
        sa.PrimaryKeyConstraint("mailbox_id", "other_id", name=op.f("pk_link_side")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_link_side_link_id"), "link_side", ["link_id"], unique=False)
    op.create_table(
        "presence",
        sa.Column("mailbox_id", ROW_ID, nullable=False),
        sa.Column("process", sa.Text(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("waiting", sa.Boolean(), nullable=False),
        sa.Column("armed_until", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mailbox_id"], ["mailbox.id"], name=op.f("fk_presence_mailbox_id_mailbox")
        ),
        sa.PrimaryKeyConstraint("mailbox_id", "process", name=op.f("pk_presence")),
    )
    op.create_table(
        "thread",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("slug", sa.Text(), server_default="n2n", nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("named_by_id", ROW_ID, nullable=True),
        sa.Column("opener_id", ROW_ID, nullable=False),
        sa.Column("other_id", ROW_ID, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["opener_id"], ["mailbox.id"], name=op.f("fk_thread_opener_id_mailbox")
        ),
        sa.ForeignKeyConstraint(
            ["other_id"], ["mailbox.id"], name=op.f("fk_thread_other_id_mailbox")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_thread")),
        sa.UniqueConstraint("public_id", name=op.f("uq_thread_public_id")),
    )
    op.create_index(
        "ix_thread_opener_id_other_id", "thread", ["opener_id", "other_id"], unique=False
    )
    op.create_index(
        "ix_thread_other_id_opener_id", "thread", ["other_id", "opener_id"], unique=False
    )
    op.create_table(
        "folder_count",
        sa.Column("mailbox_id", ROW_ID, nullable=False),
        sa.Column("folder_id", ROW_ID, nullable=False),
        sa.Column("total", sa.BigInteger(), nullable=False),
        sa.Column("unread", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["folder_id"], ["folder.id"], name=op.f("fk_folder_count_folder_id_folder")
        ),
        sa.ForeignKeyConstraint(
            ["mailbox_id"], ["mailbox.id"], name=op.f("fk_folder_count_mailbox_id_mailbox")
        ),
        sa.PrimaryKeyConstraint("mailbox_id", "folder_id", name=op.f("pk_folder_count")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "message",
        sa.Column("seq", ROW_ID, autoincrement=False, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("thread_id", ROW_ID, nullable=False),
        sa.Column("sender_id", ROW_ID, nullable=False),
        sa.Column("recipient_id", ROW_ID, nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("preview", sa.Text(), nullable=False),
        sa.Column("priority", sa.SmallInteger(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("correlation_id", sa.Text(), nullable=True),
        sa.Column("reply_to", sa.Text(), nullable=True),
        sa.Column("attachment_count", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("refs", sa.Text(), nullable=True),
        sa.Column("reply_to_address", sa.Text(), nullable=True),
        sa.Column("from_thread", sa.Text(), nullable=True),
        sa.Column("to_thread", sa.Text(), nullable=True),
        sa.Column("to_name", sa.Text(), nullable=True),
        sa.Column("hops", sa.Integer(), server_default="0", nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["recipient_id"], ["mailbox.id"], name=op.f("fk_message_recipient_id_mailbox")
        ),
        sa.ForeignKeyConstraint(
            ["thread_id"], ["thread.id"], name=op.f("fk_message_thread_id_thread")
        ),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_message")),
        sa.UniqueConstraint("public_id", name=op.f("uq_message_public_id")),
    )
    op.create_index("ix_message_thread_id_seq", "message", ["thread_id", "seq"], unique=False)
    op.create_index(
        "ix_message_recipient_id_sender_id_seq",
        "message",
        ["recipient_id", "sender_id", "seq"],
        unique=False,
    )
    _partial_index("message", "high", ["seq"], "priority >= 2")
    op.create_table(
        "thread_member",
        sa.Column("mailbox_id", ROW_ID, nullable=False),
        sa.Column("thread_id", ROW_ID, nullable=False),
        sa.Column("message_count", sa.BigInteger(), nullable=False),
        sa.Column("unread_count", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("priority", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mailbox_id"], ["mailbox.id"], name=op.f("fk_thread_member_mailbox_id_mailbox")
        ),
        sa.ForeignKeyConstraint(
            ["thread_id"], ["thread.id"], name=op.f("fk_thread_member_thread_id_thread")
        ),
        sa.PrimaryKeyConstraint("mailbox_id", "thread_id", name=op.f("pk_thread_member")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_thread_member_mailbox_id_last_seq",
        "thread_member",
        ["mailbox_id", "last_seq"],
        unique=False,
    )
    op.create_index("ix_thread_member_thread_id", "thread_member", ["thread_id"], unique=False)
    op.create_index("ix_thread_member_last_seq", "thread_member", ["last_seq"], unique=False)
    _partial_index("thread_member", "high", ["thread_id"], "priority >= 2")
    op.create_index(
        "ix_thread_member_unread",
        "thread_member",
        ["mailbox_id", "last_seq"],
        unique=False,
        sqlite_where=sa.text("unread_count > 0"),
        postgresql_where=sa.text("unread_count > 0"),
    )
    op.create_table(
        "attachment",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("seq", ROW_ID, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("mime_type", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["seq"], ["message.seq"], name=op.f("fk_attachment_seq_message")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attachment")),
        sa.UniqueConstraint("public_id", name=op.f("uq_attachment_public_id")),
        sa.UniqueConstraint("seq", "position", name=op.f("uq_attachment_seq_position")),
    )
    op.create_table(
        "delivery",
        sa.Column("mailbox_id", ROW_ID, nullable=False),
        sa.Column("seq", ROW_ID, nullable=False),
        sa.Column("folder_id", ROW_ID, nullable=False),
        sa.Column("role", sa.SmallInteger(), nullable=False),
        sa.Column("announced_at", sa.BigInteger(), nullable=True),
        sa.Column("read_at", sa.BigInteger(), nullable=True),
        sa.Column("flagged", sa.Boolean(), nullable=False),
        sa.Column("trashed_at", sa.BigInteger(), nullable=True),
        sa.Column("failed_at", sa.BigInteger(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["folder_id"], ["folder.id"], name=op.f("fk_delivery_folder_id_folder")
        ),
        sa.ForeignKeyConstraint(
            ["mailbox_id"], ["mailbox.id"], name=op.f("fk_delivery_mailbox_id_mailbox")
        ),
        sa.ForeignKeyConstraint(["seq"], ["message.seq"], name=op.f("fk_delivery_seq_message")),
        sa.PrimaryKeyConstraint("mailbox_id", "seq", name=op.f("pk_delivery")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_delivery_folder_id_mailbox_id_seq",
        "delivery",
        ["folder_id", "mailbox_id", "seq"],
        unique=False,
    )
    op.create_index("ix_delivery_seq", "delivery", ["seq"], unique=False)
    _partial_index(
        "delivery",
        "sent_unread",
        ["mailbox_id", "seq", "role", "read_at"],
        "read_at IS NULL AND role = 0",
    )
    _partial_index(
        "delivery",
        "announced_unread",
        ["announced_at", "seq"],
        "announced_at IS NOT NULL AND read_at IS NULL",
    )
    op.create_index(
        "ix_delivery_trashed_at",
        "delivery",
        ["trashed_at"],
        unique=False,
        sqlite_where=sa.text("trashed_at IS NOT NULL"),
        postgresql_where=sa.text("trashed_at IS NOT NULL"),
    )
    op.create_index(
        "ix_delivery_unread",
        "delivery",
        ["mailbox_id", "seq", "folder_id", "read_at"],
        unique=False,
        sqlite_where=sa.text("read_at IS NULL"),
        postgresql_where=sa.text("read_at IS NULL"),
    )
    op.create_table(
        "removed_delivery",
        sa.Column("seq", ROW_ID, nullable=False),
        sa.Column("mailbox_id", ROW_ID, nullable=False),
        sa.Column("role", sa.SmallInteger(), nullable=False),
        sa.Column("announced_at", sa.BigInteger(), nullable=True),
        sa.Column("read_at", sa.BigInteger(), nullable=True),
        sa.Column("removed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mailbox_id"], ["mailbox.id"], name=op.f("fk_removed_delivery_mailbox_id_mailbox")
        ),
        sa.ForeignKeyConstraint(
            ["seq"], ["message.seq"], name=op.f("fk_removed_delivery_seq_message")
        ),
        sa.PrimaryKeyConstraint("seq", "mailbox_id", name=op.f("pk_removed_delivery")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_removed_delivery_mailbox_id", "removed_delivery", ["mailbox_id"], unique=False
    )
    op.create_table(
        "attachment_chunk",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("attachment_id", ROW_ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["attachment_id"],
            ["attachment.id"],
            name=op.f("fk_attachment_chunk_attachment_id_attachment"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attachment_chunk")),
        sa.UniqueConstraint(
            "attachment_id", "number", name=op.f("uq_attachment_chunk_attachment_id_number")
        ),
    )
