"""Recorded events of a Spark listener leave the same items, byte for byte, in any way of posting them."""

import gzip
import random
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

import pytest

from headwater.openlineage import exact_json
from headwater.store.table import Retention
from tests.embedded import Deployed, Items, embedded_stack
from tests.end_to_end.api import Answer, Api
from tests.end_to_end.recorded import folded_without_aws, recorded, recorded_documents, versions

pytestmark = pytest.mark.emulator

THREADS = 8

Way = Callable[[Api], Iterable[Answer]]
"""Posts every recorded event, somehow."""


def in_order(api: Api) -> Iterable[Answer]:
    return [api.post(line) for line in recorded()]


def shuffled_with_some_twice(api: Api) -> Iterable[Answer]:
    return [api.post(line) for line in disordered(seed=1)]


def in_parallel_and_gzipped(api: Api) -> Iterable[Answer]:
    bodies = map(gzip.compress, disordered(seed=2))
    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(lambda body: api.post(body, Content_Encoding="gzip"), bodies))


def as_a_batch_backwards(api: Api) -> Iterable[Answer]:
    return [api.post(b"[" + b",".join(reversed(recorded())) + b"]", "/api/v1/lineage/batch")]


WAYS: Sequence[Way] = (in_order, shuffled_with_some_twice, in_parallel_and_gzipped, as_a_batch_backwards)


def disordered(seed: int) -> list[bytes]:
    lines = [*recorded(), *recorded()[::3]]
    random.Random(seed).shuffle(lines)
    return lines


@dataclass(frozen=True)
class Left:
    """The items of a stack that has normalised every event."""

    refused: list[Answer]
    items: Items
    archived: set[str]
    retention: Retention


@cache
def left_by(way: Way) -> Left:
    """The items that a way of posting leaves in its own stack: a shared queue would drop repeated events."""
    with embedded_stack(way.__name__) as running:
        deployed = Deployed(running.deployment)
        answers = way(Api.of(running.url, running.key))
        deployed.wait_for_ingestion()
        lines = gzip.decompress(b"".join(deployed.objects("events/").values())).splitlines()
        archived = {exact_json.dumps(exact_json.loads(line.decode())["event"]) for line in lines}
        refused = [answer for answer in answers if answer.status != (200 if way is as_a_batch_backwards else 201)]
        return Left(refused, deployed.items(), archived, deployed.retention())


each_way = pytest.mark.parametrize("way", WAYS)


@each_way
def test_every_request_is_accepted(way: Way) -> None:
    assert left_by(way).refused == []


@pytest.mark.parametrize("way", WAYS[1:])
def test_every_way_leaves_the_same_items(way: Way) -> None:
    assert left_by(way).items == left_by(in_order).items


@each_way
def test_the_items_are_those_of_the_fold_without_aws(way: Way) -> None:
    left = left_by(way)
    assert versions(left.items) == folded_without_aws(recorded_documents(), left.retention)


@each_way
def test_every_event_is_in_the_archive(way: Way) -> None:
    assert left_by(way).archived == set(map(exact_json.dumps, recorded_documents()))


@each_way
def test_a_run_that_failed_stays_failed(way: Way) -> None:
    """The listener sends COMPLETE right after FAIL."""
    failed = {document["run"]["runId"] for document in recorded_documents() if document["eventType"] == "FAIL"}
    states = {item["run_id"]["S"]: item["state"]["S"] for item in left_by(way).items.values() if "run_id" in item}
    assert {run for run, state in states.items() if state == "FAILED"} == failed
