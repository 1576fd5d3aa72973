from collections.abc import Iterator

import pytest

from headwater import metrics
from tests.access.teams import Stack, two_teams


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Ingest logs no metrics."""
    metrics.send_to(lambda _: None)
    yield
    metrics.send_to(metrics.to_log)


@pytest.fixture
def stack() -> Stack:
    return two_teams()
