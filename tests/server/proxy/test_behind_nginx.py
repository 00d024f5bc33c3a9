"""A server behind nginx, which is configured as the documentation says."""

import base64
import hashlib
import re
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from messenger_core.limits import ATTACHMENT_MAX_BYTES, ATTACHMENTS_MAX_BYTES, SEND_MAX_BYTES
from messenger_server.config import ServerConfig
from support.browser import PASSWORD, USERNAME
from support.reverse_proxy import ReverseProxy, documented, reverse_proxy
from support.server_process import ServerProcess

_QUOTA: Final = 60
_OWNER_AT: Final = "127.0.0.2"
_FORGED: Final = {"X-Forwarded-For": "203.0.113.66", "X-Forwarded-Proto": "http"}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A real server that trusts one proxy, as it does by itself."""
    with ServerProcess(settings={"MESSENGER_RATE_LIMIT_MAX": str(_QUOTA)}) as running:
        yield running


@pytest.fixture(scope="module")
def proxy(
    server: ServerProcess, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ReverseProxy]:
    """nginx in front of it."""
    with reverse_proxy(tmp_path_factory.mktemp("nginx"), server) as running:
        yield running


@pytest.fixture(scope="module")
def signed_in(server: ServerProcess, proxy: ReverseProxy) -> httpx2.Response:
    """The answer that made the account, to a browser that lies about where it is."""
    code = server.log().partition("setup code: ")[2].split()[0]
    account = {"code": code, "username": USERNAME, "password": PASSWORD}
    with proxy.client(_OWNER_AT) as browser:
        answer = browser.post("/ui/setup", json=account, headers=_FORGED)
    assert answer.status_code == 201, answer.text
    return answer


@pytest.fixture
def owner(proxy: ReverseProxy, signed_in: httpx2.Response) -> Iterator[httpx2.Client]:
    """The browser with the cookie that it got."""
    with proxy.client(_OWNER_AT) as browser:
        browser.cookies = signed_in.cookies
        yield browser


@pytest.fixture
def agent(server: ServerProcess, proxy: ReverseProxy) -> Iterator[httpx2.Client]:
    """An agent on another machine, with a mailbox of its own."""
    with proxy.client() as client:
        client.headers["Authorization"] = f"Bearer {server.create_key('agent')}"
        client.headers["X-Agent-Id"] = _registered(client)
        yield client


def _registered(client: httpx2.Client) -> str:
    # No address, so the server gives one.
    answer = client.post("/api/agents/register", json={}, headers={"X-Agent-Id": ""})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["mailbox"]["id"])


def _trail(owner: httpx2.Client) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = owner.get("/admin/audit").json()["events"]
    return events


# The console


def test_the_cookie_is_secure_whatever_the_client_claims(signed_in: httpx2.Response) -> None:
    (cookie,) = signed_in.headers.get_list("Set-Cookie")

    assert cookie.startswith("__Host-messenger_session=")
    assert set(cookie.split("; ")[1:]) == {"HttpOnly", "SameSite=Strict", "Path=/", "Secure"}


def test_the_audit_trail_and_the_sessions_name_the_real_client(owner: httpx2.Client) -> None:
    assert {event["address"] for event in _trail(owner)} == {_OWNER_AT}
    (session,) = owner.get("/admin/account").json()["sessions"]
    assert session["address"] == _OWNER_AT


def test_a_write_comes_from_the_page_that_the_proxy_shows(
    owner: httpx2.Client, proxy: ReverseProxy
) -> None:
    for origin, status in (
        (proxy.url, 200),
        (proxy.url.replace("https", "http"), 403),
        (proxy.url.rpartition(":")[0], 403),
        ("https://elsewhere.example", 403),
    ):
        answer = owner.patch(
            "/admin/account", json={"username": USERNAME}, headers={"Origin": origin}
        )
        assert answer.status_code == status, origin


def test_every_answer_is_protected_once(owner: httpx2.Client) -> None:
    for path in ("/admin/account", "/ui/session", "/api/mailbox", "/nothing"):
        headers = owner.get(path).headers
        for name, value in (
            ("Strict-Transport-Security", "max-age=31536000"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
        ):
            assert headers.get_list(name) == [value], (path, name)


# Who is counted


def _statuses(client: httpx2.Client, forwarded: str = "203.0.113.{}") -> list[int]:
    """Of one request more than the quota has, each forwarded for somebody else."""
    return [
        client.get("/nothing", headers={"X-Forwarded-For": forwarded.format(number)}).status_code
        for number in range(_QUOTA + 1)
    ]


def test_the_quota_counts_the_real_client_whatever_it_claims(proxy: ReverseProxy) -> None:
    with proxy.client("127.0.0.40") as greedy, proxy.client("127.0.0.41") as other:
        assert _statuses(greedy) == [404] * _QUOTA + [429]
        assert other.get("/nothing").status_code == 404


def test_the_server_itself_believes_the_trusted_hops_alone(server: ServerProcess) -> None:
    with httpx2.Client(base_url=server.url) as client:
        assert _statuses(client, "203.0.113.{}, 198.51.100.7") == [404] * _QUOTA + [429]
        forwarded = {"X-Forwarded-For": "198.51.100.7, 198.51.100.8"}
        assert client.get("/nothing", headers=forwarded).status_code == 404


# What is large and what is long


def test_attachments_of_25_mb_pass_both_ways(agent: httpx2.Client) -> None:
    to = _registered(agent)
    sizes = [ATTACHMENT_MAX_BYTES, ATTACHMENT_MAX_BYTES]
    sizes.append(ATTACHMENTS_MAX_BYTES - sum(sizes))
    files = [secrets.token_bytes(size) for size in sizes]
    attachments = [
        {"filename": f"{number}.bin", "content_base64": base64.b64encode(content).decode()}
        for number, content in enumerate(files)
    ]

    draft = {"to": to, "subject": "s", "body": "b", "attachments": attachments}
    answer = agent.post("/api/messages", json=draft)

    assert answer.status_code == 201, answer.text
    for kept, content in zip(answer.json()["attachments"], files, strict=True):
        read = agent.get(f"/api/attachments/{kept['id']}")
        assert hashlib.sha256(read.content).digest() == hashlib.sha256(content).digest()


def test_who_may_not_send_is_told_so_before_the_body_is_read(proxy: ReverseProxy) -> None:
    with proxy.client() as stranger:
        answer = stranger.post("/api/messages", content=b"x" * (SEND_MAX_BYTES - 1))

    assert (answer.status_code, answer.json()["code"]) == (401, "api_key_missing")


def test_what_is_too_large_is_refused_by_the_server_itself(agent: httpx2.Client) -> None:
    answer = agent.post("/api/messages", content=b"x" * (SEND_MAX_BYTES + 1))

    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_wait_lasts_as_long_as_the_proxy_is_told_to_let_it(
    agent: httpx2.Client, server: ServerProcess, tmp_path: Path
) -> None:
    asked = {"timeout_seconds": 2}
    impatient = {"proxy_read_timeout": "1s"}

    assert agent.get("/api/wait", params=asked).json()["timed_out"] is True
    with reverse_proxy(tmp_path, server, impatient) as other, other.client() as client:
        client.headers = agent.headers
        assert client.get("/api/wait", params=asked).status_code == 504


def test_the_documented_proxy_lets_the_longest_wait_through() -> None:
    (seconds,) = re.findall(r"proxy_read_timeout (\d+)s;", documented())

    assert int(seconds) > ServerConfig.from_env({}).max_wait.total_seconds()


def test_a_message_ends_a_wait_at_once(agent: httpx2.Client, proxy: ReverseProxy) -> None:
    sender = _registered(agent)
    found: list[Any] = []
    head = agent.get("/api/mailbox").json()["head"]

    def wait() -> None:
        with proxy.client() as client:
            client.headers = agent.headers
            found.append(client.get("/api/wait", params={"after": head}).json())

    waiting = threading.Thread(target=wait)
    waiting.start()
    draft = {"to": agent.headers["X-Agent-Id"], "subject": "s", "body": "b"}
    agent.post("/api/messages", json=draft, headers={"X-Agent-Id": sender})
    waiting.join(5)

    assert [message["subject"] for message in found[0]["messages"]] == ["s"]
