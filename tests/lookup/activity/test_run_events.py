"""The events of a run, as they were posted."""

from typing import Any

import pytest

from headwater.http import paging
from headwater.lookup.activity import run_events
from headwater.store.memory import MemoryTable
from tests import factory
from tests.lookup.requests import LookupClient, key_of, table_after

RUN = f"jobs/runs/{factory.run_id(1)}/events"


def events_of(count: int, run: int = 1, **members: Any) -> list[factory.Document]:
    """A START and further events of one run, a second apart."""
    return [
        factory.run_event("RUNNING" if second else "START", run=run, seconds=second, **members)
        for second in range(count)
    ]


def by_cursor(get: LookupClient, limit: int) -> list[Any]:
    """The whole list; each page but the last has a cursor."""
    page = get(RUN, limit=limit)
    listed = list(page["events"])
    while "cursor" in page:
        page = get(RUN, limit=limit, cursor=page["cursor"])
        assert len(page["events"]) <= limit
        listed += page["events"]
    return listed


def test_the_events_of_a_run_are_listed_as_posted_and_newest_first() -> None:
    posted = events_of(3)
    assert LookupClient(table_after(*posted, *events_of(2, run=2)))(RUN) == {"events": posted[::-1]}


@pytest.mark.parametrize("limit", [1, 2, 5, 7, 100])
def test_pages_hold_each_event_once(limit: int) -> None:
    posted = events_of(7)
    assert by_cursor(LookupClient(table_after(*posted)), limit) == posted[::-1]


def test_a_page_is_short_unless_more_is_asked_for() -> None:
    get = LookupClient(table_after(*events_of(120)))
    assert [len(get(RUN, **query)["events"]) for query in ({}, {"limit": 50}, {"limit": 5000})] == [20, 50, 100]
    assert get(RUN, limit=0) == {"events": []}


def test_a_page_ends_where_the_response_would_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    posted = events_of(5)
    monkeypatch.setattr(paging, "MAX_BYTES", 1)
    get = LookupClient(table_after(*posted))
    assert get(RUN)["events"] == posted[:-2:-1]
    assert by_cursor(get, 5) == posted[::-1]


def test_a_cursor_of_no_response_is_refused() -> None:
    assert LookupClient(table_after(*events_of(2))).refusal(RUN, cursor="x") == "cursor"


def test_an_unknown_run_is_not_found() -> None:
    assert LookupClient(MemoryTable()).answer(RUN)[0] == 404


def test_events_of_another_namespace_with_the_same_run_id_are_left_out() -> None:
    own = events_of(3)
    forged = [factory.run_event("RUNNING", run=1, seconds=60 + second) for second in range(3)]
    for event in forged:
        event["job"] = {**event["job"], "namespace": "elsewhere"}
    table = table_after(*own, *forged)
    assert by_cursor(LookupClient(table), 2) == own[::-1]
    assert by_cursor(LookupClient(table, key_of(own[0]["job"]["namespace"])), 2) == own[::-1]
    assert by_cursor(LookupClient(table, key_of("elsewhere")), 2) == forged[::-1]


def foreign_events(count: int) -> list[factory.Document]:
    """Events of jobs of others with the same run id, newer than any of the run's own."""
    forged = [factory.run_event("RUNNING", run=1, seconds=60 + second, job=f"j{second}") for second in range(count)]
    return [{**event, "job": {**event["job"], "namespace": "elsewhere"}} for event in forged]


def test_events_of_others_with_the_same_run_id_empty_no_page() -> None:
    own = events_of(3)
    table = table_after(*own, *foreign_events(60))
    assert LookupClient(table)(RUN)["events"] == own[::-1]
    assert LookupClient(table)(RUN, limit=2)["events"] == own[:0:-1]
    assert by_cursor(LookupClient(table), 2) == own[::-1]


def test_a_page_passes_over_so_many_and_then_goes_on_by_its_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    own = events_of(3)
    get = LookupClient(table_after(*own, *foreign_events(60)))
    monkeypatch.setattr(run_events, "MAX_SCANNED", 25)
    assert get(RUN)["events"] == []
    assert by_cursor(get, 20) == own[::-1]


def test_a_run_says_whose_run_it_is() -> None:
    get = LookupClient(table_after(*events_of(2)))
    assert get(RUN.removesuffix("/events"))["job"] == {"namespace": "demo", "name": "load"}
