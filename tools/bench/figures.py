"""The figures: what each one is, its unit and its target (`docs/architecture.md`, Figures)."""

from typing import Final, Literal

from msgspec import Struct


class Target(Struct, frozen=True, kw_only=True):
    """What "excellent" means for a figure: a limit of its ratio, or of its bare value."""

    of: Literal["ratio", "value"]
    relation: Literal[">=", "<="]
    limit: float

    def is_met(self, number: float) -> bool:
        """Whether a measured ratio or value keeps within the limit."""
        return number >= self.limit if self.relation == ">=" else number <= self.limit


class Figure(Struct, frozen=True, kw_only=True):
    """A figure that the benchmark prints."""

    name: str
    unit: str
    """Of the value and of the floor."""
    what: str
    floor: str | None
    """What the floor is; `None`: the figure has none."""
    target: Target


def _ratio_at_least(limit: float) -> Target:
    return Target(of="ratio", relation=">=", limit=limit)


def _ratio_at_most(limit: float) -> Target:
    return Target(of="ratio", relation="<=", limit=limit)


def _value_at_most(limit: float) -> Target:
    return Target(of="value", relation="<=", limit=limit)


_BARE_POST: Final = "the same POST decoded and answered with a constant of the same size"
_SMALL_BASE: Final = "the same in a base of 10 000 messages"
_BARE_MCP: Final = "a two-tool server on the bare SDK"
_BARE_CLIENT: Final = "python with httpx2 and msgspec doing one request"

FIGURES: Final = (
    Figure(
        name="send_c32",
        unit="sends/s",
        what="POST /api/messages of 1 kB with an Idempotency-Key, 32 clients",
        floor=_BARE_POST,
        target=_ratio_at_least(0.24),
    ),
    Figure(
        name="send_c1",
        unit="sends/s",
        what="the same, 1 client",
        floor=_BARE_POST,
        target=_ratio_at_least(0.15),
    ),
    Figure(
        name="store_c32",
        unit="sends/s",
        what="sends through the database's writer, 32 at once, no HTTP",
        floor="the same rows through bare sqlite3, one send a transaction",
        target=_ratio_at_least(3.0),
    ),
    Figure(
        name="list50",
        unit="pages/s",
        what="GET /api/messages of 50 rows, 32 clients",
        floor="a Litestar handler that returns a constant of the same size",
        target=_ratio_at_least(0.25),
    ),
    Figure(
        name="auth",
        unit="requests/s",
        what="a constant behind the server's key check, 32 clients",
        floor="the same behind the same gate, where it asks nobody",
        target=_ratio_at_least(0.80),
    ),
    Figure(
        name="mixed",
        unit="s",
        what="a fixed number of sends and of lists run together, 16 + 16 clients",
        floor="the same two run one after the other",
        target=_ratio_at_most(1.1),
    ),
    Figure(
        name="wake",
        unit="ms",
        what="POST sent until the waiter has its answer, p50, 100 messages/s, 5 000 idle waiters",
        floor="p50 of GET /health in the same load",
        target=_ratio_at_most(3),
    ),
    Figure(
        name="wake_p99",
        unit="ms",
        what="the same, p99, 1 000 messages/s",
        floor="its own p50",
        target=_ratio_at_most(8),
    ),
    Figure(
        name="waiter_kb",
        unit="kB",
        what="memory of an idle waiter, 10 000 of them",
        floor=None,
        target=_value_at_most(20),
    ),
    Figure(
        name="grow_list",
        unit="ms",
        what="newest 50 of an inbox in a base of 1 000 000 messages, through the store in process",
        floor=_SMALL_BASE,
        target=_ratio_at_most(1.3),
    ),
    Figure(
        name="grow_threads",
        unit="ms",
        what="newest 50 threads, same",
        floor=_SMALL_BASE,
        target=_ratio_at_most(1.3),
    ),
    Figure(
        name="grow_counters",
        unit="ms",
        what="folders with their counts, same",
        floor=_SMALL_BASE,
        target=_ratio_at_most(1.3),
    ),
    Figure(
        name="grow_search",
        unit="ms",
        what="one word, newest 50, same",
        floor=_SMALL_BASE,
        target=_ratio_at_most(4),
    ),
    Figure(
        name="attach_25mb",
        unit="MB",
        what="peak memory added by a 25 MB send of our client",
        floor=None,
        target=_value_at_most(8),
    ),
    Figure(
        name="attach_stall",
        unit="ms",
        what="the longest wait for GET /health during the same send",
        floor=None,
        target=_value_at_most(30),
    ),
    Figure(
        name="server_rss",
        unit="MB",
        what="resident after start, idle",
        floor='python -c "import litestar, sqlalchemy"',
        target=_ratio_at_most(1.3),
    ),
    Figure(
        name="mcp_start",
        unit="ms",
        what="spawn of messenger-mcp until tools/list is answered",
        floor=_BARE_MCP,
        target=_ratio_at_most(1.15),
    ),
    Figure(
        name="mcp_rss",
        unit="MB",
        what="messenger-mcp, resident after initialize",
        floor=_BARE_MCP,
        target=_ratio_at_most(1.15),
    ),
    Figure(
        name="watch_start",
        unit="ms",
        what="spawn of messenger-mcp --watch until its first wait is open",
        floor=_BARE_CLIENT,
        target=_ratio_at_most(1.4),
    ),
    Figure(
        name="watch_rss",
        unit="MB",
        what="messenger-mcp --watch, resident in its first wait",
        floor=_BARE_CLIENT,
        target=_ratio_at_most(1.4),
    ),
    Figure(
        name="stop",
        unit="s",
        what="SIGTERM with 1 000 open waits until the process is gone",
        floor=None,
        target=_value_at_most(0.5),
    ),
    Figure(
        name="console_paint",
        unit="ms",
        what="opening the console with an empty cache until its first thread is painted;"
        " 100 000 messages in 20 000 threads, 5 000 mailboxes",
        floor="a page of one line in the same browser",
        target=_value_at_most(1000),
    ),
    Figure(
        name="console_bytes",
        unit="kB",
        what="modules and style sheets that came until then",
        floor=None,
        target=_value_at_most(150),
    ),
    Figure(
        name="console_one",
        unit="rows",
        what="rows of the list that a message to one of its threads touches",
        floor=None,
        target=_value_at_most(1),
    ),
    Figure(
        name="console_refresh",
        unit="changes",
        what="changes of nodes, and answers other than 304, while nothing changes on the server",
        floor=None,
        target=_value_at_most(0),
    ),
    Figure(
        name="console_idle",
        unit="%",
        what="of a core: all processes of the browser while it shows the console, and refreshes it",
        floor=None,
        target=_value_at_most(1),
    ),
)

FIGURE_BY_NAME: Final = {figure.name: figure for figure in FIGURES}
