"""A run that wrote far less or more than is usual is told once, where it began."""

import random
from typing import Any

import pytest

from tests import factory
from tests.alerts.stream import Detail, World
from tests.factory import Document

DAYS = 30
DAY = 86_400


def written(day: int, rows: int, job: str = "load", reads: str = "raw", writes: str = "orders") -> Document:
    statistics = {"outputStatistics": factory.facet(rowCount=rows, size=100 * rows)}
    output = {**factory.dataset(writes), "outputFacets": statistics}
    run = 2 * day + (job != "load") + 1
    seconds = DAY * day + (600 if job != "load" else 0)
    return factory.run_event(
        "COMPLETE", seconds=seconds, run=run, job=job, inputs=[factory.dataset(reads)], outputs=[output]
    )


def usual(day: int) -> int:
    return random.Random(day).randrange(970, 1_030)


def world(**more: Any) -> World:
    """A load a day, which nothing is to be told of."""
    world = World()
    assert world.alerts_one_by_one(written(day, usual(day), **more) for day in range(DAYS)) == []
    return world


def anomalies(alerts: list[Detail]) -> list[tuple[str, int]]:
    return [(alert["name"], alert["amount"]) for alert in alerts if alert["alert"] == "Volume Anomaly"]


@pytest.mark.parametrize("rows", [0, 100, 600, 5_000])
def test_an_unusual_amount_is_told_until_it_is_usual_again(rows: int) -> None:
    loads = world()
    (alert,) = loads.alerts_of_batch(written(DAYS, rows))
    assert (alert["alert"], alert["name"], alert["amount"]) == ("Volume Anomaly", "orders", rows)
    assert alert["usual"]["low"] < 1_000 < alert["usual"]["high"]
    assert alert["severity"] == ("warning" if rows else "critical")
    assert loads.alerts_of_batch(written(DAYS + 1, rows)) == []
    assert loads.alerts_of_batch(written(DAYS + 2, usual(1))) == []
    assert anomalies(loads.alerts_of_batch(written(DAYS + 3, rows))) == [("orders", rows)]


@pytest.mark.parametrize("rows", [900, 1_100])
def test_an_amount_that_is_a_little_off_is_not_told(rows: int) -> None:
    assert world().alerts_of_batch(written(DAYS, rows)) == []


def test_a_job_that_wrote_less_since_it_read_less_is_not_told() -> None:
    loads = World()
    of_report = {"job": "report", "reads": "orders", "writes": "revenue"}
    for day in range(DAYS):
        assert loads.alerts_of_batch(written(day, usual(day)), written(day, usual(day), **of_report)) == []
    assert anomalies(loads.alerts_one_by_one([written(DAYS, 10), written(DAYS, 10, **of_report)])) == [("orders", 10)]
    assert loads.alerts_one_by_one([written(DAYS + 1, usual(1)), written(DAYS + 1, usual(1), **of_report)]) == []
    only_report = loads.alerts_one_by_one([written(DAYS + 2, usual(1)), written(DAYS + 2, 10, **of_report)])
    assert anomalies(only_report) == [("revenue", 10)]


def test_a_run_that_failed_is_not_told_twice() -> None:
    loads = world()
    failed = {**written(DAYS, 0), "eventType": "FAIL"}
    assert [alert["alert"] for alert in loads.alerts_of_batch(failed)] == ["Run Failed"]


def test_an_absurd_amount_or_time_holds_no_event_up() -> None:
    loads = world()
    assert anomalies(loads.alerts_of_batch(written(DAYS, 10**400))) == []
    last = [{**written(DAYS + 1 + hour, 5), "eventTime": f"9999-12-31T{hour:02}:00:00Z"} for hour in range(24)]
    assert anomalies(loads.alerts_one_by_one(last)) == []


def test_the_runs_of_one_batch_are_told_as_those_of_many() -> None:
    later = [written(DAYS, 10), written(DAYS + 1, usual(1)), written(DAYS + 2, 5_000), written(DAYS + 3, usual(3))]
    live, at_once = world(), world()
    expected = [("orders", 10), ("orders", 5_000)]
    assert anomalies(live.alerts_one_by_one(later)) == expected
    assert anomalies(at_once.alerts_of_batch(*later)) == expected


