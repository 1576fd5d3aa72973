"""The calls to DynamoDB of each lookup: they grow with the response, not with the table.

A lineage response of N nodes over L job hops takes at most 2L + N/50 + 4 calls, a dataset three, a list of a hundred
datasets four. A job takes four calls, the runs of a job three. A list of jobs takes five, one for each job, and one for
each hundred runs. The versions that the runs of a response read take two more, and one for each dataset.
"""

import math
from collections.abc import Callable, Collection, Iterator
from threading import Lock
from typing import Any, TypeVar

import pytest
import simplejson

from headwater.access.principal import Principal
from headwater.fold.fold import fold
from headwater.graph.names.identity import NodeKind, dataset_id
from headwater.graph.names.naming import Naming
from headwater.http.paging import chunked
from headwater.http.request import ApiRequest
from headwater.lookup.nodes.jobs import DETAILED_AT_A_TIME
from headwater.openlineage.event import Name
from headwater.read.name_resolution import MAX_ALIASES, MAX_SPLITS, path_candidates
from headwater.read.reader import Reader
from headwater.store.aws.dynamodb import READ_LIMIT
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.store.keys import QUALITY, Key
from headwater.store.memory import MemoryTable
from headwater.store.table import LOWEST, IndexEntry, Item
from headwater.traversal.impact import Reach, impact
from tests import factory
from tests.factory import RETENTION, Document
from tests.lookup.requests import ANYONE, response_to

LAKE = "s3://lake"
LAYERS, WIDTH = 6, 10


PAGE = 5_000
"""Rows in the megabyte of a query without a limit."""
LOCK = Lock()
"""A lookup makes calls in several threads."""
Row = TypeVar("Row")


class CountedTable(MemoryTable):
    """Counts the calls that DynamoDB would get (pages of a hundred keys, and queries), and the rows that queries would
    return: a query that has a limit returns no more at once, and goes on for whoever reads on."""

    calls = 0
    rows = 0

    def _count(self, calls: int = 0, rows: int = 0) -> None:
        with LOCK:
            self.calls += calls
            self.rows += rows

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        self._count(calls=math.ceil(len(set(keys)) / READ_LIMIT))
        return super().read(keys, only)

    def newest(
        self, pk: str, before: str = QUALITY, after: str = LOWEST, limit: int | None = None
    ) -> Iterator[IndexEntry]:
        self._count(calls=1)
        return self._in_pages(super().newest(pk, before, after, limit), limit)

    def newest_items(self, pk: str, after: str, before: str, limit: int) -> Iterator[Item]:
        self._count(calls=1)
        for item in super().newest_items(pk, after, before, limit):
            self._count(rows=1)
            yield item

    def partition(self, pk: str, beginning: str) -> Iterator[Key]:
        self._count(calls=1)
        return super().partition(pk, beginning)

    def list_entries(self, list_name: str, **options: Any) -> Iterator[IndexEntry]:
        self._count(calls=1)
        return self._in_pages(super().list_entries(list_name, **options), options.get("limit"))

    def count(self, list_name: str, *, pk: str = "", **bounds: Any) -> int:
        self._count(calls=1)
        return sum(entry.key.pk.startswith(pk) for entry in super().list_entries(list_name, **bounds))

    def page_with_count(self, list_name: str, limit: int) -> tuple[list[IndexEntry], int]:
        entries = list(self.list_entries(list_name))
        return entries[:limit], len(entries)

    def _in_pages(self, rows: Iterator[Row], limit: int | None) -> Iterator[Row]:
        """Rows as a caller of DynamoDB gets them. The first page is counted as a call already."""
        for number, page in enumerate(chunked(rows, limit or PAGE)):
            self._count(calls=number > 0, rows=len(page))
            yield from page


def layered(layers: int, width: int, *, runs: int = 1, prefix: str = "") -> list[Document]:
    """Jobs in layers, each of which reads two datasets of the layer before and writes one."""
    events = []
    for number in range(runs):
        for layer in range(layers):
            for place in range(width):
                read = [f"{prefix}{layer}.{place}", f"{prefix}{layer}.{(place + 1) % width}"]
                written = f"{prefix}{layer + 1}.{place}"
                lineage = factory.columns(id=(LAKE, read[0], "id"), n=(LAKE, read[1], "n"))
                fields = factory.schema("id:long", "n:int")
                events.append(
                    factory.run_event(
                        "COMPLETE",
                        job=f"{prefix}job {layer}.{place}",
                        run=abs(hash((prefix, layer, place, number))),
                        seconds=60 * number + layer,
                        inputs=[factory.dataset(name, schema=fields) for name in read],
                        outputs=[factory.dataset(written, schema=fields, columnLineage=lineage)],
                    )
                )
    return events


