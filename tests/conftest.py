"""Fixtures of several folders: one embedded stack, from its first use to the end of the session."""

import shutil
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


def pytest_sessionfinish(session: pytest.Session) -> None:
    """The logs of the stacks stay if a test failed."""
    if not session.testsfailed:
        shutil.rmtree(Layout.here().state / LOGS, ignore_errors=True)
