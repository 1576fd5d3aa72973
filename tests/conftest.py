"""Fixtures of several folders, settings of all tests, and one embedded stack for the whole session."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from headwater.cli.jvm.java_process import QUICK
from local.layout import Layout
from local.stack.lifecycle import Stack
from tests.embedded import LOGS, embedded_stack
from tests.serve.process import ServeProcess

os.environ["SPARK_SUBMIT_OPTS"] = " ".join(QUICK)
"""For the JVM of each Spark that a test starts: its data are small, and compiling well takes longer than the work."""

LONG = ("emulator", "engine")

settings.register_profile("tests", deadline=None)
settings.load_profile("tests")
"""The profile of all tests: on a loaded machine, an example may take any time."""


@pytest.fixture(scope="session")
def shared_stack() -> Iterator[Stack]:
    """The stack of the session. What a test leaves in it others see: so each has namespaces of its own."""
    with embedded_stack("shared") as running:
        yield running


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServeProcess]:
    with ServeProcess(tmp_path / "lineage.db", "--open") as server:
        yield server


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Starts with what takes longest, jobs of Spark, then stacks and engines: two processes share the tests by files,
    and whichever takes a long file last leaves the other idle."""
    items.sort(key=lambda item: (not item.get_closest_marker("spark"), not any(map(item.get_closest_marker, LONG))))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Names a failure as it happens, not only at the end of all tests."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        reason = str(getattr(getattr(report.longrepr, "reprcrash", None), "message", "")).partition("\n")[0]
        print(f"\nFAILED {report.nodeid} ({report.when}): {reason[:200]}", file=sys.__stderr__, flush=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """The logs of the stacks stay if a test failed."""
    if not session.testsfailed:
        shutil.rmtree(Layout.here().state / LOGS, ignore_errors=True)
