"""The server's routes as methods: structs in, structs out, refusals as catalogue errors.

Every method raises the `messenger_core.errors` of its route, and `Unreachable` when no Messenger
server answers. Nothing is repeated here.
"""

import copy
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Self
from urllib.parse import quote, unquote

import msgspec

from messenger_core.errors import (
    AttachmentNotFound,
    FolderNotFound,
    MailboxNotFound,
    MessageNotFound,
    NotFound,
    ThreadNotFound,
)
from messenger_core.mail import AttachmentSource, AttachmentStream
from messenger_core.wire.common import Mailbox
from messenger_core.wire.folders import CreateFolder, Folder, Folders
from messenger_core.wire.health import Health
from messenger_core.wire.links import Links
from messenger_core.wire.mailboxes import (
    Directory,
    DirectoryQuery,
    MailboxStatus,
    Registered,
    RegisterMailbox,
    RenameMailbox,
)
from messenger_core.wire.messages import (
    Attachment,
    Changed,
    DeleteMessages,
    MarkMessages,
    MessageDetail,
    MessagePage,
    MessageQuery,
    MoveMessages,
    ReadQuery,
    SendMessage,
    SentMessage,
)
from messenger_core.wire.threads import (
    RenameThread,
    Thread,
    ThreadDetail,
    ThreadPage,
    ThreadQuery,
    ThreadReadQuery,
)
from messenger_core.wire.wait import WaitQuery, WaitResult
from messenger_mcp.api_errors import Unreachable, not_messenger
from messenger_mcp.http_connection import HttpConnection, Transport
from messenger_mcp.multipart import MultipartBody

__all__ = ["MessengerClient", "Unreachable"]

_LEFT_UNREAD = ReadQuery(mark_read=False)

_NO_SEGMENTS = frozenset({"", ".", ".."})

_SHA256 = re.compile(r'(?:W/)?"([0-9a-f]{64})"')
_NAME_ENCODED = re.compile(r"filename\*=UTF-8''([^;\s]+)", re.IGNORECASE)
_NAME_PLAIN = re.compile(r'filename="([^"]*)"', re.IGNORECASE)


