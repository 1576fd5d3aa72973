"""Fixtures of the embedded stack of the session: its API, and the resources behind the API."""

import time

import pytest

from local.stack.lifecycle import Stack
from tests.embedded import Deployed, key_entry
from tests.end_to_end.api import Api

ADMITTED_SECONDS = 10
"""The authoriser reads the keys again for an unknown key, at most every five seconds."""

ENTRIES = (
    key_entry("expired", expires="2020-01-01T00:00:00Z"),
    key_entry("for-reading", scopes=["read"]),
    key_entry("for-ingesting", scopes=["ingest"]),
    key_entry("for-a-team", namespaces=["team-*"]),
    key_entry("for-a-doctor", namespaces=["doctor-*"]),
    key_entry("for-silent-jobs", namespaces=["silent-*"]),
)


@pytest.fixture(scope="session")
def deployed(shared_stack: Stack) -> Deployed:
    """The resources behind the API, with keys of every kind in the secret."""
    deployed = Deployed(shared_stack.deployment)
    deployed.register_api_keys(*ENTRIES)
    reading = Api.of(shared_stack.url, "for-reading")
    deadline = time.monotonic() + ADMITTED_SECONDS
    while reading.get("namespaces").status == 401 and time.monotonic() < deadline:
        time.sleep(0.2)
    return deployed


@pytest.fixture(scope="session")
def api(shared_stack: Stack, deployed: Deployed) -> Api:
    """The API with a key that has every permission."""
    return Api.of(shared_stack.url, shared_stack.key)
