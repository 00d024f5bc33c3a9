"""A write to the console comes from the console's own pages, or from no browser at all."""

from typing import Final

import pytest

from messenger_server.admin.table import ADMIN_ROUTES
from messenger_server.web.console import SIGN_IN_ROUTES
from support.app import RunningApp
from support.browser import HOST, PASSWORD, USERNAME, Browser, browser_at
from support.problems import assert_problem

_WRITES: Final = [
    (route.method, route.path) for route in (*ADMIN_ROUTES, *SIGN_IN_ROUTES) if route.writes
]
_LOGIN: Final = {"username": USERNAME, "password": PASSWORD}


async def _sign_in(browser: Browser, headers: dict[str, str]) -> int:
    answer = await browser.client.post("/ui/login", json=_LOGIN, headers=headers)
    if answer.status_code == 403:
        assert_problem(answer, 403, "cross_site")
    return answer.status_code


@pytest.mark.parametrize(("method", "path"), _WRITES)
async def test_every_write_from_another_site_is_refused(
    owner: Browser, method: str, path: str
) -> None:
    for headers in (
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": f"http://{HOST}"},
    ):
        answer = await owner.ask(method, path.replace("{", "x").replace("}", "x"), headers=headers)
        assert_problem(answer, 403, "cross_site")


async def test_the_fetch_metadata_counts_before_the_origin(owner: Browser) -> None:
    elsewhere = {"Origin": "https://elsewhere.test"}

    for site, status in (("same-origin", 200), ("none", 200), ("", 403), ("nonsense", 403)):
        assert await _sign_in(owner, {"Sec-Fetch-Site": site, **elsewhere}) == status


async def test_a_refusal_names_what_was_compared(owner: Browser) -> None:
    compared = {"Origin": "https://messenger.example.org"}
    by_origin = await owner.client.post("/ui/login", json=_LOGIN, headers=compared)
    by_metadata = await owner.ask(
        "POST", "/ui/login", json=_LOGIN, headers={"Sec-Fetch-Site": "same-site"}
    )

    detail = assert_problem(by_origin, 403, "cross_site")["detail"]
    assert "'https://messenger.example.org'" in detail
    assert f"http://{HOST}." in detail
    assert "docs/reference/proxy.md" in detail
    assert "'same-site'" in assert_problem(by_metadata, 403, "cross_site")["detail"]


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (f"http://{HOST}", 200),
        (f"http://{HOST}:80", 200),
        (f"http://{HOST.upper()}", 200),
        (f"https://{HOST}", 200),  # a proxy ended TLS and did not say so
        (f"http://{HOST}:81", 403),
        (f"http://{HOST}.elsewhere.test", 403),
        ("http://elsewhere.test", 403),
        (f"ftp://{HOST}", 403),
        (HOST, 403),
        ("null", 403),
        ("", 403),
        (f"http://{HOST}:nonsense", 403),
        ("http://[", 403),
    ],
)
async def test_without_fetch_metadata_the_origin_counts(
    owner: Browser, origin: str, status: int
) -> None:
    assert await _sign_in(owner, {"Origin": origin}) == status


async def test_behind_tls_a_page_without_it_is_another_origin(
    owner: Browser, app: RunningApp
) -> None:
    async with browser_at(app, scheme="https") as secure:
        assert await _sign_in(secure, {"Origin": f"https://{HOST}"}) == 200
        assert await _sign_in(secure, {"Origin": f"http://{HOST}"}) == 403


async def test_what_no_browser_made_is_accepted(owner: Browser) -> None:
    assert await _sign_in(owner, {}) == 200


async def test_reading_from_a_link_on_another_site_is_no_write(owner: Browser) -> None:
    for path in ("/ui/session", "/admin/account"):
        answer = await owner.ask("GET", path, headers={"Sec-Fetch-Site": "cross-site"})
        assert answer.status_code == 200
