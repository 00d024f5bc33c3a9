"""A post office on a new database, copied from one that is migrated once."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from messenger_server.database.opening import prepare
from support.post_office import PostOffice


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("template") / "messenger.db"
    prepare(path)
    return path


@pytest.fixture
def base_path(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(template, tmp_path / "messenger.db"))


@pytest.fixture
def office(base_path: Path) -> Iterator[PostOffice]:
    office = PostOffice(base_path)
    yield office
    office.close()
