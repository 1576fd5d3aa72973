"""A writer that another job replaced retires from the current view, after a silence that its own rhythm allows."""

from collections.abc import Sequence

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.test_cost import body_and_calls, table_of
from tests.traversal.lineage import LAKE, after, edges, nodes, ran

HOUR, DAY = 3600, 86_400
CLEAN = {"nodeId": f"dataset:{LAKE}:clean", "direction": "upstream"}


def times(job: str, source: str, at: Sequence[float], output: str = "clean") -> list[Document]:
    return [
        ran(job, source, output, run=abs(hash((job, source, number))), seconds=seconds)
        for number, seconds in enumerate(at)
    ]


def days(first: int, last: int, step: int = 1) -> list[float]:
    return [DAY * day for day in range(first, last + 1, step)]


REPLACED = times("v1", "old", days(0, 4)) + times("v2", "new", days(5, 9))


def test_a_replaced_writer_is_in_ever_alone_with_what_it_read() -> None:
    get = after(*REPLACED)
    assert nodes(get("lineage", **CLEAN)) == {"clean", "v2", "new"}
    assert nodes(get("lineage", view="ever", **CLEAN)) == {"clean", "v1", "old", "v2", "new"}
    for node in ("clean", "new"):
        assert nodes(get("lineage", nodeId=f"dataset:{LAKE}:{node}")) == {"clean", "v2", "new"}
    assert nodes(get("lineage", nodeId=f"dataset:{LAKE}:old", direction="downstream")) == {"old"}


def test_the_order_of_events_plays_no_part() -> None:
    assert nodes(after(*REPLACED[::-1])("lineage", **CLEAN)) == {"clean", "v2", "new"}


def test_a_walk_from_a_retired_writer_shows_the_writer() -> None:
    answer = after(*REPLACED)("lineage", nodeId="job:demo:v1", direction="both")
    assert edges(answer) == {("old", "v1"), ("v1", "clean")}


@pytest.mark.parametrize(("day", "expected"), [(6, {"v1", "v2"}), (7, {"v1", "v2"}), (8, {"v2"}), (9, {"v2"})])
def test_it_retires_after_three_times_its_longest_gap(day: int, expected: set[str]) -> None:
    in_time = [event for event in REPLACED if event["eventTime"] <= factory.at(DAY * day)]
    assert nodes(after(*in_time)("lineage", **CLEAN)) & {"v1", "v2"} == expected
    assert nodes(after(*REPLACED)("lineage", **CLEAN, asOf=factory.at(DAY * day + 1))) & {"v1", "v2"} == expected


@pytest.mark.parametrize(
    "events",
    [
        times("v1", "old", days(0, 9)) + times("v2", "new", days(2, 9)),
        times("weekly", "old", days(0, 21, 7)) + times("daily", "new", days(3, 27)),
        times("monthly", "old", [0]) + times("daily", "new", days(1, 30)),
        times("v1", "old", days(0, 9)) + times("late", "new", [9 * DAY + HOUR]),
        times("by hand", "old", [0, 60, 120]) + times("other", "new", [180, 1200, 3000]),
        times("load", "raw", days(0, 4)) + times("optimize", "clean", days(5, 60)),
        times("load", "raw", days(0, 4)) + times("delete", "", days(5, 60)),
        times("old", "raw", days(0, 60)) + times("v1", "old", days(1, 9)),
    ],
    ids=["both run", "weekly", "one run", "just begun", "by hand", "optimises", "deletes", "older"],
)
def test_who_was_not_replaced_stays(events: list[Document]) -> None:
    get = after(*events)
    assert nodes(get("lineage", **CLEAN)) == nodes(get("lineage", view="ever", **CLEAN))


def test_a_writer_without_a_rhythm_retires_after_a_month() -> None:
    once = times("backfill", "dump", [0])
    drawn = [nodes(after(*once, *times("daily", "new", days(1, last)))("lineage", **CLEAN)) for last in (31, 32)]
    assert ["backfill" in graph for graph in drawn] == [True, False]


def test_a_writer_keeps_the_outputs_that_no_other_job_took_over() -> None:
    both = [ran("v1", "old", "clean audit", run=number, seconds=DAY * number) for number in range(5)]
    get = after(*both, *times("v2", "new", days(5, 9)))
    assert edges(get("lineage", nodeId=f"dataset:{LAKE}:old", direction="downstream")) == {
        ("old", "v1"),
        ("v1", "audit"),
    }


