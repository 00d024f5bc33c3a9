"""Whether a name exists cannot be told from the time that a sign-in takes."""

import statistics
import time
from pathlib import Path

from support.app import running_app
from support.browser import USERNAME, browser_at, set_up_account

_TRIES = 20
_COST = 14
"""A quarter of the work of production: enough that leaving it out would show at once."""


async def test_an_unknown_name_takes_as_long_as_a_known_one(tmp_path: Path) -> None:
    seconds: dict[str, list[float]] = {USERNAME: [], "nobody": []}
    async with running_app(tmp_path, trust_proxy=1, password_cost=_COST) as app:
        async with browser_at(app) as owner:
            await set_up_account(app, owner)
        for number in range(_TRIES):
            # By turns: whatever else the machine does slows both down.
            for name, took in seconds.items():
                async with browser_at(app, f"203.0.113.{number}") as browser:
                    begun = time.perf_counter()
                    answer = await browser.sign_in("a wrong password", username=name)
                    took.append(time.perf_counter() - begun)
                    assert answer.status_code == 401

    known, unknown = seconds.values()
    quarters = statistics.quantiles([*known, *unknown], n=4)
    noise = max(quarters[2] - quarters[0], 0.15 * quarters[1])
    assert abs(statistics.median(known) - statistics.median(unknown)) < noise


async def test_without_an_account_it_takes_as_long_too(tmp_path: Path) -> None:
    medians = []
    async with running_app(tmp_path, trust_proxy=1, password_cost=_COST) as app:
        for network in ("198.51.100", "203.0.113"):
            took = []
            for number in range(10):
                async with browser_at(app, f"{network}.{number}") as browser:
                    begun = time.perf_counter()
                    await browser.sign_in("a wrong password")
                    took.append(time.perf_counter() - begun)
            medians.append(statistics.median(took))
            if len(medians) == 1:
                async with browser_at(app) as owner:
                    await set_up_account(app, owner)

    # The two are measured one after the other: the order of size tells whether there was any work.
    assert 0.3 < medians[0] / medians[1] < 3
