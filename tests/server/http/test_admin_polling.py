"""What the console asks for every few seconds: an unchanged server says so before it looks."""

from pathlib import Path

import httpx2
import pytest

from messenger_server.admin import etag
from messenger_server.admin.table import ADMIN_ROUTES
from support.app import RunningApp, running_app
from support.browser import Browser, browser_at, set_up_account
from support.problems import assert_problem

_POLLED = [
    "/admin/overview",
    "/admin/messages",
    "/admin/messages?unread_only=true",
    "/admin/messages/{message}",
    "/admin/threads",
    "/admin/threads?agent=alice&limit=10",
    "/admin/threads/{thread}",
    "/admin/threads/{thread}?bodies=false",
    "/admin/links",
    "/admin/keys",
]


@pytest.fixture
async def polled(app: RunningApp) -> dict[str, str]:
    """The ids of a message and its thread."""
    sent = await (await app.agent("alice")).send(await app.agent("bob"))
    return {"message": sent["id"], "thread": sent["thread_id"]}


async def _poll(owner: Browser, path: str, tag: str | None = None) -> httpx2.Response:
    return await owner.ask("GET", path, headers={"If-None-Match": tag} if tag else None)


@pytest.mark.parametrize("path", _POLLED)
async def test_an_unchanged_server_answers_304(
    app: RunningApp, owner: Browser, polled: dict[str, str], path: str
) -> None:
    path = path.format(**polled)
    first = await _poll(owner, path)

    again = await _poll(owner, path, first.headers["ETag"])

    assert (first.status_code, again.status_code) == (200, 304)
    assert again.content == b""
    assert again.headers["ETag"] == first.headers["ETag"]
    for answer in (first, again):
        assert answer.headers.get_list("Cache-Control") == ["no-cache"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    await (await app.agent("carol")).get("/api/mailbox")
    assert (await _poll(owner, path, first.headers["ETag"])).status_code == 200


async def test_whoever_has_any_answer_has_what_is_there_and_nothing_else(owner: Browser) -> None:
    for tag in ("*", " * "):
        answer = await _poll(owner, "/admin/threads", tag)
        assert (answer.status_code, answer.content) == (304, b"")
    assert_problem(
        await _poll(owner, "/admin/threads/thr_0000000000", "*"), 404, "thread_not_found"
    )


async def test_a_304_asks_the_database_for_two_numbers_alone(
    app: RunningApp, owner: Browser, polled: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tags = {}
    for path in _POLLED:
        tags[path] = (await _poll(owner, path.format(**polled))).headers["ETag"]

    async def refuse(*_: object) -> None:
        raise AssertionError("an unchanged answer was read")

    monkeypatch.setattr(app.database, "search", refuse)
    monkeypatch.setattr(app.database, "read", refuse)
    for path, tag in tags.items():
        assert (await _poll(owner, path.format(**polled), tag)).status_code == 304


async def test_each_change_makes_a_new_answer(app: RunningApp, owner: Browser) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")
    sent = await alice.send(bob)
    first = (await _poll(owner, "/admin/threads")).headers["ETag"]

    seen = {first}
    await bob.get(f"/api/messages/{sent['id']}")
    seen.add((await _poll(owner, "/admin/threads", first)).headers["ETag"])
    await bob.patch("/api/agents/me", {"display_name": "Bob"})
    seen.add((await _poll(owner, "/admin/threads", first)).headers["ETag"])
    await owner.done("PATCH", "/admin/mailboxes/bob", {"display_name": "Rob"})
    seen.add((await _poll(owner, "/admin/threads", first)).headers["ETag"])

    assert len(seen) == 4


async def test_a_watcher_that_comes_or_lapses_makes_a_new_overview(
    app: RunningApp, owner: Browser
) -> None:
    alice, bob = await app.agent("alice"), await app.agent("bob")
    await alice.send(bob)
    # Nothing is marked for a wait that is not a watcher's: presence alone changes below.
    sent = (await bob.get("/api/mailbox")).json()["head"]
    tags = [(await _poll(owner, "/admin/threads")).headers["ETag"]]

    await bob.get("/api/wait", watcher=True, after=sent, timeout_seconds=0)
    tags.append((await _poll(owner, "/admin/threads", tags[-1])).headers["ETag"])
    await bob.get("/api/wait", watcher=True, after=sent, timeout_seconds=0)
    still = await _poll(owner, "/admin/threads", tags[-1])
    app.clock.advance(120)
    tags.append((await _poll(owner, "/admin/threads", tags[-1])).headers["ETag"])

    assert still.status_code == 304
    assert len(set(tags)) == 3


async def test_what_ages_is_new_each_minute_and_nothing_else_is(
    app: RunningApp, owner: Browser, polled: dict[str, str]
) -> None:
    del polled
    paths = ("/admin/overview", "/admin/keys", "/admin/messages")
    tags = {path: (await _poll(owner, path)).headers["ETag"] for path in paths}

    app.clock.advance(60)

    answers = [(await _poll(owner, path, tags[path])).status_code for path in paths]
    assert answers == [200, 200, 304]


async def test_a_tag_is_of_one_url_and_one_session(app: RunningApp, owner: Browser) -> None:
    tags = [
        (await _poll(owner, path)).headers["ETag"]
        for path in ("/admin/messages", "/admin/messages?limit=2", "/admin/threads")
    ]
    async with browser_at(app) as other:
        assert (await other.sign_in()).status_code == 200
        tags.append((await _poll(other, "/admin/messages")).headers["ETag"])
        assert (await _poll(other, "/admin/messages", tags[0])).status_code == 200

    assert len(set(tags)) == 4


async def test_tags_of_an_earlier_process_say_nothing(
    owner: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    tag = (await _poll(owner, "/admin/messages")).headers["ETag"]

    monkeypatch.setattr(etag, "_PROCESS", "what the next process draws")

    assert (await _poll(owner, "/admin/messages", tag)).status_code == 200


async def test_a_closed_session_is_refused_whatever_its_tag(
    app: RunningApp, owner: Browser
) -> None:
    tag = (await _poll(owner, "/admin/messages")).headers["ETag"]
    cookies = dict(owner.cookies)
    await owner.post("/ui/logout")
    async with browser_at(app) as late:
        late.client.cookies.update(cookies)

        assert (await _poll(late, "/admin/messages", tag)).status_code == 401


async def test_polling_does_not_count_in_the_quota(tmp_path: Path) -> None:
    async with running_app(tmp_path, rate_limit_max=5) as app, browser_at(app) as owner:
        await set_up_account(app, owner)
        tag = (await _poll(owner, "/admin/threads")).headers["ETag"]
        for _ in range(20):
            assert (await _poll(owner, "/admin/threads", tag)).status_code == 304
        answers = [(await owner.get("/admin/threads")).status_code for _ in range(6)]

        assert answers == [200, 200, 200, 200, 429, 429]
        assert (await _poll(owner, "/admin/threads", tag)).status_code == 304


def test_every_polled_route_is_tried_here() -> None:
    polled = {
        route.path
        for route in ADMIN_ROUTES
        if "If-None-Match" in route.request_headers and "Range" not in route.request_headers
    }
    tried = {path.partition("?")[0] for path in _POLLED}
    spelled = {path.replace("{message_id}", "{message}") for path in polled}

    assert {path.replace("{thread_id}", "{thread}") for path in spelled} == tried
