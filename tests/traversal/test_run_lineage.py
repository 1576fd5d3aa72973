"""GET /runlineage/upstream: the runs that made the inputs of a run."""

from typing import Any

import pytest

from headwater.traversal import run_lineage
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, after, key_of, table_after

UPSTREAM = "runlineage/upstream"
ENDS = (("START", 0), ("COMPLETE", 30))


def ran(run: int, inputs: str = "", outputs: str = "", *, kind: str = "COMPLETE", **more: Any) -> Document:
    """A run of a job of its own, of datasets whose names are a letter each."""
    used: dict[str, Any] = {
        "inputs": list(map(factory.dataset, inputs)),
        "outputs": list(map(factory.dataset, outputs)),
    }
    return factory.run_event(kind, run=run, **{"job": f"job {run}", "seconds": 60 * run, **used, **more})


def upstream(get: LookupClient, run: int, **query: Any) -> dict[int, dict[str, int | None]]:
    """Who made what each run read, by the runs' numbers, in the order of the answer."""

    def number(run_id: str | None) -> int | None:
        return int(run_id.replace("-", ""), 16) if run_id else None

    runs = get(UPSTREAM, runId=factory.run_id(run), **query)["runs"]
    inputs = [{dataset["name"]: number(dataset["producedByRunId"]) for dataset in run["inputs"]} for run in runs]
    return {number(run["run"]["id"]) or 0: made for run, made in zip(runs, inputs, strict=True)}


def test_runs_are_followed_from_their_inputs_to_the_runs_that_wrote_them() -> None:
    get = after(ran(1, "a", "b"), ran(2, "c", "d"), ran(3, "bd", "e"), ran(4, "e", "f"))
    assert upstream(get, 4) == {4: {"e": 3}, 3: {"b": 1, "d": 2}, 1: {"a": None}, 2: {"c": None}}
    assert list(upstream(get, 4)) == [4, 3, 1, 2]


def test_depth_bounds_the_hops() -> None:
    get = after(ran(1, "", "a"), ran(2, "a", "b"), ran(3, "b", "c"))
    assert list(upstream(get, 3, depth=0)) == [3]
    assert upstream(get, 3, depth=1) == {3: {"b": 2}, 2: {"a": 1}}
    assert list(upstream(get, 3)) == [3, 2, 1]


def test_members_of_a_run() -> None:
    get = after(ran(1, "a", "b", kind="START", seconds=0), ran(1, "", "", seconds=9))
    (run,) = get(UPSTREAM, runId=factory.run_id(1).upper())["runs"]
    of_run = get(f"jobs/runs/{factory.run_id(1)}")
    assert run["run"] == {"id": factory.run_id(1), "start": factory.at(0), "end": factory.at(9), "status": "COMPLETED"}
    assert run["job"] == of_run["jobVersion"]
    (version,) = of_run["inputDatasetVersions"]
    assert run["inputs"] == [{**version["datasetVersionId"], "producedByRunId": None}]


def test_the_writer_is_the_newest_that_began_before_the_reader_ended() -> None:
    runs = [
        ran(1, "", "a", seconds=10),
        ran(2, "", "a", seconds=20),
        ran(3, "a", "b", seconds=30),
        ran(4, "", "a", seconds=30),
    ]
    assert upstream(after(*runs), 3)[3] == {"a": 2}
    assert upstream(after(*runs, ran(3, "a", kind="START", seconds=5)), 3)[3] == {"a": 2}
    still_running = [ran(3, "a", "b", seconds=25, kind="START"), ran(4, "", "a", seconds=30)]
    assert upstream(after(*runs[:2], *still_running), 3)[3] == {"a": 4}


def test_a_run_that_reads_what_it_writes_read_what_was_there_before() -> None:
    get = after(*(ran(n, "a", "a", kind=kind, seconds=60 * n + t) for n in (1, 2, 3) for kind, t in ENDS))
    assert upstream(get, 3) == {3: {"a": 2}, 2: {"a": 1}, 1: {"a": None}}


def test_two_runs_that_read_what_the_other_writes_end_the_walk() -> None:
    get = after(ran(1, "a", "b", seconds=10, kind="START"), ran(2, "b", "a", seconds=11, kind="START"))
    assert upstream(get, 1) == {1: {"a": 2}, 2: {"b": 1}}


