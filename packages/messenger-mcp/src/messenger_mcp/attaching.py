"""The tool that works another mailbox: one of an earlier session, or one shared on purpose."""

import asyncio
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from messenger_core import limits
from messenger_core.errors import MailboxNotFound, MailboxNotRegistered, NotFound
from messenger_core.tools.lines import quoted, shown_name
from messenger_core.tools.mailboxes import NEW_ADDRESS, notification_line, unread_line
from messenger_core.tools.plain import one_line
from messenger_core.tools.tool import CHANGES, AnyTool, Tool, ToolCall
from messenger_core.wire.common import Address, Request
from messenger_core.wire.mailboxes import MailboxStatus
from messenger_mcp.session import Session
from messenger_mcp.state_dir import StateDir
from messenger_mcp.watch_lock import is_watched

_FOLLOWS = (
    "Notifications: the watcher that the host runs for this session follows to this mailbox by "
    "itself within seconds. Leave it running and arm no other."
)


class AttachToMailbox(Request, frozen=True, kw_only=True):
    """Which mailbox is to be worked."""

    address: Annotated[
        Address | UnsetType, Meta(description="Leave it out to go back to your own.")
    ] = UNSET


class Attaching:
    """Moves a session to another mailbox and back."""

    def __init__(self, session: Session, state: StateDir) -> None:
        self._session = session
        self._state = state

    async def attach(self, _: ToolCall, arguments: AttachToMailbox) -> str:
        """Works the mailbox of an address, or one's own, and says what that means."""
        before = await self._session.status()
        left = before.mailbox.id
        is_kept = await self._move(arguments.address or None, left)
        after = await self._session.status()
        if after.mailbox.id == left:
            return f"You work mailbox `{left}` already; nothing changed."
        return "\n".join(
            [
                *self._which(after, is_kept),
                *await self._notifications(before, after),
                unread_line(after),
            ]
        )

    async def _move(self, address: str | None, left: str) -> bool:
        """Moves, and tells whether a restart of the session keeps to it."""
        if address is None:
            await self._session.detach()
            return True
        try:
            return await self._session.attach(address)
        except MailboxNotRegistered:
            raise  # it is the worked one that is gone
        except NotFound as error:
            shown = one_line(address, limits.RECIPIENT_MAX_CHARS)
            raise MailboxNotFound(
                f"mailbox not found: the server knows no {quoted(shown)}. Nothing changed: you "
                f"still work `{left}`."
            ) from error

    def _which(self, after: MailboxStatus, is_kept: bool) -> list[str]:
        address, own = after.mailbox.id, self._session.registration.own
        name = shown_name(after.mailbox.display_name)
        named = f"`{address}` {quoted(name)}" if name else f"`{address}`"
        if address == own:
            news = [NEW_ADDRESS] if self._session.address_is_new else []
            return [f"You work your own mailbox {named} again.", *news]
        lasting = " also after a restart of this session," if is_kept else ""
        back = f" Your own is `{own}`:" if own else ""
        return [
            f"You work mailbox {named} now,{lasting} until you go back: you read its mail, and "
            "what you send comes from it.",
            f"{back} attach_to_mailbox without an address goes back to your own.".strip(),
        ]

    async def _notifications(self, before: MailboxStatus, after: MailboxStatus) -> list[str]:
        left = before.mailbox.id
        url = self._session.config.server_url
        is_here = await asyncio.to_thread(is_watched, self._state, url, left)
        if is_here and self._session.has_following_watcher:
            return [_FOLLOWS]
        still = _still_watched(left) if is_here or before.watcher.armed else []
        return [*still, notification_line(after.watcher)]


def attaching_tool(session: Session, state: StateDir) -> AnyTool:
    """`attach_to_mailbox` for a session."""
    return Tool(
        name="attach_to_mailbox",
        title="Attach to mailbox",
        description=(
            "Work another mailbox than your own: one that whoami offers, or that your context "
            "shows you worked before. Others may work it too. Without address: back to your own."
        ),
        arguments=AttachToMailbox,
        annotations=CHANGES,
        undone="Not attached",
        run=Attaching(session, state).attach,
    )


def _still_watched(left: str) -> list[str]:
    return [
        f"A watcher is still armed on `{left}`: its lines tell of that mailbox's mail, not of this "
        "one's. Stop it when you do not want them."
    ]
