"""What is read for one pass, without a check of each member, is what the checked items say."""

import json
import random
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

import pytest

from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId
from headwater.graph.states.job import JobHead
from headwater.openlineage.instant import FOREVER, instant_of
from headwater.store import keys
from headwater.store.errors import CorruptItem
from headwater.store.graph_store import GraphReader
from headwater.store.items.codec import DOC
from headwater.store.items.compression import pack, unpack_once
from headwater.store.items.jobs import JOB_UNCHECKED, JOB_WITHOUT_USAGES
from headwater.store.items.rhythms import RHYTHM, RUN_TIMES
from headwater.store.memory import MemoryTable
from headwater.store.table import Item
from tests import factory
from tests.alerts.stream import World
from tests.factory import Document
from tests.producer_records import recorded, scenarios
from tests.random_runs import history_of

HISTORIES = [history_of(random.Random(seed)) for seed in range(10)]
RECORDS = [recorded(engine, scenario) for engine in ("airflow", "spark") for scenario in scenarios(engine)]
DECLARED = [factory.job_event(inputs=[factory.dataset("orders")], outputs=[factory.dataset("report")])]


def items_of(kind: str, events: Iterable[Document]) -> list[Item]:
    world = World()
    for event in events:
        world.fold(factory.received(event))
    return [item for item in world.table.items.values() if item.labels["kind"] == kind]


def said_by(head: JobHead) -> Any:
    facts = head.facts
    whole = [facts.id, facts.first, facts.last, facts.is_derivation, facts.is_deleted, values(facts.facets)]
    return json.loads(
        json.dumps([*whole, values(facts.run_facets), head.latest, head.current, head.declared, head.generation])
    )


@pytest.mark.parametrize("events", [*HISTORIES, *RECORDS, DECLARED])
def test_a_head_that_is_not_checked_says_the_same(events: Sequence[Document]) -> None:
    heads = items_of("job", events)
    assert heads
    for item in heads:
        assert said_by(JOB_UNCHECKED.read(item.only(DOC))) == said_by(JOB_WITHOUT_USAGES.read(item.only(DOC)))


@pytest.mark.parametrize("events", [*HISTORIES, *RECORDS])
def test_run_times_are_those_of_the_observations(events: Sequence[Document]) -> None:
    for item in items_of("rhythm", events):
        times, rhythm = RUN_TIMES.read(item), RHYTHM.read(item)
        seen = rhythm.observations
        assert (times.starts, times.seconds) == ([each.start for each in seen], [each.seconds for each in seen])
        assert [place not in times.failed for place in range(len(seen))] == [each.is_good for each in seen]
        assert times.generations == [each.start for each in rhythm.generations]
        assert (times.is_due, times.ends) == (rhythm.is_due, sorted(each.end for each in seen))


@pytest.mark.parametrize("codec", [JOB_UNCHECKED, RUN_TIMES])
def test_an_item_of_another_form_is_corrupt(codec: Any) -> None:
    documents: list[Any] = [{}, [], {"starts": ["1"], "seconds": [1], "latest": 1}]
    for document in documents:
        with pytest.raises(CorruptItem):
            codec.read(Item(keys.rhythm(JobId("0" * 32)), {"kind": codec.kind}, {DOC: pack(document)}))


def test_what_only_exact_json_reads_is_read() -> None:
    assert unpack_once(pack({"count": 10**400, "job": "load"})) == {"count": 10**400, "job": "load"}


def test_due_jobs_come_about_in_the_order_of_their_times_the_latest_first() -> None:
    """A shard has its jobs in their order, and the shards take turns."""
    table, jobs = MemoryTable(), [JobId(f"{number:032x}") for number in range(48)]
    times = [instant_of(factory.EPOCH + timedelta(minutes=number)) for number in range(48)]
    late = zip(jobs, times, strict=True)
    table.put(Item(keys.rhythm(job), {"open_in": keys.due_jobs(job), "at": at}, {}) for job, at in late)
    found = GraphReader(table).due_jobs_latest_first(FOREVER)
    assert found == [*jobs[32:], *jobs[16:32], *jobs[:16]]
