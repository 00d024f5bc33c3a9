"""Two mailboxes on a real server, one of which writes to the other, over plain HTTP."""

import json
import urllib.request
from pathlib import Path

from messenger_mcp.handoff import HandOff, LocalSession, write_handoff
from messenger_mcp.processes import this_process
from messenger_mcp.state_dir import StateDir
from support.server_process import ServerProcess, wait_until
from support.watcher_process import START_SECONDS

_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Correspondents:
    """A server with two mailboxes of one key: one that writes, one that is watched."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.key = server.create_key("agents")
        self.writer = self._register("the writer")
        self.watched = self._register("the watched")

    def send(self, subject: str) -> str:
        """The writer writes to the watched one; gives the message's id."""
        body = {"to": self.watched, "subject": subject, "body": "Hello."}
        answer = self._ask("POST", "/api/messages", body, self.writer)
        self.last_seq = int(str(answer["seq"]))
        return str(answer["id"])

    def is_waiting(self) -> bool:
        """Whether a watcher holds a wait on the watched mailbox at this moment."""
        return bool(self._ask("GET", "/api/mailbox", None, self.watched)["watcher"]["waiting"])

    def until_waiting(self) -> None:
        """Returns once a watcher holds a wait."""
        wait_until(self.is_waiting, START_SECONDS)

    def settings(self, key: str | None = None) -> dict[str, str]:
        """The environment of a watcher without a hand-off."""
        return {"MESSENGER_SERVER_URL": self.server.url, "MESSENGER_API_KEY": key or self.key}

    def hand_off(
        self,
        folder: Path,
        head: int = 0,
        *,
        host_session: str | None = None,
        host_thread_id: str | None = None,
        written_at_ms: int = 1,
    ) -> None:
        """Leaves what a session leaves for its watcher."""
        handoff = HandOff(
            server_url=self.server.url,
            api_key=self.key,
            address=self.watched,
            head=head,
            written_at_ms=written_at_ms,
            sessions=[LocalSession(process=this_process(), host_session=host_session)],
            host_thread_id=host_thread_id,
        )
        write_handoff(StateDir(folder / ".mcp-messenger"), handoff)

    def _register(self, name: str) -> str:
        answer = self._ask("POST", "/api/agents/register", {"agent_name": name}, None)
        return str(answer["mailbox"]["id"])

    def _ask(
        self,
        method: str,
        path: str,
        body: object,
        address: str | None,
    ) -> dict[str, dict[str, object]]:
        headers = {"Authorization": f"Bearer {self.key}"}
        headers |= {} if address is None else {"X-Agent-Id": address}
        content = None if body is None else json.dumps(body).encode()
        headers |= {} if body is None else {"Content-Type": "application/json"}
        request = urllib.request.Request(self.server.url + path, content, headers, method=method)
        with _DIRECT.open(request, timeout=10) as response:
            answer: dict[str, dict[str, object]] = json.load(response)
            return answer
