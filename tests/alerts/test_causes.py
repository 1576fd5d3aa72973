"""A change of a schema that follows from one upstream names its cause, and is not critical a second time."""

from dataclasses import replace
from typing import Any

from headwater.alerts.stored_alerts import StoringBus
from tests import factory
from tests.alerts.stream import Detail, World
from tests.factory import Document
from tests.producer_records import recorded

LAKE = "s3://lake"
FIRST_RUNS = ("customers", "scores", "segments", "copies", "look")
CUSTOMERS, COPIES = "/srv/lake/customers", "/srv/lake/copies"


def storing() -> World:
    world = World()
    world.announcer = replace(world.announcer, bus=StoringBus(world.store, world.bus))
    return world


def spark(*scenarios: str) -> list[Detail]:
    """The alerts of recorded events of Spark, after the first runs of all jobs."""
    world = storing()
    events = [event for scenario in (*FIRST_RUNS, *scenarios) for event in recorded("spark", scenario)]
    return world.alerts_one_by_one(events)


def severities(alerts: list[Detail]) -> list[tuple[str, str]]:
    return [(alert["name"], alert["severity"]) for alert in alerts]


def test_a_copy_that_loses_a_column_with_its_source_names_the_alert_for_the_source() -> None:
    upstream, copy = spark("customers_column_removed", "copies_column_removed")
    assert severities([upstream, copy]) == [(CUSTOMERS, "critical"), (COPIES, "info")]
    broken = {item["nodeId"] for item in upstream["breaks"]["items"]}
    assert f"datasetField:file:{COPIES}:country" in broken
    assert copy["causes"] == [
        {"nodeId": f"dataset:file:{CUSTOMERS}", "columns": ["country"], "alertId": upstream["id"]}
    ]
    assert f"It follows from the change of {CUSTOMERS} in file (country), alert {upstream['id']}." in copy["lines"]


def test_if_the_copy_comes_first_its_run_tells_of_the_source_and_the_late_write_is_not_told_again() -> None:
    upstream, copy = spark("copies_column_removed", "customers_column_removed")
    assert (upstream["name"], upstream["severity"], upstream["seenAs"]) == (CUSTOMERS, "critical", "input")
    assert (copy["name"], copy["severity"]) == (COPIES, "info")
    assert copy["causes"][0]["alertId"] == upstream["id"]


def test_in_one_batch_and_doubled_there_is_one_critical_alert() -> None:
    events = [*recorded("spark", "customers_column_removed"), *recorded("spark", "copies_column_removed")]
    world = storing()
    for scenario in FIRST_RUNS:
        world.alerts_of_batch(*recorded("spark", scenario))
    assert sorted(severities(world.alerts_of_batch(*events))) == [(COPIES, "info"), (CUSTOMERS, "critical")]
    assert world.alerts_of_batch(*events) == []


def copied(run: int, *columns: str, source: tuple[str, ...], made_of: tuple[str, ...] = ()) -> Document:
    lineage = factory.columns(**{name: (LAKE, "raw", name) for name in made_of or columns})
    read, written = (factory.schema(*(f"{name}:int" for name in names)) for names in (source, columns))
    return factory.run_event(
        "COMPLETE",
        run=run,
        seconds=run,
        job="copy",
        inputs=[factory.dataset("raw", schema=read)],
        outputs=[factory.dataset("copy", schema=written, columnLineage=lineage)],
    )


def report() -> Document:
    made = factory.dataset("report", columnLineage=factory.columns(b=(LAKE, "copy", "b"), c=(LAKE, "copy", "c")))
    inputs = [factory.dataset("copy")]
    return factory.run_event("COMPLETE", run=50, seconds=2, job="report", inputs=inputs, outputs=[made])


def alert_for_copy(*events: Document) -> dict[str, Any]:
    alerts = storing().alerts_one_by_one([copied(1, "a", "b", "c", source=("a", "b", "c")), report(), *events])
    (alert,) = (alert for alert in alerts if alert["name"] == "copy")
    return alert


def test_a_column_that_the_source_still_has_was_lost_by_the_job_itself() -> None:
    alert = alert_for_copy(copied(5, "a", "c", source=("a", "b", "c")))
    assert (alert["severity"], alert["causes"]) == ("critical", [])


def test_a_change_that_follows_in_part_alone_is_told_with_its_cause_and_is_critical() -> None:
    alert = alert_for_copy(copied(5, "a", source=("a", "c")))
    assert alert["severity"] == "critical"
    assert [cause["columns"] for cause in alert["causes"]] == [["b"]]


def test_a_column_that_was_never_made_of_the_lost_column_does_not_follow_from_it() -> None:
    unrelated = copied(3, "a", "b", "c", source=("a", "b", "c"), made_of=("a", "c"))
    assert alert_for_copy(unrelated, copied(5, "a", "c", source=("a", "c")))["causes"] == []


def test_of_recorded_runs_of_spark_the_failed_udf_alone_is_told_with_the_line_of_the_user_s_code() -> None:
    (failed,) = spark("udf_fails")
    assert (failed["alert"], failed["title"]) == ("Run Failed", "lake_prices failed while writing prices")
    assert failed["message"] == "ZeroDivisionError: float division by zero (lake_prices.py, line 4)"
    assert failed["outputs"] == ["dataset:file:/srv/lake/prices"]


def test_a_job_that_python_udfs_hide_from_column_lineage_is_not_left_out_of_an_alert() -> None:
    (alert,) = spark("customers_column_removed")
    possible = {item["nodeId"] for item in alert["breaks"]["items"] if item["possible"]}
    assert "datasetField:file:/srv/lake/scores:segment" in possible
    assert any(node.startswith("job:lake:lake_scores.execute") for node in possible)
    assert not any("map_partitions" in item["nodeId"] for item in alert["breaks"]["items"])
    assert "The change breaks 1 column, 1 job downstream." in alert["lines"]
    assert any(line.startswith("The change may break 3 columns whose origin the producer") for line in alert["lines"])