def test_the_appends_of_a_loop_have_amounts_of_their_own() -> None:
    loop = World()
    for day in range(DAYS):
        for append, rows in enumerate((10, 5_000, 900)):
            event = written(3 * day + append, rows + day)
            event["eventTime"] = factory.at(DAY * day + 60 * append)
            event["run"]["facets"] = {"parent": factory.parent(10_000 + day, "app")}
            assert anomalies(loop.alerts_of_batch(event)) == []


@pytest.mark.parametrize(("hours", "alerts"), [(0, 1), (11, 1), (13, 0), (15 * 24, 0)])
def test_a_run_that_is_heard_of_long_after_it_ended_is_not_told(hours: int, alerts: int) -> None:
    """A backfill, or an archive that is loaded into a running server."""
    loads = world()
    begun, at = len(loads.table.stream), factory.EPOCH.timestamp() + DAYS * DAY + hours * 3_600
    loads.fold(factory.received(written(DAYS, 10)))
    records = loads.table.stream[begun:]
    for record in records:
        record["dynamodb"]["ApproximateCreationDateTime"] = at
    assert len(anomalies(loads.alerts_of_records(records))) == alerts


def with_two(day: int, second: int | None, name: str = "rejected", kind: str = "COMPLETE") -> list[Document]:
    """A load that writes a second dataset with some rows, or leaves it out."""
    event = {**written(day, usual(day)), "eventType": kind}
    if second is not None:
        statistics = {"outputStatistics": factory.facet(rowCount=second)}
        event["outputs"].append({**factory.dataset(name), "outputFacets": statistics})
    return [event | {"eventType": "START", "eventTime": factory.at(DAY * day - 30)}, event]


def of_two(seconds: dict[int, int | None], name: str = "rejected") -> list[Detail]:
    """The alerts of loads that wrote two datasets for a month, then these rows of the second."""
    loads, told = World(), []
    for day in range(DAYS + max(seconds) + 1):
        rows = seconds.get(day - DAYS, 5 + day % 90)
        told += loads.alerts_of_batch(*with_two(day, rows, name.format(day)))
    return told


@pytest.mark.parametrize("rows", [None, 0])
def test_a_dataset_that_a_run_leaves_out_or_empty_is_told_although_its_sibling_is_written(rows: int | None) -> None:
    (alert,) = of_two({0: rows, 1: rows})
    assert (alert["alert"], alert["name"], alert["unit"], alert["amount"]) == (
        "Volume Anomaly",
        "rejected",
        "datasets",
        1,
    )
    assert alert["title"] == "rejected: not written, or empty"
    assert "wrote 1 of 2 datasets" in alert["lines"][0]


def test_a_dataset_that_is_often_left_out_or_empty_is_not_told() -> None:
    assert of_two({-25: 0, 0: 0}) == []
    assert of_two({-25: None, 0: None}) == []


def test_of_datasets_whose_names_have_dates_the_job_is_told() -> None:
    (alert,) = of_two({0: 0}, "rejected_{}")
    assert (alert["name"], alert["title"]) == ("load", "load: 1 of 2 datasets written")


def loads_of_two() -> World:
    loads = World()
    for day in range(DAYS):
        assert loads.alerts_of_batch(*with_two(day, 5)) == []
    return loads


def test_a_run_that_failed_left_nothing_out() -> None:
    loads = loads_of_two()
    (failed,) = loads.alerts_of_batch(*with_two(DAYS, None, kind="FAIL"))
    assert failed["alert"] == "Run Failed"
    assert loads.alerts_of_batch(*with_two(DAYS + 1, 5)) == []
    (told,) = loads.alerts_of_batch(*with_two(DAYS + 2, None))
    assert told["name"] == "rejected"


def test_that_a_dataset_was_left_out_does_not_follow_from_fewer_rows_above() -> None:
    loads = World()
    for day in range(DAYS):
        assert loads.alerts_of_batch(written(day, usual(day), "above", "source", "raw"), *with_two(day, 5)) == []
    few = written(DAYS, 10, "above", "source", "raw") | {"eventTime": factory.at(DAYS * DAY - 60)}
    assert anomalies(loads.alerts_one_by_one([few, *with_two(DAYS, None)])) == [("raw", 10), ("rejected", 1)]


