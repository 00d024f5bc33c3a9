"""The one shape of every refusal."""

from typing import Any

import httpx2


def assert_problem(answer: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    """Checks the whole shape and gives the document."""
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    expected = {"type", "title", "status", "detail", "code"}
    if code == "invalid_request":
        expected |= {"errors"}
        assert problem["errors"]
        for fault in problem["errors"]:
            assert set(fault) == {"field", "message"}
            assert fault["message"]
    if code == "internal_error":
        expected |= {"request_id"}
        assert problem["request_id"] == answer.headers["X-Request-Id"]
    if code == "too_many_tries":
        expected |= {"retry_after_seconds"}
        assert str(problem["retry_after_seconds"]) == answer.headers["Retry-After"]
    assert set(problem) == expected
    assert (problem["type"], problem["status"], problem["code"]) == ("about:blank", status, code)
    assert problem["title"]
    assert problem["detail"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    return problem
