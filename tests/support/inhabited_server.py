"""A real server where something of every kind is there, and callers who differ in what opens it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import httpx2

from support.server_process import ServerProcess

AGENT: Final = "a key and a mailbox"
OWNER: Final = "a console cookie"
NOBODY: Final = "nothing"

_PASSWORD: Final = "correct horse battery staple"
_SETTINGS: Final = {"MESSENGER_RATE_LIMIT_MAX": "0", "MESSENGER_MAX_WAIT_SECONDS": "1"}


class InhabitedServer(NamedTuple):
    """What tests need of it; nobody who calls it closes what it works with itself."""

    url: str
    callers: Mapping[str, Mapping[str, str]]
    """The headers of each caller, by who it is."""
    signing_out: str
    """The cookie of a session that may be ended."""
    there: Mapping[str, str]
    """Something that is there, by the name of the parameter or field that names one; it may go."""


@contextmanager
def inhabited_server() -> Iterator[InhabitedServer]:
    """Starts it, without a quota and with waits of a second at most; ends it with the block."""
    with (
        ServerProcess(settings=_SETTINGS) as server,
        httpx2.Client(base_url=server.url) as client,
    ):
        bearer = {"Authorization": f"Bearer {server.create_key('callers')}"}
        mine, other, spare = (_registered(client, bearer) for _ in range(3))
        agent = {**bearer, "X-Agent-Id": mine}
        owner, signing_out, closing = _sessions(client, server)
        yield InhabitedServer(
            url=server.url,
            callers={AGENT: agent, OWNER: {"Cookie": owner}, NOBODY: {}},
            signing_out=signing_out,
            there={
                **_mail(client, agent, other),
                **_of_console(client, owner, closing, [other, spare]),
                "to": other,
                "from": other,
                "with_mailbox": other,
                "address": other,
                "mailbox_id": spare,
                "mailboxes": spare,
                "agent": other,
            },
        )


def _registered(client: httpx2.Client, bearer: Mapping[str, str]) -> str:
    """The address of a new mailbox."""
    return str(_done(client, "POST", "/api/agents/register", bearer, {})["mailbox"]["id"])


def _mail(client: httpx2.Client, agent: Mapping[str, str], other: str) -> dict[str, str]:
    """A conversation with a file, and a folder."""
    file = {"filename": "plan.md", "content_base64": "IyBQbGFu"}
    sent: Any = {}
    for number in range(3):
        draft = {"to": other, "subject": f"plan {number}", "body": "**go**", "attachments": [file]}
        sent = _done(client, "POST", "/api/messages", agent, draft)
    _done(client, "POST", "/api/folders", agent, {"name": "later"})
    return {
        "message_id": sent["id"],
        "ids": sent["id"],
        "reply_to": sent["id"],
        "thread_id": sent["thread_id"],
        "attachment_id": sent["attachments"][0]["id"],
        "folder": "later",
        "name": "later",
    }


def _sessions(client: httpx2.Client, server: ServerProcess) -> tuple[str, str, str]:
    """The cookies of three sessions of the console's account, which it makes."""
    code = server.log().partition("setup code: ")[2].split()[0]
    account = {"username": "owner", "password": _PASSWORD}
    _done(client, "POST", "/ui/setup", {}, {"code": code, **account})
    cookies = []
    for _ in range(3):
        client.cookies.clear()
        _done(client, "POST", "/ui/login", {}, account)
        cookies += [f"{cookie.name}={cookie.value}" for cookie in client.cookies.jar]
    client.cookies.clear()
    owner, signing_out, closing = cookies
    return owner, signing_out, closing


def _of_console(
    client: httpx2.Client, owner: str, closing: str, linked: list[str]
) -> dict[str, str]:
    """A key, a session and a link that may go."""
    cookie = {"Cookie": owner}
    wanted = {"name": "spare", "agent_name": None, "lifetime_days": 30}
    key = _done(client, "POST", "/admin/keys", cookie, wanted)["key"]
    link = _done(client, "POST", "/admin/links", cookie, {"mailboxes": linked})
    account = _done(client, "GET", "/admin/account", {"Cookie": closing}, None)
    (session,) = [each["id"] for each in account["sessions"] if each["current"]]
    return {"key_id": key["id"], "session_id": session, "link_id": link["id"]}


def _done(
    client: httpx2.Client, method: str, path: str, headers: Mapping[str, str], body: object
) -> Any:
    answer = client.request(method, path, headers=dict(headers), json=body)
    assert answer.status_code in {200, 201}, answer.text
    return answer.json()
