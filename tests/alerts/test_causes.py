"""A change of a schema that follows from one upstream names its cause, and is not critical a second time."""

from typing import Any

import pytest

from tests import factory
from tests.alerts.stream import Detail, World
from tests.factory import Document
from tests.producer_records import recorded

LAKE = "s3://lake"
FIRST_RUNS = ("customers", "scores", "segments", "copies", "look")
CUSTOMERS, COPIES = "/srv/lake/customers", "/srv/lake/copies"


def spark(*scenarios: str) -> list[Detail]:
    """The alerts of recorded events of Spark, after the first runs of all jobs."""
    world = World.storing()
    events = [event for scenario in (*FIRST_RUNS, *scenarios) for event in recorded("spark", scenario)]
    return world.alerts_one_by_one(events)


def severities(alerts: list[Detail]) -> list[tuple[str, str]]:
    return [(alert["name"], alert["severity"]) for alert in alerts]


def test_a_copy_that_loses_a_column_with_its_source_names_the_alert_for_the_source() -> None:
    upstream, copy = spark("customers_column_removed", "copies_column_removed")
    assert severities([upstream, copy]) == [(CUSTOMERS, "critical"), (COPIES, "info")]
    assert f"datasetField:file:{COPIES}:country" in {item["nodeId"] for item in upstream["breaks"]["items"]}
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
    world = World.storing()
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
    alerts = World.storing().alerts_one_by_one([copied(1, "a", "b", "c", source=("a", "b", "c")), report(), *events])
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


RAW = ("id:int", "status:string")


def nightly(run: int, *columns: str, message: str = "", reads: bool = True) -> Document:
    """A run that reads the raw table; with a message one that fails, perhaps before it names what it reads."""
    inputs = [factory.dataset("raw", schema=factory.schema(*columns))] if reads else []
    error = {"errorMessage": factory.facet(message=message, programmingLanguage="python")} if message else {}
    kind = "FAIL" if message else "COMPLETE"
    return factory.run_event(kind, run=run, seconds=10 * run, job="nightly", inputs=inputs, run_facets=error)


def loads(run: int, *columns: str) -> Document:
    outputs = [factory.dataset("raw", schema=factory.schema(*columns))]
    return factory.run_event("COMPLETE", run=100 + run, seconds=10 * run - 5, job="load", outputs=outputs)


GONE = "KeyError: 'status'"
FIRST = (loads(1, *RAW), nightly(1, *RAW))


def failure(*events: Document) -> tuple[Detail | None, Detail]:
    """The alert for the change, if there is one, and that for the failed run."""
    alerts = World.storing().alerts_one_by_one([*FIRST, *events])
    changed = [alert for alert in alerts if alert["alert"] != "Run Failed"]
    return (changed[0] if changed else None), next(alert for alert in alerts if alert["alert"] == "Run Failed")


@pytest.mark.parametrize("reads", [True, False])
def test_a_run_that_fails_for_a_column_that_its_input_lost_follows_from_that_change(reads: bool) -> None:
    changed, failed = failure(loads(2, "id:int"), nightly(2, "id:int", message=GONE, reads=reads))
    assert changed
    assert failed["causes"] == [{"nodeId": f"dataset:{LAKE}:raw", "columns": ["status"], "alertId": changed["id"]}]
    assert failed["lines"][2] == f"It follows from the change of raw in {LAKE} (status), alert {changed['id']}."
    assert failed["severity"] == "critical"


def test_a_second_try_follows_from_it_too() -> None:
    world = World.storing()
    tries = [nightly(run, "id:int", message=GONE) for run in (2, 3)]
    alerts = world.alerts_one_by_one([*FIRST, loads(2, "id:int"), *tries])
    assert [len(alert["causes"]) for alert in alerts] == [0, 1, 1]


def test_the_run_that_meets_the_change_of_what_nobody_writes_is_told_with_the_column() -> None:
    world = World.storing()
    world.alerts_one_by_one([nightly(1, *RAW)])
    (failed,) = (each for each in world.alerts_of_batch(nightly(2, "id:int", message=GONE)) if "message" in each)
    assert failed["causes"] == [{"nodeId": f"dataset:{LAKE}:raw", "columns": ["status"], "alertId": None}]


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([loads(2, "id:int"), nightly(2, "id:int", message="OutOfMemoryError")], id="another error"),
        pytest.param([nightly(2, *RAW, message=GONE), loads(3, "id:int")], id="the change came later"),
        pytest.param(
            [loads(2, "id:int"), nightly(2, "id:int"), nightly(3, "id:int", message=GONE, reads=False)],
            id="it ran well since the change",
        ),
        pytest.param([nightly(2, *RAW, message=GONE)], id="nothing changed"),
    ],
)
def test_a_failure_that_no_change_explains_has_no_cause(events: list[Document]) -> None:
    assert failure(*events)[1]["causes"] == []


def test_an_application_that_fails_before_its_first_query_follows_from_the_change_of_what_its_queries_read() -> None:
    def application(run: int, kind: str, **facets: Any) -> Document:
        return factory.run_event(kind, run=run, seconds=10 * run, job="app", run_facets=facets)

    query = nightly(1, *RAW)
    query["run"]["facets"]["parent"] = factory.parent(51, "app")
    error = {"errorMessage": factory.facet(message=GONE, programmingLanguage="python")}
    events = [loads(1, *RAW), application(51, "COMPLETE"), query, loads(60, "id:int"), application(70, "FAIL", **error)]
    assert [cause["columns"] for cause in World.storing().alerts_one_by_one(events)[-1]["causes"]] == [["status"]]
