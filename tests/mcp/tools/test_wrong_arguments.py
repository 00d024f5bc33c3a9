"""Wrong arguments are refused in words that name the argument, its value and what is allowed."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.mcp_agent import Agent, agent_of, session_config

pytestmark = pytest.mark.anyio


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[Agent]:
    async with agent_of(session_config(tmp_path)) as agent:
        yield agent


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("send_message", {"body": "x", "to": 5}, "`to` is 5: it must be a text or a list"),
        ("send_message", {"to": "box_1"}, "`body` is missing: it must be a text of 1 to 256000"),
        ("send_message", {"body": ""}, '`body` is ""'),
        (
            "send_message",
            {"body": "x", "priority": "asap"},
            '`priority` is "asap": it must be one of high, low, normal, urgent.',
        ),
        (
            "send_message",
            {"body": "x", "subject": "s" * 201},
            "(201 characters): it must be a text of 1 to 200 characters.",
        ),
        ("list_messages", {"limit": 500}, "`limit` is 500: it must be a whole number from 1 to"),
        ("list_messages", {"unread_only": "yes"}, '`unread_only` is "yes": it must be true or f'),
        ("list_messages", {"before": -1}, "`before` is -1: it must be a whole number of at least"),
        ("wait_for_message", {"timeout_seconds": 301}, "it must be a number from 0 to 300."),
        ("read_message", {"message_id": ""}, '`message_id` is ""'),
        ("read_message", {"message_id": None}, "`message_id` is null"),
        ("rename_thread", {"thread_id": "thr_1"}, "`name` is missing"),
        (
            "send_message",
            {"body": "x", "attachments": ["report.md"]},
            '`attachments` is ["report.md"]: it must be a list with {`path`, `name` (optional)}',
        ),
        (
            "send_message",
            {"body": "x", "attachments": [{"path": "x"}] * 11},
            "at most 10 of them.",
        ),
        (
            "mark_messages",
            {"message_ids": [], "read": True},
            "`message_ids` is []: it must be a list with a text, 1 to 500 of them.",
        ),
        ("mark_messages", {"message_ids": ["msg_1"]}, "neither `read` nor `flagged` is given."),
        ("delete_messages", {"message_ids": "msg_1"}, '`message_ids` is "msg_1"'),
        ("create_folder", {"name": ""}, '`name` is ""'),
        ("create_folder", {"name": "f" * 61}, "it must be a text of 1 to 60 characters."),
        ("set_label", {}, "neither `mailbox_name` nor `thread_id` with `thread_name`"),
        ("set_label", {"thread_id": "thr_1"}, "`thread_id` and `thread_name` go together."),
        ("set_label", {"thread_name": "x"}, "`thread_id` and `thread_name` go together."),
        ("whoami", {"verbose": True}, "There is no argument `verbose`: the tool takes none."),
        ("get_thread", {"id": "thr_1"}, "There is no argument `id`: the tool takes `thread_id`"),
    ],
)
async def test_a_wrong_argument_is_named_with_its_value_and_what_is_allowed(
    agent: Agent, tool: str, arguments: dict[str, object], said: str
) -> None:
    text = await agent.refused(tool, **arguments)
    assert said in text
    assert text.endswith("Correct that and call the tool again.")


async def test_every_fault_of_a_call_is_told_at_once(agent: Agent) -> None:
    text = await agent.refused("send_message", to=5, cc="box_2")
    assert text.startswith("The message was not sent: ")
    assert "`cc`" in text
    assert "`to` is 5" in text
    assert "`body` is missing" in text


async def test_text_that_cannot_be_stored_is_refused(agent: Agent) -> None:
    text = await agent.refused("send_message", to="box_1", body="a\x00b")
    assert "`body` holds a NUL character" in text


async def test_an_optional_argument_that_is_null_counts_as_left_out(agent: Agent) -> None:
    text = await agent.refused("list_messages", search=None, limit=None)
    assert "No answer from the Messenger server" in text


async def test_an_optional_part_of_a_file_that_is_null_counts_as_left_out(
    agent: Agent, tmp_path: Path
) -> None:
    file = {"path": str(tmp_path / "absent"), "name": None}
    text = await agent.refused("send_message", body="x", attachments=[file])
    assert "no such file" in text


async def test_a_long_wrong_value_is_cut_and_stays_on_one_line(agent: Agent) -> None:
    text = await agent.refused("list_messages", limit="9\n" * 5000)
    assert "(10000 characters)" in text
    assert len(text) < 400
    assert "\n" not in text


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("list_messages", {"from": "Bob Smith"}, "`from` is “Bob Smith”, which is no mailbox"),
        ("list_threads", {"with_mailbox": "Bob Smith"}, "`with_mailbox` is “Bob Smith”, which is"),
        ("wait_for_message", {"from": "Bob Smith"}, "list_agents shows the addresses"),
        ("list_messages", {"thread_id": "Parser"}, "“Parser”, which is no thread id (thr_…)"),
        ("wait_for_message", {"thread_id": "msg_1"}, "“msg_1”, which is no thread id (thr_…)"),
        ("get_thread", {"thread_id": "Parser"}, "“Parser”, which is no thread id (thr_…)"),
        ("rename_thread", {"thread_id": "x", "name": "n"}, "“x”, which is no thread id (thr_…)"),
        ("read_message", {"message_id": "thr_1"}, "“thr_1”, which is no message id (msg_…)"),
        ("send_message", {"reply_to": "thr_1", "body": "b"}, "which is no message id (msg_…)"),
    ],
)
async def test_what_has_no_form_of_an_address_or_id_is_refused_at_once(
    planner: Agent, tool: str, arguments: dict[str, object], words: str
) -> None:
    text = await asyncio.wait_for(planner.refused(tool, **arguments), 5)
    assert words in text
    assert text.count("which is no") == 1
