"""The write of a dataset that counts: a run that failed or was cancelled is no producer, and an open one not yet."""

from typing import Any

import pytest

from headwater.lookup.text import lineage
from headwater.lookup.text.display import Display
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, after
from tests.lookup.test_cost import body_and_calls, table_of

TABLE = f"namespaces/{LAKE.replace(':', '%3A').replace('/', '%2F')}/datasets/t"
PARTIAL = "no write succeeded; may hold partial data"
BATCH, STREAM, SERVICE = (factory.facet(processingType=kind) for kind in ("BATCH", "STREAMING", "SERVICE"))
QUERY = factory.facet(processingType="BATCH", integration="SPARK", jobType="SQL_JOB")


def write(run: int, *ends: str, seconds: float | None = None, job: str = "load", **facets: Any) -> list[Document]:
    """A run that writes `t`, with an event each 10 seconds from its minute on: START, and these."""
    begin = 60 * run if seconds is None else seconds
    return [
        factory.run_event(
            kind,
            run=run,
            job=job,
            seconds=begin + 10 * number,
            outputs=[factory.dataset("t")],
            job_facets={"jobType": BATCH, **facets},
        )
        for number, kind in enumerate(("START", *ends))
    ]


def read(run: int, seconds: float | None = None, job: str = "report") -> Document:
    at = 60 * run if seconds is None else seconds
    return factory.run_event("COMPLETE", run=run, job=job, seconds=at, inputs=[factory.dataset("t")])


def producer(get: LookupClient, reader: int = 9) -> int | None:
    """The run that made what a run read, by every answer that names it."""
    runs = get("runlineage/upstream", runId=factory.run_id(reader))["runs"]
    ((made_by, version),) = ((use["producedByRunId"], use["version"]) for use in runs[0]["inputs"])
    (used,) = get(f"jobs/runs/{factory.run_id(reader)}")["inputDatasetVersions"]
    assert used["datasetVersionId"]["version"] == version
    assert made_by in (None, version)
    assert [run["run"]["id"] for run in runs[1:]] == ([made_by] if made_by else [])
    return number(made_by)


def current(get: LookupClient) -> int | None:
    return number(get(TABLE)["currentVersion"])


def number(run_id: str | None) -> int | None:
    return int(run_id.replace("-", ""), 16) if run_id else None


@pytest.mark.parametrize("end", ["FAIL", "ABORT"])
def test_a_failed_or_cancelled_run_is_no_producer(end: str) -> None:
    events = [*write(1, "COMPLETE"), *write(2, end), read(9)]
    for order in (events, events[::-1]):
        get = after(*order)
        assert (producer(get), current(get)) == (1, 1)
        assert "caution" not in get(TABLE)
        assert [version["createdByRun"]["state"] for version in get(f"{TABLE}/versions")["versions"]] == [
            {"FAIL": "FAILED", "ABORT": "ABORTED"}[end],
            "COMPLETED",
        ]


def test_a_good_write_is_found_behind_many_that_failed_and_whichever_job_wrote() -> None:
    failed = [event for run in range(3, 23) for event in write(run, "FAIL", job="load" if run % 2 else "other")]
    get = after(*write(1, "COMPLETE", job="old"), *write(2, "COMPLETE", job="other"), *failed, read(99))
    assert (producer(get, 99), current(get)) == (2, 2)


def test_complete_after_fail_is_a_failure() -> None:
    get = after(*write(1, "COMPLETE"), *write(2, "FAIL", "COMPLETE"), read(9))
    assert (producer(get), current(get)) == (1, 1)


@pytest.mark.parametrize(
    ("job_type", "expected"), [(BATCH, 1), (STREAM, 2), (SERVICE, 2), (factory.facet(integration="FLINK"), 2)]
)
def test_an_open_batch_run_is_not_current_and_a_stream_is(job_type: Document, expected: int) -> None:
    get = after(*write(1, "COMPLETE"), *write(2, "RUNNING", job="other", jobType=job_type), read(9))
    assert (producer(get), current(get)) == (expected, expected)


