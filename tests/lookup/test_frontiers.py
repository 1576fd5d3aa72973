"""Each kind of "no" of a lookup, with a blind spot and without one."""

from typing import Any

from headwater.graph.facets.curation import INSIGHTS
from headwater.graph.facets.insights import INSIGHTS_FACET, InsightKind
from headwater.lookup.text import columns as columns_text
from headwater.lookup.text import impact as impact_text
from headwater.lookup.text import root_cause as root_cause_text
from headwater.lookup.text import runs as runs_text
from headwater.lookup.text.display import Display
from headwater.read.frontier import BlindSpot, Frontier, blind_spots
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, key_of, table_after
from tests.traversal.impact import column, column_lineage, ran, table

RAW = factory.dataset_event(factory.dataset("raw", schema=factory.schema("id:int", "note:string")))
CLEAN: dict[str, Any] = {"columnLineage": column_lineage("raw.id > id"), "schema": factory.schema("id:int")}
LOAD = ran("load", "raw", "clean", run=1, **CLEAN)
"""A job that tells its columns: it does not use `raw.note`."""
SCORE = ran("score", "raw", "scores", run=2, **{**CLEAN, "schema": factory.schema("id:int", "segment:string")})
"""A job with a column of unknown origin."""
COPY = ran("copy", "raw", "copies", run=3)
"""A job without column lineage."""
WIDE = Display(1_000)


def client(*documents: Document) -> LookupClient:
    return LookupClient(table_after(*documents))


def unseen(answer: Any) -> dict[str, list[str]]:
    """The blind spots, each with its examples without their namespaces."""
    return {
        spot["kind"]: [example.removeprefix("job:demo:").replace(f":{LAKE}:", ":") for example in spot["examples"]]
        for spot in answer["frontier"]["unseen"]
    }


def impact_of(node: str, *documents: Document, **query: Any) -> Any:
    return client(RAW, *documents)("impact", nodeId=node, **query)


def test_a_column_that_no_reader_uses_is_plainly_not_at_risk() -> None:
    answer = impact_of(column("raw.note"), LOAD)
    assert (answer["totalCount"], unseen(answer), answer["frontier"]["sentence"]) == (0, {}, "")
    assert impact_text.render(answer, WIDE) == "what a change of raw.note would break: nothing downstream is known\n"


def test_a_table_without_readers_may_have_some_that_do_not_report() -> None:
    answer = impact_of(column("raw.note"))
    assert (answer["totalCount"], unseen(answer)) == (0, {BlindSpot.READERS: ["dataset:raw"]})
    assert impact_text.render(answer, WIDE) == (
        "what a change of raw.note would break: nothing downstream is known\n\n"
        "It looked at 1 dataset, since 2026-11-20 08:00Z; not seen: "
        "readers of 1 dataset that send no lineage, such as BI tools and notebooks (raw).\n"
    )


def test_neither_a_merge_into_the_table_nor_a_test_of_it_is_a_reader() -> None:
    assert unseen(impact_of(table("raw"), ran("merge", "raw", "raw", run=1))) == {BlindSpot.READERS: ["dataset:raw"]}
    kind = factory.facet(processingType="BATCH", integration="DBT", jobType="TEST")
    test = factory.run_event("COMPLETE", job="test", inputs=[factory.dataset("raw")], job_facets={"jobType": kind})
    assert unseen(impact_of(table("raw"), test)) == {BlindSpot.READERS: ["dataset:raw"]}
    assert unseen(columns_of(table("raw"), "downstream", test)) == {BlindSpot.READERS: ["dataset:raw"]}


def test_readers_that_leave_open_what_they_use_are_named() -> None:
    answer = impact_of(
        column("raw.note"), LOAD, SCORE, COPY, ran("look", "raw", "", run=4)
    )  # as toPandas, without output
    assert unseen(answer) == {
        BlindSpot.COLUMNS: ["datasetField:scores:segment"],
        BlindSpot.JOBS_WITHOUT_COLUMNS: ["copy"],
        BlindSpot.JOBS_WITHOUT_OUTPUTS: ["look"],
        BlindSpot.READERS: ["dataset:copies", "dataset:scores"],
    }
    assert "nothing for certain; may break" in impact_text.render(answer, WIDE)


def incomplete(document: Document, *tasks: tuple[str, str]) -> Document:
    """The event, of a producer that could not read some tasks."""
    errors = [{"task": task, "errorMessage": why} for task, why in tasks]
    facet = factory.facet(totalTasks=3, failedTasks=len(tasks), errors=errors)
    return {**document, "run": {**document["run"], "facets": {"extractionError": facet}}}


