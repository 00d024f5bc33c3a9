"""The console's page and its assets as a browser gets them: types, caching, and who may."""

import json
import re
from pathlib import Path

import httpx2
import pytest

from messenger_server import __version__
from messenger_server.web.lean import lean
from support.app import RunningApp, running_app
from support.problems import assert_problem

_STATIC = Path(__file__).parents[3] / "packages/messenger-server/src/messenger_server/static"
_FOR_EVER = "public, max-age=31536000, immutable"


async def _page(app: RunningApp) -> httpx2.Response:
    answer = await app.client.get("/ui/")
    assert answer.status_code == 200, answer.text
    return answer


async def _assets(app: RunningApp) -> str:
    """The path under which this start serves its assets."""
    (version,) = set(re.findall(r'"assets/([^/"]+)/', (await _page(app)).text))
    return f"/ui/assets/{version}"


async def test_the_page_is_asked_for_each_time(app: RunningApp) -> None:
    answer = await _page(app)

    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.text.startswith("<!doctype html>")
    assert "{" not in answer.text


async def test_all_that_the_page_names_is_served_and_kept_for_ever(app: RunningApp) -> None:
    named = re.findall(r'(?:href|src)="([^"]+)"', (await _page(app)).text)

    assert len(named) > 20
    for path in named:
        answer = await app.client.get(f"/ui/{path}")
        assert answer.status_code == 200, path
        assert answer.headers["Cache-Control"] == _FOR_EVER


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("main.js", "text/javascript; charset=utf-8"),
        ("i18n/fr/common.js", "text/javascript; charset=utf-8"),
        ("css/base.css", "text/css; charset=utf-8"),
        ("icons/messenger.svg", "image/svg+xml"),
    ],
)
async def test_an_asset_comes_whole_with_its_type(app: RunningApp, name: str, kind: str) -> None:
    answer = await app.client.get(f"{await _assets(app)}/{name}")

    source = (_STATIC / name).read_text(encoding="utf-8")
    assert answer.text == (source if kind == "image/svg+xml" else lean(source))
    assert answer.headers["Content-Type"] == kind
    assert answer.headers["Content-Length"] == str(len(answer.content))
    assert "require-trusted-types-for" in answer.headers["Content-Security-Policy"]


async def test_the_version_of_the_assets_is_that_of_the_release_and_of_what_they_hold(
    app: RunningApp,
) -> None:
    assert re.fullmatch(rf"/ui/assets/{re.escape(__version__)}-[0-9a-f]{{8}}", await _assets(app))


async def test_the_modules_that_the_start_needs_are_named_in_the_page(app: RunningApp) -> None:
    text = (await _page(app)).text

    preloaded = re.findall(r'<link rel="modulepreload" href="assets/[^/]+/([^"]+)">', text)
    assert {"store.js", "lib/dom.js", "views/threads_list.js"} <= set(preloaded)
    assert "main.js" not in preloaded
    assert "views/keys.js" not in preloaded


@pytest.mark.parametrize(
    "path",
    [
        "main.js",
        "0.0.0/main.js",
        "{version}/nothing.js",
        "{version}/index.html",
        "{version}/",
        "{version}",
        "{version}/css",
        "{version}/../app.py",
        "{version}/%2e%2e/app.py",
        "{version}/..%2fapp.py",
        "{version}/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "{version}//main.js",
        "{version}/MAIN.JS",
        "{version}/main.js/",
        "{version}/main.js%00",
        "{version}/..\\app.py",
    ],
)
async def test_any_other_path_is_not_there(app: RunningApp, path: str) -> None:
    version = (await _assets(app)).rpartition("/")[2]
    # Sent as it stands: a client would resolve the dots.
    raw = f"/ui/assets/{path.replace('{version}', version)}".encode()
    url = httpx2.URL(str(app.client.base_url)).copy_with(raw_path=raw)

    assert_problem(await app.client.get(url), 404, "not_found")


@pytest.mark.parametrize("path", ["/", "/ui"])
async def test_the_front_leads_to_the_page_and_keeps_the_query(app: RunningApp, path: str) -> None:
    plain = await app.client.get(path)
    asking = await app.client.get(f"{path}?tab=keys&search=a%20b")

    assert (plain.status_code, asking.status_code) == (307, 307)
    assert plain.headers["Location"] == "/ui/"
    assert asking.headers["Location"] == "/ui/?tab=keys&search=a%20b"


async def test_head_answers_as_get_does_without_the_body(app: RunningApp) -> None:
    for path in ("/", "/ui", "/ui/", f"{await _assets(app)}/main.js"):
        read, asked = await app.client.get(path), await app.client.head(path)

        assert asked.status_code == read.status_code
        assert asked.content == b""
        own = {"x-request-id"}
        assert {name: asked.headers[name] for name in asked.headers if name not in own} == {
            name: read.headers[name] for name in read.headers if name not in own
        }


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_the_page_is_only_read(app: RunningApp, method: str) -> None:
    for path in ("/ui/", f"{await _assets(app)}/main.js"):
        answer = await app.client.request(method, path)

        assert answer.status_code in {404, 405}
        assert answer.headers["Content-Type"] == "application/problem+json"


async def test_the_page_comes_without_account_quota_or_database(tmp_path: Path) -> None:
    async with running_app(tmp_path, rate_limit_max=2) as app:
        assets = await _assets(app)
        await app.database.close()
        cookie = {"Cookie": "messenger_session=invented; messenger_session=twice"}
        for _ in range(5):
            for path in ("/ui/", f"{assets}/main.js"):
                answer = await app.client.get(path, headers=cookie)
                assert answer.status_code == 200
                assert "Set-Cookie" not in answer.headers

        # The client still has its whole quota.
        left = [(await app.client.get("/nothing")).status_code for _ in range(3)]
        assert left == [404, 404, 429]


async def test_the_page_is_no_part_of_the_api(app: RunningApp) -> None:
    alice = await app.agent("alice")

    paths = json.loads((await alice.get("/api/openapi.json")).content)["paths"]

    assert not {"/", "/ui", "/ui/"} & set(paths)
    assert not any(path.startswith("/ui/assets") for path in paths)


def test_comments_and_indentation_stay_at_home_and_lines_keep_their_numbers() -> None:
    source = """/**
 * What it is.
 */
export function add(a, b) {
  // Why.
  const sum = /** @type {number} */ (a) + b; // here
  /** @type {any} */ (window).sum = sum;
  /* one
     two */
  return "/* no comment */";
}
"""
    served = lean(source).split("\n")

    assert len(served) == len(source.split("\n"))
    assert [line for line in served if line] == [
        "export function add(a, b) {",
        "const sum = (a) + b; // here",
        "(window).sum = sum;",
        'return "/* no comment */";',
        "}",
    ]


def test_a_text_over_several_lines_is_left_as_it_is() -> None:
    source = "const text = `\n  // part of the text\n`;\n"

    assert lean(source) == source