def test_a_run_that_is_reached_twice_is_shown_once() -> None:
    get = after(ran(1, "", "a"), ran(2, "a", "b"), ran(3, "a", "c"), ran(4, "bc"))
    assert list(upstream(get, 4)) == [4, 2, 3, 1]


def test_a_declaration_or_description_of_a_dataset_is_no_run() -> None:
    declared = [
        factory.job_event(job=f"catalogue {n}", outputs=[factory.dataset("a")], seconds=100 + n) for n in range(20)
    ]
    described = [factory.dataset_event(factory.dataset("a"), seconds=200 + n) for n in range(20)]
    assert upstream(after(ran(1, "", "a"), *declared, *described, ran(9, "a")), 9)[9] == {"a": 1}
    assert upstream(after(*declared, *described, ran(9, "a")), 9) == {9: {"a": None}}


def test_a_dataset_that_no_run_made_has_the_version_of_its_schema() -> None:
    get = after(factory.run_event("COMPLETE", inputs=[factory.dataset("a", schema=factory.schema("id:long"))]))
    ((input_,),) = (run["inputs"] for run in get(UPSTREAM, runId=factory.run_id(1))["runs"])
    assert input_["version"] == get(f"namespaces/{LAKE}/datasets/a")["currentVersion"]
    assert get(f"namespaces/{LAKE}/datasets/a/versions/{input_['version']}")["fields"]


def test_a_dataset_is_followed_under_all_its_names() -> None:
    linked = [factory.dataset("path", symlinks=factory.symlinks("table"))]
    by_table = ran(2) | {"outputs": [factory.dataset("table")]}
    get = after(factory.run_event("COMPLETE", run=1, outputs=linked), by_table, ran(3) | {"inputs": linked})
    assert upstream(get, 3)[3] == {"path": 2}


def test_a_run_of_two_job_names_is_one() -> None:
    get = after(
        ran(1, "", "a"),
        ran(2, "a", "", kind="START", job="app", seconds=120),
        ran(2, "", "b", job="app.b", seconds=130),
        ran(3, "b"),
    )
    assert upstream(get, 3) == {3: {"b": 2}, 2: {"a": 1}, 1: {}}


def test_a_walk_is_bounded_by_runs_by_inputs_and_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    events = [ran(1, "", "a"), ran(2, "", "b"), ran(3, "", "c"), ran(4, "abc")]
    get, query = after(*events), {"runId": factory.run_id(4)}
    with monkeypatch.context() as few:
        few.setattr(run_lineage, "MAX_RUNS", 3)
        assert (list(upstream(get, 4)), get(UPSTREAM, **query)["truncated"]) == ([4, 1, 2], True)
    with monkeypatch.context() as few:
        few.setattr(run_lineage, "MAX_INPUTS", 3)
        assert upstream(after(*events, ran(1, "x")), 4) == {4: {"a": 1, "b": 2, "c": 3}, 2: {}, 3: {}}
    monkeypatch.setattr(run_lineage, "MAX_SECONDS", -1)
    assert get(UPSTREAM, **query) == {"runs": [], "truncated": True}


@pytest.mark.parametrize(
    ("query", "parameter"),
    [({}, "runId"), ({"runId": "x"}, "runId"), ({"depth": "x"}, "depth"), ({"depth": -2}, "depth")],
)
def test_a_question_that_is_none_is_refused(query: dict[str, Any], parameter: str) -> None:
    assert (
        after(ran(1)).refusal(UPSTREAM, **({"runId": factory.run_id(1)} if parameter == "depth" else {}), **query)
        == parameter
    )


def test_a_run_of_another_namespace_is_not_found_as_one_that_is_not_known() -> None:
    table = table_after(ran(1))
    assert LookupClient(table, key_of("other")).answer(UPSTREAM, runId=factory.run_id(1))[0] == 404
    assert LookupClient(table).answer(UPSTREAM, runId=factory.run_id(9))[0] == 404


FIRST, SECOND = "4611320389404934870", "7628442118739892208"


def wrote(run: int, snapshot: str) -> Document:
    output = factory.dataset("t", version=factory.facet(datasetVersion=snapshot))
    return factory.run_event("COMPLETE", run=run, job=f"job {run}", seconds=60 * run, outputs=[output])


