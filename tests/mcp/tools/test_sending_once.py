"""A message is sent once, whatever the connection does meanwhile."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest

from messenger_mcp.sending import Pauses
from support.app import RunningApp
from support.mcp_agent import LOCAL, Agent, agent_of, asgi, session_config

pytestmark = pytest.mark.anyio

Fault = Callable[[httpx2.Request], httpx2.Response]


def refused_connection(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError("refused", request=request)


def answer(status: int, **headers: str) -> Fault:
    """A proxy's answer in place of the server's."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda request: httpx2.Response(status, headers=named, text="proxy", request=request)


def problem(status: int, code: str, retry_after: int) -> Fault:
    body = {"type": "about:blank", "title": "No", "status": status, "detail": "No.", "code": code}
    headers = {"Retry-After": str(retry_after)}
    return lambda request: httpx2.Response(status, json=body, headers=headers, request=request)


class RoughRoad(httpx2.AsyncBaseTransport):
    """The way to the application, on which sends meet one fault after the other."""

    def __init__(self, app: RunningApp) -> None:
        self._way = asgi(app)
        self.before: list[Fault] = []
        """Met before the server gets the send."""
        self.answers_lost = 0
        """So many sends are carried out and their answers lost."""
        self.keys: list[str] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if (request.method, request.url.path) != ("POST", "/api/messages"):
            return await self._way.handle_async_request(request)
        self.keys.append(request.headers["Idempotency-Key"])
        if self.before:
            return self.before.pop(0)(request)
        response = await self._way.handle_async_request(request)
        if self.answers_lost:
            self.answers_lost -= 1
            raise httpx2.ReadError("lost", request=request)
        return response