def test_an_open_run_is_a_producer_where_no_earlier_good_write_is_known() -> None:
    get = after(*write(1, "FAIL"), *write(2, "RUNNING"), read(9))
    assert (producer(get), current(get)) == (2, None)
    assert get(TABLE)["caution"] == "no write has succeeded yet; may hold partial data"


def test_what_a_stream_wrote_before_it_was_ended_counts() -> None:
    get = after(*write(1, "COMPLETE", job="old"), *write(2, "RUNNING", "ABORT", jobType=STREAM), read(9))
    assert (producer(get), current(get)) == (2, 2)


@pytest.mark.parametrize("end", ["FAIL", "ABORT", "COMPLETE"])
def test_the_state_of_a_write_is_that_of_the_time_at_which_the_reader_ended(end: str) -> None:
    """The second write ends at 130 seconds."""
    alone, both = write(2, end), [*write(1, "COMPLETE"), *write(2, end)]
    assert producer(after(*both, read(9, seconds=125))) == 1
    assert producer(after(*alone, read(9, seconds=125))) == 2, "it was open, and no other write is known"
    assert producer(after(*both, read(9, seconds=135))) == (2 if end == "COMPLETE" else 1)
    assert producer(after(*alone, read(9, seconds=135))) == (2 if end == "COMPLETE" else None)


def test_a_query_without_an_end_failed_if_its_application_did() -> None:
    query = write(2, job="app.query", jobType=QUERY)
    query[0]["run"]["facets"] = {"parent": factory.parent(5, "app")}
    application = [factory.run_event("START", run=5, job="app", seconds=110)]
    ended = [factory.run_event("FAIL", run=5, job="app", seconds=200)]
    assert producer(after(*query, *application, read(9))) == 2
    assert producer(after(*query, *application, *ended, read(9))) is None
    assert current(after(*write(1, "COMPLETE"), *query, *application, *ended)) == 1


@pytest.mark.parametrize("end", ["FAIL", "ABORT"])
def test_a_table_none_of_whose_writes_succeeded_says_so(end: str) -> None:
    get = after(*write(1, end), *write(2, end), read(9))
    assert (producer(get), current(get), get(TABLE)["caution"]) == (None, None, PARTIAL)
    trino = factory.facet(processingType="BATCH", integration="TRINO", jobType="QUERY")
    assert after(*write(1, end, jobType=trino))(TABLE)["caution"] == "no write succeeded"


def cautions(get: LookupClient, **query: Any) -> dict[str, str]:
    """The cautions of a graph, by the names of their datasets, which its text has, too."""
    query = {"nodeId": f"dataset:{LAKE}:t", "direction": "upstream", **query}
    answer = get("lineage", **query)
    found = {node["data"]["name"]: node["data"]["caution"] for node in answer["graph"] if "caution" in node["data"]}
    text = lineage.render({**answer, "nodeId": query["nodeId"]}, Display(), "upstream")
    assert all(f"{name}  {caution}" in text for name, caution in found.items())
    return found


def test_a_graph_says_so_too_and_at_a_time_what_was_known_then() -> None:
    failed = after(*write(1, "FAIL"), *write(2, "FAIL"))
    assert cautions(failed) == {"t": PARTIAL}
    assert cautions(failed, asOf=factory.at(125)) == {"t": "no write has succeeded yet; may hold partial data"}
    assert cautions(after(*write(1, "COMPLETE"), *write(2, "FAIL"))) == {}
    assert cautions(after(*write(1, "FAIL"), *write(2, "COMPLETE")), asOf=factory.at(115)) == {"t": PARTIAL}
    assert cautions(after(*write(2, "RUNNING", jobType=STREAM))) == {}


