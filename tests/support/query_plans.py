"""How SQLite goes about the statements of a store function."""

from typing import Any

from sqlalchemy import Connection

from messenger_server.database import Batch
from messenger_server.database.engines import driver_of

_SMALL = ("SCAN page", "SCAN found", "SCAN counter", "SCAN CONSTANT ROW")


def plans_of(work: Connection | Batch, fn: Any, *args: Any) -> list[list[str]]:
    """The steps of each statement that `fn(work, …)` makes, as the engine tells them."""
    statements: list[str] = []
    driver = driver_of(work.connection if isinstance(work, Batch) else work)
    driver.set_trace_callback(statements.append)
    fn(work, *args)
    driver.set_trace_callback(None)
    return [
        [row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {statement}")]
        for statement in statements
        # The full-text engine's own statements, on its own tables, are no business of ours.
        if statement.startswith(("SELECT", "UPDATE", "DELETE")) and "_search_" not in statement
    ]


def refuse_scans(plans: list[list[str]]) -> None:
    """Fails on a step that reads all of a table; a page that is already found may be read whole."""
    for step in [step for plan in plans for step in plan]:
        if step.startswith("SCAN") and "VIRTUAL TABLE" not in step:
            assert step.startswith(_SMALL), plans