class SetPauses(Pauses):
    """Time that passes only in pauses, and at once."""

    def __init__(self) -> None:
        self.kept: list[float] = []
        self.seconds = 0.0
        super().__init__(now=lambda: self.seconds, sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.kept.append(seconds)
        self.seconds += seconds

    __setattr__ = object.__setattr__  # the base is frozen, this one keeps the time


@asynccontextmanager
async def sender_on(
    app: RunningApp, folder: Path, road: RoughRoad, pauses: Pauses
) -> AsyncIterator[Agent]:
    config = session_config(folder / "sender", url=LOCAL, key=await app.create_key())
    async with agent_of(config, transport=road, pauses=pauses) as agent:
        yield agent


@pytest.fixture
def road(app: RunningApp) -> RoughRoad:
    return RoughRoad(app)


@pytest.fixture
def pauses() -> SetPauses:
    return SetPauses()


@pytest.fixture
async def sender(
    app: RunningApp, tmp_path: Path, road: RoughRoad, pauses: SetPauses
) -> AsyncIterator[Agent]:
    async with sender_on(app, tmp_path, road, pauses) as agent:
        yield agent


async def delivered(coder: Agent) -> int:
    listed = await coder.call("list_messages", folder="inbox")
    return len(re.findall("^- msg_", listed, re.MULTILINE))


async def test_what_may_pass_is_repeated_under_one_key_until_it_arrives(
    sender: Agent, road: RoughRoad, coder: Agent
) -> None:
    road.before = [
        refused_connection,
        answer(502),
        answer(503),
        answer(504),
        problem(503, "busy", 2),
        problem(429, "rate_limited", 3),
    ]
    text = await sender.call(
        "send_message", to=await coder.session.address(), subject="a", body="b"
    )
    assert text.startswith("Sent msg_")
    assert len(road.keys) == 7
    assert len(set(road.keys)) == 1
    assert await delivered(coder) == 1


async def test_a_send_whose_answer_was_lost_arrives_once(
    sender: Agent, road: RoughRoad, coder: Agent
) -> None:
    road.answers_lost = 3
    await sender.call("send_message", to=await coder.session.address(), subject="a", body="b")
    assert await delivered(coder) == 1
    assert len(set(road.keys)) == 1


async def test_the_server_s_own_pause_is_kept_while_it_fits_in_a_minute(
    sender: Agent, road: RoughRoad, pauses: SetPauses, coder: Agent
) -> None:
    address = await coder.session.address()
    road.before = [problem(429, "rate_limited", 40), answer(503, Retry_After="15")]
    await sender.call("send_message", to=address, subject="a", body="b")
    assert pauses.kept == [40, 15]
    road.before = [problem(429, "rate_limited", 61)]
    text = await sender.refused("send_message", to=address, subject="c", body="d")
    assert text.lower().count("try again") == 1
    assert "Try again in 61 seconds." in text
    assert await delivered(coder) == 1


async def test_a_server_that_never_answers_is_given_up_within_a_minute(
    sender: Agent, road: RoughRoad, pauses: SetPauses, coder: Agent
) -> None:
    road.before = [refused_connection] * 100
    text = await sender.refused(
        "send_message", to=await coder.session.address(), subject="a", body="b"
    )
    assert text.startswith("The message was not sent: No answer from the Messenger server")
    assert pauses.seconds <= 30


async def test_an_outcome_that_stays_unknown_is_told_and_the_same_content_goes_under_its_key(
    sender: Agent, road: RoughRoad, coder: Agent
) -> None:
    address = await coder.session.address()
    road.answers_lost = 100
    text = await sender.refused("send_message", to=address, subject="a", body="b")
    assert text.startswith("Unknown whether the message was sent: No answer from the Messenger")
    assert "Send the same content again within ten minutes" in text
    road.answers_lost = 0
    assert "Sent msg_" in await sender.call("send_message", to=address, subject="a", body="b")
    assert len(set(road.keys)) == 1
    assert await delivered(coder) == 1


async def test_a_cancelled_send_and_the_same_content_again_arrive_once(
    app: RunningApp, tmp_path: Path, road: RoughRoad, coder: Agent
) -> None:
    paused = asyncio.Event()

    async def for_ever(_: float) -> None:
        paused.set()
        await asyncio.Event().wait()

    address = await coder.session.address()
    road.answers_lost = 1
    async with sender_on(app, tmp_path, road, Pauses(sleep=for_ever)) as sender:
        call = asyncio.create_task(sender.call("send_message", to=address, subject="a", body="b"))
        await asyncio.wait_for(paused.wait(), 5)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await sender.call("send_message", to=address, subject="a", body="b")
    assert await delivered(coder) == 1
    assert len(set(road.keys)) == 1


async def test_after_ten_minutes_the_same_content_is_a_new_message(
    sender: Agent, road: RoughRoad, pauses: SetPauses, coder: Agent
) -> None:
    address = await coder.session.address()
    road.answers_lost = 100
    await sender.refused("send_message", to=address, subject="a", body="b")
    road.answers_lost = 0
    pauses.seconds += 601
    await sender.call("send_message", to=address, subject="a", body="b")
    assert await delivered(coder) == 2


async def test_two_sends_of_the_same_content_are_two_messages(
    sender: Agent, road: RoughRoad, coder: Agent
) -> None:
    address = await coder.session.address()
    for _ in range(2):
        await sender.call("send_message", to=address, subject="a", body="b")
    assert len(set(road.keys)) == 2
    assert await delivered(coder) == 2


async def test_other_content_after_an_unknown_outcome_has_a_key_of_its_own(
    sender: Agent, road: RoughRoad, coder: Agent
) -> None:
    address = await coder.session.address()
    road.answers_lost = 100
    await sender.refused("send_message", to=address, subject="a", body="b")
    road.answers_lost = 0
    await sender.call("send_message", to=address, subject="a", body="another")
    assert len(set(road.keys)) == 2
    assert await delivered(coder) == 2


@pytest.mark.parametrize("fault", [answer(301, Location="http://elsewhere/"), answer(404)])
async def test_an_answer_of_somebody_else_is_not_repeated(
    sender: Agent, road: RoughRoad, coder: Agent, fault: Fault
) -> None:
    road.before = [fault]
    await sender.refused("send_message", to=await coder.session.address(), subject="a", body="b")
    assert len(road.keys) == 1


async def test_a_refusal_of_the_server_is_not_repeated(sender: Agent, road: RoughRoad) -> None:
    await sender.refused("send_message", to="box_0123456789abcdef", subject="a", body="b")
    assert len(road.keys) == 1


async def test_nothing_but_a_send_is_repeated(app: RunningApp, tmp_path: Path) -> None:
    asked: list[str] = []
    way = asgi(app)

    async def broken(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.path)
        if request.url.path == "/api/agents/register":
            return await way.handle_async_request(request)
        raise httpx2.ReadError("lost", request=request)

    config = session_config(tmp_path, url=LOCAL, key=await app.create_key())
    async with agent_of(config, transport=httpx2.MockTransport(broken)) as agent:
        await agent.refused("list_messages")
    assert asked == ["/api/agents/register", "/api/messages"]