def with_none(day: int) -> list[Document]:
    start, event = with_two(day, 0)
    event["outputs"][0]["outputFacets"] = {"outputStatistics": factory.facet(rowCount=0, size=0)}
    return [start, event]


def test_an_outage_is_told_although_a_dataset_was_left_out_before() -> None:
    loads = loads_of_two()
    assert anomalies(loads.alerts_of_batch(*with_two(DAYS, None))) == [("rejected", 1)]
    assert anomalies(loads.alerts_of_batch(*with_none(DAYS + 1))) == [("load", 0)]
    assert loads.alerts_of_batch(*with_none(DAYS + 2)) == []


def of_two_with(*last: Document) -> list[tuple[str, str, int]]:
    """What each of the last events raises, after a month of loads whose START and end name both datasets."""
    loads = loads_of_two()
    return [(alert["name"], alert["title"], alert["amount"]) for alert in loads.alerts_one_by_one(last)]


def test_outputs_that_come_after_the_end_of_a_run_are_not_left_out() -> None:
    start, end = with_two(DAYS, None)
    both, _ = with_two(DAYS, 5)
    assert of_two_with(start, end | {"outputs": []}, both | {"eventType": "RUNNING"}) == []
    assert of_two_with(end, both) == []
    assert of_two_with(end, start) == [("rejected", "rejected: not written, or empty", 1)]


def test_a_run_that_has_named_its_outputs_by_the_time_its_alert_is_raised_has_none() -> None:
    loads = loads_of_two()
    begun = len(loads.table.stream)
    for event in [*with_two(DAYS, None), with_two(DAYS, 5)[0] | {"eventType": "RUNNING"}]:
        loads.fold(factory.received(event))
    assert loads.alerts_of_records(loads.table.stream[begun:]) == []


def test_a_dataset_that_is_written_is_not_blamed_for_another() -> None:
    """The job wrote two datasets with a date in their names, and one of them now."""
    loads = World()
    for day in range(DAYS):
        assert loads.alerts_of_batch(*with_two(day, 5, f"rejected_{day}")) == []
    (told,) = loads.alerts_of_batch(*with_two(DAYS, None))
    assert (told["name"], told["title"]) == ("load", "load: 1 of 2 datasets written")


def of_three(*last: tuple[int | None, int | None, int | None]) -> list[Detail]:
    """The alerts of loads that write three datasets, each of which another job reads, with the last amounts."""
    loads, told = World(), []
    for name in "abc":
        used: dict[str, Any] = {
            "inputs": [factory.dataset(name)],
            "outputs": [factory.dataset(f"of_{name}")],
            "job": f"read_{name}",
        }
        loads.fold(
            factory.received(*(factory.run_event(kind, run=900 + ord(name), **used) for kind in ("START", "COMPLETE")))
        )
    for day, amounts in enumerate([*[(5, 5, 5)] * DAYS, *last]):
        outputs = [
            {**factory.dataset(name), "outputFacets": {"outputStatistics": factory.facet(rowCount=rows, size=rows)}}
            for name, rows in zip("abc", amounts, strict=True)
            if rows is not None
        ]
        event = {**written(day, 5), "outputs": outputs}
        told += loads.alerts_of_batch(event | {"eventType": "START", "eventTime": factory.at(DAY * day - 30)}, event)
    return told


@pytest.mark.parametrize(
    ("amounts", "suffering"), [((5, None, 0), {"of_b", "of_c"}), ((0, 0, 0), {"of_a", "of_b", "of_c"})]
)
def test_who_reads_any_of_several_outputs_that_are_missing_suffers(
    amounts: tuple[int | None, int | None, int | None], suffering: set[str]
) -> None:
    (alert,) = of_three(amounts)
    names = {item["nodeId"].rsplit(":", 1)[-1] for item in alert["suffers"]["items"]}
    assert {name for name in names if name.startswith("of_")} == suffering
    assert alert["suffers"]["frontier"]["seen"]["jobs"] == len(suffering)
