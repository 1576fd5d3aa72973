"""The rows of the lakehouse by the states of the fold, whatever producers put into facets."""

from typing import Any

import pytest

from emr_jobs.archive.events import ArchivedEvent, LineFault
from emr_jobs.lakehouse import rows
from emr_jobs.lakehouse.states import states_of
from emr_jobs.lakehouse.tables import COLUMN_EDGES, DATASETS, RUNS, TableForm
from headwater.graph.states.run import Run
from headwater.openlineage import exact_json
from headwater.openlineage.instant import parse_instant
from headwater.store.bulk import packed, unpacked
from tests import factory
from tests.factory import Document

AT = parse_instant(factory.at(5))


def states(kind: str, *documents: Document, aliases: dict[str, str] | None = None) -> list[Any]:
    archived = [ArchivedEvent(exact_json.dumps(document), AT) for document in documents]
    found = [each for each in states_of(archived, aliases or {}) if not isinstance(each, LineFault)]
    return [state for key, state in found if key[0] == kind]


def named(table: TableForm, row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(table.column_names, row, strict=True))


def run_row(*documents: Document) -> dict[str, Any]:
    (run,) = states("Run", *documents)
    return named(RUNS, rows.run_row(run))


def output(**statistics: Any) -> Document:
    return factory.dataset("out") | {"outputFacets": {"outputStatistics": factory.facet(**statistics)}}


def test_a_run_has_its_duration_and_what_it_wrote() -> None:
    row = run_row(
        factory.run_event("START"), factory.run_event("COMPLETE", seconds=90, outputs=[output(rowCount=7, size=70)])
    )
    assert (row["state"], row["seconds"]) == ("COMPLETED", 90)
    assert (row["rows_written"], row["bytes_written"], row["rows_read"]) == (7, 70, None)


@pytest.mark.parametrize("count", [None, "many", -1, 2**63, True, [1]])
def test_a_count_that_is_none_is_left_out(count: Any) -> None:
    assert run_row(factory.run_event("COMPLETE", outputs=[output(rowCount=count, size=5)]))["rows_written"] is None


def runtime(stage: Document, **totals: Any) -> Document:
    """What the jar beside Spark's listener says of the tasks of a run."""
    sizes = ("bytesRead", "bytesShuffled", "bytesSpilled", "peakMemoryBytes", "tasks", "failedTasks")
    return factory.facet(**{"executorSeconds": 1.5, **dict.fromkeys(sizes, 1), "stages": [stage], **totals})


STAGE = {"stage": 7, "operation": "join", "tasks": 200, "medianSeconds": 2, "maxSeconds": 900.5, "medianBytes": 10}
SKEWED = STAGE | {"maxBytes": 41 * 10**9, "bytes": 43 * 10**9}


@pytest.mark.parametrize(
    ("facet", "seconds", "skewed"),
    [
        (runtime(SKEWED), 1.5, (7, "join", 200, 2.0, 900.5, 10, 41 * 10**9, 43 * 10**9)),
        (runtime(SKEWED | {"operation": 3}), 1.5, (7, None, 200, 2.0, 900.5, 10, 41 * 10**9, 43 * 10**9)),
        (runtime(SKEWED | {"bytes": 83 * 10**9}), 1.5, None),
        (runtime(STAGE | {"maxBytes": 2**70, "bytes": 2**70}), 1.5, (7, "join", 200, 2.0, 900.5, 10, *[2**63 - 1] * 2)),
        (runtime(SKEWED, executorSeconds="long"), None, None),
        (factory.facet(), None, None),
    ],
)
def test_a_run_has_what_its_tasks_took(facet: Document, seconds: float | None, skewed: tuple[Any, ...] | None) -> None:
    row = run_row(factory.run_event("COMPLETE", run_facets={"headwater_runtime": facet}))
    assert (row["executor_seconds"], row["skewed_stage"]) == (seconds, skewed)


def test_the_source_of_a_flow_has_the_dataset_that_its_name_means() -> None:
    lineage = factory.columns(a=("s3a://old", "in", "x"))
    made = factory.run_event("COMPLETE", outputs=[factory.dataset("out", columnLineage=lineage)])
    (sent,) = states("SentLineage", made, aliases={"s3://old": "s3://lake"})
    (row,) = (named(COLUMN_EDGES, row) for row in rows.edge_rows(sent, {"s3://old": "s3://lake"}))
    assert (row["source_namespace"], row["source_name"], row["source_column"]) == ("s3://lake", "in", "x")
    assert (row["type"], row["subtype"], row["masking"]) == ("DIRECT", "", False)


