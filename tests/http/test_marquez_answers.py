"""The routes of Marquez have the responses that were recorded from Marquez, in fixtures/marquez-api.

The members and their types are the same. The values are the same, except where Marquez is wrong and for ids that
Marquez makes.
"""

import json
from collections.abc import Container, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from headwater.store.memory import MemoryTable
from tests.http.recorded import answer_to
from tests.lookup.requests import table_after

RECORDED = Path(__file__).parents[1] / "fixtures" / "marquez-api"
OURS = {
    "transformations",
    "indirect",
    "totalCount",
    "failedChildren",
    "lastWrittenAt",
    "outcome",
    "message",
    "aliases",
    "dataQuality",
    "datasetType",
    "owners",
    "frontier",
}
"""Members that Marquez has not: every transformation, the inputs that bear on whole datasets, a count of namespaces,
the type that the producer gives a dataset, what an answer cannot see."""

VALUES_OF_THEIR_OWN = {
    "version": "ids of versions are of each system's making",
    "currentVersion": "likewise",
    "datasetVersion": "likewise",
    "currentSchemaVersion": "likewise",
    "parentJobUuid": "likewise",
    "fieldType": "Marquez leaves it empty for a column that is only read, also where the schema is known",
    "nominalStartTime": "Marquez has it in args alone",
    "nominalEndTime": "likewise",
    "nominal_start_time": "Marquez writes Java's form, we what was sent",
    "nominal_end_time": "likewise",
    "currentRunUuid": "Marquez names the parent's run",
    "latestRun": "in a lineage graph Marquez shows the parent's run, without its facets",
    "sourceName": "Marquez calls the source of a dataset without a dataSource facet `default`",
    "lastLifecycleState": "Marquez has null in one place and the empty text in the others",
    "updatedAt": "a dataset that was only declared is as old as the declaration; Marquez uses its clock",
}

VALUES_OF_ONE_ANSWER = {
    "source": {"type": "Marquez says POSTGRESQL of every source"},
    "stats_lineage_events_day": {
        "start": "Marquez counts the hours but the last when a timer tells it to",
        "complete": "likewise",
    },
    "stats_sources_day": {"count": "Marquez has a source `default`, for datasets that name none"},
    "events_lineage": {
        "eventTime": "Marquez writes it anew; an event is shown as it was posted",
        "totalCount": "Marquez counts the events without a run, too, which both lists leave out",
    },
}
MEMBERS_OF_ONE_ANSWER = {
    "dataset_versions": {
        "outputStatistics": "Marquez shows the facets of an output in the response of the version alone"
    },
    "events_lineage": {"cursor": "Marquez has pages by offset alone"},
    "run": {"job": "Marquez's run alone does not say whose run it is"},
}
"""Members and values that are not as recorded, with the reason."""

REFUSED = {
    "err_events_before_bad": "before",
    "err_search_blank": "q",
    "err_search_filter": "filter",
    "err_stats_noperiod": "period",
    "err_stats_week_notz": "timezone",
}
"""Answers that blame a parameter, and which; Marquez does so in four forms, and not always by name."""

RECORDED_AT = datetime(2026, 11, 20, 9, 11, 20, tzinfo=UTC)