def test_a_producer_says_that_its_lineage_is_incomplete() -> None:
    get = client(RAW, incomplete(LOAD, ("SELCT id FROM raw", "Expected an SQL statement, password=hush")))
    for answer in (
        get("impact", nodeId=column("raw.note")),
        get("rootcause", nodeId=table("clean")),
        get("column-lineage", nodeId=table("clean")),
    ):
        assert unseen(answer)[BlindSpot.JOBS_INCOMPLETE] == ["load"]
        assert "1 job whose producer says that its lineage is incomplete (load)" in answer["frontier"]["sentence"]
    run = get(f"jobs/runs/{factory.run_id(1)}")
    told = "1 of 3 tasks could not be read: SELCT id FROM raw (Expected an SQL statement, password=***)"
    assert run["incomplete"] == told
    assert told in runs_text.render({"runs": [run]}, WIDE)


def test_a_producer_that_read_every_task_says_nothing() -> None:
    get = client(RAW, incomplete(LOAD))
    assert unseen(get("impact", nodeId=column("raw.note"))) == {}
    assert "incomplete" not in get(f"jobs/runs/{factory.run_id(1)}")


def test_a_newer_run_whose_lineage_is_complete_ends_the_doubt_in_any_order() -> None:
    bad = incomplete(LOAD, ("SELECT 1", "no"))
    again = {**ran("load", "raw", "clean", run=9, **CLEAN), "eventTime": factory.at(60)}
    for events in ((bad, again), (again, bad)):
        assert unseen(impact_of(column("raw.note"), *events)) == {}


def test_a_walk_that_ends_at_its_depth_does_not_know_what_lies_beyond() -> None:
    chain = [LOAD, ran("report", "clean", "board", run=2, columnLineage=column_lineage("clean.id > id"))]
    assert BlindSpot.BEYOND in unseen(impact_of(column("raw.id"), *chain, depth=1))
    assert BlindSpot.BEYOND not in unseen(impact_of(column("raw.id"), *chain, depth=3))


def test_nodes_that_the_key_may_not_read_are_counted_and_not_named() -> None:
    other = factory.dataset("secret", "s3://other", **CLEAN)
    table = table_after(
        RAW, factory.run_event("COMPLETE", job="hush", inputs=[factory.dataset("raw")], outputs=[other])
    )
    answer = LookupClient(table, key_of(LAKE))("impact", nodeId=column("raw.id"))
    assert unseen(answer)[BlindSpot.HIDDEN] == []
    assert "secret" not in str(answer)
    assert "hush" not in str(answer)


def test_for_certain_is_said_of_columns_alone() -> None:
    by_table = impact_text.render(impact_of(table("raw"), LOAD, COPY), WIDE)
    assert by_table.startswith("what a change of raw would break: 2 datasets, 2 jobs, by table lineage\n")
    by_column = impact_text.render(impact_of(column("raw.id"), LOAD, COPY), WIDE)
    assert by_column.startswith("what a change of raw.id would break: 1 column, 1 job; may break 1 dataset, 1 job\n")


def why(*documents: Document, node: str = "clean", **query: Any) -> Any:
    return client(*documents)("rootcause", nodeId=table(node), **query)


MADE = factory.run_event(
    "COMPLETE", job="make", run=9, seconds=-60, outputs=[factory.dataset("raw", schema=factory.schema("id:int"))]
)
"""The job that writes `raw`."""


def test_without_a_blind_spot_no_failure_is_plainly_none() -> None:
    answer = why(MADE, LOAD)
    assert (answer["findings"], unseen(answer)) == ([], {})
    text = root_cause_text.render(answer, WIDE)
    assert "no failure and no change of the node or upstream of the node, in all stored runs\n" in text
    assert "not seen" not in text


def test_data_that_comes_from_outside_and_tables_without_columns_are_not_seen() -> None:
    answer = why(LOAD)
    assert (answer["findings"], unseen(answer)) == (
        [],
        {BlindSpot.WRITERS: ["dataset:raw"], BlindSpot.SCHEMAS: ["dataset:raw"]},
    )
    assert "not seen: writers of 1 dataset that send no lineage (raw); 1 dataset without a schema (raw)." in (
        root_cause_text.render(answer, WIDE)
    )


def test_a_declared_job_has_no_run_that_could_have_failed() -> None:
    declared = factory.job_event(job="make", outputs=[factory.dataset("raw", schema=factory.schema("id:int"))])
    assert unseen(why(declared, LOAD)) == {BlindSpot.JOBS_WITHOUT_RUNS: ["make"]}