def test_column_lineage_that_a_run_repeats_is_one_state() -> None:
    lineage = factory.columns(a=("s3://lake", "in", "x"))
    events = [factory.run_event(kind, seconds=at, outputs=[factory.dataset("out", columnLineage=lineage)])
              for at, kind in enumerate(("START", "RUNNING", "COMPLETE"))]  # fmt: skip
    (sent,) = states("SentLineage", *events)
    assert (sent.first[:19], sent.last[:19]) == (factory.at(0)[:19], factory.at(2)[:19])


def test_tags_of_columns_are_those_of_the_api() -> None:
    sent = factory.facet(tags=[{"key": "PII", "value": "true", "field": "id"}, {"key": "own", "value": ""}, "odd"])
    (facts,) = states("DatasetFacts", factory.run_event("COMPLETE", outputs=[factory.dataset("out", tags=sent)]))
    row = named(DATASETS, rows.dataset_row(facts))
    assert (row["column_tags"], row["tags"]) == ([("id", "PII")], ["own"])


def test_a_packed_state_is_the_state() -> None:
    (run,) = states("Run", factory.run_event("FAIL", inputs=[factory.dataset("in")]))
    assert isinstance(run, Run)
    assert unpacked(packed(run)) == run


def test_an_event_that_cannot_be_read_is_a_fault() -> None:
    (fault,) = states_of([ArchivedEvent('{"a": 1}', AT)], {})
    assert isinstance(fault, LineFault)
    assert LineFault("events/a.gz after line 7", "EOFError").unfinished_object == "events/a.gz"
    assert LineFault("events/a.gz line 7", "ValueError").unfinished_object == ""


CREATED = {"lifecycleStateChange": "CREATE"}
RENAMED = {"lifecycleStateChange": "RENAME", "previousIdentifier": {"namespace": "s3://lake", "name": "before"}}


def directions(change: Document, name: str = "out", **more: Any) -> list[tuple[str, str]]:
    """What a run did to an output with this change, by name."""
    sent = factory.dataset(name, lifecycleStateChange=factory.facet(**change)) | more.pop("output", {})
    used = run_row(factory.run_event("COMPLETE", outputs=[sent], **more))["datasets"]
    return [(direction, name) for direction, _, _, name, *_ in used]


@pytest.mark.parametrize("kind", ["CREATE", "ALTER", "TRUNCATE"])
def test_ddl_is_no_write(kind: str) -> None:
    assert directions({"lifecycleStateChange": kind}) == [("define", "out")]


def test_what_creates_a_table_and_fills_it_is_a_write() -> None:
    counted = {"outputFacets": {"outputStatistics": factory.facet(rowCount=1)}}
    assert directions(CREATED, output=counted) == [("write", "out")]
    assert directions(CREATED, inputs=[factory.dataset("in")]) == [("read", "in"), ("write", "out")]
    assert directions({"lifecycleStateChange": "OVERWRITE"}) == [("write", "out")]


def test_a_rename_leaves_nothing_under_the_former_name() -> None:
    assert sorted(directions(RENAMED)) == [("define", "out"), ("drop", "before")]
    assert directions({**RENAMED, "previousIdentifier": "odd"}) == [("define", "out")]


def test_a_drop_under_a_path_with_the_database_twice_is_one_of_the_table() -> None:
    dropped = {"lifecycleStateChange": "DROP"}
    assert directions(dropped, "/wh/a.db/t") == [("drop", "/wh/a.db/t")]
    assert directions(dropped, "/wh/a.db/a.db/t") == [("drop", "/wh/a.db/a.db/t"), ("drop", "/wh/a.db/t")]


def test_a_table_that_trino_creates_without_a_query_is_not_written() -> None:
    context = factory.facet(query_type="DATA_DEFINITION")
    event = factory.run_event("COMPLETE", outputs=[factory.dataset("out")], run_facets={"trino_query_context": context})
    assert [used[0] for used in run_row(event)["datasets"]] == ["define"]