class MessengerClient:
    """One server, one key, and the mailbox that the requests are for."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout_seconds: float,
        address: str | None = None,
        transport: Transport | None = None,
    ) -> None:
        """A client; nothing is sent yet.

        Args:
            base_url: the server, without a slash at its end.
            api_key: `mk_…`.
            timeout_seconds: one call without progress; a wait has its own time on top.
            address: the mailbox (`X-Agent-Id`); may be set later.
            transport: in place of the network.

        Raises:
            SettingError: the proxy or certificate settings of the environment cannot be used.
        """
        self.server_url = base_url
        self._http = HttpConnection(
            base_url, api_key, timeout_seconds=timeout_seconds, transport=transport
        )
        self.address = address

    @property
    def address(self) -> str | None:
        """The mailbox that the requests are for."""
        return self._http.address

    @address.setter
    def address(self, address: str | None) -> None:
        self._http.address = address

    @property
    def server_date(self) -> str | None:
        """The `Date` of the last answer, as the server wrote it."""
        return self._http.server_date

    def at(self, address: str | None) -> Self:
        """The same client for another mailbox, over the same connections; `None`: for none yet."""
        other = copy.copy(self)
        other._http = self._http.at(address)
        return other

    async def aclose(self) -> None:
        """Closes the connections, also those of every `at`."""
        await self._http.aclose()

    async def health(self) -> Health:
        """`GET /health`."""
        return await self._http.get("/health", Health)

    async def register(self, request: RegisterMailbox) -> Registered:
        """`POST /api/agents/register`: without an address the server gives one.

        It is in the answer; `address` stays what it was.
        """
        return await self._http.send("POST", "/api/agents/register", request, Registered)

    async def status(self) -> MailboxStatus:
        """`GET /api/mailbox`."""
        return await self._http.get("/api/mailbox", MailboxStatus)

    async def directory(self, query: DirectoryQuery) -> Directory:
        """`GET /api/agents`."""
        return await self._http.get("/api/agents", Directory, query)

    async def mailbox(self, address: str) -> Mailbox:
        """`GET /api/agents/:id`."""
        return await self._http.get(f"/api/agents/{_segment(address, MailboxNotFound)}", Mailbox)

    async def rename_mailbox(self, names: RenameMailbox) -> Mailbox:
        """`PATCH /api/agents/me`."""
        return await self._http.send("PATCH", "/api/agents/me", names, Mailbox)

    async def send(
        self,
        draft: SendMessage,
        idempotency_key: str | None = None,
        sources: Sequence[AttachmentSource] = (),
    ) -> SentMessage:
        """`POST /api/messages`; the same key gives back the first answer.

        Raises also what a source raises; nothing is sent then.
        """
        headers = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        if not sources:
            return await self._http.send("POST", "/api/messages", draft, SentMessage, headers)
        body = MultipartBody(msgspec.json.encode(draft), sources)
        return await self._http.upload("/api/messages", body, SentMessage, headers)

    async def list_messages(self, query: MessageQuery) -> MessagePage:
        """`GET /api/messages`."""
        return await self._http.get("/api/messages", MessagePage, query)

    async def read_message(self, message_id: str, *, mark_read: bool) -> MessageDetail:
        """`GET /api/messages/:id`."""
        path = f"/api/messages/{_segment(message_id, MessageNotFound)}"
        return await self._http.get(path, MessageDetail, None if mark_read else _LEFT_UNREAD)

    async def mark(self, request: MarkMessages) -> Changed:
        """`POST /api/messages/mark`."""
        return await self._http.send("POST", "/api/messages/mark", request, Changed)

    async def move(self, request: MoveMessages) -> Changed:
        """`POST /api/messages/move`."""
        return await self._http.send("POST", "/api/messages/move", request, Changed)

    async def delete(self, request: DeleteMessages) -> Changed:
        """`POST /api/messages/delete`."""
        return await self._http.send("POST", "/api/messages/delete", request, Changed)

    @asynccontextmanager
    async def attachment(self, attachment_id: str) -> AsyncIterator[AttachmentStream]:
        """`GET /api/attachments/:id`."""
        path = f"/api/attachments/{_segment(attachment_id, AttachmentNotFound)}"
        async with self._http.download(path) as download:
            facts = _attachment_facts(attachment_id, download.headers)
            if facts is None:
                raise not_messenger(self.server_url, 200)
            yield AttachmentStream(attachment=facts, chunks=download.chunks)

    async def folders(self) -> Folders:
        """`GET /api/folders`."""
        return await self._http.get("/api/folders", Folders)

    async def create_folder(self, request: CreateFolder) -> Folder:
        """`POST /api/folders`."""
        return await self._http.send("POST", "/api/folders", request, Folder)

    async def delete_folder(self, name: str) -> None:
        """`DELETE /api/folders/:name`."""
        await self._http.delete(f"/api/folders/{_segment(name, FolderNotFound)}")

    async def links(self) -> Links:
        """`GET /api/links`."""
        return await self._http.get("/api/links", Links)

    async def list_threads(self, query: ThreadQuery) -> ThreadPage:
        """`GET /api/threads`."""
        return await self._http.get("/api/threads", ThreadPage, query)

    async def get_thread(self, thread_id: str, query: ThreadReadQuery) -> ThreadDetail:
        """`GET /api/threads/:id`."""
        path = f"/api/threads/{_segment(thread_id, ThreadNotFound)}"
        return await self._http.get(path, ThreadDetail, query)

    async def rename_thread(self, thread_id: str, names: RenameThread) -> Thread:
        """`PATCH /api/threads/:id`."""
        path = f"/api/threads/{_segment(thread_id, ThreadNotFound)}"
        return await self._http.send("PATCH", path, names, Thread)

    async def wait(self, query: WaitQuery) -> WaitResult:
        """`GET /api/wait`."""
        return await self._http.get(
            "/api/wait", WaitResult, query, patience_seconds=query.timeout_seconds
        )


def _segment(text: str, refusal: type[NotFound]) -> str:
    """One segment of a path, whatever the text holds.

    Raises:
        NotFound: the refusal, of a text that is none: nothing has such a name.
    """
    if text in _NO_SEGMENTS or "\x00" in text:
        raise refusal
    # Also dots: on its way `..` would become another path.
    return quote(text, safe="", errors="replace").replace(".", "%2E")


def _attachment_facts(attachment_id: str, headers: Mapping[str, str]) -> Attachment | None:
    """What the headers say of the bytes that follow; `None` when they are not our server's."""
    digest = _SHA256.fullmatch(headers.get("etag", ""))
    length = headers.get("content-length", "")
    if digest is None or not (length.isascii() and length.isdigit()):
        return None
    return Attachment(
        id=attachment_id,
        filename=_filename(headers.get("content-disposition", "")) or attachment_id,
        mime_type=headers.get("content-type", "application/octet-stream"),
        size=int(length),
        sha256=digest[1],
    )


def _filename(disposition: str) -> str:
    if encoded := _NAME_ENCODED.search(disposition):
        return unquote(encoded[1], errors="replace")
    plain = _NAME_PLAIN.search(disposition)
    return plain[1] if plain else ""
