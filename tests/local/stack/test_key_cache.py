"""With KeyCacheSeconds the API remembers who has a key, and refuses what has no header Authorization by itself."""

import pytest

from tests import factory
from tests.embedded import Deployed, embedded_stack
from tests.end_to_end.api import Api

pytestmark = pytest.mark.emulator


def test_authorise_is_asked_once_for_a_key_and_never_without_one() -> None:
    with embedded_stack("cached", KeyCacheSeconds="300") as stack:
        api, event = Api.of(stack.url, stack.key), factory.run_event()
        assert api.post_event(event).status == 201
        with Deployed(stack.deployment).misconfigured("authorise", KEYS_SECRET="gone"):
            assert api.post_event(event).status == 201
            assert api.get("namespaces").status == 200
            assert Api.of(stack.url, "another").post_event(event).status == 503
            for headers in ({}, {"x-api-key": stack.key}):
                assert Api(stack.url, headers).post_event(event).status == 401
