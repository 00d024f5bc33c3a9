"""A small fleet as a person would have one, sent through the real API to a real server."""

import base64
from collections.abc import Mapping
from typing import Any, Final

import httpx2

from support.server_process import ServerProcess

USERNAME: Final = "owner"
PASSWORD: Final = "correct horse battery staple"

LONG_NAME: Final = "A thread whose name goes on and on " * 3 + "to the end"
RTL_NAME: Final = "مراجعة الوثائق 📚"
MARKDOWN: Final = """# Release notes

Some *emphasis*, **strength**, ~~a slip~~ and `code`, with [a link](https://example.org/a?b=c).

- first
- second
  1. nested
  2. again

- [x] done
- [ ] to do

> Somebody said so.

| part | state |
|:-----|------:|
| core | ready |
| mcp  | 7     |

```python
def answer() -> int:
    return 42
```

![a picture](https://example.org/picture.png)
"""


class Fleet:
    """A server with an account, agents, mailboxes and threads; more can be sent."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.url = server.url
        self.client = httpx2.Client(base_url=server.url, timeout=20)
        self.bearer = {"Authorization": f"Bearer {server.create_key('fleet')}"}
        self.mailboxes: dict[str, str] = {}
        """Addresses by the names that the tests give them."""
        self.threads: dict[str, str] = {}
        """Ids of the seeded threads by their names."""

    def register(
        self, name: str, agent: str | None = None, *, display_name: str | None = None
    ) -> str:
        """A new mailbox that `mailboxes` knows by `name`; its address."""
        wanted = {"agent_name": agent, "display_name": display_name}
        body = {field: value for field, value in wanted.items() if value is not None}
        found = self.ask("POST", "/api/agents/register", self.bearer, body)
        self.mailboxes[name] = found["mailbox"]["id"]
        return self.mailboxes[name]

    def send(self, sender: str, recipient: str, subject: str, body: str, **more: Any) -> Any:
        """Sends a message between two mailboxes, by their names here; `more` are fields of it."""
        to = self.mailboxes.get(recipient, recipient)
        draft = {"to": to, "subject": subject, "body": body, **more}
        return self.ask("POST", "/api/messages", self.as_mailbox(sender), draft)

    def read(self, reader: str, message_id: str) -> Any:
        """A mailbox reads a message: the recipient's copy is then read."""
        return self.ask("GET", f"/api/messages/{message_id}", self.as_mailbox(reader))

    def as_mailbox(self, name: str) -> dict[str, str]:
        """The headers of a mailbox."""
        return {**self.bearer, "X-Agent-Id": self.mailboxes[name]}

    def ask(self, method: str, path: str, headers: Mapping[str, str], body: object = None) -> Any:
        """The document that a request gives.

        Raises:
            AssertionError: it was refused.
        """
        answer = self.client.request(method, path, headers=dict(headers), json=body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def admin(self, method: str, path: str, body: object = None) -> Any:
        """The same as the console's owner."""
        return self.ask(method, path, {"Cookie": "; ".join(self.sign_in())}, body)

    def set_up_account(self) -> None:
        """Makes the account by the setup code of the log."""
        code = self.server.log().rpartition("setup code: ")[2].split()[0]
        account = {"code": code, "username": USERNAME, "password": PASSWORD}
        self.ask("POST", "/ui/setup", {}, account)
        self.client.cookies.clear()
        self._cookies: list[str] = []

    def sign_in(self) -> list[str]:
        """The cookies of the owner's session, as `name=value`; one session serves all tests."""
        if not self._cookies:
            self.ask("POST", "/ui/login", {}, {"username": USERNAME, "password": PASSWORD})
            jar = self.client.cookies.jar
            self._cookies = [f"{cookie.name}={cookie.value}" for cookie in jar]
            self.client.cookies.clear()
        return self._cookies

    def close(self) -> None:
        """Closes its connections; the server is its owner's."""
        self.client.close()


def seed(fleet: Fleet) -> None:
    """Six agents with their mailboxes, a dozen threads, two keys."""
    fleet.register("ann", "Ann")
    fleet.register("ann-web", "Ann", display_name="website")
    fleet.register("ann-empty", "Ann", display_name="spare")
    fleet.register("bob", "Build Bot", display_name="builds")
    fleet.register("carla", "Carla")
    fleet.register("docs", "مراجع", display_name="التوثيق")
    fleet.register("long", "Agent with a name that is much longer than any column is wide")
    fleet.register("unnamed")
    first = _conversation(fleet)
    fleet.read("bob", first["id"])
    for number, priority in enumerate(("low", "normal", "high", "urgent"), 1):
        _thread(fleet, "carla", "bob", f"Task {number}", priority=priority)
    # A mailbox that is made by being written to: it never connected.
    fleet.mailboxes["absent"] = "night-watch"
    _thread(fleet, "carla", "absent", "For the night watch")
    _thread(fleet, "docs", "carla", RTL_NAME)
    _thread(fleet, "ann", "long", LONG_NAME)
    _thread(fleet, "unnamed", "ann", "From nobody in particular")
    _thread(fleet, "ann", "ann-web", "To myself elsewhere")
    fleet.server.create_key("Build Bot's key", agent="Build Bot")


def _conversation(fleet: Fleet) -> Any:
    plan = base64.b64encode(b"# Plan\n").decode()
    first = _thread(fleet, "ann-web", "bob", "Release 2.0", body=MARKDOWN)
    reply = fleet.send(
        "bob",
        "ann-web",
        "Re: Release 2.0",
        "Built. The plan is attached.",
        reply_to=first["id"],
        attachments=[{"filename": "plan.md", "content_base64": plan}],
    )
    fleet.send("ann-web", "bob", "Thanks", "On it.", reply_to=reply["id"])
    return first


def _thread(
    fleet: Fleet, sender: str, recipient: str, name: str, body: str = "Please look.", **more: Any
) -> Any:
    sent = fleet.send(sender, recipient, name[:120], body, thread_name=name[:120], **more)
    fleet.threads[name] = sent["thread_id"]
    return sent
