"""The tables of the product, for SQLite and PostgreSQL alike (SQLAlchemy Core).

Times are integers of milliseconds since 1970 (UTC), named `…_at`. Rows are keyed by internal
numbers; the identifiers that the outside sees stand in `public_id` and `address`. A message is
keyed by its `seq`, its number on this server. Full-text search is not a table that SQLAlchemy
knows: its statements stand at the end, one set for each engine.
"""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Named,
    SmallInteger,
    Table,
    Text,
    TypedColumns,
    UniqueConstraint,
    text,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateIndex
from sqlalchemy.sql.compiler import DDLCompiler

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


@compiles(CreateIndex, "postgresql")
def _create_index(
    create: CreateIndex,
    compiler: DDLCompiler,
    **options: Any,  # as the compiler hands them on
) -> str:
    """The statement for PostgreSQL, where an index is as partial as on SQLite.

    An index that said so itself would load the whole dialect into every server: 2.4 MB.
    """
    index = create.element
    index.dialect_options["postgresql"]["where"] = index.dialect_options["sqlite"]["where"]
    sql: str = compiler.visit_create_index(create, **options)  # type: ignore[no-untyped-call] # SQLAlchemy's
    return sql


RowId = BigInteger().with_variant(Integer, "sqlite")
"""A 64-bit key; on SQLite the type name that makes it the row's own number."""

INBOX: Final = 1
SENT: Final = 2
ARCHIVE: Final = 3
TRASH: Final = 4
"""The rows of `folder` that every mailbox shares; the first migration writes them."""
SYSTEM_FOLDER_IDS: Final = {"inbox": INBOX, "sent": SENT, "archive": ARCHIVE, "trash": TRASH}

SENDER: Final = 0
RECIPIENT: Final = 1
"""Values of `delivery.role`."""

APPLICATION_ID: Final = 0x4D534752
"""`PRAGMA application_id` of our SQLite files (the letters MSGR)."""


class InstallationColumns(TypedColumns):
    """One row: which version made and last upgraded this database."""

    id = Column(Integer, primary_key=True)
    created_at: Named[int] = Column(BigInteger)
    created_by: Named[str] = Column(Text)
    upgraded_by: Named[str] = Column(Text)
    """The version of messenger-core that ran the newest migration: what a refusal names."""


installation = Table(
    "installation", metadata, InstallationColumns, CheckConstraint("id = 1", name="one_row")
)


class CounterColumns(TypedColumns):
    """One row: the numbers that every writing transaction may raise, and takes its turn on."""

    id = Column(Integer, primary_key=True)
    seq: Named[int] = Column(BigInteger)
    """The newest number given to a message or link."""
    change: Named[int] = Column(BigInteger)
    """Raised once by each transaction that changed what the console shows."""


counter = Table("counter", metadata, CounterColumns, CheckConstraint("id = 1", name="one_row"))


class ApiKeyColumns(TypedColumns):
    """API keys; of the secret only its SHA-256. The state is computed, never stored."""

    id = Column(RowId, primary_key=True)
    public_id: Named[str] = Column(Text, unique=True)
    name: Named[str] = Column(Text)
    fingerprint: Named[str] = Column(Text, unique=True)
    """SHA-256 of the secret, in hexadecimal."""
    start: Named[str] = Column(Text)
    end: Named[str] = Column(Text)
    agent_name: Named[str | None] = Column(Text)
    """The agent whose mailboxes it opens; null: every mailbox."""
    agent_slug: Named[str | None] = Column(Text, index=True)
    """The address that a bound key reserves for its agent."""
    agent_description: Named[str | None] = Column(Text)
    can_send: Named[bool] = Column(Boolean)
    vendor: Named[str | None] = Column(Text)
    relay: Named[bool] = Column(Boolean)
    lifetime_days: Named[int | None] = Column(Integer)
    """Null: no end. What a replacement gets again."""
    created_at: Named[int] = Column(BigInteger)
    expires_at: Named[int | None] = Column(BigInteger)
    last_used_at: Named[int | None] = Column(BigInteger)
    revoked_at: Named[int | None] = Column(BigInteger)
    replaced_by_id: Named[int | None] = Column(RowId, ForeignKey("api_key.id"))
    accepted_until: Named[int | None] = Column(BigInteger)
    """A replaced key is good until then."""