def recorded(name: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads((RECORDED / f"{name}.json").read_text())
    return answer


NAMES = sorted(path.stem for path in RECORDED.glob("*.json") if path.stem not in REFUSED)


@pytest.fixture(scope="module")
def table() -> MemoryTable:
    events = [json.loads(line) for line in (RECORDED / "posted-events.jsonl").read_text().splitlines()]
    return table_after(*events, one_by_one=True)


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_has_the_members_and_values_of_the_recorded_one(table: MemoryTable, name: str) -> None:
    expected = recorded(name)
    if name == "namespaces":
        expected["response"]["namespaces"].pop(0)  # `default`, which Marquez makes although nobody named it
    for job in expected["response"].get("jobs", []) if name.startswith("jobs") else []:
        if job["name"] == "static_job":  # Marquez shows what a JobEvent says of datasets in other answers, not in lists
            job["inputs"] = [{"namespace": "s3://lake", "name": "wh/report"}]
            job["outputs"] = [{"namespace": "s3://lake", "name": "wh/static"}]
        if job["name"] == "etl":  # Marquez says for ever that a run is RUNNING that only its children named
            for run in (job["latestRun"], *job["latestRuns"]):
                run |= {"state": "NEW", "startedAt": None}
    status, body = answer_to(table, with_our_ids(table, expected["request"]), RECORDED_AT)
    if name == "events_lineage":  # Marquez adds every member that an event lacks
        expected["response"] = without_nulls(expected["response"])
    assert status == expected["status"]
    values = VALUES_OF_THEIR_OWN.keys() | VALUES_OF_ONE_ANSWER.get(name, {}).keys()
    excused = Excused(values, OURS | MEMBERS_OF_ONE_ANSWER.get(name, {}).keys())
    assert list(differences(expected["response"], body, excused)) == []


@pytest.mark.parametrize("name", REFUSED)
def test_a_request_that_marquez_refuses_is_refused_with_its_parameter(table: MemoryTable, name: str) -> None:
    expected = recorded(name)
    status, body = answer_to(table, expected["request"], RECORDED_AT)
    assert (status, body["code"]) == (expected["status"], expected["status"])
    assert body["message"].startswith(f"{REFUSED[name]}: ")


def test_search_results_have_the_times_of_marquez(table: MemoryTable) -> None:
    expected, (_, body) = recorded("search"), answer_to(table, recorded("search")["request"], RECORDED_AT)
    times, our_times = (
        {result["nodeId"]: result["updatedAt"] for result in of["results"]} for of in (expected["response"], body)
    )
    assert our_times == times


def with_our_ids(table: MemoryTable, request: str) -> str:
    """A request for a version, by the id that we gave it instead of Marquez's."""
    path, versions, version = request.partition("/versions/")
    if not version:
        return request
    newest = answer_to(table, f"{path}/versions", RECORDED_AT)[1]["versions"][0]
    return f"{path}{versions}{newest['version']}"


def without_nulls(document: Any) -> Any:
    if isinstance(document, dict):
        return {name: without_nulls(member) for name, member in document.items() if member is not None}
    return [without_nulls(element) for element in document] if isinstance(document, list) else document


class Excused(NamedTuple):
    """Members whose values may differ, and those that may be there although they are not in the recorded answer."""

    values: Container[str]
    added: Container[str]


def differences(expected: Any, actual: Any, excused: Excused, path: str = "") -> Iterator[str]:
    """Where an answer differs from the recorded one; lists of objects are compared whatever their order."""
    if path.rpartition(".")[2].partition("[")[0] in excused.values:
        return
    if isinstance(expected, dict) and isinstance(actual, dict):
        yield from _in_members(expected, actual, excused, path)
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"{path} has {len(actual)} entries, not {len(expected)}"
        pairs = zip(sorted(expected, key=_place), sorted(actual, key=_place), strict=False)
        for index, (one, other) in enumerate(pairs):
            yield from differences(one, other, excused, f"{path}[{index}]")
    elif expected != actual:
        yield f"{path} is {actual!r}, not {expected!r}"


def _in_members(expected: dict[str, Any], actual: dict[str, Any], excused: Excused, path: str) -> Iterator[str]:
    for missing in expected.keys() - actual.keys():
        yield f"{path}.{missing} is missing"
    for name in actual.keys() - expected.keys() - ({"details", "faults"} if "message" in expected else set()):
        if name not in excused.added:
            yield f"{path}.{name} is not Marquez's"
    for name in expected.keys() & actual.keys():
        yield from differences(expected[name], actual[name], excused, f"{path}.{name}")


def _place(entry: Any) -> str:
    """What a list is compared by: the names in an entry."""
    names = ("id", "namespace", "name", "dataset", "field", "origin", "destination", "datasetVersionId")
    if not isinstance(entry, dict):
        return json.dumps(entry, sort_keys=True)
    keyed = {name: entry[name] for name in names if name in entry}
    keyed.get("datasetVersionId", {}).pop("version", None) if isinstance(keyed.get("datasetVersionId"), dict) else None
    return json.dumps(keyed, sort_keys=True)
