"""Every numeric limit of the product, with its unit in the name.

Lengths of text count Unicode code points. One MB is 1 048 576 bytes.
"""

from typing import Final

MEGABYTE: Final = 1_048_576

# Text

ADDRESS_MAX_CHARS: Final = 64
"""The longest fixed address."""
SLUG_MAX_CHARS: Final = 96
"""The longest slug of a name."""
RECIPIENT_MAX_CHARS: Final = 320
"""The longest value of `to`."""
AGENT_NAME_MAX_CHARS: Final = 120
KEY_NAME_MAX_CHARS: Final = 120
VENDOR_MAX_CHARS: Final = 40
SUBJECT_MAX_CHARS: Final = 200
BODY_MAX_CHARS: Final = 256_000
THREAD_TITLE_MAX_CHARS: Final = 120
DISPLAY_NAME_MAX_CHARS: Final = 120
CLAIMED_NAME_MAX_CHARS: Final = 160
DESCRIPTION_MAX_CHARS: Final = 1000
NOTE_MAX_CHARS: Final = 1000
FOLDER_NAME_MAX_CHARS: Final = 60
SEARCH_MAX_CHARS: Final = 200
CORRELATION_ID_MAX_CHARS: Final = 128
IDEMPOTENCY_KEY_MAX_CHARS: Final = 128
FILENAME_MAX_CHARS: Final = 255
MIME_TYPE_MAX_CHARS: Final = 127
PREVIEW_MAX_CHARS: Final = 200
PREVIEW_SOURCE_CHARS: Final = 2000
"""A preview is made from this much of a body, so that a long one costs no more."""
USERNAME_MAX_CHARS: Final = 64
PASSWORD_MIN_CHARS: Final = 12
PASSWORD_MAX_CHARS: Final = 256

# Bodies

SEND_MAX_BYTES: Final = 40 * MEGABYTE
BODY_MAX_BYTES: Final = 2 * MEGABYTE
"""Any JSON request body other than that of a send."""
ATTACHMENT_MAX_BYTES: Final = 10 * MEGABYTE
ATTACHMENTS_MAX_BYTES: Final = 25 * MEGABYTE
ATTACHMENTS_MAX_COUNT: Final = 10
ATTACHMENT_CHUNK_BYTES: Final = 256 * 1024
THREAD_PAGE_MAX_BYTES: Final = MEGABYTE
"""A page of a thread ends when its bodies pass this much."""
LARGE_BODY_BYTES: Final = 64_000
"""A body over this is read in the pool of slow reads."""

# Pages and waits

PAGE_MAX_ROWS: Final = 200
PAGE_DEFAULT_ROWS: Final = 50
IDS_MAX_COUNT: Final = 500
"""How many messages one mark, move or delete may name."""
TOTAL_CAP: Final = 1000
"""Matches of a filter or a search are counted up to this."""
WAIT_DEFAULT_SECONDS: Final = 30
WAIT_MAX_MESSAGES: Final = 200
GROUP_PREVIEW_MAILBOXES: Final = 3
"""How many mailboxes of an agent the directory shows unless asked for more."""

# Time

PRESENCE_GRACE_SECONDS: Final = 120
"""A watcher counts as armed this long after its last wait ended."""
ANNOUNCED_UNREAD_SECONDS: Final = 10 * 60
"""A copy that is still unread so long after it was announced is pointed out in the console."""
IDEMPOTENCY_SECONDS: Final = 24 * 3600
AUDIT_SECONDS: Final = 365 * 24 * 3600
KEY_OVERLAP_SECONDS: Final = 24 * 3600
"""How long a replaced key is still accepted."""
KEY_LIFETIME_MAX_DAYS: Final = 3650
KEY_LIFETIME_DEFAULT_DAYS: Final = 90
LAST_USE_SECONDS: Final = 60
"""The last use of a key or a console session is written at most this often."""
SESSION_SECONDS: Final = 12 * 3600
REMEMBERED_SESSION_SECONDS: Final = 30 * 24 * 3600
TRIES_WINDOW_SECONDS: Final = 15 * 60
TRIES_MAX_COUNT: Final = 10
"""Failed sign-ins that one client address may make in that time."""
