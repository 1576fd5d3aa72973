"""A curation event is as safe as any event: queued before it is folded, replayed alike, and applied once."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from headwater.fold.fold import NO_THRESHOLDS, fold
from headwater.fold.normalise import Delivery, Normaliser
from headwater.openlineage.instant import Instant
from headwater.store.errors import StorageError
from headwater.store.table import ConditionalPut
from tests import factory
from tests.curate.conftest import LAKE, Api, Response, folded, versions
from tests.fakes import FakeArchive, fail_test

ORDERS, LOAD = f"namespaces/{LAKE}/datasets/orders", "namespaces/demo/jobs/load"
RUN = {"id": factory.run_id(50)}
TABLE = {
    "type": "DB_TABLE",
    "physicalName": "x",
    "sourceName": "s3://lake",
    "tags": ["gold"],
    "fields": [{"name": "id"}],
}

WRITES: list[tuple[str, str, Any]] = [
    ("PUT", "tags/silver", {"description": "d"}),
    ("PUT", "sources/shop", {"type": "X", "connectionUrl": "x://y"}),
    ("PUT", "namespaces/new", {"ownerName": "me"}),
    ("PUT", "namespaces/new/datasets/d", TABLE),
    ("PUT", "namespaces/new/jobs/j", {"type": "BATCH", "inputs": [{"namespace": LAKE, "name": "orders"}]}),
    ("POST", f"{ORDERS}/tags/gold", None),
    ("POST", f"{ORDERS}/fields/id/tags/key", None),
    ("POST", f"{LOAD}/tags/gold", None),
    ("POST", f"{LOAD}/runs", RUN),
    ("POST", f"jobs/runs/{RUN['id']}/start", None),
    ("POST", f"jobs/runs/{RUN['id']}/complete", None),
    ("DELETE", f"{ORDERS}/fields/id/tags/key", None),
    ("DELETE", f"{ORDERS}/tags/gold", None),
    ("DELETE", f"{LOAD}/tags/gold", None),
    ("DELETE", ORDERS, None),
    ("DELETE", LOAD, None),
    ("DELETE", "namespaces/new", None),
]
each_write = pytest.mark.parametrize("number", range(len(WRITES)), ids=[" ".join(write[:2]) for write in WRITES])


def written(api: Api, number: int) -> Response:
    return api.write(*WRITES[number])


def test_all_that_is_said_is_in_the_queue_and_replayed_alike(api: Api) -> None:
    for number in range(len(WRITES)):
        assert written(api, number).status in (200, 201), WRITES[number]
    assert folded([*api.folded_events, *api.queued_events()]) == versions(api.table)
    assert folded([*api.queued_events(), *reversed(api.folded_events)]) == versions(api.table)


@each_write
def test_nothing_has_changed_if_the_queue_does_not_store_the_event(api: Api, number: int) -> None:
    for before in range(number):
        written(api, before)
    items = dict(api.table.items)
    api.queue.broken = True
    assert written(api, number).status == 503
    assert api.table.items == items
    api.queue.broken = False
    assert written(api, number).status in (200, 201)


@each_write
def test_a_queued_event_is_not_lost_if_the_table_is_unavailable(
    api: Api, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for before in range(number):
        written(api, before)
    queued = len(api.queue.sent)

    def away(changes: Sequence[ConditionalPut]) -> None:
        raise StorageError("the table is away")

    with monkeypatch.context() as patched:
        patched.setattr(api.table, "change", away)
        assert written(api, number).status == 503
    assert len(api.queue.sent) > queued
    fold(api.queued_events()[queued:], api.store)
    assert folded([*api.folded_events, *api.queued_events()]) == versions(api.table)


@each_write
def test_a_second_delivery_changes_nothing(api: Api, number: int) -> None:
    for before in range(number + 1):
        written(api, before)
    items = dict(api.table.items)
    normaliser = Normaliser(
        api.store,
        api.bucket,
        FakeArchive(),
        api.naming,
        NO_THRESHOLDS,
        lambda: Instant("2026-11-20T09:00:00.000000000Z"),
        fail_test,
    )
    deliveries = [Delivery(str(at), message.group, message.body) for at, message in enumerate(api.queue.sent)]
    for _ in range(2):
        assert normaliser.normalise(deliveries).failed == []
    assert api.table.items == items


def test_curation_of_a_node_is_no_use_of_the_node(api: Api) -> None:
    def times() -> list[str]:
        return [api.get(path).body[time] for path in (ORDERS, LOAD) for time in ("createdAt", "updatedAt")]

    before, listed = times(), api.jobs()
    for path in (ORDERS, LOAD, f"{ORDERS}/fields/id"):
        api.post(f"{path}/tags/gold")
        api.delete(f"{path}/tags/gold")
    assert times() == before
    assert api.jobs() == listed
    assert api.get(ORDERS).body["currentVersion"] == factory.run_id(1)


def test_a_tag_that_comes_after_a_deletion_does_not_bring_a_node_back(api: Api) -> None:
    for path in (ORDERS, LOAD):
        api.post(f"{path}/tags/gold")
        api.delete(path)
    tags = [event for event in api.queued_events() if "headwater_tag" in event.canonical]
    late = [*api.folded_events, *(event for event in api.queued_events() if event not in tags), *tags]
    assert folded(late) == versions(api.table)
    assert api.get(ORDERS).status == api.get(LOAD).status == 404


@pytest.mark.parametrize("behind", [timedelta(0), -timedelta(milliseconds=20), -timedelta(hours=1)])
def test_curation_takes_effect_although_its_clock_is_behind(api: Api, behind: timedelta) -> None:
    """Two copies of the function take a person's requests in turn, and their clocks do not agree."""

    def later(method: str, path: str, body: Any = None) -> Any:
        api.now += behind - timedelta(seconds=1)
        return api.write(method, path, body).body

    for path in (ORDERS, LOAD):
        assert later("POST", f"{path}/tags/gold")["tags"] == ["gold"]
        assert later("DELETE", f"{path}/tags/gold")["tags"] == []
        assert later("POST", f"{path}/tags/gold")["tags"] == ["gold"]
    for name in ("one", "two", "three"):
        assert later("PUT", "namespaces/new", {"ownerName": name})["ownerName"] == name
        assert later("PUT", "tags/gold", {"description": name})["description"] == name
        assert later("PUT", "sources/s", {"type": "X", "connectionUrl": name})["connectionUrl"] == name
        assert later("PUT", "namespaces/new/datasets/d", {**TABLE, "description": name})["description"] == name
        inputs = [{"namespace": "s3://lake", "name": "sums" if name == "two" else "orders"}]
        assert later("PUT", "namespaces/new/jobs/j", {"type": "BATCH", "inputs": inputs})["inputs"] == inputs
        later("DELETE", "namespaces/new")
        assert api.datasets("new") == api.jobs("new") == []


def test_events_of_ours_are_ordinary_ones(api: Api) -> None:
    for number in range(len(WRITES)):
        written(api, number)
    for event in api.queued_events():
        assert event.event.producer == "https://github.com/headwater-lineage/headwater/curate"
        kind = type(event.event).__name__
        assert f'"schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/{kind}"' in event.canonical
