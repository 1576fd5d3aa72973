"""GET /events/lineage: events as they were posted."""

from typing import Any

import pytest

from headwater.http.request import PageRequest
from headwater.lookup.activity import events
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, after, key_of, table_after

EVENTS = "events/lineage"
ALL = ("RunEvent", "JobEvent", "DatasetEvent")
DAY = 24 * 3600


def ran(run: int, seconds: float, kind: str = "COMPLETE", namespace: str = "demo") -> Document:
    event = factory.run_event(kind, run=run, seconds=seconds, outputs=[factory.dataset("a")])
    return {**event, "job": {**event["job"], "namespace": namespace}}


def declared(seconds: float, namespace: str = "demo") -> Document:
    event = factory.job_event(seconds=seconds, outputs=[factory.dataset("a")])
    return {**event, "job": {**event["job"], "namespace": namespace}}


def described(seconds: float, namespace: str = LAKE) -> Document:
    return factory.dataset_event(factory.dataset("a", namespace), seconds=seconds)


def times(events: list[Any]) -> list[str]:
    return [event["eventTime"] for event in events]


def at(*seconds: float) -> list[str]:
    return [factory.at(second) for second in seconds]


def test_events_of_all_kinds_are_shown_as_they_were_posted_newest_first() -> None:
    posted = [
        factory.run_event("START", run_facets={"odd": {"weird": [1.10, None, {"x": "ü\n"}]}}, seconds=1),
        {**factory.run_event("OTHER", seconds=2), "eventTime": "2026-11-20T09:00:02.000+01:00"},
        declared(3),
        described(4),
        factory.run_event(None, run=2, seconds=5),
    ]
    assert after(*posted)(EVENTS, eventKinds=ALL) == {"events": posted[::-1], "totalCount": 5}


@pytest.mark.parametrize(
    ("kinds", "seconds"),
    [
        (None, (5, 2, 1)),
        ((), (5, 2, 1)),
        ("RunEvent", (5, 2, 1)),
        ("jobevent", (7, 3)),
        ("DatasetEvent", (6, 4)),
        (("JobEvent", "DATASETEVENT"), (7, 6, 4, 3)),
        (ALL, (7, 6, 5, 4, 3, 2, 1)),
    ],
)
@pytest.mark.parametrize("limit", [1, 2, 100])
def test_run_events_alone_are_shown_unless_the_request_names_other_kinds(
    kinds: Any, seconds: tuple[int, ...], limit: int
) -> None:
    """Marquez's web UI shows the run of each event, and nothing at all if one event has no run."""
    get = after(ran(1, 1), ran(1, 2), declared(3), described(4), ran(2, 5), described(6), declared(7))
    query = {} if kinds is None else {"eventKinds": kinds or ""}
    assert times(get(EVENTS, **query)["events"]) == at(*seconds)
    assert times(get.by_cursor(EVENTS, "events", limit, **query)) == at(*seconds)
    assert times(get.by_offset(EVENTS, "events", limit, **query)) == at(*seconds)
    assert times(get(EVENTS, sortDirection="asc", **query)["events"]) == at(*seconds[::-1])
    assert get(EVENTS, limit=0, **query) == {"events": [], "totalCount": len(seconds)}


@pytest.mark.parametrize("kinds", [("RunEvent",), ("JobEvent",), ("DatasetEvent", "RunEvent"), ALL])
def test_behind_those_that_are_looked_at_events_of_the_kinds_are_counted(
    monkeypatch: pytest.MonkeyPatch, kinds: tuple[str, ...]
) -> None:
    makers = (lambda seconds: ran(int(seconds), seconds), declared, described)
    get = after(*(make(n + 10_000 * n) for n in range(12) for make in makers))
    whole = get.by_cursor(EVENTS, "events", 1_000, eventKinds=kinds)
    monkeypatch.setattr(events, "MAX_SCANNED", 5)
    assert get(EVENTS, limit=2, eventKinds=kinds)["totalCount"] == len(whole) == 12 * len(kinds)
    assert get.by_cursor(EVENTS, "events", 2, eventKinds=kinds) == whole


def test_curation_is_no_event_of_a_producer() -> None:
    tag: Document = {"headwater_tag:3:PII": {"tag": "PII"}}
    tagged = factory.dataset_event(factory.dataset("a", **tag), seconds=10)
    deleted = factory.job_event(seconds=11, job="x", facets={"headwater_deleted": {"through": "2026"}})
    source = factory.dataset_event(
        factory.dataset("s", "headwater:sources", dataSource={"name": "s", "uri": "u"}), seconds=12
    )
    answer = after(described(1), tagged, deleted, source)(EVENTS, eventKinds=ALL)
    assert (times(answer["events"]), answer["totalCount"]) == (at(1), 1)


def test_a_span_is_from_after_on_and_ends_before_before() -> None:
    get = after(*(ran(n, n * DAY) for n in range(5)))
    assert times(get(EVENTS, after=factory.at(DAY), before=factory.at(3 * DAY))["events"]) == at(2 * DAY, DAY)
    assert get(EVENTS, after=factory.at(DAY), before=factory.at(3 * DAY))["totalCount"] == 2
    assert times(get(EVENTS, after=factory.at(DAY + 0.001))["events"]) == at(4 * DAY, 3 * DAY, 2 * DAY)
    assert times(get(EVENTS, before=factory.at(DAY))["events"]) == at(0)
    assert get(EVENTS, after=factory.at(4 * DAY), before=factory.at(DAY)) == {"events": [], "totalCount": 0}
    assert get(EVENTS, before="", after="", sortDirection="")["totalCount"] == 5