def test_what_failed_beyond_the_depth_is_not_seen() -> None:
    far = [MADE, LOAD, ran("report", "clean", "board", run=3, schema=factory.schema("id:int"))]
    assert unseen(why(*far, node="board", depth=1)) == {BlindSpot.BEYOND: []}
    assert unseen(why(*far, node="board")) == {}


def test_failures_in_namespaces_that_the_key_may_not_read_are_not_seen() -> None:
    hush = factory.run_event("FAIL", job="hush", run=8, outputs=[factory.dataset("raw")])
    hush["job"]["namespace"] = "other"
    answer = LookupClient(table_after(hush, MADE, LOAD), key_of(LAKE, "demo"))("rootcause", nodeId=table("clean"))
    assert (answer["findings"], unseen(answer)) == ([], {BlindSpot.HIDDEN: []})


def columns_of(node: str, direction: str, *documents: Document) -> Any:
    return client(RAW, *documents)("column-lineage", nodeId=node, direction=direction)


def test_columns_that_a_job_tells_of_have_no_blind_spot() -> None:
    assert unseen(columns_of(column("clean.id"), "upstream", LOAD)) == {}
    assert unseen(columns_of(column("raw.note"), "downstream", LOAD)) == {}


def test_no_column_lineage_upstream_names_the_jobs_that_send_none() -> None:
    copied = ran("copy", "raw", "copies", run=3, schema=factory.schema("id:int"))
    assert unseen(columns_of(table("copies"), "upstream", copied)) == {
        BlindSpot.COLUMNS: ["datasetField:copies:id"],
        BlindSpot.JOBS_WITHOUT_COLUMNS: ["copy"],
    }
    assert unseen(columns_of(table("raw"), "upstream")) == {BlindSpot.WRITERS: ["dataset:raw"]}


def test_no_column_lineage_downstream_names_the_readers_that_send_none_and_columns_of_unknown_origin() -> None:
    answer = columns_of(column("raw.note"), "downstream", LOAD, COPY, SCORE)
    assert unseen(answer) == {
        BlindSpot.COLUMNS: ["datasetField:scores:segment"],
        BlindSpot.JOBS_WITHOUT_COLUMNS: ["copy"],
    }
    text = columns_text.render({"nodeId": column("raw.note"), **answer}, WIDE, "downstream")
    assert text.endswith("1 column of unknown origin (scores.segment); 1 job without column lineage (copy).\n")
    assert unseen(columns_of(table("raw"), "downstream")) == {BlindSpot.READERS: ["dataset:raw"]}


def test_of_a_past_time_readers_without_column_lineage_are_not_looked_up() -> None:
    answer = client(RAW, LOAD)("column-lineage", nodeId=table("raw"), direction="downstream", asOf=factory.at(60))
    assert unseen(answer) == {BlindSpot.PAST_READERS: []}


def test_a_dataset_of_a_list_that_no_job_reads_may_have_readers_that_do_not_report() -> None:
    listed = client(RAW, LOAD)(f"namespaces/{LAKE}/datasets", withUsage="true")["datasets"]
    told = {each["name"]: each["frontier"]["sentence"] if "frontier" in each else "" for each in listed}
    assert told == {
        "raw": "",
        "clean": "Events are known since 2026-11-20 08:00Z; not seen: readers of 1 dataset that send no lineage, such "
        "as BI tools and notebooks.",
    }
    assert not any("frontier" in each for each in client(RAW, LOAD)(f"namespaces/{LAKE}/datasets")["datasets"])


def analysed(frontier: Frontier) -> LookupClient:
    facet = factory.facet(insights=[], frontier=frontier.as_json())
    kinds = (factory.dataset(kind.value, INSIGHTS, **{INSIGHTS_FACET: facet}) for kind in InsightKind)
    return client(*(factory.dataset_event(each) for each in kinds))


def test_that_no_insight_was_found_is_said_with_what_the_analysis_did_not_see() -> None:
    blind = Frontier(jobs=5, datasets=7, unseen=blind_spots((BlindSpot.JOBS_WITHOUT_DATASETS, 2)))
    answer = analysed(blind)("insights")
    assert (answer["insights"], answer["frontier"]["sentence"]) == (
        [],
        "It looked at 5 jobs and 7 datasets; not seen: 2 jobs without datasets.",
    )
    assert unseen(analysed(Frontier(jobs=5, datasets=7))("insights")) == {}
    assert unseen(client()("insights")) == {BlindSpot.ANALYSIS: []}
