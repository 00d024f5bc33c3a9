"""`docs/reference/http.md` against the server: every route and query parameter, and no other."""

import re
from pathlib import Path

import msgspec

from messenger_server.api.route import shape_of
from messenger_server.app import ALL_ROUTES, DOCUMENT_PATH

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "http.md"
ROW = re.compile(r"^\| `((?:GET|POST|PATCH|DELETE|PUT) /\S*)` \| (.*) \|$", re.MULTILINE)


def _documented() -> dict[str, str]:
    """What the page says of each route, by method and path."""
    return {_plain(route): text for route, text in ROW.findall(PAGE.read_text(encoding="utf-8"))}


def _plain(route: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", route)


def test_every_route_that_is_served_is_documented_and_no_other() -> None:
    served = {_plain(f"{route.method} {route.path}") for route in ALL_ROUTES}

    assert set(_documented()) == served | {f"GET {DOCUMENT_PATH}"}


def test_every_query_parameter_is_documented() -> None:
    documented = _documented()

    missing = [
        f"{route.method} {route.path}: {field.encode_name}"
        for route in ALL_ROUTES
        for field in msgspec.structs.fields(shape_of(route).query)
        if f"`{field.encode_name}" not in documented[_plain(f"{route.method} {route.path}")]
    ]

    assert missing == []