def table_of(*documents: Document) -> CountedTable:
    table = CountedTable()
    for start in range(0, len(documents), 200):
        fold(factory.received(*documents[start : start + 200]), GraphStore(table, RETENTION))
    return table


def body_and_calls(table: CountedTable, path: str, caller: Principal = ANYONE, /, **query: Any) -> tuple[Any, int]:
    texts = {name: str(value) for name, value in query.items()}
    request = ApiRequest(caller, "GET", f"/api/v1/{path}", texts, {name: (text,) for name, text in texts.items()})
    table.calls = table.rows = 0
    answer = response_to(table, request)
    assert answer.status == 200
    return simplejson.loads(answer.content()[1]), table.calls


GRAPH = layered(LAYERS, WIDTH)
LARGER = [event for copy in range(9) for event in layered(LAYERS, WIDTH, prefix=f"other {copy} ")]


@pytest.fixture(scope="module")
def table() -> CountedTable:
    return table_of(*GRAPH)


@pytest.fixture(scope="module")
def larger() -> CountedTable:
    """The same graph in a table ten times as large."""
    return table_of(*GRAPH, *LARGER)


@pytest.fixture(scope="module")
def older() -> CountedTable:
    """The same graph with twenty times the runs."""
    return table_of(*layered(LAYERS, WIDTH, runs=20))


LOOKUPS: dict[str, tuple[str, dict[str, Any]]] = {
    "lineage of a dataset": ("lineage", {"nodeId": f"dataset:{LAKE}:3.3", "depth": 3}),
    "lineage of a job": ("lineage", {"nodeId": "job:demo:job 3.3", "depth": 2}),
    "all of it": ("lineage", {"nodeId": "job:demo:job 3.3"}),
    "upstream": ("lineage", {"nodeId": f"dataset:{LAKE}:6.3", "direction": "upstream"}),
    "downstream": ("lineage", {"nodeId": f"dataset:{LAKE}:0.3", "direction": "downstream"}),
    "columns up": ("column-lineage", {"nodeId": f"dataset:{LAKE}:6.3"}),
    "columns both ways": ("column-lineage", {"nodeId": f"dataset:{LAKE}:3.3", "withDownstream": "true"}),
    "impact of a dataset": ("impact", {"nodeId": f"dataset:{LAKE}:0.3"}),
    "impact of a column": ("impact", {"nodeId": f"datasetField:{LAKE}:0.3:id"}),
    "a job": ("namespaces/demo/jobs/job 3.3", {}),
    "a dataset": ("namespaces/s3%3A%2F%2Flake/datasets/3.3", {}),
    "runs": ("namespaces/demo/jobs/job 3.3/runs", {}),
    "datasets": ("namespaces/s3%3A%2F%2Flake/datasets", {}),
}


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_a_lookup_costs_the_same_in_a_larger_or_an_older_table(
    table: CountedTable, larger: CountedTable, older: CountedTable, lookup: str
) -> None:
    path, query = LOOKUPS[lookup]
    (_, calls), (_, in_larger), (_, in_older) = (
        body_and_calls(measured, path, **query) for measured in (table, larger, older)
    )
    assert in_older == calls
    assert in_larger == calls or (lookup == "datasets" and in_larger <= 4)


@pytest.mark.parametrize("depth", [0, 1, 2, 3, 5, 20])
@pytest.mark.parametrize("query", [{}, {"direction": "upstream"}, {"direction": "downstream"}])
def test_lineage_takes_two_calls_a_hop_and_one_for_fifty_nodes(
    larger: CountedTable, depth: int, query: dict[str, str]
) -> None:
    for node in (f"dataset:{LAKE}:3.3", "job:demo:job 3.3"):
        answer, calls = body_and_calls(larger, "lineage", nodeId=node, depth=depth, **query)
        assert calls <= 2 * min(depth, LAYERS) + math.ceil(2 * len(answer["graph"]) / 100) + 4


