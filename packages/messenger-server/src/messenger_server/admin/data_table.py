"""The table of the routes by which the console watches the fleet, cleans up and links."""

from functools import partial
from typing import Final

from messenger_core.errors import (
    AlreadyLinked,
    AttachmentNotFound,
    CriterionNoLongerMet,
    LinkNotFound,
    MailboxNotFound,
    MessageNotFound,
    RangeNotSatisfiable,
    ThreadNotFound,
)
from messenger_server.admin.attachments import download_attachment
from messenger_server.admin.cleanup import (
    preview_created_before,
    preview_empty,
    preview_stale,
    purge_mailboxes,
)
from messenger_server.admin.links import create_link, delete_link, list_links
from messenger_server.admin.mailboxes import delete_mailbox, rename_mailbox
from messenger_server.admin.messages import list_messages, show_message
from messenger_server.admin.overview import show_overview
from messenger_server.admin.threads import list_threads, show_thread
from messenger_server.api.attachments import DOWNLOAD_HEADERS
from messenger_server.api.route import Route
from messenger_server.auth.agents import Need

_Route = partial(Route, need=Need.CONSOLE)
POLL_HEADERS: Final = {
    "If-None-Match": "The entity tag of an answer: 304 while it still holds.",
}
_Polled = partial(_Route, "GET", request_headers=POLL_HEADERS)

DATA_ROUTES: Final = (
    _Polled("/admin/overview", show_overview),
    _Polled("/admin/messages", list_messages),
    _Polled("/admin/messages/{message_id}", show_message, refusals=(MessageNotFound,)),
    _Polled("/admin/threads", list_threads),
    _Polled("/admin/threads/{thread_id}", show_thread, refusals=(ThreadNotFound,)),
    _Route(
        "GET",
        "/admin/attachments/{attachment_id}",
        download_attachment,
        refusals=(AttachmentNotFound, RangeNotSatisfiable),
        request_headers=DOWNLOAD_HEADERS,
    ),
    _Route("GET", "/admin/mailboxes/empty", preview_empty),
    _Route("GET", "/admin/mailboxes/stale", preview_stale),
    _Route("GET", "/admin/mailboxes/created-before", preview_created_before),
    _Route(
        "POST",
        "/admin/mailboxes/purge",
        purge_mailboxes,
        refusals=(CriterionNoLongerMet, MailboxNotFound),
    ),
    _Route("PATCH", "/admin/mailboxes/{address}", rename_mailbox, refusals=(MailboxNotFound,)),
    _Route(
        "DELETE",
        "/admin/mailboxes/{address}",
        delete_mailbox,
        status=204,
        refusals=(CriterionNoLongerMet, MailboxNotFound),
    ),
    _Polled("/admin/links", list_links),
    _Route(
        "POST",
        "/admin/links",
        create_link,
        status=201,
        refusals=(AlreadyLinked, MailboxNotFound),
    ),
    _Route("DELETE", "/admin/links/{link_id}", delete_link, status=204, refusals=(LinkNotFound,)),
)
"""Every one of them."""
