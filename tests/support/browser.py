"""A browser at the console: it keeps its cookies, and comes from an address of its own."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2

from support.app import RunningApp, transport_of

USERNAME: Final = "owner"
PASSWORD: Final = "correct horse battery staple"
HOST: Final = "messenger.test"


class Browser:
    """A client of the console's routes; it sends the headers that a page of ours would."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self.client = client

    async def ask(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, **more: Any
    ) -> httpx2.Response:
        """Makes a request; `more` is what httpx2 takes, a `json` of None being no body."""
        own = {"Sec-Fetch-Site": "same-origin"}
        return await self.client.request(method, path, headers={**own, **(headers or {})}, **more)

    async def get(self, path: str, **query: str | int) -> httpx2.Response:
        """GET with a query."""
        return await self.ask("GET", path, params=query or None)

    async def post(self, path: str, body: object = None) -> httpx2.Response:
        """POST, with a JSON body or none."""
        return await self.ask("POST", path, json=body)

    async def sign_in(
        self, password: str = PASSWORD, *, username: str = USERNAME, remember: bool = False
    ) -> httpx2.Response:
        """A sign-in, which may be refused."""
        body = {"username": username, "password": password, "remember": remember}
        return await self.post("/ui/login", body)

    async def done(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """The document that a request gives.

        Raises:
            AssertionError: it was refused.
        """
        answer = await self.ask(method, path, json=body)
        assert answer.status_code in {200, 201, 204}, answer.text
        document: dict[str, Any] = answer.json() if answer.content else {}
        return document

    @property
    def cookies(self) -> dict[str, str]:
        """Its cookies by name."""
        return {cookie.name: cookie.value or "" for cookie in self.client.cookies.jar}


@asynccontextmanager
async def browser_at(
    app: RunningApp, address: str = "203.0.113.7", *, scheme: str = "http"
) -> AsyncIterator[Browser]:
    """A browser without any cookie; `address` counts where a proxy is trusted."""
    async with httpx2.AsyncClient(
        transport=transport_of(app.app),
        base_url=f"{scheme}://{HOST}",
        headers={"X-Forwarded-For": address, "User-Agent": "Browser/1.0"},
    ) as client:
        yield Browser(client)


async def set_up_account(app: RunningApp, browser: Browser) -> None:
    """Makes the account; the browser is signed in.

    Raises:
        AssertionError: it was refused.
    """
    body = {"code": app.setup_code, "username": USERNAME, "password": PASSWORD}
    answer = await browser.post("/ui/setup", body)
    assert answer.status_code == 201, answer.text
