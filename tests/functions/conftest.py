"""The functions on the embedded stack; ingest has a queue of its own, which no function reads."""

from collections.abc import Iterator
from functools import cache

import pytest

from local.stack.lifecycle import Stack
from tests.embedded import Deployed
from tests.functions.handlers import Function, Named, function
from tests.functions.own_queue import OwnQueue, own_queue


@pytest.fixture(scope="session")
def deployed(shared_stack: Stack) -> Deployed:
    return Deployed(shared_stack.deployment)


@pytest.fixture(scope="session")
def named(deployed: Deployed) -> Named:
    """Each function is imported once, and warm from then on."""
    return cache(lambda name: function(name, deployed.account.endpoint, deployed.environment(name)))


@pytest.fixture
def queue(deployed: Deployed) -> Iterator[OwnQueue]:
    with own_queue(deployed) as queue:
        yield queue


@pytest.fixture
def ingest(deployed: Deployed, queue: OwnQueue) -> Function:
    return function("ingest", deployed.account.endpoint, deployed.environment("ingest") | {"QUEUE_URL": queue.url})
