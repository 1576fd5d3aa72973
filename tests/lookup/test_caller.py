"""GET /caller: a key is told its scopes and its namespaces, and nothing of other keys."""

import pytest

from headwater.access.principal import Principal
from tests import factory
from tests.lookup.requests import LookupClient, table_after


@pytest.mark.parametrize(
    ("scopes", "expected"),
    [
        ({"read"}, ["read"]),
        ({"read", "curate"}, ["curate", "read"]),
        ({"read", "ingest"}, ["curate", "ingest", "read"]),
        ({"admin"}, ["admin", "curate", "ingest", "read"]),
    ],
)
def test_a_key_is_told_its_scopes_with_those_that_they_include(scopes: set[str], expected: list[str]) -> None:
    caller = Principal("key", frozenset(scopes), ("team-a",), reads=("shared",), writes=("s3://a-*",), seal="secret")
    answer = LookupClient(table_after(factory.job_event()), caller)("caller")
    assert answer == {"scopes": expected, "reads": ["shared", "team-a"], "writes": ["s3://a-*", "team-a"]}
