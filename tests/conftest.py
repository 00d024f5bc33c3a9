"""What every test shares."""

import os
from typing import Final

import pytest
from hypothesis import settings

HOST_SESSIONS: Final = (
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_PROJECT_DIR",
    "COPILOT_AGENT_SESSION_ID",
    "AGENT_SESSION_ID",
    "CODEX_THREAD_ID",
)
"""Variables by which a host names its session: whoever runs the tests may be such a session."""

# At import, before any test module looks: no test sees a setting of the person who runs it.
for _name in [name for name in os.environ if name.startswith("MESSENGER_")]:
    if _name != "MESSENGER_SCREENSHOTS":  # where the tests of the console leave theirs
        del os.environ[_name]
for _name in (*HOST_SESSIONS, "PYTHONDONTWRITEBYTECODE"):
    os.environ.pop(_name, None)

# The gate tries the same examples each time; `--hypothesis-profile=explore` looks for new ones.
settings.register_profile("gate", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("gate")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on asyncio: what the product runs on."""
    return "asyncio"
