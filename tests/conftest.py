"""Fixtures of several folders: one embedded stack, from its first use to the end of the session."""

import shutil
import sys
from collections.abc import Iterator

import pytest

from local.layout import Layout
from local.stack.lifecycle import Stack
from tests.embedded import LOGS, embedded_stack


@pytest.fixture(scope="session")
def shared_stack() -> Iterator[Stack]:
    """The stack of the session. What a test leaves in it others see: so each has namespaces of its own."""
    with embedded_stack("shared") as running:
        yield running


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Names a failure as it happens, not only at the end of all tests."""
    if report.failed:
        reason = str(getattr(getattr(report.longrepr, "reprcrash", None), "message", "")).partition("\n")[0]
        print(f"\nFAILED {report.nodeid} ({report.when}): {reason[:200]}", file=sys.__stderr__, flush=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """The logs of the stacks stay if a test failed."""
    if not session.testsfailed:
        shutil.rmtree(Layout.here().state / LOGS, ignore_errors=True)
