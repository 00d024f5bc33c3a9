"""From a cookie to whoever is signed in to the console, and from where a write may come."""

from typing import Final, NamedTuple
from urllib.parse import urlsplit

from messenger_core.echo import echoed
from messenger_core.errors import CrossSite
from messenger_core.limits import REMEMBERED_SESSION_SECONDS
from messenger_server.auth.last_use import LastUse
from messenger_server.clock import Clock
from messenger_server.database import Database
from messenger_server.store.fingerprints import fingerprint
from messenger_server.store.sessions import find_session

COOKIE: Final = "messenger_session"
SECURE_COOKIE: Final = f"__Host-{COOKIE}"
"""Behind TLS. Browsers take a cookie of such a name only from the very host, and only securely."""

_SAME_ORIGIN: Final = {b"same-origin", b"none"}
"""`none`: the person did it, no page."""
_PORTS: Final = {"http": 80, "https": 443}

Headers = dict[bytes, bytes]
"""Request headers by lower-case name."""


class ConsoleUser(NamedTuple):
    """Who is signed in, and through which session."""

    session_id: int
    """The internal number."""
    session_public_id: str
    username: str
    fingerprint: str
    """Of the secret in the cookie."""


class ConsoleCheck:
    """Finds out who makes a console request.

    Nothing is remembered between two requests, so a closed session is refused on the next one.
    """

    def __init__(self, database: Database, clock: Clock, session_use: LastUse) -> None:
        self._database = database
        self._clock = clock
        self._session_use = session_use

    async def user_of(self, headers: Headers, *, is_https: bool) -> ConsoleUser | None:
        """Who is signed in; None: nobody, whatever the cookie says."""
        secret = _secret(headers.get(b"cookie", b""), is_https=is_https)
        if not secret:
            return None
        of_secret = fingerprint(secret)
        found = await find_session(self._database, of_secret)
        now_ms = self._clock.now_ms()
        if found is None or found.expires_at <= now_ms:
            return None
        self._session_use.note(found.id, found.last_seen_at, now_ms)
        return ConsoleUser(found.id, found.public_id, found.username, of_secret)


def refuse_cross_site(headers: Headers, *, is_https: bool) -> None:
    """Refuses a write that another site's page made; what no browser made is let in.

    Raises:
        CrossSite: `Sec-Fetch-Site`, or without it `Origin`, names another origin than ours.
    """
    site = headers.get(b"sec-fetch-site")
    if site is not None:
        if site.strip().lower() not in _SAME_ORIGIN:
            shown = echoed(site.decode("latin-1"))
            raise CrossSite(
                f"The request comes from another site: its Sec-Fetch-Site is {shown!r},"
                " and must be 'same-origin'. Use the console's own page."
            )
        return
    origin, host = headers.get(b"origin"), headers.get(b"host", b"")
    if origin is not None and not _is_ours(origin, host, is_https=is_https):
        page, asked = (echoed(value.decode("latin-1")) for value in (origin, host))
        raise CrossSite(
            f"The request comes from another site: its Origin is {page!r}, and the server was asked"
            f" as {'https' if is_https else 'http'}://{asked}. If that is one site, the proxy in"
            " front must pass Host on as the browser sent it (docs/reference/proxy.md)."
        )


def session_cookie(secret: str, *, is_https: bool, remembered: bool) -> tuple[bytes, bytes]:
    """The header that gives a browser its session: until it closes, or for 30 days."""
    lifetime = f"; Max-Age={REMEMBERED_SESSION_SECONDS}" if remembered else ""
    return _cookie(f"{secret}{lifetime}", is_https=is_https)


def no_session_cookie(*, is_https: bool) -> tuple[bytes, bytes]:
    """The header that takes it away."""
    return _cookie("; Max-Age=0", is_https=is_https)


def _cookie(value: str, *, is_https: bool) -> tuple[bytes, bytes]:
    name, secure = (SECURE_COOKIE, "; Secure") if is_https else (COOKIE, "")
    text = f"{name}={value}; HttpOnly; SameSite=Strict; Path=/{secure}"
    return b"set-cookie", text.encode("ascii")


def _secret(cookies: bytes, *, is_https: bool) -> str:
    """The secret of a session among the cookies; empty: none.

    Behind TLS the plain name does not count: a neighbouring site could have planted it.
    """
    found: dict[str, str] = {}
    for pair in cookies.decode("latin-1").split(";"):
        name, _, value = pair.strip().partition("=")
        found.setdefault(name, value.strip())
    return found.get(SECURE_COOKIE) or ("" if is_https else found.get(COOKIE, ""))


def _is_ours(origin: bytes, host: bytes, *, is_https: bool) -> bool:
    """Whether an `Origin` is the one that the request itself was made to."""
    try:
        page = urlsplit(origin.decode("latin-1"))
        port = page.port or _PORTS[page.scheme]
        asked = urlsplit(f"//{host.decode('latin-1')}")
        asked_port = asked.port or _PORTS[page.scheme]
    except (ValueError, KeyError):  # `null`, or no origin at all
        return False
    # A proxy that ends TLS need not say so; a page without TLS is never ours behind TLS.
    is_as_safe = page.scheme == "https" or not is_https
    return is_as_safe and (page.hostname, port) == (asked.hostname, asked_port)
