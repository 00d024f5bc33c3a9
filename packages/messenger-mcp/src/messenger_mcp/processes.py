"""Processes of this machine: who one is, and whether it still runs.

A pid is used again after its process is gone, so a process is known by its pid together with the
time it started.
"""

import os
import socket
import subprocess
import sys

from msgspec import Struct

_PS = "/bin/ps"
_PS_TIMEOUT_SECONDS = 5.0
_ENDED = {b"Z", b"X"}


class ProcessMark(Struct, frozen=True, kw_only=True):
    """What tells one process from every other."""

    pid: int
    started: str | None
    """When it started, in the words of its system; absent: that could not be found out."""
    place: str
    """The machine (or container) that the pid belongs to."""


def this_process() -> ProcessMark:
    """The mark of the process that asks."""
    pid = os.getpid()
    return ProcessMark(pid=pid, started=start_time(pid), place=this_place())


def is_alive(mark: ProcessMark) -> bool | None:
    """Whether the marked process still runs; `None` when it cannot be looked up from here.

    The same pid with another start time is another process: the marked one is dead.
    """
    if mark.place != this_place():
        return None
    if not _exists(mark.pid):
        return False
    started = start_time(mark.pid)
    return started is None or mark.started is None or started == mark.started


def start_time(pid: int) -> str | None:
    """When a process of this machine started; `None` when there is none or it cannot be told.

    The text is only good for comparing with another one from the same machine.
    """
    if sys.platform == "win32":
        return _windows_start_time(pid)
    if os.path.exists("/proc/self/stat"):
        return _linux_start_time(pid)
    return _ps_start_time(pid)


def this_place() -> str:
    """The machine or container of this process: pids of another place mean nothing here."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read().strip()}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return socket.gethostname()


def _exists(pid: int) -> bool:
    if sys.platform == "win32":
        return _windows_start_time(pid) is not None
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    # One that ended and was never collected (a container without an init process) is gone.
    fields = _linux_fields(pid)
    return fields is None or fields[0] not in _ENDED


def _linux_start_time(pid: int) -> str | None:
    fields = _linux_fields(pid)
    return None if fields is None or fields[0] in _ENDED else fields[19].decode("ascii")


def _linux_fields(pid: int) -> list[bytes] | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            content = file.read()
    except OSError:
        return None
    # The command's name stands in parentheses and may itself hold spaces and parentheses.
    return content.rpartition(b")")[2].split()


def _ps_start_time(pid: int) -> str | None:
    try:
        answer = subprocess.run(  # noqa: S603 - a fixed program with a number
            [_PS, "-o", "lstart=", "-p", str(pid)],
            capture_output=True,
            check=False,
            timeout=_PS_TIMEOUT_SECONDS,
            env={"LC_ALL": "C", "TZ": "UTC"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return " ".join(answer.stdout.decode("ascii", "replace").split()) or None


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _QUERY_LIMITED_INFORMATION = 0x1000
    _STILL_ACTIVE = 259

    def _windows_start_time(pid: int) -> str | None:
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.OpenProcess.restype = wintypes.HANDLE
        process = kernel.OpenProcess(_QUERY_LIMITED_INFORMATION, False, pid)
        if not process:
            return None
        try:
            code = wintypes.DWORD()
            kernel.GetExitCodeProcess(wintypes.HANDLE(process), ctypes.byref(code))
            if code.value != _STILL_ACTIVE:
                return None
            created, ended, in_kernel, in_user = (wintypes.FILETIME() for _ in range(4))
            moments = (ctypes.byref(moment) for moment in (created, ended, in_kernel, in_user))
            kernel.GetProcessTimes(wintypes.HANDLE(process), *moments)
            return f"{created.dwHighDateTime}.{created.dwLowDateTime}"
        finally:
            kernel.CloseHandle(wintypes.HANDLE(process))

else:

    def _windows_start_time(pid: int) -> str | None:
        raise NotImplementedError(f"asked for process {pid} of Windows on another system")