def test_without_before_nothing_is_hidden_however_late_it_says_it_happened() -> None:
    late = {**ran(1, 0), "eventTime": "2999-01-01T00:00:00Z"}
    early = {**ran(2, 0), "eventTime": "1969-07-20T20:17:40Z"}
    assert after(late, early)(EVENTS)["events"] == [late, early]


@pytest.mark.parametrize("zoned", ["2026-11-20T10:00:00+02:00", "2026-11-20T10:00:00 02:00", "2026-11-20T08:00:00"])
def test_times_may_have_a_zone_whose_plus_became_a_space(zoned: str) -> None:
    assert after(ran(1, -1), ran(2, 0))(EVENTS, after=zoned)["totalCount"] == 1


@pytest.mark.parametrize("direction", ["asc", "desc", "ASC"])
@pytest.mark.parametrize("limit", [1, 3, 10, 100])
def test_pages_by_cursor_and_by_offset_hold_every_event_once(direction: str, limit: int) -> None:
    get = after(*(ran(n, n // 3 * 20_000) for n in range(12)), *(described(n * 30_000) for n in range(4)))
    whole = get(EVENTS, sortDirection=direction, eventKinds=ALL)["events"]
    assert len(whole) == 16
    assert times(whole) == sorted(times(whole), reverse=direction == "desc")
    assert get.by_cursor(EVENTS, "events", limit, sortDirection=direction, eventKinds=ALL) == whole
    assert get.by_offset(EVENTS, "events", limit, sortDirection=direction, eventKinds=ALL) == whole


def test_no_events_and_none_asked_for() -> None:
    assert LookupClient(table_after())(EVENTS) == {"events": [], "totalCount": 0}
    assert after(ran(1, 0), ran(2, DAY))(EVENTS, limit=0) == {"events": [], "totalCount": 2}


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_a_key_sees_the_events_of_its_namespaces_by_job_or_by_dataset(direction: str) -> None:
    mine = [ran(1, 1), declared(2), described(3, "s3://mine")]
    others = [ran(2, 1, namespace="other"), declared(2, "other"), described(3, "s3://other")]
    get = LookupClient(table_after(*mine, *others), key_of("demo", "s3://mine"))
    answer = get(EVENTS, sortDirection=direction, eventKinds=ALL)
    assert answer == {"events": mine if direction == "asc" else mine[::-1], "totalCount": 3}
    assert get.by_cursor(EVENTS, "events", 1, sortDirection=direction, eventKinds=ALL) == answer["events"]
    assert get.by_offset(EVENTS, "events", 1, sortDirection=direction, eventKinds=ALL) == answer["events"]


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_behind_those_that_are_looked_at_events_are_counted_as_they_are_listed(
    monkeypatch: pytest.MonkeyPatch, direction: str
) -> None:
    get = after(*(ran(n, n * 20_000) for n in range(12)))
    monkeypatch.setattr(events, "MAX_SCANNED", 5)
    answer = get(EVENTS, limit=2, sortDirection=direction)
    assert (answer["totalCount"], "truncated" in answer) == (12, False)
    assert len(get.by_cursor(EVENTS, "events", 2, sortDirection=direction)) == 12


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_a_key_of_some_namespaces_looks_at_so_many_events_and_goes_on_by_cursor(
    monkeypatch: pytest.MonkeyPatch, direction: str
) -> None:
    mine, others = [ran(n, n) for n in range(0, 300, 50)], [ran(n, n, namespace="other") for n in range(1, 300, 2)]
    monkeypatch.setattr(events, "READ_AT_A_TIME", 20)
    monkeypatch.setattr(events, "MAX_READ", 40)
    get = LookupClient(table_after(*mine, *others), key_of("demo"))
    page = get(EVENTS, limit=4, sortDirection=direction)
    listed, pages = list(page["events"]), 1
    while "cursor" in page:
        assert page.get("truncated") or len(page["events"]) == 4
        page = get(EVENTS, limit=4, sortDirection=direction, cursor=page["cursor"])
        listed, pages = listed + page["events"], pages + 1
        assert pages < 20
    assert times(listed) == sorted(times(mine), reverse=direction == "desc")
    assert pages > 2
    assert get.refusal(EVENTS, offset=5, sortDirection=direction) == "offset"


def test_an_answer_is_cut_where_it_gets_too_long_and_goes_on_by_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    get = after(*(ran(n, n) for n in range(9)))
    monkeypatch.setattr("headwater.http.paging.MAX_BYTES", 1_500)
    assert 0 < len(get(EVENTS)["events"]) < 9
    assert times(get.by_cursor(EVENTS, "events", 100)) == at(*reversed(range(9)))


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ({"before": "x"}, "before"),
        ({"after": "2026-11-20"}, "after"),
        ({"sortDirection": "up"}, "sortDirection"),
        ({"eventKinds": ("RunEvent", "COMPLETE")}, "eventKinds"),
        ({"limit": -1}, "limit"),
        ({"offset": "x"}, "offset"),
        ({"cursor": "?"}, "cursor"),
    ],
)
def test_a_question_that_is_none_is_refused(query: dict[str, Any], parameter: str) -> None:
    assert after(ran(1, 0)).refusal(EVENTS, **query) == parameter


def test_a_cursor_of_another_list_is_refused() -> None:
    cursor = PageRequest(limit=1, offset=0).cursor("2026-11-20T08:00:00.000000000Z#load", 1)
    assert after(ran(1, 0)).refusal(EVENTS, cursor=cursor) == "cursor"
