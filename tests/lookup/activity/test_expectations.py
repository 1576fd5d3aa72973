"""GET /expectations about a node: its newest runs, each beside what was usual when it began."""

from datetime import timedelta
from typing import Any

from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, after, table_after

HOUR, HOURS = 3_600, 90


def each_hour(last_rows: int = 1_000, last_kind: str = "COMPLETE", late: int = 0) -> list[Document]:
    """A job that wrote a thousand rows each hour; the last run may be another, and begin some seconds late."""
    events = []
    for hour in range(HOURS):
        is_last = hour == HOURS - 1
        statistics = factory.facet(rowCount=last_rows if is_last else 1_000)
        used: dict[str, Any] = {
            "run": hour + 1,
            "outputs": [{**factory.dataset("orders"), "outputFacets": {"outputStatistics": statistics}}],
        }
        begin = HOUR * hour + (late if is_last else 0)
        events.append(factory.run_event("START", seconds=begin, **used))
        events.append(factory.run_event(last_kind if is_last else "COMPLETE", seconds=begin + 60, **used))
    return events


def history(*documents: Document) -> list[Document]:
    (found,) = after(*documents)("expectations", nodeId=f"dataset:{LAKE}:orders")["expectations"]
    runs: list[Document] = found["history"]
    return runs


def test_the_runs_come_the_oldest_first_with_what_was_usual() -> None:
    runs = history(*each_hour(12))
    assert [run["startedAt"] for run in runs] == sorted(run["startedAt"] for run in runs)
    last = runs[-1]
    assert (last["rows"]["amount"], last["rows"]["usual"], last["failed"]) == (12, 1_000, False)
    assert last["rows"]["low"] < 1_000 < last["rows"]["high"]
    assert (last["seconds"]["amount"], last["seconds"]["usual"]) == (60, 60)
    assert last["bytes"] == {"amount": None}
    assert last["startedAt"] == last["dueAt"] < last["latestAt"]


def test_a_run_is_no_evidence_for_itself_nor_for_those_before() -> None:
    before = [run["rows"] for run in history(*each_hour(12))[:-1]]
    assert before == [run["rows"] for run in history(*each_hour())[:-1]]


def test_a_late_run_has_the_time_at_which_it_was_due() -> None:
    last = history(*each_hour(late=2_000))[-1]
    assert last["dueAt"] < last["latestAt"] < last["startedAt"]


def test_a_failed_run_is_told_as_such() -> None:
    assert history(*each_hour(12, "FAIL"))[-1]["failed"]


def test_of_the_first_runs_nothing_is_claimed() -> None:
    runs = history(*each_hour()[:8])
    assert [run["dueAt"] for run in runs] == [None] * 4
    assert [run["rows"] for run in runs] == [{"amount": 1_000}] * 4


def test_without_a_node_no_history_is_read() -> None:
    get = LookupClient(table_after(*each_hour()), at=factory.EPOCH + timedelta(hours=HOURS))
    (found,) = get("expectations")["expectations"]
    assert "history" not in found
