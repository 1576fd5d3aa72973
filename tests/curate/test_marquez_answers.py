"""Responses of curate have the members of Marquez's recorded responses, and the values that show the effect.

The responses were recorded after the events in fixtures/marquez-api/posted-events.jsonl, in this order.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.curate.conftest import Api, Response

RECORDED = Path(__file__).parents[1] / "fixtures" / "marquez-api"
ORDER = (
    "put_tag",
    "put_namespace",
    "put_source",
    "post_dataset_tag",
    "post_dataset_tag_json",
    "post_field_tag",
    "delete_field_tag",
    "delete_dataset_tag",
    "post_job_tag",
    "delete_job_tag",
    "run_create",
    "delete_dataset",
    "delete_job",
    "err_delete_job_404",
    "delete_namespace",
    "delete_tag_def",
    "post_jobs_by_state",
    "err_put_namespace",
    "err_put_tag_nobody",
    "post_unknown_tag",
)
"""As they were recorded, but for the last, which has an effect here."""
BETTER = {
    "post_job_tag": (200, "Marquez fails on a job that has a parent"),
    "post_unknown_tag": (200, "likewise"),
    "delete_tag_def": (200, "Marquez removes no tag"),
    "err_put_namespace": (400, "Marquez fails where the client is at fault"),
    "err_put_tag_nobody": (400, "likewise"),
}
OURS = {"aliases", "dataQuality", "failedChildren", "lastWrittenAt", "outcome", "message", "details", "faults", "job"}
"""Members that Marquez has not."""
ELSEWHERE = {
    "args.nominal_start_time": "Marquez has it here for runs of events alone",
    "facets.nominalTime": "here a run that was announced has it as a facet, as any run",
}
"""Members that are in one of the two answers alone, and why."""
SAME_VALUES = (
    "id",
    "name",
    "namespace",
    "tags",
    "fields",
    "ownerName",
    "description",
    "type",
    "connectionUrl",
    "state",
)


def recorded(name: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads((RECORDED / "writers" / f"{name}.json").read_text())
    return answer


@pytest.fixture(scope="module")
def answers() -> dict[str, Response]:
    """What is answered to each of the recorded requests, in their order."""
    api = Api()
    api.fold_events(*(json.loads(line) for line in (RECORDED / "posted-events.jsonl").read_text().splitlines()))
    return {name: response_to(api, recorded(name)) for name in ORDER}


def response_to(api: Api, request: dict[str, Any]) -> Response:
    method, target = request["request"].split(" ")
    return api.write(method, unquote(target.partition("?")[0].removeprefix("/api/v1/")), request.get("requestBody"))


@pytest.mark.parametrize("name", ORDER)
def test_an_answer_has_the_status_and_the_members_of_the_recorded_one(answers: dict[str, Response], name: str) -> None:
    expected, response = recorded(name), answers[name]
    if name in BETTER:
        assert response.status == BETTER[name][0], response.body
        return
    assert response.status == expected["status"], response.body
    assert set(differences(expected["response"], response.body)) - OURS - ELSEWHERE.keys() == set()


@pytest.mark.parametrize("name", [request for request in ORDER if request not in BETTER])
def test_a_response_has_the_values_that_show_the_effect(answers: dict[str, Response], name: str) -> None:
    expected, body = recorded(name)["response"], answers[name].body
    compared = [
        member for member in SAME_VALUES if member in expected and not (member == "id" and name == "run_create")
    ]
    assert {member: body[member] for member in compared} == {member: expected[member] for member in compared}


def test_every_recorded_answer_is_compared() -> None:
    assert {path.stem for path in (RECORDED / "writers").glob("*.json")} == set(ORDER)


def differences(expected: Any, actual: Any, path: str = "") -> Iterator[str]:
    """The members that one of two objects has alone, those of arrays by their first entries."""
    if isinstance(expected, list) and isinstance(actual, list):
        for one, other in list(zip(expected, actual, strict=False))[:1]:
            yield from differences(one, other, path)
    elif isinstance(expected, dict) and isinstance(actual, dict):
        yield from (f"{path}.{name}".lstrip(".") for name in expected.keys() ^ actual.keys())
        for name in expected.keys() & actual.keys():
            yield from differences(expected[name], actual[name], f"{path}.{name}")
