"""Alerts for a schema drift in recorded Spark events: in order, in one batch, repeated, and out of order."""

import json
import random
from pathlib import Path

import pytest

from headwater.graph.facets.dataset_reference import schema_register
from headwater.graph.facets.schema_diff import columns_of
from tests import factory
from tests.alerts.stream import World, changes, drift
from tests.factory import Document

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "fixtures" / "drift" / "spark-3.5.jsonl").read_text().splitlines()
]
"""One application, run three times: parquet by path, JSON that is only read, an Iceberg and a catalogue table."""

EXPECTED = [
    # the second run
    "added +note",
    "dropped -note",
    "widened ~id(widened) ~amount(widened)",
    "narrowed ~id(narrowed) ~amount(narrowed)",
    "retyped ~amount(incompatible)",
    "nested -address.b +address.z +items[].d ~address.a(widened)",
    "renamed amount>total",
    "flapping ~amount(incompatible)",
    "raw -coupon ~price(incompatible)",
    "from_raw ~price(incompatible)",
    "copy_of_renamed amount>total",
    "alter +extra",
    "alter ~id(widened)",
    "alter note>remark",
    "alter -amount",
    "recreate dropped",
    "recreate +n",
    "report ~m(widened)",
    "managed +note",
    # the third, in which all but two is as it was
    "flapping ~amount(incompatible)",
    "recreate dropped",
]
"""Not among them: `reordered`, whose columns only stand in another order, and `merge`, read with Iceberg's `_file`."""


def test_each_drift_raises_one_alert_with_its_change() -> None:
    assert changes(World().alerts_one_by_one(RECORDED)) == EXPECTED


@pytest.mark.parametrize("size", [10, 60, len(RECORDED)])
def test_events_in_one_batch_raise_the_alerts_of_single_events(size: int) -> None:
    world = World()
    alerts = [
        detail
        for start in range(0, len(RECORDED), size)
        for detail in world.alerts_of_batch(*RECORDED[start : start + size])
    ]
    assert sorted(changes(alerts)) == sorted(EXPECTED)


def test_repeated_events_raise_one_alert() -> None:
    world = World()
    assert changes(world.alerts_one_by_one([document for document in RECORDED for _ in range(2)])) == EXPECTED
    assert world.alerts_one_by_one(RECORDED) == []


def test_events_from_the_newest_to_the_oldest_raise_no_alert() -> None:
    assert World().alerts_one_by_one(reversed(RECORDED)) == []


def test_the_alert_names_the_run_and_its_application() -> None:
    (renamed,) = [alert for alert in World().alerts_one_by_one(RECORDED[:120]) if alert["name"].endswith("/renamed")]
    assert renamed["job"]["name"] == "drift.execute_insert_into_hadoop_fs_relation_command.lake_renamed"
    assert renamed["application"]["job"] == {"namespace": "drift", "name": "drift"}
    assert renamed["orchestrator"] is None
    assert renamed["run"]["runId"] != renamed["application"]["runId"]


def test_the_alert_of_an_iceberg_table_has_its_path_and_its_symlink() -> None:
    alerts = [alert for alert in World().alerts_one_by_one(RECORDED) if alert["name"].endswith("/alter")]
    assert [name["name"] for name in alerts[0]["names"]] == ["/data/wh/db/alter", "db.alter"]


def test_columns_that_iceberg_aggregates_for_spark_are_followed() -> None:
    alerts = [alert for alert in World().alerts_one_by_one(RECORDED) if alert["name"].endswith("/alter")]
    widened = next(alert for alert in alerts if alert["retyped"])
    assert [item["nodeId"] for item in widened["breaks"]["items"] if item["type"] == "DATASET_FIELD"] == [
        "datasetField:file:/data/lake/report:m"
    ]


@pytest.mark.parametrize("seed", range(12))
def test_in_any_order_a_change_raises_an_alert_when_it_is_the_newest_so_far(seed: int) -> None:
    """Held against a few lines that only keep what was written last, by event time."""
    documents = [*_drifting(random.Random(seed))]
    random.Random(-seed).shuffle(documents)
    newest: dict[str, tuple[str, object]] = {}
    expected = []
    for document in documents:
        (output,) = document["outputs"]
        schema = (document["eventTime"], columns_of(output["facets"]["schema"]))
        known = newest.get(output["name"])
        if known is None or schema[0] > known[0]:
            newest[output["name"]] = schema
            if known and known[1] != schema[1]:
                expected.append((output["name"], document["run"]["runId"]))
    assert [(alert["name"], alert["run"]["runId"]) for alert in World().alerts_one_by_one(documents)] == expected


def _drifting(chance: random.Random) -> list[Document]:
    schemas = [factory.schema("id:long"), factory.schema("id:string"), factory.schema("id:long", "x:int")]
    return [
        factory.run_event(
            "COMPLETE",
            run=number,
            seconds=number,
            job=chance.choice(["load", "other"]),
            outputs=[factory.dataset(chance.choice("ab"), schema=chance.choice(schemas))],
        )
        for number in range(1, 25)
    ]


def test_a_schema_that_goes_and_comes_back_in_one_batch_has_changed_twice() -> None:
    assert changes(World().alerts_of_batch(drift(1, "long"), drift(2, "string"), drift(3, "long"))) == [
        "a ~id(incompatible)",
        "a ~id(incompatible)",
    ]


def test_recorded_schemas_are_those_that_the_fold_keeps() -> None:
    """The fixture has what the tests are about: Iceberg's own column, a drop without columns, nested fields."""
    text = json.dumps(RECORDED)
    assert all(part in text for part in ('"_file"', '"fields": []', '"_element"', '"DROP"'))
    assert schema_register({}) is None


def test_each_of_many_changes_in_one_batch_names_its_own_job() -> None:
    def run(number: int) -> Document:
        output = factory.dataset("a", schema=factory.schema("id:long" if number % 2 else "id:string"))
        return factory.run_event("COMPLETE", run=number, seconds=number, outputs=[output])

    alerts = World().alerts_of_batch(*map(run, range(1, 7)))
    assert [alert["run"]["runId"] for alert in alerts] == [factory.run_id(number) for number in range(2, 7)]


def test_a_drop_that_arrives_late_raises_no_alert() -> None:
    def write(number: int) -> Document:
        output = factory.dataset("a", schema=factory.schema("id:long"))
        return factory.run_event("COMPLETE", run=number, seconds=number, outputs=[output])

    drop = factory.dataset(
        "a", schema=factory.facet(fields=[]), lifecycleStateChange=factory.facet(lifecycleStateChange="DROP")
    )
    dropped = factory.run_event("COMPLETE", run=9, seconds=2, job="drop", outputs=[drop])
    assert World().alerts_one_by_one([write(1), write(3), dropped]) == []
    (alert,) = World().alerts_one_by_one([write(1), dropped])
    assert (alert["change"], alert["job"]["name"], alert["run"]["runId"]) == ("DROPPED", "drop", factory.run_id(9))
    assert changes(World().alerts_of_batch(write(1), dropped, write(3))) == ["a dropped"]