api_key = Table("api_key", metadata, ApiKeyColumns)


class MailboxColumns(TypedColumns):
    """Mailboxes; a deleted one stays as long as a message shows its names."""

    id = Column(RowId, primary_key=True)
    address: Named[str] = Column(Text)
    """Unique among the living: a purged fixed address may live again as a new row."""
    agent_name: Named[str | None] = Column(Text)
    agent_description: Named[str | None] = Column(Text)
    agent_bound: Named[bool] = Column(Boolean)
    """A bound key gave the agent: another value is a conflict."""
    display_name: Named[str | None] = Column(Text)
    description: Named[str | None] = Column(Text)
    api_key_id: Named[int | None] = Column(RowId, ForeignKey("api_key.id"), index=True)
    """The key that registered it last."""
    created_at: Named[int] = Column(BigInteger)
    last_seen_at: Named[int | None] = Column(BigInteger)
    """Null: never connected."""
    last_activity_at: Named[int | None] = Column(BigInteger)
    """The last send or receive."""
    deleted_at: Named[int | None] = Column(BigInteger)
    thread_count: Named[int] = Column(BigInteger, server_default="0")
    """How many threads it has copies of: the total of their list."""
    sent_count: Named[int] = Column(BigInteger, server_default="0")
    """How many copies it has of what it sent."""
    received_count: Named[int] = Column(BigInteger, server_default="0")
    """How many copies it has of what it received."""


mailbox = Table(
    "mailbox",
    metadata,
    MailboxColumns,
    Index(
        "uq_mailbox_living_address",
        "address",
        unique=True,
        sqlite_where=text("deleted_at IS NULL"),
    ),
    Index("ix_mailbox_agent_name", "agent_name"),
    sqlite_autoincrement=True,  # a number never returns: search tokens and presence name it
)


class FolderColumns(TypedColumns):
    """Folders: four rows without mailbox that all share, and each mailbox's own."""

    id = Column(RowId, primary_key=True)
    mailbox_id: Named[int | None] = Column(RowId, ForeignKey("mailbox.id"))
    """Null: a system folder."""
    name: Named[str] = Column(Text)
    name_folded: Named[str] = Column(Text)
    """What makes it unique: the name without case."""
    created_at: Named[int | None] = Column(BigInteger)


folder = Table("folder", metadata, FolderColumns, UniqueConstraint("mailbox_id", "name_folded"))


class FolderCountColumns(TypedColumns):
    """What a folder of a mailbox holds; no row: nothing yet."""

    mailbox_id = Column(RowId, ForeignKey("mailbox.id"), primary_key=True)
    folder_id = Column(RowId, ForeignKey("folder.id"), primary_key=True)
    total: Named[int] = Column(BigInteger)
    unread: Named[int] = Column(BigInteger)


folder_count = Table("folder_count", metadata, FolderCountColumns, sqlite_with_rowid=False)


class ThreadColumns(TypedColumns):
    """Conversations of two mailboxes."""

    id = Column(RowId, primary_key=True)
    public_id: Named[str] = Column(Text, unique=True)
    slug: Named[str] = Column(Text, server_default="n2n")
    """The label of the open protocol; several threads may carry the same."""
    subject: Named[str] = Column(Text)
    """Of the opening message: the title until somebody names the thread."""
    title: Named[str | None] = Column(Text)
    description: Named[str | None] = Column(Text)
    named_by_id: Named[int | None] = Column(RowId)
    """One of the two below. Without a foreign key: whoever deletes a mailbox is spared a look at
    every thread there is."""
    opener_id: Named[int] = Column(RowId, ForeignKey("mailbox.id"))
    other_id: Named[int] = Column(RowId, ForeignKey("mailbox.id"))
    created_at: Named[int] = Column(BigInteger)


thread = Table(
    "thread",
    metadata,
    ThreadColumns,
    # Both ways round: the threads of one pair are found without reading those of a busy mailbox.
    Index("ix_thread_opener_id_other_id", "opener_id", "other_id"),
    Index("ix_thread_other_id_opener_id", "other_id", "opener_id"),
)