def scanned(run: int, snapshot: str) -> Document:
    """A read as the listener tells it: the present version, and the scanned snapshot as a float."""
    read = factory.dataset("t", version=factory.facet(datasetVersion=SECOND))
    read["inputFacets"] = {"icebergScanReport": factory.facet(snapshotId=float(snapshot))}
    return factory.run_event("COMPLETE", run=run, job=f"job {run}", seconds=60 * run, inputs=[read])


def test_a_read_of_an_older_snapshot_leads_to_the_run_that_wrote_the_snapshot() -> None:
    get = after(wrote(1, FIRST), wrote(2, SECOND), scanned(3, FIRST), scanned(4, SECOND))
    assert upstream(get, 3)[3] == {"t": 1}
    assert upstream(get, 4)[4] == {"t": 2}


def test_the_first_run_that_names_a_snapshot_wrote_the_snapshot() -> None:
    get = after(wrote(1, FIRST), wrote(2, FIRST), scanned(3, FIRST))
    assert upstream(get, 3)[3] == {"t": 1}, "an ALTER tells the snapshot that there is"


def test_the_writer_of_an_unknown_snapshot_is_unknown() -> None:
    assert upstream(after(wrote(1, FIRST), scanned(2, SECOND)), 2)[2] == {"t": None}
    assert upstream(after(ran(1, "", "t"), scanned(2, SECOND)), 2)[2] == {"t": 1}, "but for tables without snapshots"


def created(run: int, snapshot: str | None) -> Document:
    """A CREATE TABLE IF NOT EXISTS: of a table that is there, the listener names the present snapshot."""
    version: dict[str, Any] = {"version": factory.facet(datasetVersion=snapshot)} if snapshot else {}
    change = factory.facet(lifecycleStateChange="CREATE")
    output: Document = factory.dataset("t", lifecycleStateChange=change, **version)
    return factory.run_event("COMPLETE", run=run, job=f"job {run}", seconds=60 * run, outputs=[output])


def test_a_stream_without_snapshots_wrote_the_snapshots_of_no_other_run() -> None:
    started = created(1, None), ran(2, "s", "t", seconds=70)
    restarted = created(3, FIRST), ran(4, "s", "t", seconds=190)
    assert upstream(after(*started, scanned(5, FIRST)), 5)[5] == {"t": 2}
    assert upstream(after(*started, *restarted, scanned(5, FIRST)), 5)[5] == {"t": 4}
    assert upstream(after(*started, *restarted, created(5, SECOND), scanned(6, SECOND)), 6)[6] == {"t": 4}
    assert upstream(after(*started, *restarted, wrote(5, SECOND), scanned(6, SECOND)), 6)[6] == {"t": 5}


def test_a_table_that_was_made_by_a_query_was_written() -> None:
    made = created(1, FIRST)
    made["outputs"][0]["outputFacets"] = {"outputStatistics": factory.facet(rowCount=3)}
    assert upstream(after(made, created(2, FIRST), scanned(3, FIRST)), 3)[3] == {"t": 1}


ACTION = {"jobType": factory.facet(processingType="BATCH", integration="SPARK", jobType="SQL_JOB")}


def test_an_action_that_failed_before_it_named_a_snapshot_wrote_none() -> None:
    failed = {**ran(2, "", "t", kind="FAIL"), "job": {"namespace": "demo", "name": "load", "facets": ACTION}}
    assert upstream(after(wrote(1, FIRST), failed, scanned(3, SECOND)), 3)[3] == {"t": None}


def test_a_run_that_failed_names_the_snapshot_that_it_found_and_made_none() -> None:
    failed = {**wrote(3, FIRST), "eventType": "FAIL"}
    assert upstream(after(wrote(1, FIRST), failed, scanned(4, FIRST)), 4)[4] == {"t": 1}
    assert upstream(after(failed, scanned(4, FIRST)), 4)[4] == {"t": None}
    assert upstream(after(ran(2, "s", "t"), failed, scanned(4, FIRST)), 4)[4] == {"t": 2}, "a stream names none"


def test_of_more_writes_than_are_looked_at_no_other_is_taken_for_the_one() -> None:
    later = [wrote(run, str(int(SECOND) + run)) for run in range(3, 70)]
    stream = ran(2, "s", "t", seconds=10_000)
    read = scanned(99, FIRST)
    assert upstream(after(wrote(1, FIRST), *later, stream, {**read, "eventTime": factory.at(20_000)}), 99)[99] == {
        "t": None
    }
