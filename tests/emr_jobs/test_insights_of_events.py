"""Insights on the tables that real events make: aliases, jobs that ended long ago, lost events, broken clocks."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import count
from typing import Any, NamedTuple

import pytest
from pyspark.sql import DataFrame, SparkSession

from emr_jobs.insights.__main__ import analyse, create_tables
from emr_jobs.insights.graph import Graph
from emr_jobs.insights.insight import as_json
from headwater.graph.facets.curation import DELETED
from headwater.openlineage.instant import parse_instant
from headwater.store.messages import ReceivedMessage, archive_line
from tests import factory
from tests.emr_jobs.archives import archive, received
from tests.emr_jobs.warehouses import database, take_all
from tests.factory import Document

pytestmark = [pytest.mark.spark, pytest.mark.engine]

DAY = timedelta(days=1).total_seconds()
NOW = parse_instant(factory.at(3600))
WEEK = range(6, -1, -1)
ALIASED = 8
"""Tables with an alias that no event reads or writes: for some of them the id of the alias is the smaller one."""
ALIKE = 60
_RUNS = count(1)


class Found(NamedTuple):
    graph: Graph
    rated: DataFrame
    insights: Sequence[dict[str, Any]]

    def of(self, *kinds: str) -> list[dict[str, Any]]:
        """What is told of the duplicates, or of `details.what` or `details.measure`."""
        named = (each for each in self.insights if {each["kind"], *map(str, each["details"].values())} & {*kinds})
        return list(named)

    def named(self, *kinds: str) -> set[str]:
        return {node["name"] for each in self.of(*kinds) for node in each["nodes"]}


def runs(
    job: str,
    reads: str,
    wrote: str,
    days: Iterable[int] = (0,),
    *,
    rows: Iterable[int] = (100,),
    seconds: float = 60,
    columns: Sequence[tuple[str, str, str]] = (),
    schemas: Sequence[str] = (),
    owner: str = "",
    **facets: Document,
) -> Iterator[Document]:
    """Runs of a job, some days ago each, with the rows that each wrote. Columns are `output`, `dataset.column` and the
    subtype; those of the output `*` are filters."""
    counts = [*rows]
    if columns:
        facets["columnLineage"] = flows(columns)
    job_facets = {"ownership": factory.facet(owners=[{"name": owner}])} if owner else {}
    for at, day in enumerate(days):
        if schemas:
            facets["schema"] = factory.schema(schemas[at % len(schemas)])
        statistics = {"outputStatistics": factory.facet(rowCount=counts[at % len(counts)])}
        output = factory.dataset(wrote) | {"facets": dict(facets), "outputFacets": statistics}
        used: dict[str, Any] = {"inputs": [factory.dataset(reads)], "outputs": [output], "job_facets": job_facets}
        run, begin = next(_RUNS), -day * DAY
        yield factory.run_event("START", seconds=begin, run=run, job=job, **used)
        yield factory.run_event("COMPLETE", seconds=begin + seconds, run=run, job=job, **used)


def flows(columns: Sequence[tuple[str, str, str]]) -> Document:
    fields: dict[str, Any] = {}
    filters = []
    for output, source, subtype in columns:
        dataset, column = source.split(".")
        step = {"type": "INDIRECT" if output == "*" else "DIRECT", "subtype": subtype, "masking": False}
        named = {"namespace": "s3://lake", "name": dataset, "field": column, "transformations": [step]}
        if output == "*":
            filters.append(named)
        else:
            fields[output] = {"inputFields": [named]}
    return factory.facet(fields=fields, dataset=filters)


def wasted() -> Iterator[Document]:
    yield from runs("merge", "merged", "merged", (100, *WEEK))
    for number in range(ALIASED):
        yield from runs(
            f"w{number}", "raw", f"aliased{number}", (100, *WEEK), symlinks=factory.symlinks(f"db.t{number}")
        )
    yield from runs("refresh", "raw", "forgotten", (100, 50, 0))
    yield from runs("last_reader", "forgotten", "made_once", (120,))
    yield from runs("once", "raw", "countries", (100,))
    yield from runs("daily", "countries", "joined", WEEK)


def drifting() -> Iterator[Document]:
    """Jobs that must not be found, but for `doubled`; 2026-11-15, five days before the newest run, is a Sunday."""
    since = range(40, 4, -1)
    sundays = [100 if (day - 5) % 7 == 0 else 1000 + day % 5 for day in since]
    yield from runs("rests_on_sundays", "raw", "d1", since, rows=sundays)
    month = range(20, -1, -1)
    yield from runs("doubled", "raw", "d2", month, rows=[*[500] * 20, 1000])
    yield from runs("one_row", "raw", "d3", month, rows=[*[0] * 20, 1])
    *whole, _, end = runs("lost_start", "raw", "d4", month, seconds=600)
    yield from (*whole, end)
    yield from runs("deleted", "raw", "d5", month, rows=[*[500] * 20, 1000])
    yield factory.job_event(seconds=600, job="deleted") | {
        "job": {"namespace": "demo", "name": "deleted", "facets": {DELETED: {"through": factory.at(600)}}}
    }
    for number, (rows, schema) in enumerate(((1000, "a:int"), (100, "b:int"))):
        yield from runs(f"in_turn{number}", "raw", "s1", range(11 - number, -1, -2), rows=[rows], schemas=[schema])
    long_ago, broken = range(411, 399, -1), [*[1000] * 6, *[300] * 6]
    yield from runs("long_ago", "raw", "s2", long_ago, rows=broken, schemas=[*["a:int"] * 6, *["b:int"] * 6])


def done_twice() -> Iterator[Document]:
    """A work and the work that it replaced; copies of a dataset by several jobs; works with a filter of their own."""
    price = [("a", "orders.a", "IDENTITY"), ("p", "orders.price", "AGGREGATION"), ("*", "orders.state", "FILTER")]
    yield from runs("replaced", "orders", "old_prices", (210, 200), columns=price)
    yield from runs("replacing", "orders", "prices", WEEK, columns=price)
    for number in range(3):
        copied = [(name, f"prices.{name}", "IDENTITY") for name in "ap"]
        yield from runs(f"copies{number}", "prices", f"copy{number}", columns=copied)
    again = [(name, f"copy0.{name}", "IDENTITY") for name in "ap"]
    yield from runs("copies_a_copy", "copy0", "copy_of_copy", columns=again)
    wide = [(f"c{at}", f"wide.c{at}", "IDENTITY") for at in range(12)]
    for number in range(ALIKE):
        yield from runs(f"alike{number}", "wide", f"out{number}", columns=[*wide, ("*", f"wide.f{number}", "FILTER")])


def critical() -> Iterator[Document]:
    yield from runs("writes_hub", "raw", "hub", owner="platform")
    for number in range(6):
        yield from runs(f"reads{number}", "hub", f"report{number}", owner=f"team{number % 2}")
    (clock_ahead,) = [event for event in runs("ahead", "raw", "later") if event["eventType"] == "COMPLETE"]
    yield clock_ahead | {"eventTime": "2087-01-01T00:00:00Z"}


@pytest.fixture(scope="module")
def found(session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Found:
    events = [*wasted(), *drifting(), *done_twice(), *critical()]
    lines = [archive_line(ReceivedMessage(each.canonical, min(each.received_at, NOW))) for each in received(events)]
    made = database(session, tmp_path_factory.mktemp("lake"))
    take_all(session, archive(tmp_path_factory.mktemp("archive"), lines), made)
    graph = Graph(session, made)
    create_tables(graph)
    rated, insights = analyse(graph, 90, [])
    rows = [{**as_json(row.asDict(recursive=True)), "kind": row["kind"]} for row in insights.collect()]
    return Found(graph, rated.persist(), rows)


def test_a_run_with_a_clock_years_ahead_moves_no_day(found: Found) -> None:
    assert str(found.graph.as_of) == "2026-11-20"


def test_a_dataset_counts_under_an_alias_that_no_event_uses(found: Found) -> None:
    names = {f"aliased{number}" for number in range(ALIASED)}
    assert names <= found.named("unread")
    assert names <= {row["name"] for row in found.rated.select("name").collect()}


def test_a_read_of_the_only_writer_is_no_use(found: Found) -> None:
    assert "merged" in found.named("unread")
    assert "merge" in found.named("idle job")


def test_reads_and_writes_of_long_ago_are_known(found: Found) -> None:
    (forgotten,) = [each for each in found.of("unread") if each["nodes"][0]["name"] == "forgotten"]
    assert forgotten["title"].endswith("no job that reports has read it since 2026-07-23")
    assert found.named("unwritten") == {"raw", "orders", "wide"}


def test_a_usual_sunday_a_lost_start_and_a_single_row_are_no_drift(found: Found) -> None:
    assert found.named("rows", "seconds") == {"doubled"}


def test_schemas_in_turn_and_breaks_of_long_ago_are_not_told(found: Found) -> None:
    assert not found.named("drift") & {"s1", "s2"}


def test_a_work_that_was_replaced_is_not_done_twice(found: Found) -> None:
    assert not found.named("duplicate") & {"replaced", "replacing"}


def test_copies_of_one_dataset_are_one_work_done_often(found: Found) -> None:
    groups = [found_jobs(each) for each in found.of("duplicate") if each["details"]["overlap"] == 1]
    assert groups == [{"copies0", "copies1", "copies2"}]


def test_of_many_works_that_are_alike_each_is_told_with_the_nearest(found: Found) -> None:
    pairs = [found_jobs(each) for each in found.of("duplicate") if each["details"]["overlap"] < 1]
    assert set().union(*pairs) == {f"alike{number}" for number in range(ALIKE)}
    assert len(pairs) < ALIKE


def test_owners_of_a_node_are_not_downstream_of_the_node(found: Found) -> None:
    rows = {row["name"]: row for row in found.rated.collect()}
    assert [rows[name]["downstream_owners"] for name in ("writes_hub", "hub", "reads0", "report0")] == [2, 2, 0, 0]


def test_the_mean_rank_is_one(found: Found) -> None:
    ranks = [row["rank"] for row in found.rated.select("rank").collect()]
    assert sum(ranks) / len(ranks) == pytest.approx(1, abs=1e-6)
    assert ranks == [round(rank, 6) for rank in ranks]


def found_jobs(insight: dict[str, Any]) -> set[str]:
    return {node["name"] for node in insight["nodes"] if node["type"] == "JOB"}