def test_what_is_only_far_away_by_other_paths_is_not_within_depth() -> None:
    chain = [ran("extract", "base", "raw", run=900, seconds=9 * DAY), ran("stage", "raw", "new", run=901)]
    get = after(*times("v1", "base", days(0, 4)), *times("v2", "new", days(5, 9)), *chain)
    near = nodes(get("lineage", **CLEAN, depth=2))
    assert (near, "base" in nodes(get("lineage", **CLEAN, depth=3))) == ({"clean", "v2", "new", "stage", "raw"}, True)


def test_writers_cost_a_read_for_a_hundred_and_the_runs_of_each_silent_one() -> None:
    alone, replaced = table_of(*times("v2", "new", days(5, 9))), table_of(*REPLACED)
    (_, calls), (_, more) = (body_and_calls(table, "lineage", **CLEAN) for table in (alone, replaced))
    assert more <= calls + 2


def made(job: str, source: str, column: str, at: Sequence[float]) -> list[Document]:
    """Runs of a job that makes `clean.total` of a column, at some seconds."""
    lineage = factory.columns(total=(LAKE, source, column))
    output = factory.dataset("clean", schema=factory.schema("total:long"), columnLineage=lineage)
    read = factory.dataset(source, schema=factory.schema(f"{column}:long"))
    return [
        factory.run_event(
            "COMPLETE", job=job, run=abs(hash((job, number))), seconds=seconds, inputs=[read], outputs=[output]
        )
        for number, seconds in enumerate(at)
    ]


BY_COLUMN = made("v1", "old", "price", days(0, 4)) + made("v2", "new", "amount", days(5, 9))
TOTAL = f"datasetField:{LAKE}:clean:total"


@pytest.mark.parametrize("node", [f"dataset:{LAKE}:old", f"datasetField:{LAKE}:old:price"])
def test_a_replaced_writer_breaks_in_ever_alone(node: str) -> None:
    get = after(*BY_COLUMN)

    def broken(**query: str) -> set[str]:
        return {item["nodeId"] for owner in get("impact", nodeId=node, **query)["owners"] for item in owner["items"]}

    clean = TOTAL if node.startswith("datasetField") else f"dataset:{LAKE}:clean"
    assert broken() == set()
    assert broken(view="ever") == broken(asOf=factory.at(4 * DAY + 1)) == {"job:demo:v1", clean}


def test_the_impact_of_a_new_source_has_the_writer_that_took_over() -> None:
    for node in ("dataset:s3://lake:new", "datasetField:s3://lake:new:amount"):
        (owner,) = after(*BY_COLUMN)("impact", nodeId=node)["owners"]
        assert "job:demo:v2" in {item["nodeId"] for item in owner["items"]}


def test_the_columns_of_a_replaced_writer_are_in_ever_alone() -> None:
    get = after(*BY_COLUMN)

    def columns(**query: str) -> set[str]:
        return {node["id"].removeprefix(f"datasetField:{LAKE}:") for node in get("column-lineage", **query)["graph"]}

    assert columns(nodeId=TOTAL) == {"clean:total", "new:amount"}
    assert columns(nodeId=TOTAL, view="ever") == {"clean:total", "new:amount", "old:price"}
    assert columns(nodeId=TOTAL, asOf=factory.at(4 * DAY + 1)) == {"clean:total", "old:price"}
    assert "old:price" in columns(nodeId="job:demo:v1")
    assert columns(nodeId=f"datasetField:{LAKE}:old:price", direction="downstream") == set()


def test_the_failure_of_a_replaced_writer_is_no_cause_of_what_its_successor_wrote() -> None:
    failed = factory.run_event("FAIL", job="v1", run=9_001, seconds=5 * DAY, outputs=[factory.dataset("clean")])
    get = after(*times("v1", "old", days(0, 4)), failed, *times("v2", "new", [20 * DAY]))

    def failures(**query: str) -> list[str]:
        findings = get("rootcause", nodeId=f"dataset:{LAKE}:clean", **query)["findings"]
        return [finding["nodeId"] for finding in findings if finding["kind"] == "RUN_FAILED"]

    assert (failures(), failures(view="ever")) == ([], ["job:demo:v1"])


def test_a_replaced_writer_is_removed_between_two_times() -> None:
    get = after(*REPLACED)
    times_asked = {"from": factory.at(4 * DAY + 1), "to": factory.at(9 * DAY + 1)}
    assert {node["name"] for node in get("diff", **CLEAN, **times_asked)["nodes"]["removed"]} == {"v1", "old"}
    ever = get("diff", **CLEAN, **times_asked, view="ever")["nodes"]
    assert {node["name"] for node in ever["added"]} == {"v2", "new"}
    assert ever["removed"] == []