class ThreadMemberColumns(TypedColumns):
    """A thread as one of its mailboxes sees it: facts of its existing copies."""

    mailbox_id = Column(RowId, ForeignKey("mailbox.id"), primary_key=True)
    thread_id = Column(RowId, ForeignKey("thread.id"), primary_key=True)
    message_count: Named[int] = Column(BigInteger)
    unread_count: Named[int] = Column(BigInteger)
    last_seq: Named[int] = Column(BigInteger)
    """The newest copy: what orders the threads of a mailbox."""
    priority: Named[int] = Column(SmallInteger)
    """The highest of its copies, 0 (low) to 3 (urgent)."""


thread_member = Table(
    "thread_member",
    metadata,
    ThreadMemberColumns,
    Index("ix_thread_member_mailbox_id_last_seq", "mailbox_id", "last_seq"),
    Index("ix_thread_member_thread_id", "thread_id"),
    # Orders the threads of the whole server.
    Index("ix_thread_member_last_seq", "last_seq"),
    Index(
        "ix_thread_member_unread",
        "mailbox_id",
        "last_seq",
        sqlite_where=text("unread_count > 0"),
    ),
    Index("ix_thread_member_high", "thread_id", sqlite_where=text("priority >= 2")),
    sqlite_with_rowid=False,
)


class MessageColumns(TypedColumns):
    """Messages: what never changes once accepted."""

    seq = Column(RowId, primary_key=True, autoincrement=False)
    """Its number on this server, increasing in commit order."""
    public_id: Named[str] = Column(Text, unique=True)
    thread_id: Named[int] = Column(RowId, ForeignKey("thread.id"))
    sender_id: Named[int] = Column(RowId)
    """Without a foreign key, as is who named a thread: its thread has one to the same mailbox."""
    recipient_id: Named[int] = Column(RowId, ForeignKey("mailbox.id"))
    subject: Named[str] = Column(Text)
    preview: Named[str] = Column(Text)
    priority: Named[int] = Column(SmallInteger)
    """0 (low) to 3 (urgent)."""
    type: Named[str] = Column(Text)
    correlation_id: Named[str | None] = Column(Text)
    reply_to: Named[str | None] = Column(Text)
    """The public id of the original, kept without a foreign key: it may go before the answer."""
    attachment_count: Named[int] = Column(Integer)
    created_at: Named[int] = Column(BigInteger)
    refs: Named[str | None] = Column(Text)
    """Open protocol: a JSON list of texts."""
    reply_to_address: Named[str | None] = Column(Text)
    """Open protocol: where an answer goes."""
    from_thread: Named[str | None] = Column(Text)
    to_thread: Named[str | None] = Column(Text)
    """Open protocol: a conversation in the vendor's own program."""
    to_name: Named[str | None] = Column(Text)
    """Open protocol: the name that a relayed message was written to."""
    hops: Named[int] = Column(Integer, server_default="0")
    """How many bridges it passed: what stops two of them from talking for ever."""
    body: Named[str] = Column(Text)
    """Last, so that reading the other columns of a long message touches no further page."""


message = Table(
    "message",
    metadata,
    MessageColumns,
    Index("ix_message_thread_id_seq", "thread_id", "seq"),
    # What one mailbox got from another, newest first.
    Index("ix_message_recipient_id_sender_id_seq", "recipient_id", "sender_id", "seq"),
    Index("ix_message_high", "seq", sqlite_where=text("priority >= 2")),
)


class DeliveryColumns(TypedColumns):
    """Copies: one row for each mailbox that still has the message."""

    mailbox_id = Column(RowId, ForeignKey("mailbox.id"), primary_key=True)
    seq = Column(RowId, ForeignKey("message.seq"), primary_key=True)
    folder_id: Named[int] = Column(RowId, ForeignKey("folder.id"))
    role: Named[int] = Column(SmallInteger)
    """0 sender, 1 recipient."""
    announced_at: Named[int | None] = Column(BigInteger)
    read_at: Named[int | None] = Column(BigInteger)
    flagged: Named[bool] = Column(Boolean)
    trashed_at: Named[int | None] = Column(BigInteger)
    failed_at: Named[int | None] = Column(BigInteger)
    failure: Named[str | None] = Column(Text)
    """Why a bridge gave up on handing it over."""


