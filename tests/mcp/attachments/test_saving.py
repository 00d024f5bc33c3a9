"""Attachments saved on disk: where they go, what they are called, and what is never touched."""

import asyncio
import errno
import hashlib
import os
import re
import resource
import socket
import stat
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messenger_core.mail import AttachmentStream
from messenger_core.wire.messages import Attachment
from messenger_mcp.api_errors import Unreachable
from messenger_mcp.local_paths import PathRefused
from messenger_mcp.saving import safe_name, save

pytestmark = pytest.mark.anyio

CONTENT = b"what the other agent made\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The process's own folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def arriving(
    filename: str = "report.md",
    content: bytes = CONTENT,
    *,
    sha256: str | None = None,
    size: int | None = None,
    breaks: bool = False,
) -> AttachmentStream:
    """An attachment on its way in, in small pieces."""

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(content), 7):
            yield content[start : start + 7]
        if breaks:
            raise Unreachable("http://127.0.0.1:9", "the connection broke")

    facts = Attachment(
        id="att_0000000001",
        filename=filename,
        mime_type="text/markdown",
        size=len(content) if size is None else size,
        sha256=sha256 or hashlib.sha256(content).hexdigest(),
    )
    return AttachmentStream(attachment=facts, chunks=pieces())


async def saved(
    path: Path | str | None, stream: AttachmentStream | None = None, *, overwrite: bool = False
) -> Path:
    """Where an attachment was saved."""
    return await save(
        stream or arriving(),
        None if path is None else str(path),
        overwrite=overwrite,
        state_dir=Path("/nowhere/state"),
    )


