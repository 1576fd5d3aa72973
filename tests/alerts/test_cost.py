"""The reads of an alert are bounded, and an unchanged state costs none."""

import json
from itertools import count
from pathlib import Path
from typing import Any

from local.deploy.template import read_template
from tests import factory
from tests.alerts.stream import Record, StreamedTable, World
from tests.factory import Document

TEMPLATE = read_template(Path(__file__).parents[2] / "template.yaml")["Resources"]
FILTERS = [
    json.loads(pattern["Pattern"])
    for pattern in TEMPLATE["AlertsStreamMapping"]["Properties"]["FilterCriteria"]["Filters"]
]
COLUMNS = factory.schema("id:long", "total:double")


def run(number: int) -> list[Document]:
    """A run of one of ten jobs, as a Spark job tells of it."""
    job = number % 10
    source = factory.dataset(f"in {job}", schema=COLUMNS)
    made = factory.dataset(
        f"out {job}",
        schema=COLUMNS,
        columnLineage=factory.columns(total=("s3://lake", f"in {job}", "total")),
        version=factory.facet(datasetVersion=str(number)),
    )
    return [
        factory.run_event(kind, run=number, seconds=number + after, job=f"job {job}", inputs=[source], outputs=[made])
        for kind, after in (("START", 0), ("RUNNING", 0.2), ("COMPLETE", 0.4))
    ]


def invoking(stream: list[Record]) -> list[Record]:
    """The records that invoke the function, by the template's filters."""
    return [record for record in stream if any(_fits(pattern, record) for pattern in FILTERS)]


def _fits(pattern: Any, value: Any) -> bool:
    if isinstance(pattern, list):
        return value in pattern
    return isinstance(value, dict) and all(_fits(inner, value.get(name)) for name, inner in pattern.items())


def test_a_thousand_runs_without_changes_invoke_no_function_and_raise_no_alert() -> None:
    world = World()
    world.fold(factory.received(*(event for number in range(1, 11) for event in run(number))))
    world.table.stream.clear()
    for start in range(11, 1011, 10):
        events = [event for number in range(start, start + 10) for event in run(number)]
        for batch in range(0, len(events), 10):
            world.fold(factory.received(*events[batch : batch + 10]))
    assert len(world.table.stream) > 5_000
    assert invoking(world.table.stream) == []
    assert world.alerts_of_records(world.table.stream) == []


def test_each_written_item_is_one_record() -> None:
    world = World()
    world.fold(factory.received(*run(1)))
    keys = [
        record["dynamodb"]["NewImage"]["PK"]["S"] + record["dynamodb"]["NewImage"]["SK"]["S"]
        for record in world.table.stream
    ]
    assert len(keys) == len(set(keys))


def test_a_change_with_an_alert_invokes_the_function() -> None:
    world = World()
    changed = factory.run_event(
        "COMPLETE", run=99, seconds=99, outputs=[factory.dataset("out 1", schema=factory.schema("id:int"))]
    )
    world.fold(factory.received(*run(1), changed, factory.run_event("FAIL", run=98, seconds=98, job="job 1")))
    records = invoking(world.table.stream)
    assert {record["dynamodb"]["NewImage"]["kind"]["S"] for record in records} == {"dataset", "run"}
    assert sorted(alert["alert"] for alert in world.alerts_of_records(records)) == [
        "Dataset Schema Changed",
        "Run Failed",
    ]


def test_a_failure_of_a_job_with_many_readers_reads_little_and_says_that_there_are_more() -> None:
    """At most a hundred nodes downstream of all outputs together are looked up, however many there are."""
    costs = []
    for readers in (105, 115):
        table, numbers = StreamedTable(), count(1)
        world, outputs = World(table), [factory.dataset("first"), factory.dataset("second")]
        world.fold(factory.received(factory.run_event("COMPLETE", run=next(numbers), job="writer", outputs=outputs)))
        for number in range(readers):
            reading = [
                factory.run_event(
                    "COMPLETE",
                    run=next(numbers),
                    seconds=number + 1,
                    job=f"reader {number} of {output['name']}",
                    inputs=[output],
                    outputs=[factory.dataset(f"copy {number} of {output['name']}")],
                )
                for output in outputs
            ]
            world.fold(factory.received(*reading))
        start = len(table.stream)
        failed = factory.run_event("FAIL", run=next(numbers), seconds=9_000, job="writer", outputs=outputs)
        world.fold(factory.received(failed))
        table.reads = 0
        (alert,) = world.alerts_of_records(table.stream[start:])
        (suffers,) = alert["suffers"]
        assert suffers["truncated"]
        assert "The failure may affect at least 100 " in " ".join(alert["lines"])
        costs.append(table.reads)
    assert costs[0] == costs[1] <= 500
