"""What docs/upgrading.md promises: while a stack is updated, and back, no event that was answered 201 is lost."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from local.deploy.deployment import DeploymentOptions, deploy
from local.layout import Layout
from local.stack.lifecycle import Stack
from tests.embedded import Deployed, embedded_stack
from tests.end_to_end.api import Api
from tests.end_to_end.recorded import folded_without_aws, versions
from tests.end_to_end.test_killed_functions import Clients, events_of

pytestmark = [pytest.mark.emulator, pytest.mark.engine]

CLIENTS = 2
RELEASES = ("DEBUG", "INFO")
"""The log level of the functions tells the two releases apart: the environment of each function differs."""


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with embedded_stack("updates") as running:
        yield running


def test_no_event_answered_201_is_lost_while_a_stack_is_updated_and_rolled_back(stack: Stack) -> None:
    deployed, clients = Deployed(stack.deployment), Clients(Api.of(stack.url, stack.key))
    account = stack.deployment.account
    with ThreadPoolExecutor(CLIENTS) as threads:
        posting = [threads.submit(clients.post, events_of(number)) for number in range(CLIENTS)]
        try:
            for level in RELEASES:
                before = len(clients.accepted)
                parameters = {"LogLevel": level}
                options = DeploymentOptions(
                    Layout.here(), stack.url, iam=False, datadog=stack.datadog, parameters=parameters
                )
                deploy(options, account, lambda _: None)
                assert {deployed.environment(name)["POWERTOOLS_LOG_LEVEL"] for name in ("ingest", "normalise")} == {
                    level
                }
                assert len(clients.accepted) > before
        finally:
            clients.enough.set()
        for client in posting:
            client.result()
    deployed.disable_ttl()
    deployed.wait_for_ingestion(300)
    assert versions(deployed.items()) == folded_without_aws(clients.accepted, deployed.retention())
