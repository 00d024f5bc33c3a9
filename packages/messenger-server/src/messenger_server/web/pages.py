"""The console's page and its assets: read once at start, served to whoever asks.

Assets lie under a version of their own, made of the release and of what they hold, so that browsers
keep them for ever and never mix the modules of two releases; the page names it and is never kept.
"""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath
from typing import Final, NamedTuple

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from messenger_server import __version__
from messenger_server.web.headers import Header
from messenger_server.web.lean import lean

PAGE_PATH: Final = "/ui/"
ASSETS_PATH: Final = "/ui/assets/"

_INDEX: Final = "index.html"
_MAIN: Final = "main.js"
_IMPORT: Final = re.compile(r"""^import\s[^"]*"(\.[^"]+)";""", re.MULTILINE)
_HTML: Final = b"text/html; charset=utf-8"
_TYPES: Final = {
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}
"""By what a name ends in; a file of another kind is none of the page's."""
_LEAN: Final = frozenset({".css", ".js"})
_FOR_EVER: Final[Header] = (b"cache-control", b"public, max-age=31536000, immutable")
_OURS: Final[Header] = (b"cross-origin-resource-policy", b"same-origin")


class _Page(NamedTuple):
    status: int
    headers: tuple[Header, ...]
    body: bytes


class Pages:
    """Answers for the paths of the page; every other request goes on to the routes behind."""

    def __init__(self, app: ASGIApp, page_by_path: Mapping[str, _Page]) -> None:
        self._app = app
        self._page_by_path = page_by_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        page = self._page_by_path.get(scope["path"])
        if (
            page is None
            or scope["type"] != ScopeType.HTTP
            or scope["method"] not in {"GET", "HEAD"}
        ):
            await self._app(scope, receive, send)
            return
        headers = page.headers
        if page.status == 307 and scope["query_string"]:
            headers = ((b"location", b"/ui/?" + scope["query_string"]), *headers[1:])
        await send({"type": "http.response.start", "status": page.status, "headers": list(headers)})
        body = b"" if scope["method"] == "HEAD" else page.body
        await send({"type": "http.response.body", "body": body, "more_body": False})


def is_page(path: str) -> bool:
    """Whether a path is one of the page's: nobody has to be signed in, and nothing is counted."""
    return path in {"/", "/ui", PAGE_PATH} or path.startswith(ASSETS_PATH)


def read_pages() -> dict[str, _Page]:
    """Everything that is served, by its path.

    Raises:
        FileNotFoundError: the installation is not whole.
    """
    folder = files("messenger_server") / "static"
    sources = dict(sorted(_walk(folder, "")))
    digest = sha256(b"".join(name.encode() + body for name, body in sources.items()))
    version = f"{__version__}-{digest.hexdigest()[:8]}"
    index = (folder / _INDEX).read_bytes()
    modules = "\n    ".join(
        f'<link rel="modulepreload" href="assets/{version}/{name}">'
        for name in sorted(_imported(_MAIN, sources) - {_MAIN})
    )
    index = index.replace(b"{modules}", modules.encode()).replace(b"{version}", version.encode())
    to_page = _Page(307, ((b"location", b"/ui/"), (b"content-length", b"0")), b"")
    pages = {"/": to_page, "/ui": to_page, PAGE_PATH: _page(_HTML, index)}
    for name, body in sources.items():
        kind = name[name.rindex(".") :]
        if kind in _LEAN:
            body = lean(body.decode()).encode()
        pages[f"{ASSETS_PATH}{version}/{name}"] = _page(_TYPES[kind], body, _FOR_EVER)
    return pages


def _imported(name: str, sources: Mapping[str, bytes]) -> set[str]:
    """The module with all that it imports at once, directly or not."""
    found: set[str] = set()
    left = [name]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            imports = _IMPORT.findall(sources[name].decode())
            left += [normpath(join(dirname(name), path)) for path in imports]
    return found


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name[entry.name.rfind(".") :] in _TYPES:
            yield prefix + entry.name, entry.read_bytes()


def _page(kind: bytes, body: bytes, *more: Header) -> _Page:
    length = str(len(body)).encode()
    return _Page(200, ((b"content-type", kind), (b"content-length", length), _OURS, *more), body)
