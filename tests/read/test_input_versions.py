"""The version of a run's input: never null, in whatever answer the run is, and the version that /runlineage names."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, after
from tests.store import golden

FEW = factory.schema("id:long")


def wrote(run: int, *names: str, seconds: float | None = None, job: str = "load") -> Document:
    outputs = [factory.dataset(name) for name in names]
    return factory.run_event("COMPLETE", job=job, run=run, seconds=at(run, seconds), outputs=outputs)


def read(run: int, *names: str, seconds: float | None = None, job: str = "report", **facets: Any) -> Document:
    inputs = [factory.dataset(name, **facets) for name in names]
    return factory.run_event("COMPLETE", job=job, run=run, seconds=at(run, seconds), inputs=inputs)


def at(run: int, seconds: float | None) -> float:
    return 60 * run if seconds is None else seconds


def versions(run: Document) -> dict[str, str]:
    ids = [use["datasetVersionId"] for use in run["inputDatasetVersions"]]
    return {f"{version['namespace']}:{version['name']}": version["version"] for version in ids}


def by_run_lineage(get: LookupClient, run_id: str) -> dict[str, str]:
    (run,) = get("runlineage/upstream", runId=run_id, depth=0)["runs"]
    return {f"{dataset['namespace']}:{dataset['name']}": dataset["version"] for dataset in run["inputs"]}


def quoted(part: str) -> str:
    return quote(part, safe="")


def runs_of_all_answers(get: LookupClient) -> Iterator[Document]:
    for job in get.by_cursor("jobs", "jobs", 1_000):
        path = f"namespaces/{quoted(job['namespace'])}/jobs/{quoted(job['name'])}"
        single, runs = get(path), get(f"{path}/runs")["runs"]
        yield from [*(job["latestRuns"] or []), *(single["latestRuns"] or []), *runs]
        yield from (run for run in (job["latestRun"], single["latestRun"]) if run)
        yield from (version["latestRun"] for version in get(f"{path}/versions")["versions"] if version["latestRun"])
        yield from (get(f"jobs/runs/{run['id']}") for run in runs)
        yield from (child for run in runs for child in get(f"jobs/runs/{run['id']}/children")["runs"])
        cause = get("rootcause", nodeId=f"job:{job['namespace']}:{job['name']}")
        yield from (run for run in (cause["suspect"], cause["lastGood"]) if run)


def test_every_answer_names_the_version_that_run_lineage_names() -> None:
    """The runs are those of the golden items: recorded ones of Spark, and every case that an item has a member for."""
    get = LookupClient(golden.table_of("0.1.0"))
    known: dict[str, dict[str, str]] = {}
    count = 0
    for run in runs_of_all_answers(get):
        if run["id"] not in known:
            known[run["id"]] = by_run_lineage(get, run["id"])
        assert None not in versions(run).values()
        assert versions(run).items() <= known[run["id"]].items(), run["id"]
        count += len(versions(run))
    assert count > 200


def test_an_input_has_the_version_of_the_run_that_wrote_the_dataset() -> None:
    get = after(wrote(1, "a"), wrote(2, "a"), read(3, "a", schema=FEW), wrote(4, "a"))
    version = versions(get(f"jobs/runs/{factory.run_id(3)}"))[f"{LAKE}:a"]
    assert version == factory.run_id(2)
    assert get(f"namespaces/s3%3A%2F%2Flake/datasets/a/versions/{version}")["createdByRun"]["id"] == version


@pytest.mark.parametrize("facets", [{}, {"schema": FEW}])
def test_an_input_that_no_run_wrote_has_a_version_that_can_be_looked_up(facets: dict[str, Any]) -> None:
    get = after(read(1, "a", **facets), read(2, "a", **facets), read(3, "b", **facets))
    first, second, other = (next(iter(versions(get(f"jobs/runs/{factory.run_id(n)}")).values())) for n in (1, 2, 3))
    assert (first == second, first == other) == (True, bool(facets))
    version = get(f"namespaces/s3%3A%2F%2Flake/datasets/a/versions/{first}")
    assert (version["version"], [field["name"] for field in version["fields"]]) == (first, ["id"] if facets else [])
    assert version["createdByRun"] is None
    assert get.answer(f"namespaces/s3%3A%2F%2Flake/datasets/b/versions/{first}")[0] == (200 if facets else 404)


@pytest.mark.parametrize("writes_between_reads", [0, 1, 3, 40])
def test_runs_of_a_list_have_the_versions_that_each_has_alone(writes_between_reads: int) -> None:
    """Their writes are found together, if the dataset is not written far more often than read."""
    documents, seconds, run = [], 0, 0
    for _ in range(12):
        for names in [("a", "b")] * writes_between_reads + [()]:
            run, seconds = run + 1, seconds + 60
            documents.append(wrote(run, *names, seconds=seconds) if names else read(run, "a", "b", seconds=seconds))
    get = after(*documents)
    runs = get("namespaces/demo/jobs/report/runs")["runs"]
    assert len(runs) == 12
    assert [versions(listed) for listed in runs] == [versions(get(f"jobs/runs/{listed['id']}")) for listed in runs]
    expected = [factory.run_id(run - n * (writes_between_reads + 1) - 1) for n in range(12)]
    if writes_between_reads:
        assert [versions(listed)[f"{LAKE}:a"] for listed in runs] == expected


def test_a_run_reads_no_version_that_it_wrote_itself_nor_one_that_was_only_declared() -> None:
    declared = [factory.job_event(job=f"c{n}", outputs=[factory.dataset("a")], seconds=200 + n) for n in range(20)]
    both = read(9, "a", seconds=600) | {"outputs": [factory.dataset("a")]}
    get = after(wrote(1, "a"), *declared, both, read(10, "a", seconds=500))
    of_runs = {run["id"]: versions(run)[f"{LAKE}:a"] for run in get("namespaces/demo/jobs/report/runs")["runs"]}
    assert of_runs == {factory.run_id(9): factory.run_id(1), factory.run_id(10): factory.run_id(1)}


@pytest.mark.parametrize("times", [(100, 300), (300, 100)])
def test_two_jobs_whose_runs_have_one_id_each_read_what_was_written_before(times: tuple[float, float]) -> None:
    first, second = (read(9, "a", seconds=time, job=job) for time, job in zip(times, ("report", "other"), strict=True))
    get = after(wrote(1, "a", seconds=50), first, wrote(2, "a", seconds=200), second)
    listed = {job["name"]: versions(job["latestRun"])[f"{LAKE}:a"] for job in get("jobs")["jobs"] if job["inputs"]}
    earlier, later = ("report", "other") if times[0] < times[1] else ("other", "report")
    assert listed == {earlier: factory.run_id(1), later: factory.run_id(2)}
