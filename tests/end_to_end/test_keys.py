"""A key is accepted in two headers, and works as soon as the secret has it."""

import time
import uuid
from collections.abc import Callable

import pytest

from tests import factory
from tests.embedded import Deployed, key_entry
from tests.end_to_end.api import Api
from tests.end_to_end.bad_requests import GOOD

pytestmark = pytest.mark.emulator

ROTATION_SECONDS = 15

WAYS: dict[str, Callable[[str], dict[str, str]]] = {
    "Bearer": lambda key: {"Authorization": f"Bearer {key}"},
    "bearer in small letters": lambda key: {"authorization": f"bearer {key}"},
    "Bearer and spaces": lambda key: {"Authorization": f"  Bearer   {key}  "},
    "x-api-key": lambda key: {"x-api-key": key},
    "X-API-KEY": lambda key: {"X-API-KEY": key},
    "x-api-key beside a password": lambda key: {"Authorization": "Basic eDp5", "x-api-key": key},
    "both": lambda key: {"Authorization": f"Bearer {key}", "x-api-key": "unknown"},
}


@pytest.mark.parametrize("way", WAYS)
def test_a_key_goes_in_either_header(api: Api, way: str) -> None:
    key = api.headers["Authorization"].removeprefix("Bearer ")
    caller = Api(api.url, WAYS[way](key))
    assert caller.post(GOOD).status == 201
    assert caller.get("namespaces").status == 200


def test_a_key_is_for_its_scopes_and_namespaces(api: Api) -> None:
    ours = factory.run_event() | {"job": {"namespace": "team-a", "name": "load"}}
    assert Api.of(api.url, "for-a-team").post_event(ours).status == 201
    assert Api.of(api.url, "for-reading").get("namespaces").status == 200
    assert Api.of(api.url, "for-ingesting").post(GOOD).status == 201


def test_a_reader_sees_only_the_namespaces_of_its_key(api: Api, deployed: Deployed) -> None:
    api.post_event(factory.run_event() | {"job": {"namespace": "team-a", "name": "load"}})
    deployed.wait_for_ingestion()
    reader = Api.of(api.url, "for-a-team")
    assert [namespace["name"] for namespace in reader.get("namespaces").json["namespaces"]] == ["team-a"]
    assert reader.get("namespaces", "team-a", "jobs").json["totalCount"] == 1


def test_a_new_key_works_without_a_deployment(api: Api, deployed: Deployed) -> None:
    key = uuid.uuid4().hex
    caller = Api.of(api.url, key)
    assert caller.post(GOOD).status == 401
    deployed.register_api_keys(key_entry(key))
    deadline = time.monotonic() + ROTATION_SECONDS
    while caller.post(GOOD).status == 401:
        assert time.monotonic() < deadline, f"the key is still unknown after {ROTATION_SECONDS} s"
        time.sleep(0.5)
    assert caller.post(GOOD).status == 201
