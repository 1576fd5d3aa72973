"""GET /rootcause: runs that came late or not at all, and odd amounts: told at the source, and where it is known."""

from functools import cache
from typing import Any

import pytest

from headwater.fold.fold import fold
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from tests import factory
from tests.factory import Document
from tests.lookup.requests import RETENTION, LookupClient, table_after
from tests.traversal.root_cause import DAY, Get, after, findings, kinds, table

MINUTE, DAYS = 60, 28
Changes = dict[str, Any]


def a_day(day: int, **jobs: Changes) -> list[Document]:
    """Each night three jobs run one after the other, with an hour between. A job may begin `late` minutes after that,
    or never (None), write another number of `rows`, and leave out the second table that it writes (`second`)."""
    events: list[Document] = []
    for place, job in enumerate(("load", "clean", "report")):
        changes = {"late": 0, "rows": 1_000, "second": True, **jobs.get(job, {})}
        if changes["late"] is None:
            continue
        statistics = {"outputFacets": {"outputStatistics": factory.facet(rowCount=changes["rows"], size=1)}}
        used: Changes = {
            "job": job,
            "run": 10 * day + place + 1,
            "inputs": [factory.dataset(f"table_{place}")],
            "outputs": [
                {**factory.dataset(f"table_{place + 1}"), **statistics},
                *([factory.dataset(f"second_{place + 1}")] if changes["second"] else []),
            ],
        }
        begin = day * DAY + (60 * place + changes["late"]) * MINUTE
        events += [
            factory.run_event("START", seconds=begin, **used),
            factory.run_event("COMPLETE", seconds=begin + 5 * MINUTE, **used),
        ]
    return events


@cache
def usual_nights() -> MemoryTable:
    return table_after(*(event for day in range(DAYS) for event in a_day(day)))


def after_usual(*documents: Document) -> Get:
    """Sends /rootcause requests to a table after four weeks of usual nights, and these events."""
    copy = MemoryTable()
    copy.items = dict(usual_nights().items)
    fold(factory.received(*documents), GraphStore(copy, RETENTION))
    client = LookupClient(copy)
    return lambda node, **query: client.answer("rootcause", nodeId=node, **query)[1]


def why(**last_night: Changes) -> Any:
    """The root cause of the last table."""
    return after_usual(*a_day(DAYS, **last_night))(table("table_3"))


def test_a_night_like_the_others_has_no_finding() -> None:
    assert why()["findings"] == []


def test_a_run_that_began_late_is_a_finding_with_when_it_was_due() -> None:
    (found,) = why(load={"late": 70})["findings"]
    assert (found["kind"], found["distance"], found["runId"]) == ("RUN_LATE", 3, factory.run_id(10 * DAYS + 1))
    assert found["summary"] == "load started 70 min late: it was due at 2026-12-18T08:00:00Z"
    assert (found["dueAt"], found["latestAt"]) == ("2026-12-18T08:00:00Z", "2026-12-18T08:15:00Z")


def test_a_delay_is_told_where_it_began() -> None:
    assert findings(why(load={"late": 70}, clean={"late": 40}, report={"late": 30})) == [("RUN_LATE", "load", 3)]


def test_a_delay_of_its_own_is_told_beside_an_input_in_time() -> None:
    assert findings(why(report={"late": 30})) == [("RUN_LATE", "report", 1)]


@pytest.mark.parametrize("minutes", [0, 10, 15])
def test_a_run_that_is_as_late_as_is_usual_is_no_finding(minutes: int) -> None:
    assert why(load={"late": minutes})["findings"] == []


def test_a_job_that_another_has_replaced_is_not_said_to_be_missing() -> None:
    anew = [
        event | {"job": {**event["job"], "name": "load_v2"}} if event["job"]["name"] == "load" else event
        for event in a_day(DAYS)
    ]
    assert after_usual(*anew)(table("table_3"))["findings"] == []


def test_a_run_that_never_came_is_a_finding() -> None:
    (found,) = why(load={"late": None})["findings"]
    assert (found["kind"], found["summary"]) == ("RUN_MISSING", "load had not run: it was due at 2026-12-18T08:00:00Z")
    assert "runId" not in found


def test_a_run_that_came_after_the_suspect_explains_it() -> None:
    assert findings(why(load={"late": 180})) == [("RUN_LATE", "load", 3)]


@pytest.mark.parametrize(("rows", "said"), [(12, "12"), (0, "0"), (5_000, "5,000")])
def test_an_odd_amount_is_a_finding_with_what_is_usual(rows: int, said: str) -> None:
    (found,) = why(load={"rows": rows})["findings"]
    assert (found["kind"], found["summary"]) == ("VOLUME_UNUSUAL", f"load wrote {said} rows, usually 1,000")
    assert (found["unit"], found["amount"], found["usual"]["usual"]) == ("rows", rows, 1_000)


@pytest.mark.parametrize("rows", [800, 1_000, 1_250])
def test_an_amount_within_the_band_is_no_finding(rows: int) -> None:
    assert why(load={"rows": rows})["findings"] == []


def test_what_follows_from_an_input_is_told_at_the_source() -> None:
    few = {"rows": 12}
    assert findings(why(load=few, clean=few, report=few)) == [("VOLUME_UNUSUAL", "load", 3)]


def test_more_rows_do_not_follow_from_fewer() -> None:
    assert findings(why(load={"rows": 12}, clean={"rows": 9_000})) == [
        ("VOLUME_UNUSUAL", "clean", 2),
        ("VOLUME_UNUSUAL", "load", 3),
    ]


def test_that_a_table_was_left_out_does_not_follow_from_fewer_rows() -> None:
    unusual = [
        (found["summary"].split()[0], found["unit"])
        for found in why(load={"rows": 12}, clean={"second": False})["findings"]
        if found["kind"] == "VOLUME_UNUSUAL"
    ]
    assert unusual == [("clean", "datasets"), ("load", "rows")]


def test_an_odd_amount_that_came_after_the_suspect_explains_nothing() -> None:
    assert findings(why(load={"late": 180, "rows": 12})) == [("RUN_LATE", "load", 3)]


def test_of_too_few_runs_nothing_is_claimed() -> None:
    events = [event for day in range(2) for event in a_day(day)]
    assert kinds(after(*events, *a_day(2, load={"late": 70, "rows": 12}))(table("table_3"))) == []


def test_a_job_that_was_retired_is_not_missing() -> None:
    rest = [event for day in range(DAYS, DAYS + 10) for event in a_day(day, load={"late": None})]
    assert kinds(after_usual(*rest)(table("table_3"))) == []


def test_as_of_a_time_before_the_night_nothing_was_late() -> None:
    get = after_usual(*a_day(DAYS, load={"late": 70, "rows": 12}))
    assert kinds(get(table("table_3"), asOf=factory.at((DAYS - 1) * DAY + 3 * 3_600))) == []
