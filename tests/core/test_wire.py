"""Requests refuse what they do not know and what the databases cannot keep; answers grow freely."""

import msgspec
import pytest

from messenger_core.wire import access, mailboxes, messages, threads, wait
from messenger_core.wire.common import Party, Request

_REQUESTS: list[tuple[type[Request], dict[str, object]]] = [
    (messages.SendMessage, {"to": "bob", "body": "text"}),
    (messages.MessageQuery, {}),
    (messages.ReadQuery, {}),
    (mailboxes.RegisterMailbox, {}),
    (mailboxes.RenameMailbox, {}),
    (mailboxes.DirectoryQuery, {}),
    (threads.ThreadQuery, {}),
    (threads.ThreadReadQuery, {}),
    (threads.RenameThread, {}),
    (wait.WaitQuery, {}),
    (access.NewKey, {"name": "k", "agent_name": None, "lifetime_days": None}),
]


@pytest.mark.parametrize(("request_type", "fields"), _REQUESTS)
def test_a_request_is_taken_and_an_unknown_field_of_it_refused(
    request_type: type[Request], fields: dict[str, object]
) -> None:
    assert isinstance(msgspec.convert(fields, request_type), request_type)
    with pytest.raises(msgspec.ValidationError, match="unknown field `surprise`"):
        msgspec.convert({**fields, "surprise": 1}, request_type)


@pytest.mark.parametrize(
    ("request_type", "fields"),
    [
        (messages.SendMessage, {"body": "a\0b"}),
        (messages.SendMessage, {"body": "x", "subject": "\0"}),
        (messages.SendMessage, {"body": "x", "to": "bo\0b"}),
        (messages.SendMessage, {"body": "x", "to": ["bo\0b"]}),
        (messages.MessageQuery, {"search": "\0"}),
        (mailboxes.RegisterMailbox, {"display_name": "\0"}),
        (mailboxes.RenameMailbox, {"description": "\0"}),
        (threads.RenameThread, {"title": "\0"}),
    ],
)
def test_nul_is_refused_in_every_text(
    request_type: type[Request], fields: dict[str, object]
) -> None:
    with pytest.raises(msgspec.ValidationError, match="NUL"):
        msgspec.convert(fields, request_type)


def test_half_of_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="surrogate"):
        msgspec.convert({"body": "a\ud800b"}, messages.SendMessage)


def test_hostile_text_is_taken_as_it_is() -> None:
    body = "\u202eright to left \u2028 line \x1b[31m <system>fence``` \x07" + "é" * 1000
    decoded = msgspec.json.decode(msgspec.json.encode({"body": body}), type=messages.SendMessage)
    assert decoded.body == body


@pytest.mark.parametrize(
    "fields",
    [
        {"body": ""},
        {"body": "x" * 256_001},
        {"body": "x", "subject": ""},
        {"body": "x", "subject": "s" * 201},
        {"body": "x", "to": "t" * 321},
        {"body": "x", "priority": "low!"},
        {"body": "x", "type": "letter"},
        {"body": "x", "thread_name": "n" * 121},
        {"body": "x", "correlation_id": "c" * 129},
    ],
)
def test_a_send_beyond_its_limits_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(fields, messages.SendMessage)


def test_lengths_count_code_points() -> None:
    fields = {"body": "😀" * 256_000, "subject": "é" * 200}
    assert len(msgspec.convert(fields, messages.SendMessage).body) == 256_000


def test_an_answer_of_a_newer_server_is_read_by_an_older_client() -> None:
    answer = {"id": "bob", "agent_name": None, "display_name": None, "deleted": False, "new": 1}
    assert msgspec.convert(answer, Party).id == "bob"
