"""Wakes an idle Codex thread: one fixed line as its next message, never a word of other agents.

What Codex queues arrives as if the person had typed it, so nothing that an agent wrote may stand in
it. The thread then reads its mail with the tools.
"""

import asyncio
import contextlib
import logging
import re
import shutil
from collections.abc import Mapping

from messenger_mcp.config import SettingError
from messenger_mcp.log import one_safe_line

WAKE_LINE = "[messenger] New mail has arrived: call list_messages."

_THREAD = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.:-]{0,127}")
_INTERVAL_SECONDS = 2.0
"""Arrivals within it are one message to the thread, as they are one line."""
_CALL_SECONDS = 30.0
_PAUSES_SECONDS = (5.0, 30.0)
"""Before a failed call is tried again; then the next arrival tries."""
_REASON_MAX_CHARS = 300

_log = logging.getLogger(__name__)


class CodexWake:
    """Calls `codex queue` for one thread, at most one call at a time."""

    def __init__(
        self, thread_id: str, environ: Mapping[str, str], *, interval_seconds: float | None = None
    ) -> None:
        """A wake for a thread; nothing is called yet.

        Args:
            thread_id: of Codex.
            environ: `PATH` finds `codex`; `HOME` and `CODEX_HOME` must be those of the thread.
            interval_seconds: between two calls; absent: as lines are paced.

        Raises:
            SettingError: the id is none of Codex.
        """
        if _THREAD.fullmatch(thread_id) is None:
            raise SettingError(f"{thread_id[:128]!r} is no id of a Codex thread.")
        self._thread_id = thread_id
        self._environ = dict(environ)
        self._interval_seconds = _INTERVAL_SECONDS if interval_seconds is None else interval_seconds
        self._due = asyncio.Event()

    def wake(self) -> None:
        """Asks for a call; several before it is made are one."""
        self._due.set()

    async def run(self) -> None:
        """Makes the calls that were asked for, for ever; a failure is logged and ends nothing."""
        while True:
            await self._due.wait()
            self._due.clear()
            for pause_seconds in (*_PAUSES_SECONDS, None):
                reason = await self._queue()
                if reason is None:
                    break
                _log.warning("Codex was not woken: %s", one_safe_line(reason)[:_REASON_MAX_CHARS])
                if pause_seconds is not None:
                    await asyncio.sleep(pause_seconds)
            await asyncio.sleep(self._interval_seconds)

    async def _queue(self) -> str | None:
        """Calls `codex queue`; gives why it failed, `None` when it did not."""
        program = shutil.which("codex", path=self._environ.get("PATH"))
        if program is None:
            return "there is no `codex` on PATH."
        words = [program, "queue", "--thread", self._thread_id, "--message", WAKE_LINE]
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                env=self._environ,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,  # our own stdout is the watcher's lines
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            return f"`codex` cannot be run: {error.strerror}."
        try:
            async with asyncio.timeout(_CALL_SECONDS):
                _, said = await process.communicate()
        except TimeoutError:
            return f"`codex queue` did not end within {_CALL_SECONDS:.0f} seconds."
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
        if process.returncode == 0:
            return None
        return f"`codex queue` ended with code {process.returncode}: {_reason(said)}"


def codex_thread(environ: Mapping[str, str], thread_of_handoff: str | None) -> str:
    """The thread to wake: of the shell that runs the watcher, else of the session's hand-off.

    Raises:
        SettingError: neither names one.
    """
    thread_id = environ.get("CODEX_THREAD_ID", "").strip() or thread_of_handoff
    if not thread_id:
        raise SettingError(
            "--wake codex does not know which thread to wake: run it in a shell of Codex (which "
            "sets CODEX_THREAD_ID), or call enable_notifications in the thread first."
        )
    return thread_id


def _reason(said: bytes) -> str:
    """The line that names the error, where there is one: a stack may follow it."""
    lines = said.decode(errors="replace").strip().splitlines()
    named = [line for line in lines if line.startswith("Error")]
    return (named or lines[-1:] or ["it says nothing."])[0]
