"""The application: the agents' routes in one table, and the only place that wires."""

from typing import Final

from litestar import Litestar
from litestar.datastructures import State

from messenger_core.errors import (
    AddressTaken,
    AgentDescriptionConflict,
    AgentNameConflict,
    AttachmentNotFound,
    AttachmentTooLarge,
    Busy,
    FolderExists,
    FolderNotFound,
    IdempotencyConflict,
    MailboxNotFound,
    MailboxNotYours,
    MessageNotFound,
    NotInThread,
    OneRecipientOnly,
    RangeNotSatisfiable,
    SelfMessage,
    SendNotAllowed,
    SystemFolder,
    ThreadNotFound,
    TooManyAttachments,
)
from messenger_core.limits import SEND_MAX_BYTES
from messenger_server.admin.table import ADMIN_ROUTES
from messenger_server.api.attachments import DOWNLOAD_HEADERS, download_attachment
from messenger_server.api.call import Services
from messenger_server.api.filing import delete_messages, mark_messages, move_messages
from messenger_server.api.folders import create_folder, delete_folder, list_folders
from messenger_server.api.health import show_health
from messenger_server.api.links import list_links
from messenger_server.api.mailboxes import (
    register_mailbox,
    rename_mailbox,
    show_directory,
    show_mailbox,
    show_status,
)
from messenger_server.api.messages import list_messages, read_message, send_message
from messenger_server.api.route import Route, handlers_of
from messenger_server.api.threads import list_threads, rename_thread, show_thread
from messenger_server.api.wait import wait
from messenger_server.auth.agents import AgentCheck, Need
from messenger_server.auth.attempts import Attempts
from messenger_server.auth.console import ConsoleCheck
from messenger_server.auth.last_use import LastUse
from messenger_server.auth.passwords import Passwords
from messenger_server.auth.setup_code import SetupCode
from messenger_server.background import Uses, background
from messenger_server.clock import Clock
from messenger_server.config import ServerConfig
from messenger_server.database import Database
from messenger_server.http_errors import answer_failure
from messenger_server.markdown_tree import TreeCache
from messenger_server.marks import AnnouncedMarks
from messenger_server.openapi import document_of, publishing
from messenger_server.presence import Hub
from messenger_server.quota import Quota
from messenger_server.web.console import SIGN_IN_ROUTES
from messenger_server.web.framework import Application, Routing
from messenger_server.web.gate import Gate
from messenger_server.web.pages import Pages, read_pages

DOCUMENT_PATH: Final = "/api/openapi.json"

ROUTES: Final = (
    Route("GET", "/health", show_health, need=Need.KEY, refusals=(Busy,)),
    Route(
        "POST",
        "/api/agents/register",
        register_mailbox,
        need=Need.ADDRESS,
        other_status=201,
        refusals=(
            AddressTaken,
            AgentDescriptionConflict,
            AgentNameConflict,
            MailboxNotFound,
            MailboxNotYours,
        ),
    ),
    Route("GET", "/api/agents", show_directory),
    Route("GET", "/api/agents/{address}", show_mailbox, refusals=(MailboxNotFound,)),
    Route("PATCH", "/api/agents/me", rename_mailbox),
    Route("GET", "/api/mailbox", show_status),
    Route(
        "POST",
        "/api/messages",
        send_message,
        status=201,
        other_status=200,
        refusals=(
            AttachmentTooLarge,
            IdempotencyConflict,
            MailboxNotFound,
            MessageNotFound,
            NotInThread,
            OneRecipientOnly,
            SelfMessage,
            SendNotAllowed,
            ThreadNotFound,
            TooManyAttachments,
        ),
        body_limit_bytes=SEND_MAX_BYTES,
        takes_files=True,
        request_headers={
            "Idempotency-Key": "1 to 128 visible ASCII characters: sent again within a day, it"
            " gives the first answer and creates nothing."
        },
    ),
    Route("GET", "/api/messages", list_messages, refusals=(FolderNotFound,)),
    Route("GET", "/api/messages/{message_id}", read_message, refusals=(Busy, MessageNotFound)),
    Route("POST", "/api/messages/mark", mark_messages),
    Route("POST", "/api/messages/move", move_messages, refusals=(FolderNotFound,)),
    Route("POST", "/api/messages/delete", delete_messages),
    Route(
        "GET",
        "/api/attachments/{attachment_id}",
        download_attachment,
        refusals=(AttachmentNotFound, RangeNotSatisfiable),
        request_headers=DOWNLOAD_HEADERS,
    ),
    Route("GET", "/api/threads", list_threads),
    Route("GET", "/api/threads/{thread_id}", show_thread, refusals=(ThreadNotFound,)),
    Route("PATCH", "/api/threads/{thread_id}", rename_thread, refusals=(ThreadNotFound,)),
    Route("GET", "/api/folders", list_folders),
    Route("POST", "/api/folders", create_folder, status=201, refusals=(FolderExists,)),
    Route(
        "DELETE",
        "/api/folders/{name}",
        delete_folder,
        status=204,
        refusals=(FolderNotFound, SystemFolder),
    ),
    Route("GET", "/api/links", list_links),
    Route("GET", "/api/wait", wait, refusals=(FolderNotFound,)),
)
"""Every route of the agents."""

ALL_ROUTES: Final = (*ROUTES, *SIGN_IN_ROUTES, *ADMIN_ROUTES)
"""Every route of the server; a path that is not here is 404."""

_NEEDS: Final = {DOCUMENT_PATH: Need.KEY} | {route.path: route.need for route in ROUTES}


def create_app(
    config: ServerConfig,
    database: Database,
    *,
    clock: Clock | None = None,
    passwords: Passwords | None = None,
) -> Litestar:
    """The application over an open database, which stays its owner's to close.

    `app.state.hub.close()` ends every wait at once: call it before waiting for connections.
    `app.state.setup_code` makes the console's account while there is none.
    """
    clock = clock or Clock()
    uses = Uses(keys=LastUse(), sessions=LastUse())
    services = Services(
        config=config,
        database=database,
        hub=Hub(clock),
        marks=AnnouncedMarks(database),
        clock=clock,
        started=clock.monotonic(),
        passwords=passwords or Passwords(),
        attempts=Attempts(clock),
        setup_code=SetupCode(),
        trees=TreeCache(),
    )
    app = Application(
        [*handlers_of(ALL_ROUTES, services), *publishing(document_of(ALL_ROUTES), DOCUMENT_PATH)],
        state=State({"hub": services.hub, "setup_code": services.setup_code}),
        lifespan=[background(services, uses)],
        exception_handlers={Exception: answer_failure},
        openapi_config=None,
        logging_config=None,
        debug=False,
        pdb_on_exception=False,
    )
    # In front of Litestar's own routing: its middleware sees only what matches a route.
    app.asgi_handler = Gate(
        Pages(Routing(app), read_pages()),
        AgentCheck(database, clock, uses.keys, _NEEDS),
        ConsoleCheck(database, clock, uses.sessions),
        Quota(config.rate_limit_max, config.rate_limit_window, clock),
        config.trust_proxy,
    )
    return app
