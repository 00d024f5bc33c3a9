"""The files that an agent wants to send: what is checked before anything leaves."""

import hashlib
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from messenger_core.limits import ATTACHMENT_MAX_BYTES, MEGABYTE
from messenger_core.mail import BinaryReader
from messenger_mcp.attachments import AttachedFile, FileSource, ReadingRules, check_files
from messenger_mcp.local_paths import PathRefused, absolute


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an ordinary file, `report.md`, as the process's own."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "report.md").write_text("all is well\n")
    return folder


def check(
    path: Path | str, name: str | None = None, *, roots: tuple[Path, ...] | None = None
) -> FileSource:
    """The source of one file."""
    file = AttachedFile(path=str(path)) if name is None else AttachedFile(path=str(path), name=name)
    (source,) = check_files([file], ReadingRules(state_dir=Path("/nowhere/state"), roots=roots))
    return source


def content(source: FileSource) -> bytes:
    """What is sent of a source."""
    file = source.open()
    try:
        return read_out(file)
    finally:
        file.close()


def read_out(file: BinaryReader) -> bytes:
    """What is left in a file, up to its end."""
    pieces = []
    while piece := file.read(5):
        pieces.append(piece)
    return b"".join(pieces)


def sparse(path: Path, size_bytes: int) -> Path:
    """A file of so many zeros."""
    with path.open("wb") as file:
        file.truncate(size_bytes)
    return path


def test_a_file_becomes_a_source_with_its_size_and_digest(folder: Path) -> None:
    source = check(folder / "report.md")

    assert (source.filename, source.size_bytes) == ("report.md", 12)
    assert source.sha256 == hashlib.sha256(b"all is well\n").hexdigest()
    assert content(source) == content(source) == b"all is well\n"


def test_an_empty_file_is_a_file(folder: Path) -> None:
    assert content(check(sparse(folder / "empty", 0))) == b""


def test_a_relative_path_starts_at_the_process_s_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)

    assert check("report.md").path == folder / "report.md"
    assert check("../project/./report.md").path == folder / "report.md"


def test_a_tilde_is_the_home_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))

    assert check("~/report.md").path == folder / "report.md"


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Bericht.md", "Bericht.md"),
        ("../../x.md", "x.md"),
        ("C:\\secret\\x.md", "x.md"),
        ("a" * 255, "a" * 255),
    ],
)
def test_a_name_that_is_given_is_reduced_to_its_last_part(
    folder: Path, name: str, kept: str
) -> None:
    assert check(folder / "report.md", name).filename == kept


@pytest.mark.parametrize("name", ["/", "..", "a/..", " ", "a" * 256])
def test_what_is_no_name_is_refused(folder: Path, name: str) -> None:
    with pytest.raises(PathRefused, match="is no name for the file"):
        check(folder / "report.md", name)


def test_a_link_to_a_file_is_that_file_under_the_link_s_name(folder: Path) -> None:
    (folder / "latest.md").symlink_to("report.md")

    source = check(folder / "latest.md")

    assert (source.filename, source.path) == ("latest.md", folder / "report.md")


def a_folder(folder: Path) -> Path:
    return folder


def a_missing_file(folder: Path) -> Path:
    return folder / "absent.md"


def a_file_below_a_file(folder: Path) -> Path:
    return folder / "report.md" / "x"


def a_loop_of_links(folder: Path) -> Path:
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")
    return folder / "a"


def a_dangling_link(folder: Path) -> Path:
    (folder / "a").symlink_to("absent")
    return folder / "a"


def a_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def a_link_to_a_pipe(folder: Path) -> Path:
    a_pipe(folder)
    (folder / "notes.txt").symlink_to("pipe")
    return folder / "notes.txt"


def a_socket(folder: Path) -> Path:
    here = os.getcwd()
    os.chdir(folder)  # the name of a socket may have a hundred characters, not more
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("s")
    finally:
        os.chdir(here)
    return folder / "s"


def a_file_too_large(folder: Path) -> Path:
    return sparse(folder / "large", ATTACHMENT_MAX_BYTES + 1)


def a_name_too_long(folder: Path) -> Path:
    return folder / ("x" * 5000)


def a_device(_: Path) -> Path:
    return Path("/dev/zero")


def a_link_to_a_device(folder: Path) -> Path:
    (folder / "zeros.txt").symlink_to("/dev/zero")
    return folder / "zeros.txt"


def the_environment_of_a_process(_: Path) -> Path:
    return Path("/proc/self/environ")


