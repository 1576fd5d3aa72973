"""Statistics of the last day and the last week."""

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from headwater.lookup.activity import statistics
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, key_of, table_after

HOUR, DAY = 3600, 24 * 3600
COUNTS = {"fail": 0, "start": 0, "complete": 0, "abort": 0}


def lookups_after(*documents: Document, at: str = "2026-11-20T10:30:00", key: tuple[str, ...] = ("*",)) -> LookupClient:
    return LookupClient(table_after(*documents), key_of(*key), datetime.fromisoformat(at).replace(tzinfo=UTC))


def event(kind: str, seconds: float, run: int = 1) -> Document:
    return factory.run_event(kind, seconds=seconds, run=run)


def filled(intervals: list[Any]) -> dict[str, dict[str, int]]:
    """The counts of the intervals in which there was anything, by their start."""
    counts = {
        interval["startInterval"]: {kind: count for kind, count in interval.items() if kind in COUNTS and count}
        for interval in intervals
    }
    return {start: of_interval for start, of_interval in counts.items() if of_interval}


def counts(intervals: list[Any]) -> list[int]:
    return [interval["count"] for interval in intervals]


def test_a_day_is_the_24_hours_up_to_the_present_one() -> None:
    intervals = lookups_after()("stats/lineage-events", period="DAY")
    assert len(intervals) == 24
    assert intervals[0] == {"startInterval": "2026-11-19T11:00:00Z", "endInterval": "2026-11-19T12:00:00Z", **COUNTS}
    assert intervals[-1] == {"startInterval": "2026-11-20T10:00:00Z", "endInterval": "2026-11-20T11:00:00Z", **COUNTS}
    assert all(one["endInterval"] == next_["startInterval"] for one, next_ in pairwise(intervals))


def test_events_are_counted_in_the_hour_they_happened_by_kind() -> None:
    get = lookups_after(
        event("START", 0),
        event("RUNNING", 1),
        event("COMPLETE", HOUR - 0.001),
        event("FAIL", HOUR, 2),
        event("ABORT", HOUR + 1, 3),
        event("START", HOUR + 2, 4),
        event("START", -9 * HOUR, 5),
        event("START", -22 * HOUR, 6),
        event("START", 3 * HOUR, 7),
        factory.job_event(outputs=[factory.dataset("a")]),
        factory.dataset_event(factory.dataset("a")),
    )
    assert filled(get("stats/lineage-events", period="day")) == {
        "2026-11-19T23:00:00Z": {"start": 1},
        "2026-11-20T08:00:00Z": {"start": 1, "complete": 1},
        "2026-11-20T09:00:00Z": {"fail": 1, "abort": 1, "start": 1},
    }


@pytest.mark.parametrize(
    ("zone", "at", "first", "last"),
    [
        ("UTC", "2026-11-20T10:30:00", "2026-11-14", "2026-11-20"),
        ("Pacific/Auckland", "2026-11-20T10:59:59", "2026-11-14", "2026-11-20"),
        ("Pacific/Auckland", "2026-11-20T11:00:00", "2026-11-15", "2026-11-21"),
        ("America/Los_Angeles", "2026-11-20T07:59:59", "2026-11-13", "2026-11-19"),
        ("Etc/GMT 12", "2026-11-20T11:00:00", "2026-11-13", "2026-11-19"),
    ],
)
def test_a_week_is_seven_days_of_the_zone_each_shown_as_its_midnight(zone: str, at: str, first: str, last: str) -> None:
    intervals = lookups_after(at=at)("stats/lineage-events", period="WEEK", timezone=zone)
    assert len(intervals) == 7
    assert (intervals[0]["startInterval"], intervals[-1]["startInterval"]) == (
        f"{first}T00:00:00Z",
        f"{last}T00:00:00Z",
    )