@pytest.mark.parametrize("depth", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("direction", ["upstream", "downstream", "both"])
def test_column_lineage_costs_like_lineage(larger: CountedTable, depth: int, direction: str) -> None:
    answer, calls = body_and_calls(
        larger, "column-lineage", nodeId=f"dataset:{LAKE}:3.3", depth=depth, direction=direction
    )
    hops = min(depth, LAYERS // 2) * (2 if direction == "both" else 1)
    assert calls <= 2 * hops + math.ceil(2 * len(answer["graph"]) / 100) + 4


@pytest.mark.parametrize("depth", [1, 2, 3, 5, 20])
def test_impact_takes_two_calls_a_hop_and_of_columns_three(larger: CountedTable, depth: int) -> None:
    for node, calls_a_hop in ((f"dataset:{LAKE}:0.3", 2), (f"datasetField:{LAKE}:0.3:id", 3)):
        answer, calls = body_and_calls(larger, "impact", nodeId=node, depth=depth, limit=1_000)
        assert calls <= calls_a_hop * min(depth, LAYERS) + math.ceil(2 * answer["totalCount"] / 100) + 4


def test_a_root_cause_takes_two_calls_for_a_job_and_three_for_a_dataset(larger: CountedTable) -> None:
    node = f"dataset:{LAKE}:6.3"
    graph, walk = body_and_calls(larger, "lineage", nodeId=node, direction="upstream", limit=200)
    _, calls = body_and_calls(larger, "rootcause", nodeId=node)
    jobs = sum(node["type"] == "JOB" for node in graph["graph"])
    assert calls <= walk + 2 * jobs + 4 * (len(graph["graph"]) - jobs) + 8


def datasets_read(runs: Collection[Any]) -> set[str]:
    return {use["datasetVersionId"]["name"] for run in runs for use in run["inputDatasetVersions"]}


def test_a_job_takes_six_calls_and_one_for_each_dataset_that_its_runs_read(older: CountedTable) -> None:
    job, calls = body_and_calls(older, "namespaces/demo/jobs/job 3.3")
    assert (len(job["latestRuns"]), len(datasets_read(job["latestRuns"]))) == (10, 2)
    assert calls <= 3 + 1 + 2 + 2


def test_a_dataset_takes_three_calls(larger: CountedTable) -> None:
    dataset, calls = body_and_calls(larger, "namespaces/s3%3A%2F%2Flake/datasets/3.3")
    assert calls <= 3
    assert dataset["columnLineage"]


@pytest.mark.parametrize("limit", [1, 10, 20, 60, 100])
def test_a_list_of_jobs_takes_a_call_for_each_job_and_for_each_dataset_that_their_runs_read(
    table: CountedTable, larger: CountedTable, older: CountedTable, limit: int
) -> None:
    for measured in (table, larger, older):
        answer, calls = body_and_calls(measured, "namespaces/demo/jobs", limit=limit)
        expected = 5
        for chunk in chunked(answer["jobs"], DETAILED_AT_A_TIME):
            runs = [run for job in chunk for run in job["latestRuns"]]
            datasets, writers = len(datasets_read(runs)), sum(len(run["inputDatasetVersions"]) for run in runs)
            in_batches = sum(math.ceil(count / READ_LIMIT) for count in (len(runs), datasets, writers))
            expected += len(chunk) + datasets + in_batches
        assert calls <= expected


def test_a_list_of_a_hundred_datasets_takes_four_calls_and_the_runs_seven(
    larger: CountedTable, older: CountedTable
) -> None:
    datasets, calls = body_and_calls(larger, "namespaces/s3%3A%2F%2Flake/datasets", limit=100)
    assert (len(datasets["datasets"]), datasets["totalCount"], calls <= 4) == (100, 10 * (LAYERS + 1) * WIDTH, True)
    runs, calls = body_and_calls(older, "namespaces/demo/jobs/job 3.3/runs")
    assert (len(runs["runs"]), runs["totalCount"], len(datasets_read(runs["runs"]))) == (20, 20, 2)
    assert calls <= 3 + 2 + 2


ENTRIES, LIMIT = 320, 50
LISTS = {
    "runs": "namespaces/demo/jobs/load/runs",
    "children": f"jobs/runs/{factory.run_id(10**6)}/children",
    "versions": f"namespaces/{LAKE}/datasets/out/versions",
    "quality": f"namespaces/{LAKE}/datasets/out/quality",
    "aliases": "aliases",
    "datasets": f"namespaces/{LAKE}/datasets",
    "jobs of a namespace": "namespaces/wide/jobs",
    "jobs": "jobs",
    "events": "events/lineage",
}


@pytest.fixture(scope="module")
def long_lists() -> CountedTable:
    """A table in which every list with a cursor has many pages."""
    parent, next_day = factory.parent(10**6, "nightly"), 86_400
    assertions = factory.facet(assertions=[{"assertion": "not_null", "success": True, "column": "id"}])
    runs = [
        factory.run_event(
            "COMPLETE",
            run=number,
            seconds=number,
            run_facets={"parent": parent},
            inputs=[factory.dataset(f"in {number}", namespace="wide")],
            outputs=[factory.dataset(f"out/day={number}", dataQualityAssertions=assertions)],
        )
        for number in range(ENTRIES)
    ]
    jobs = [
        {**factory.job_event(seconds=next_day + number), "job": {"namespace": "wide", "name": f"job {number}"}}
        for number in range(ENTRIES)
    ]
    datasets = [factory.dataset_event(factory.dataset(f"{number:04}"), seconds=next_day) for number in range(ENTRIES)]
    return table_of(factory.run_event("START", run=10**6, job="nightly"), *runs, *jobs, *datasets)


@pytest.mark.parametrize("listed", LISTS)
def test_a_page_after_a_cursor_reads_its_own_entries_and_none_behind(long_lists: CountedTable, listed: str) -> None:
    query = {"nodeId": f"dataset:{LAKE}:out"} if listed == "aliases" else {}
    page, calls = body_and_calls(long_lists, LISTS[listed], limit=LIMIT, **query)
    assert page["totalCount"] >= ENTRIES
    first_calls, pages = calls, 1
    while "cursor" in page:
        page, calls = body_and_calls(long_lists, LISTS[listed], limit=LIMIT, cursor=page["cursor"], **query)
        pages += 1
        assert long_lists.rows <= 2 * LIMIT
        assert calls <= first_calls + 12  # one of the jobs has ten runs with inputs
    assert pages >= ENTRIES / LIMIT


def test_a_page_of_the_events_of_a_run_takes_one_call_more_than_the_run() -> None:
    table = CountedTable()
    events = [factory.run_event("RUNNING", run=1, seconds=second) for second in range(500)]
    fold(factory.received(*events), GraphStore(table, RETENTION))
    path = f"jobs/runs/{factory.run_id(1)}"
    _, calls_of_run = body_and_calls(table, path)
    page, calls = body_and_calls(table, f"{path}/events", limit=10)
    assert (calls - calls_of_run, table.rows) == (1, 11)
    _, calls = body_and_calls(table, f"{path}/events", limit=10, cursor=page["cursor"])
    assert (calls - calls_of_run, table.rows) == (1, 11)


MANY_READINGS = {
    "versions": "dataset:ns:name" + f"#{factory.run_id(5)}" * 100,
    "colons and versions": "dataset:" + ":a" * 100 + f"#{factory.run_id(5)}" * 100,
    "colons": "dataset:" + "a:" * 4_000,
    "only colons": "dataset:" + ":" * 8_000,
    "columns": "datasetField:" + "a:" * 4_000,
    "slashes": "dataset:" + "file:/a=b" * 800,
    "percent-escapes": "dataset:" + "%3a%2525" * 1_000,
    "hashes": "dataset:ns:" + "#" * 8_000,
}


@pytest.mark.parametrize("shape", MANY_READINGS)
@pytest.mark.parametrize("route", ["lineage", "column-lineage"])
def test_a_node_id_that_can_be_read_in_many_ways_takes_a_bounded_number_of_calls(
    table: CountedTable, route: str, shape: str
) -> None:
    request = ApiRequest(ANYONE, "GET", f"/api/v1/{route}", {"nodeId": MANY_READINGS[shape]})
    table.calls = 0
    assert response_to(table, request).status == 404
    as_name_and_as_version = 2
    assert table.calls <= as_name_and_as_version * (2 * MAX_SPLITS / READ_LIMIT + MAX_ALIASES)


@pytest.mark.parametrize("kind", [NodeKind.JOB, NodeKind.DATASET])
@pytest.mark.parametrize("segment", ["a/{}s/", "%2f{}s%2f", "a/{}s/b/versions/"])
def test_a_path_that_can_be_read_in_many_ways_has_a_bounded_number_of_candidates(kind: NodeKind, segment: str) -> None:
    assert len(path_candidates(kind, "x" + segment.format(kind) * 3_000 + "x")) <= MAX_SPLITS


def test_of_a_table_with_very_many_readers_only_as_many_are_read_as_are_looked_at() -> None:
    """A response that is cut off says truncated; pages of readers beyond the response are not read."""
    readers = [factory.job_event(job=f"reader {number}", inputs=[factory.dataset("wide")]) for number in range(4_000)]
    table = table_of(*readers)
    table.calls = 0
    some = impact(Reader(GraphReader(table), Naming()), dataset_id(Name(LAKE, "wide")), reach=Reach(depth=1, most=50))
    few, table.calls = table.calls, 0
    everybody = impact(
        Reader(GraphReader(table), Naming()), dataset_id(Name(LAKE, "wide")), reach=Reach(depth=1, most=5_000)
    )
    assert (len(some.at_risk), some.is_truncated) == (50, True)
    assert (len(everybody.at_risk), everybody.is_truncated) == (4_000, False)
    assert few <= 5 < table.calls


def _reading(dataset: str, number: int) -> Document:
    return factory.job_event(job=f"reader {number}", inputs=[factory.dataset(dataset)])


def _writing(dataset: str, number: int) -> Document:
    return factory.job_event(job=f"writer {number}", outputs=[factory.dataset(dataset)])


@pytest.mark.parametrize(
    ("using", "direction", "member"),
    [(_reading, "downstream", "estimatedReaders"), (_writing, "upstream", "estimatedWriters")],
)
@pytest.mark.parametrize("limit", [40, 1_000])
def test_a_graph_that_is_cut_tells_about_how_many_jobs_use_a_dataset_without_reading_them(
    using: Callable[[str, int], Document], direction: str, member: str, limit: int
) -> None:
    """The ids of jobs are digests: pages that are read tell how full their sisters are."""
    table = table_of(*(using("wide", number) for number in range(4_500)))
    wide = {"nodeId": f"dataset:{LAKE}:wide", "direction": direction, "depth": 1, "view": "ever"}
    cut, calls = body_and_calls(table, "lineage", **wide, limit=limit)
    (node,) = [node for node in cut["graph"] if node["type"] == "DATASET"]
    assert 4_000 < node["data"][member] < 5_000
    assert len(cut["graph"]) == limit
    assert calls <= 12 + limit / 100
    whole, _ = body_and_calls(table, "lineage", **wide, limit=5_000)
    assert len(whole["graph"]) == 4_501
    assert not [node for node in whole["graph"] if member in node["data"]]


TEAM = Principal("team", frozenset({"read"}), ("demo", LAKE))
OTHERS = {"namespace": "others", "name": "hidden", "facets": {}}


@pytest.mark.parametrize("lookup", LOOKUPS)
@pytest.mark.parametrize("more", [{}, {"asOf": factory.at(1_000_000)}])
def test_a_caller_of_some_namespaces_pays_what_a_caller_of_all_pays(
    table: CountedTable, lookup: str, more: dict[str, Any]
) -> None:
    """As long as no node of another namespace is in the answer."""
    path, query = LOOKUPS[lookup]
    asked = query | more if "nodeId" in query else query
    assert body_and_calls(table, path, TEAM, **asked) == body_and_calls(table, path, **asked)


@pytest.mark.parametrize("path", ["lineage", "column-lineage", "rootcause", "impact"])
@pytest.mark.parametrize("direction", ["upstream", "downstream"])
def test_the_past_of_a_hidden_job_is_not_read(path: str, direction: str) -> None:
    def runs_of_others(number: int) -> CountedTable:
        own = factory.dataset("own", columnLineage=factory.columns(id=(LAKE, "own", "id")))
        of_others = [
            factory.run_event("COMPLETE", seconds=run, run=run + 1, inputs=[own], outputs=[own]) | {"job": OTHERS}
            for run in range(number)
        ]
        return table_of(factory.run_event("COMPLETE", run=99_999, inputs=[own], outputs=[own]), *of_others)

    query = {"nodeId": f"dataset:{LAKE}:own", "asOf": factory.at(1_000_000)}
    query |= {"direction": direction} if "lineage" in path else {}
    costs = [body_and_calls(runs_of_others(number), path, TEAM, **query)[1] for number in (200, 600)]
    assert costs[0] == costs[1]
