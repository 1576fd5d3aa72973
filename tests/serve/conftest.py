"""Headwater in one process: in this process, over a file of the test's own, and as a process of its own."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from headwater import metrics
from headwater.metrics import Measurement
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.home import SqliteHome


@pytest.fixture(autouse=True)
def measured() -> Iterator[list[Measurement]]:
    """The metrics of the test, which has no CloudWatch."""
    measured: list[Measurement] = []
    metrics.send_to(measured.append)
    yield measured
    metrics.send_to(metrics.to_log)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[SqliteHome]:
    with closing(SqliteHome(tmp_path / "lineage.db")) as home:
        yield home


@pytest.fixture
def database(home: SqliteHome) -> Database:
    return home.database