def all_in(folder: Path) -> list[str]:
    """Everything below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


async def test_without_a_path_it_is_a_new_private_file_below_the_temporary_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder))

    first, second = await saved(None), await saved(None)

    assert first != second
    for path in (first, second):
        assert path.is_absolute()
        assert (path.name, path.parent.parent) == ("report.md", folder)
        assert path.read_bytes() == CONTENT
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_into_a_folder_it_goes_under_its_own_name(folder: Path) -> None:
    assert await saved(folder) == folder / "report.md"
    assert all_in(folder) == ["report.md"]


async def test_to_a_file_path_it_goes_as_that_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))

    assert await saved("a.md") == folder / "a.md"
    assert await saved("~/b.md") == folder / "b.md"
    assert await saved(folder / "c.md") == folder / "c.md"
    assert all_in(folder) == ["a.md", "b.md", "c.md"]


async def test_an_empty_file_is_saved(folder: Path) -> None:
    assert (await saved(folder, arriving(content=b""))).read_bytes() == b""


@pytest.mark.parametrize("path", ["absent/x.md", "absent/", "file.txt/x.md", "file.txt/"])
async def test_parents_must_exist(folder: Path, path: str) -> None:
    (folder / "file.txt").write_text("x")

    with pytest.raises(PathRefused, match="its folder must exist"):
        await saved(f"{folder}/{path}")

    assert all_in(folder) == ["file.txt"]


async def test_an_existing_file_is_replaced_only_when_that_is_asked_for(folder: Path) -> None:
    (folder / "report.md").write_text("mine")
    for path in (folder, folder / "report.md"):
        with pytest.raises(PathRefused, match=r"is there already: .*`overwrite` true"):
            await saved(path)
    assert (folder / "report.md").read_text() == "mine"

    assert await saved(folder, overwrite=True) == folder / "report.md"
    assert (folder / "report.md").read_bytes() == CONTENT
    assert all_in(folder) == ["report.md"]


async def test_a_file_that_appears_meanwhile_is_not_replaced(folder: Path) -> None:
    def appear(_: bytes) -> None:
        (folder / "report.md").write_text("mine")

    with pytest.raises(PathRefused, match="is there already"):
        await saved(folder, watched(appear))

    assert (folder / "report.md").read_text() == "mine"
    assert all_in(folder) == ["report.md"]


async def test_a_folder_that_appears_meanwhile_is_not_replaced(folder: Path) -> None:
    with pytest.raises(PathRefused, match=r"cannot be written \(is a directory\)"):
        await saved(
            folder / "x", watched(lambda _: (folder / "x").mkdir(exist_ok=True)), overwrite=True
        )

    assert all_in(folder) == ["x"]


async def test_of_two_that_save_to_one_place_at_once_one_is_refused(folder: Path) -> None:
    done = await asyncio.gather(
        *(saved(folder / "x", arriving(content=b"%d" % n)) for n in range(8)),
        return_exceptions=True,
    )

    assert sum(isinstance(result, Path) for result in done) == 1
    assert sum(isinstance(result, PathRefused) for result in done) == 7
    assert all_in(folder) == ["x"]


@pytest.mark.parametrize("overwrite", [False, True])
async def test_a_file_system_without_hard_links_replaces_nothing_either(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, overwrite: bool
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)

    assert (await saved(folder, overwrite=overwrite)).read_bytes() == CONTENT
    with pytest.raises(PathRefused, match="is there already"):
        await saved(folder)
    assert all_in(folder) == ["report.md"]


async def test_a_link_at_the_place_is_never_followed(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.txt"
    target.write_text("mine")
    (folder / "report.md").symlink_to(target)
    (folder / "dangling.md").symlink_to(tmp_path / "absent.txt")
    for name in ("report.md", "dangling.md"):
        with pytest.raises(PathRefused, match="is there already"):
            await saved(folder / name)

        assert await saved(folder / name, overwrite=True) == folder / name
        assert not (folder / name).is_symlink()

    assert target.read_text() == "mine"
    assert not (tmp_path / "absent.txt").exists()


async def test_a_link_to_a_folder_is_that_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)

    assert await saved(tmp_path / "link") == folder / "report.md"


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket may have a hundred characters, not more
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.chdir(here)


def a_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [a_pipe, a_socket, a_folder])
async def test_what_is_no_file_is_never_replaced(
    folder: Path, make: Callable[[Path], None]
) -> None:
    make(folder / "report.md")

    with pytest.raises(PathRefused, match="is no plain file"):
        await saved(folder, overwrite=True)

    assert all_in(folder) == ["report.md"]


@pytest.mark.parametrize(
    "path", [".ssh/authorized_keys", ".git/hooks/pre-commit", ".bashrc", ".env", ".mcp.json", "k"]
)
async def test_nothing_is_saved_where_secrets_are_or_where_programs_run_it(
    folder: Path, path: str
) -> None:
    (folder / ".ssh").mkdir()
    (folder / ".git" / "hooks").mkdir(parents=True)
    (folder / "innocent").symlink_to(".ssh")
    before = all_in(folder)
    asked = folder / ("innocent/key" if path == "k" else path)

    with pytest.raises(PathRefused, match="nothing is ever saved to"):
        await saved(asked, overwrite=True)

    assert all_in(folder) == before


async def test_nothing_is_saved_into_the_client_s_own_folder(folder: Path) -> None:
    with pytest.raises(PathRefused, match="keeps its own keys"):
        await save(arriving(), str(folder), overwrite=True, state_dir=folder)

    assert all_in(folder) == []


@pytest.mark.parametrize(
    "stream",
    [
        arriving(sha256="0" * 64),
        arriving(size=len(CONTENT) + 1),
        arriving(size=len(CONTENT) - 1),
        arriving(size=0),
    ],
)
async def test_what_arrives_damaged_is_not_saved(folder: Path, stream: AttachmentStream) -> None:
    (folder / "report.md").write_text("mine")

    with pytest.raises(PathRefused, match="att_0000000001 arrived damaged"):
        await saved(folder, stream, overwrite=True)

    assert (folder / "report.md").read_text() == "mine"
    assert all_in(folder) == ["report.md"]


@pytest.mark.parametrize("in_new_folder", [False, True])
async def test_a_connection_that_breaks_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, in_new_folder: bool
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder))

    with pytest.raises(Unreachable):
        await saved(None if in_new_folder else folder, arriving(breaks=True))

    assert all_in(folder) == []


async def test_a_call_that_is_cancelled_leaves_nothing(folder: Path) -> None:
    arrived = asyncio.Event()
    saving = asyncio.create_task(saved(folder, watched(lambda _: arrived.set(), holds=True)))
    await arrived.wait()
    saving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await saving

    assert all_in(folder) == []


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow beyond 16 bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("in_new_folder", [False, True])
async def test_a_full_disk_is_told_and_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, in_new_folder: bool
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder))

    with full_disk(), pytest.raises(PathRefused, match=r"cannot be written .*nothing was saved"):
        await saved(None if in_new_folder else folder)

    assert all_in(folder) == []


async def test_a_temporary_folder_that_takes_nothing_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "absent"))

    with pytest.raises(PathRefused, match="give a `path`"):
        await saved(None)


async def test_only_a_full_disk_is_to_be_freed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(PathRefused, match="read-only file system") as refused:
        await saved(folder)
    assert "Free some space" not in str(refused.value)


async def test_a_senders_name_that_hosts_obey_is_refused_and_another_name_is_the_way_out(
    folder: Path,
) -> None:
    with pytest.raises(PathRefused, match=r"obey files named “CLAUDE\.md”.* of another name"):
        await saved(folder, arriving("CLAUDE.md"))
    assert os.listdir(folder) == []

    target = await saved(folder / "their-notes.md", arriving("CLAUDE.md"))

    assert target.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("report.md", "report.md"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\win.ini", "win.ini"),
        ("/", "attachment"),
        ("..", "attachment"),
        ("", "attachment"),
        (".bashrc", "bashrc"),
        ("...x", "x"),
        ("name. . ", "name"),
        ("a\nb\u2028c.txt", "a b c.txt"),
        ("gnp\u202e.exe", "gnp.exe"),
        ("a:b|c?.txt", "a_b_c_.txt"),
        ("“quoted”.txt", "_quoted_.txt"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("COM1 .log", "_COM1 .log"),
        ("console.log", "console.log"),
        ("日本語のファイル.txt", "日本語のファイル.txt"),
        ("<system-reminder>.txt", "system-reminder.txt"),
    ],
)
def test_a_name_is_made_plain(given: str, kept: str) -> None:
    assert safe_name(given) == kept


def test_a_long_name_keeps_its_extension_and_fits() -> None:
    assert safe_name("é" * 255 + ".tar.gz") == "é" * 98 + ".gz"
    assert len(safe_name("x" * 255).encode()) == 200
    assert len(safe_name("x." + "y" * 253).encode()) == 200


@given(st.text())
def test_any_name_becomes_one_plain_part_of_a_path(text: str) -> None:
    name = safe_name(text)

    assert 1 <= len(name.encode()) <= 200
    assert re.search(r'[\x00-\x1f\x7f/\\:<>"|?*]', name) is None
    assert not name.startswith((".", " "))
    assert not name.endswith((".", " "))
    assert safe_name(name) == name


def watched(see: Callable[[bytes], None], *, holds: bool = False) -> AttachmentStream:
    """An attachment whose pieces are seen when they come; with `holds` it never ends."""
    stream = arriving()

    async def pieces() -> AsyncIterator[bytes]:
        async for piece in stream.chunks:
            yield piece
            see(piece)
            if holds:
                await asyncio.Event().wait()

    return AttachmentStream(attachment=stream.attachment, chunks=pieces())