def test_events_are_counted_in_the_day_of_the_zone_also_when_the_clock_changes() -> None:
    """In Berlin, 25 October 2026 has 25 hours, from 22:00 to 23:00 UTC."""
    moments = ["2026-10-24T21:59:59Z", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z"]
    documents = [{**event("START", 0, number), "eventTime": moment} for number, moment in enumerate(moments)]
    intervals = lookups_after(*documents, at="2026-10-26T12:00:00")(
        "stats/lineage-events", period="WEEK", timezone="Europe/Berlin"
    )
    assert filled(intervals) == {
        "2026-10-24T00:00:00Z": {"start": 1},
        "2026-10-25T00:00:00Z": {"start": 2},
        "2026-10-26T00:00:00Z": {"start": 1},
    }


def test_jobs_are_counted_by_when_they_were_first_named() -> None:
    get = lookups_after(
        factory.run_event("COMPLETE", job="old", seconds=-30 * DAY),
        factory.run_event("COMPLETE", job="old but running", run=2, seconds=-30 * DAY),
        factory.run_event("COMPLETE", job="old but running", run=3, seconds=0),
        factory.run_event("COMPLETE", job="new", run=4, seconds=-1 * HOUR),
        factory.run_event("COMPLETE", job="newest", run=5, seconds=2 * HOUR),
        factory.run_event("COMPLETE", job="of the future", run=6, seconds=9 * DAY),
    )
    assert counts(get("stats/jobs", period="DAY")) == [2] * 20 + [3, 3, 3, 4]
    assert counts(get("stats/jobs", period="WEEK", timezone="UTC")) == [2] * 6 + [4]


def test_datasets_and_sources_are_counted_by_when_they_were_first_named() -> None:
    def named(name: str, seconds: float) -> Document:
        return factory.dataset_event(
            factory.dataset(name, dataSource=factory.facet(name=name, uri="x")), seconds=seconds
        )

    get = lookups_after(named("old", -30 * DAY), named("old", 0), named("a", 0), named("b", HOUR))
    for kind in ("datasets", "sources"):
        assert counts(get(f"stats/{kind}", period="DAY")) == [1] * 21 + [2, 3, 3]
        assert counts(get(f"stats/{kind}", period="WEEK", timezone="Europe/Berlin")) == [1] * 6 + [3]


def test_a_key_counts_nodes_of_its_namespaces() -> None:
    source = factory.facet(name=LAKE, uri=LAKE)
    documents = [factory.run_event("COMPLETE", outputs=[factory.dataset("a", dataSource=source)])]
    for key, jobs, datasets in ((("*",), 1, 1), (("demo",), 1, 0), ((LAKE,), 0, 1)):
        get = lookups_after(*documents, key=key)
        newest = [counts(get(f"stats/{kind}", period="DAY"))[-1] for kind in ("jobs", "datasets", "sources")]
        assert newest == [jobs, datasets, datasets]


def test_statistics_without_time_left_are_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    get = lookups_after(factory.run_event("START", outputs=[factory.dataset("a")]))
    monkeypatch.setattr(statistics, "MAX_SECONDS", -1)
    cut = [interval for interval in get("stats/lineage-events", period="DAY") if "truncated" in interval]
    assert [interval["start"] for interval in cut] == [1]
    assert all(interval["truncated"] for interval in get("stats/datasets", period="DAY"))


@pytest.mark.parametrize("kind", ["lineage-events", "jobs", "datasets", "sources"])
def test_a_question_that_is_none_is_refused(kind: str) -> None:
    get = lookups_after()
    assert get.refusal(f"stats/{kind}") == "period"
    assert get.refusal(f"stats/{kind}", period="YEAR") == "period"
    assert get.refusal(f"stats/{kind}", period="WEEK") == "timezone"
    for zone in ("Nowhere/At_All", "../../etc/passwd", "Europe", "/etc/localtime", "x" * 5000, "a\0b", "ü"):
        assert get.refusal(f"stats/{kind}", period="WEEK", timezone=zone) == "timezone"
        assert get.refusal(f"stats/{kind}", period="DAY", timezone=zone) == "timezone"
