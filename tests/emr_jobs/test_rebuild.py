"""The table that Spark makes from an archive is the table that the fold has left, byte for byte."""

import gzip
import json
import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark import SparkContext

from emr_jobs.archive.events import Bounds
from headwater.openlineage import exact_json
from headwater.openlineage.instant import parse_instant
from headwater.openlineage.wire import read_event
from headwater.store.messages import ReceivedMessage, archive_line
from tests import factory, strategies
from tests.emr_jobs.archives import archive, assert_same, folded, from_archive, items_of, received
from tests.factory import Document

FIXTURES = Path(__file__).parent.parent / "fixtures"
RECORDED = sorted([*FIXTURES.rglob("*.jsonl"), FIXTURES / "items" / "events.jsonl.gz"])

pytestmark = [pytest.mark.spark, pytest.mark.engine]


def recorded() -> list[Document]:
    documents = []
    for path in RECORDED:
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
            lines = [json.loads(line) for line in file]
        documents += [line.get("event", line) if isinstance(line, dict) else line for line in lines]
    return [document for document in documents if is_event(document)]


def is_event(document: object) -> bool:
    try:
        read_event(exact_json.loads(json.dumps(document)))
    except Exception:  # noqa: BLE001 - some fixtures are requests of other kinds
        return False
    return True


@given(
    st.lists(strategies.events | strategies.runs_of_parents(), min_size=30, max_size=60),
    st.randoms(use_true_random=False),
)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_events_in_any_order_and_repetition_give_the_same_items(
    spark: SparkContext, tmp_path_factory: pytest.TempPathFactory, documents: list[Document], chance: random.Random
) -> None:
    messages = received(documents)
    later = parse_instant((factory.EPOCH + timedelta(hours=1)).isoformat())
    again = [ReceivedMessage(message.canonical, later) for message in messages[::4]]
    lines = [archive_line(message) for message in [*messages, *messages[::3], *again]]
    chance.shuffle(lines)
    table = from_archive(spark, archive(tmp_path_factory.mktemp("archive"), lines))
    assert_same(items_of(table), folded(messages))
    assert table.events.count() == len({message.canonical for message in messages})
    assert table.faults.collect() == []


def test_the_recorded_events_give_the_same_items(spark: SparkContext, tmp_path: Path) -> None:
    messages = received(recorded())
    assert len(messages) > 300
    table = from_archive(spark, archive(tmp_path, [archive_line(message) for message in messages], files=5))
    assert_same(items_of(table), folded(messages, at_once=50))


def many_readers() -> Iterator[Document]:
    """Datasets of which one has 700 readers, a job with 300 runs, and a run with 60 failed children."""
    for number in range(700):
        yield factory.run_event(run=number, job=f"reader-{number}", inputs=[factory.dataset("hot")])
    for number in range(300):
        yield factory.run_event(
            "COMPLETE",
            run=1000 + number,
            seconds=number,
            job="busy",
            inputs=[factory.dataset("hot", schema=factory.schema(f"x{number % 5}:int"))],
            outputs=[factory.dataset("hot-made", symlinks=factory.symlinks("hot"))],
        )
    for number in range(60):
        facets = {"parent": factory.parent(9000, "nightly", root=(9001, "schedule"))}
        yield factory.run_event("FAIL", run=2000 + number, job=f"task-{number % 3}", run_facets=facets)


def test_hot_keys_give_the_same_items(spark: SparkContext, tmp_path: Path) -> None:
    messages = received(many_readers())
    table = from_archive(spark, archive(tmp_path, [archive_line(message) for message in messages]))
    assert_same(items_of(table), folded(messages, at_once=100))


def test_a_date_in_the_past_gives_the_table_as_it_was_then(spark: SparkContext, tmp_path: Path) -> None:
    messages = received(many_readers())[700:1000]
    then = messages[150].received_at
    table = from_archive(spark, archive(tmp_path, [archive_line(message) for message in messages]), Bounds(end=then))
    assert_same(items_of(table), folded([message for message in messages if message.received_at < then]))


def test_what_cannot_be_read_is_counted_and_listed_and_all_else_is_kept(spark: SparkContext, tmp_path: Path) -> None:
    messages = received(many_readers())[:40]
    lines = [archive_line(message) for message in messages]
    at = messages[0].received_at
    body = gzip.compress(messages[38].canonical.encode(), mtime=0)
    pointers = [f'{{"receivedAt": "{at}", "s3": "bodies/{name}.json.gz"}}\n'.encode() for name in ("kept", "missing")]
    location = archive(tmp_path, [*lines[:38], b'{"receivedAt":"x","event":{}}\n', b"no JSON\n", *pointers], files=1)
    location.put("bodies/kept.json.gz", body)
    cut = gzip.compress(lines[39] + random.Random(1).randbytes(50_000))
    location.put("events/date=2026-11-20/cut.gz", cut[:-20_000])
    location.put(
        "events/date=2026-11-20/refused.gz", gzip.compress(b'{"receivedAt":"%s","event":{"a":1}}\n' % at.encode())
    )
    table = from_archive(spark, location)
    assert_same(items_of(table), folded(messages))
    faults = {fault.place.removeprefix("events/date=2026-11-20/"): fault.reason for fault in table.faults.collect()}
    unread = {place: reason for place, reason in faults.items() if not place.startswith("cut.gz")}
    assert {place: reason.partition(":")[0] for place, reason in unread.items()} == {
        "0.gz line 39": "ValueError",
        "0.gz line 40": "JSONDecodeError",
        "0.gz line 42": "UnreadableBody",
        'the event {"a":1}': "InvalidRequest",
    }
    assert any(place.startswith("cut.gz after line") for place in faults)