delivery = Table(
    "delivery",
    metadata,
    DeliveryColumns,
    # The folder first: whoever deletes one is spared a look at every copy there is.
    Index("ix_delivery_folder_id_mailbox_id_seq", "folder_id", "mailbox_id", "seq"),
    # Same for whoever deletes a message.
    Index("ix_delivery_seq", "seq"),
    # Holds all that a list of the unread asks for: SQLite prefers the table itself to an index that
    # does not, however much shorter it is.
    Index(
        "ix_delivery_unread",
        "mailbox_id",
        "seq",
        "folder_id",
        "read_at",
        sqlite_where=text("read_at IS NULL"),
    ),
    # Nearly empty: what a mailbox sent is born read.
    Index(
        "ix_delivery_sent_unread",
        "mailbox_id",
        "seq",
        "role",
        "read_at",
        sqlite_where=text("read_at IS NULL AND role = 0"),
    ),
    Index(
        "ix_delivery_announced_unread",
        "announced_at",
        "seq",
        sqlite_where=text("announced_at IS NOT NULL AND read_at IS NULL"),
    ),
    Index(
        "ix_delivery_trashed_at",
        "trashed_at",
        sqlite_where=text("trashed_at IS NOT NULL"),
    ),
    sqlite_with_rowid=False,
)


class RemovedDeliveryColumns(TypedColumns):
    """Copies that are gone while the other side keeps its own: what the trail still tells."""

    seq = Column(RowId, ForeignKey("message.seq"), primary_key=True)
    mailbox_id = Column(RowId, ForeignKey("mailbox.id"), primary_key=True)
    role: Named[int] = Column(SmallInteger)
    announced_at: Named[int | None] = Column(BigInteger)
    read_at: Named[int | None] = Column(BigInteger)
    removed_at: Named[int] = Column(BigInteger)


removed_delivery = Table(
    "removed_delivery",
    metadata,
    RemovedDeliveryColumns,
    Index("ix_removed_delivery_mailbox_id", "mailbox_id"),
    sqlite_with_rowid=False,
)


class AttachmentColumns(TypedColumns):
    """Files of messages; their bytes stand in `attachment_chunk`."""

    id = Column(RowId, primary_key=True)
    public_id: Named[str] = Column(Text, unique=True)
    seq: Named[int] = Column(RowId, ForeignKey("message.seq"))
    position: Named[int] = Column(Integer)
    filename: Named[str] = Column(Text)
    mime_type: Named[str] = Column(Text)
    size_bytes: Named[int] = Column(BigInteger)
    sha256: Named[str] = Column(Text)


attachment = Table("attachment", metadata, AttachmentColumns, UniqueConstraint("seq", "position"))


class AttachmentChunkColumns(TypedColumns):
    """The bytes of a file, in pieces of 256 kB."""

    id = Column(RowId, primary_key=True)
    attachment_id: Named[int] = Column(RowId, ForeignKey("attachment.id"))
    number: Named[int] = Column(Integer)
    content: Named[bytes] = Column(LargeBinary)


attachment_chunk = Table(
    "attachment_chunk",
    metadata,
    AttachmentChunkColumns,
    UniqueConstraint("attachment_id", "number"),
)


class LinkColumns(TypedColumns):
    """Relations between two mailboxes, made in the console."""

    id = Column(RowId, primary_key=True)
    public_id: Named[str] = Column(Text, unique=True)
    seq: Named[int] = Column(BigInteger, unique=True)
    """Of the messages' own series: a wait hands both over in one order."""
    note: Named[str | None] = Column(Text)
    created_at: Named[int] = Column(BigInteger)


link = Table("link", metadata, LinkColumns)


class LinkSideColumns(TypedColumns):
    """One row for each of the two mailboxes of a link."""

    mailbox_id = Column(RowId, ForeignKey("mailbox.id"), primary_key=True)
    other_id = Column(RowId, ForeignKey("mailbox.id"), primary_key=True)
    link_id: Named[int] = Column(RowId, ForeignKey("link.id"), index=True)
    received_at: Named[int | None] = Column(BigInteger)


link_side = Table("link_side", metadata, LinkSideColumns, sqlite_with_rowid=False)