def a_link_into_a_secret_place(folder: Path) -> Path:
    (folder / ".ssh").mkdir()
    (folder / ".ssh" / "known_hosts").write_text("x")
    (folder / "hosts.txt").symlink_to(".ssh/known_hosts")
    return folder / "hosts.txt"


def a_linked_folder_that_is_a_secret_place(folder: Path) -> Path:
    (folder / ".aws").mkdir()
    (folder / ".aws" / "notes.txt").write_text("x")
    (folder / "cloud").symlink_to(".aws")
    return folder / "cloud" / "notes.txt"


def a_way_through_dots_into_a_secret_place(folder: Path) -> Path:
    a_linked_folder_that_is_a_secret_place(folder)
    return folder / "cloud" / ".." / ".aws" / "notes.txt"


def a_private_key_under_a_plain_name(folder: Path) -> Path:
    (folder / "notes.txt").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA\n")
    return folder / "notes.txt"


def a_settings_file_with_a_key(folder: Path) -> Path:
    (folder / ".mcp.json").write_text('{"MESSENGER_API_KEY": "mk_' + "k" * 43 + '"}')
    return folder / ".mcp.json"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (a_folder, "is a folder: only plain files"),
        (a_missing_file, "no such file"),
        (a_file_below_a_file, "not a directory"),
        (a_loop_of_links, "too many levels of symbolic links"),
        (a_dangling_link, "no such file"),
        (a_pipe, "is a pipe"),
        (a_link_to_a_pipe, "is a pipe"),
        (a_socket, "is a socket"),
        (a_file_too_large, "has 10,485,761 bytes: an attachment may have 10,485,760"),
        (a_name_too_long, "file name too long"),
        (a_device, "it is a device"),
        (a_link_to_a_device, "it is a device"),
        (the_environment_of_a_process, "“/proc”"),
        (a_link_into_a_secret_place, "“.ssh”"),
        (a_linked_folder_that_is_a_secret_place, "“.aws”"),
        (a_way_through_dots_into_a_secret_place, "“.aws”"),
        (a_private_key_under_a_plain_name, "it holds a private key"),
        (a_settings_file_with_a_key, "it holds an API key"),
    ],
)
def test_what_cannot_or_must_not_be_sent_is_refused_by_name_with_the_reason(
    folder: Path, make: Callable[[Path], Path], reason: str
) -> None:
    path = make(folder)

    with pytest.raises(PathRefused) as refused:
        check(path)

    assert str(path) in str(refused.value)
    assert reason in str(refused.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(folder: Path) -> None:
    (folder / "report.md").chmod(0)

    with pytest.raises(PathRefused, match="permission denied"):
        check(folder / "report.md")


@pytest.mark.parametrize("path", ["   ", "a\0b", "a\ud800"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(PathRefused, match=r"the path is empty|no path does"):
        absolute(path)


def test_a_refusal_stays_on_one_line_whatever_the_path_is(folder: Path) -> None:
    with pytest.raises(PathRefused) as refused:
        check("a\n--- end of message body ---\u202e")

    assert "\n" not in str(refused.value)
    assert "\u202e" not in str(refused.value)


def test_a_relative_path_that_leads_nowhere_is_told_where_it_starts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)

    with pytest.raises(PathRefused, match=f"Relative paths start at “{folder}”"):
        check("absent.md")


def test_files_too_large_together_are_refused(folder: Path) -> None:
    files = [
        AttachedFile(path=str(sparse(folder / f"{number}", 9 * MEGABYTE))) for number in range(3)
    ]

    with pytest.raises(PathRefused, match="28,311,552 bytes: all of a message together"):
        check_files(files, ReadingRules(state_dir=folder / "state", roots=None))


def test_the_client_s_own_folder_is_never_read_also_through_a_link(folder: Path) -> None:
    (folder / "link").symlink_to(folder)
    rules = ReadingRules(state_dir=folder / "link", roots=None)

    for path in (folder / "report.md", folder / "link" / "report.md"):
        with pytest.raises(PathRefused, match="keeps its own keys"):
            check_files([AttachedFile(path=str(path))], rules)


def test_roots_narrow_what_may_be_read(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "project-notes"
    other.mkdir()
    (other / "x.md").write_text("x")
    (folder / "out.md").symlink_to(other / "x.md")
    (tmp_path / "root").symlink_to(folder)

    assert check(folder / "report.md", roots=(tmp_path / "root",)).size_bytes == 12
    assert check(other / "x.md", roots=(folder, other)).size_bytes == 1
    for path in (other / "x.md", folder / ".." / "project-notes" / "x.md", folder / "out.md"):
        with pytest.raises(PathRefused, match="MESSENGER_ATTACHMENT_ROOTS"):
            check(path, roots=(folder,))


def test_roots_open_no_secret_place(folder: Path) -> None:
    (folder / ".env").write_text("TOKEN=x")

    with pytest.raises(PathRefused, match="hold passwords or keys"):
        check(folder / ".env", roots=(folder,))


def test_a_file_put_in_the_place_of_a_folder_on_the_way_is_seen(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was checked is what was opened: the race is run at its worst moment."""
    (folder / "sub").mkdir()
    (folder / "sub" / "notes").write_text("plain")
    (folder / ".ssh").mkdir()
    (folder / ".ssh" / "notes").write_text("secret")
    honest = os.open

    def swapped(path: str, flags: int, *more: int) -> int:
        if Path(path).name == "notes":
            os.rename(folder / "sub", folder / "gone")
            (folder / "sub").symlink_to(folder / ".ssh")
        return honest(path, flags, *more)

    monkeypatch.setattr(os, "open", swapped)

    with pytest.raises(PathRefused, match=r"“\.ssh”"):
        check(folder / "sub" / "notes")


def test_a_link_put_in_the_place_of_the_file_is_not_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "other.md").write_text("another")
    honest = os.open

    def swapped(path: str, flags: int, *more: int) -> int:
        os.unlink(folder / "report.md")
        (folder / "report.md").symlink_to("other.md")
        return honest(path, flags, *more)

    monkeypatch.setattr(os, "open", swapped)

    with pytest.raises(PathRefused, match="too many levels of symbolic links"):
        check(folder / "report.md")


def appended(path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("more")


def rewritten(path: Path) -> None:
    path.write_text("all is bad!\n", encoding="utf-8")


def rewritten_with_its_old_date(path: Path) -> None:
    before = path.stat()
    path.write_text("all is bad!\n", encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def emptied(path: Path) -> None:
    path.write_text("", encoding="utf-8")


def replaced_by_a_copy(path: Path) -> None:
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    os.replace(copy, path)


def removed(path: Path) -> None:
    path.unlink()


CHANGES = [
    appended,
    rewritten,
    rewritten_with_its_old_date,
    emptied,
    replaced_by_a_copy,
    removed,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changed_since_it_was_checked_is_refused(
    folder: Path, change: Callable[[Path], None]
) -> None:
    source = check(folder / "report.md")
    change(folder / "report.md")

    with pytest.raises(PathRefused, match=r"report\.md.*(changed while it was read|no such file)"):
        content(source)


@pytest.mark.parametrize("change", [appended, rewritten, rewritten_with_its_old_date, emptied])
def test_a_file_that_changes_while_it_is_sent_is_refused_at_its_end(
    folder: Path, change: Callable[[Path], None]
) -> None:
    source = check(folder / "report.md")
    file = source.open()
    assert file.read(4) == b"all "
    change(folder / "report.md")

    with pytest.raises(PathRefused, match="changed while it was read"):
        read_out(file)

    file.close()


@pytest.mark.parametrize("change", [appended, rewritten, emptied])
def test_a_file_that_changes_while_it_is_checked_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    honest = os.fstat

    def changing(descriptor: int) -> os.stat_result:
        found = honest(descriptor)
        monkeypatch.setattr(os, "fstat", honest)
        os.utime(folder / "report.md", ns=(0, 0))
        change(folder / "report.md")
        return found

    monkeypatch.setattr(os, "fstat", changing)

    with pytest.raises(PathRefused, match="changed while it was read"):
        check(folder / "report.md")


def test_a_hard_link_to_a_secret_is_refused_and_another_one_is_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    (folder / ".aws").mkdir()
    (folder / ".aws" / "credentials").write_text("x")
    os.link(folder / ".aws" / "credentials", folder / "notes.txt")
    os.link(folder / "report.md", folder / "copy.md")

    with pytest.raises(PathRefused, match="it is a hard link to a file that holds secrets"):
        check(folder / "notes.txt")

    assert check(folder / "copy.md").size_bytes == 12


def test_without_a_view_on_descriptors_the_path_is_followed_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "other.md").write_text("another")
    honest = os.open

    view = os.readlink

    def only_links(path: str) -> str:
        if str(path).startswith("/proc/self/fd/"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return view(path)

    def swapped(path: str, flags: int, *more: int) -> int:
        descriptor = honest(path, flags, *more)
        os.replace(folder / "other.md", folder / "report.md")
        return descriptor

    monkeypatch.setattr(os, "readlink", only_links)
    assert check(folder / "report.md").size_bytes == 12

    monkeypatch.setattr(os, "open", swapped)
    with pytest.raises(PathRefused, match="it was replaced"):
        check(folder / "report.md")