@pytest.mark.parametrize("rollup", [None, "parent", "none"])
def test_a_graph_says_so_of_an_application_that_completed(rollup: str | None) -> None:
    query = write(2, "FAIL", "COMPLETE", job="app.query", jobType=QUERY)
    for event in query:
        event["run"]["facets"] = {"parent": factory.parent(5, "app")}
    application = factory.run_event("COMPLETE", run=5, job="app", seconds=200)
    asked = {"rollup": rollup} if rollup else {}
    assert cautions(after(*query, application), **asked) == {"t": PARTIAL}


def test_the_graph_of_a_time_has_the_states_of_that_time() -> None:
    get = after(*write(1, "FAIL"))

    def state(seconds: float) -> str:
        graph = get("lineage", nodeId="job:demo:load", asOf=factory.at(seconds))["graph"]
        (run,) = (node["data"]["latestRun"] for node in graph if node["type"] == "JOB")
        return f"{run['state']} {run['endedAt']}"

    assert state(65) == "RUNNING None"
    assert state(75) == f"FAILED {factory.at(70)}"


def test_a_graph_costs_more_only_for_datasets_all_of_whose_writers_ran_amiss_last() -> None:
    node = {"nodeId": f"dataset:{LAKE}:t", "direction": "upstream"}
    good, failed = write(1, "COMPLETE", job="good"), write(2, "FAIL")
    (_, one), (_, both), (_, amiss) = (
        body_and_calls(table_of(*events), "lineage", **node) for events in (good, good + failed, failed)
    )
    assert both <= one + 1, "for the dates of two writers"
    assert amiss <= one + 2


def test_a_table_that_nobody_wrote_or_that_was_only_declared_needs_no_caution() -> None:
    declared = factory.job_event(outputs=[factory.dataset("t")], seconds=5)
    for events in ([read(9)], [declared, read(9)], [factory.dataset_event(factory.dataset("t"))]):
        assert "caution" not in after(*events)(TABLE)


def test_a_dataset_costs_more_only_if_its_newest_write_did_not_go_well() -> None:
    good, failed = write(1, "COMPLETE"), write(2, "FAIL")
    (_, three), (_, more) = (body_and_calls(table_of(*events), TABLE) for events in (good, good + failed))
    assert three <= 3
    assert more <= three + 3


def statement(run: int, seconds: float, job: str = "app.append_data.t", **schema: Any) -> list[Document]:
    """A CREATE TABLE AS as the listener tells it: the wrapper names its output last."""
    facets: Document = {"run_facets": {"parent": factory.parent(5, "app")}, "job_facets": {"jobType": QUERY}}
    wrapper: Document = {"run": run, "job": "app.create_table_as_select.t"}
    query: Document = {"run": run + 1, "job": job}
    source, target = [factory.dataset("raw")], [factory.dataset("t", **schema)]
    return [
        factory.run_event("START", seconds=seconds, inputs=source, **wrapper, **facets),
        factory.run_event("START", seconds=seconds + 1, inputs=source, outputs=target, **query, **facets),
        factory.run_event("COMPLETE", seconds=seconds + 8, inputs=source, outputs=target, **query, **facets),
        factory.run_event("COMPLETE", seconds=seconds + 9, inputs=source, outputs=target, **wrapper, **facets),
    ]


def test_the_query_within_a_statement_is_the_producer_and_not_its_wrapper() -> None:
    get = after(*statement(1, 60), read(9))
    assert (producer_of_two(get), current(get)) == (2, 2)
    self_read = [event | {"inputs": [factory.dataset("t")]} for event in statement(3, 200)]
    get = after(*write(1, "COMPLETE"), *self_read)
    assert [producer_of_two(get, run) for run in (3, 4)] == [1, 1]


def producer_of_two(get: LookupClient, reader: int = 9) -> int | None:
    (made_by,) = get("runlineage/upstream", runId=factory.run_id(reader), depth=0)["runs"][0]["inputs"]
    return number(made_by["producedByRunId"])