class ClaimedNameColumns(TypedColumns):
    """Names that chats claimed; each points at a mailbox of its own."""

    slug = Column(Text, primary_key=True)
    name: Named[str] = Column(Text)
    mailbox_id: Named[int] = Column(RowId, ForeignKey("mailbox.id"), unique=True)
    agent_name: Named[str] = Column(Text)
    """The agent whose keys own it."""
    created_at: Named[int] = Column(BigInteger)
    last_seen_at: Named[int] = Column(BigInteger)


claimed_name = Table("claimed_name", metadata, ClaimedNameColumns)


class IdempotencyColumns(TypedColumns):
    """Sends that carried an Idempotency-Key, for a day; outlives its message on purpose."""

    mailbox_id = Column(RowId, ForeignKey("mailbox.id"), primary_key=True)
    key = Column(Text, primary_key=True)
    fingerprint: Named[str] = Column(Text)
    """SHA-256 of the decoded send."""
    message_id: Named[str] = Column(Text)
    """Public id, without a foreign key."""
    recipient_never_connected: Named[bool] = Column(Boolean)
    recipient_watcher_armed: Named[bool] = Column(Boolean)
    created_at: Named[int] = Column(BigInteger, index=True)


idempotency = Table("idempotency", metadata, IdempotencyColumns, sqlite_with_rowid=False)


class PresenceColumns(TypedColumns):
    """Who watches, where several server processes share a database."""

    mailbox_id = Column(RowId, ForeignKey("mailbox.id"), primary_key=True)
    process = Column(Text, primary_key=True)
    since: Named[int] = Column(BigInteger)
    waiting: Named[bool] = Column(Boolean)
    armed_until: Named[int] = Column(BigInteger)


presence = Table("presence", metadata, PresenceColumns)


class AccountColumns(TypedColumns):
    """One row: the console's account."""

    id = Column(Integer, primary_key=True)
    username: Named[str] = Column(Text)
    password_hash: Named[str] = Column(Text)
    created_at: Named[int] = Column(BigInteger)


account = Table("account", metadata, AccountColumns, CheckConstraint("id = 1", name="one_row"))


class ConsoleSessionColumns(TypedColumns):
    """Signed-in browsers; of the cookie only its SHA-256."""

    id = Column(RowId, primary_key=True)
    public_id: Named[str] = Column(Text, unique=True)
    fingerprint: Named[str] = Column(Text, unique=True)
    remembered: Named[bool] = Column(Boolean)
    address: Named[str | None] = Column(Text)
    user_agent: Named[str | None] = Column(Text)
    created_at: Named[int] = Column(BigInteger)
    last_seen_at: Named[int] = Column(BigInteger)
    expires_at: Named[int] = Column(BigInteger)


console_session = Table("console_session", metadata, ConsoleSessionColumns)


class AuditColumns(TypedColumns):
    """What was done with the console account; kept a year, never a secret."""

    id = Column(RowId, primary_key=True)
    at: Named[int] = Column(BigInteger, index=True)
    action: Named[str] = Column(Text)
    target: Named[str | None] = Column(Text)
    session: Named[str | None] = Column(Text)
    address: Named[str | None] = Column(Text)


audit = Table("audit", metadata, AuditColumns)


SEARCH_TABLES: Final = ("message_search", "thread_search")
"""Full-text indexes: a row a message (`seq`), a row a thread (its `id`), each with the tokens of
the mailboxes that may find it (`m12 m45`)."""

SEARCH_DDL: Final = {
    "sqlite": (
        "CREATE VIRTUAL TABLE message_search USING fts5("
        "mailboxes, subject, body, tokenize = 'unicode61 remove_diacritics 0')",
        "CREATE VIRTUAL TABLE thread_search USING fts5("
        "mailboxes, title, description, tokenize = 'unicode61 remove_diacritics 0')",
    ),
    "postgresql": (
        "CREATE TABLE message_search (seq BIGINT PRIMARY KEY, document TSVECTOR NOT NULL)",
        "CREATE INDEX ix_message_search_document ON message_search USING gin (document)",
        "CREATE TABLE thread_search (thread_id BIGINT PRIMARY KEY, document TSVECTOR NOT NULL)",
        "CREATE INDEX ix_thread_search_document ON thread_search USING gin (document)",
    ),
}
"""What creates them; what is written there has gone through `folding.index_text`."""
