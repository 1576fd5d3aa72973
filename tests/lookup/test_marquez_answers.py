"""The routes of Marquez answer as Marquez did when it was asked.

The same members, of the same types, and the same values but where Marquez is wrong or an id is of its own making. The
answers were recorded; they are in fixtures/marquez-api.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from headwater.access.principal import Principal
from headwater.answers import answered
from headwater.fold.fold import fold
from headwater.lookup.question import Question
from headwater.lookup.reader import Reader
from headwater.lookup.routes import respond
from headwater.store.memory import MemoryTable
from headwater.store.records import Retention
from tests import factory

RECORDED = Path(__file__).parents[1] / "fixtures" / "marquez-api"
ANYONE = Principal("test", frozenset({"read"}), ("*",))
OURS = {"transformations", "indirect", "totalCount"}
"""Members that Marquez has not: every transformation, the inputs that bear on whole datasets, a count of namespaces."""

VALUES_OF_THEIR_OWN = {
    "version": "ids of versions are of each system's making",
    "currentVersion": "likewise",
    "datasetVersion": "likewise",
    "parentJobUuid": "likewise",
    "labels": "of Marquez's making",
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


def recorded(name: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads((RECORDED / f"{name}.json").read_text())
    return answer


NAMES = sorted(path.stem for path in RECORDED.glob("*.json"))


@pytest.fixture(scope="module")
def reader() -> Reader:
    table = MemoryTable()
    events = [json.loads(line) for line in (RECORDED / "posted-events.jsonl").read_text().splitlines()]
    for each in factory.received(*events):
        fold([each], table, Retention(timedelta(days=90), timedelta(days=30)))
    return Reader(table)


def ask(reader: Reader, request: str) -> tuple[int, Any]:
    url = urlsplit(request.removeprefix("GET "))
    question = Question(ANYONE, "GET", url.path, dict(parse_qsl(url.query)))
    answer = answered(lambda: respond(reader, question), log=lambda _: None)
    return answer.status, json.loads(answer.to_gateway()["body"])


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_has_the_members_and_values_of_the_recorded_one(reader: Reader, name: str) -> None:
    expected = recorded(name)
    if name == "namespaces":
        expected["response"]["namespaces"].pop(0)  # `default`, which Marquez makes although nobody named it
    status, body = ask(reader, expected["request"])
    assert status == expected["status"]
    assert list(differences(expected["response"], body)) == []


def differences(expected: Any, found: Any, path: str = "") -> Iterator[str]:
    """Where an answer differs from the recorded one; lists of objects are compared whatever their order."""
    member = path.rpartition(".")[2].partition("[")[0]
    if isinstance(expected, dict) and isinstance(found, dict):
        if member in VALUES_OF_THEIR_OWN:
            return
        for missing in expected.keys() - found.keys():
            yield f"{path}.{missing} is missing"
        for added in found.keys() - expected.keys() - OURS - ({"details"} if "message" in expected else set()):
            yield f"{path}.{added} is not Marquez's"
        for name in expected.keys() & found.keys():
            yield from differences(expected[name], found[name], f"{path}.{name}")
    elif isinstance(expected, list) and isinstance(found, list) and member not in VALUES_OF_THEIR_OWN:
        if len(expected) != len(found):
            yield f"{path} has {len(found)} entries, not {len(expected)}"
        pairs = zip(sorted(expected, key=_place), sorted(found, key=_place), strict=False)
        for index, (one, other) in enumerate(pairs):
            yield from differences(one, other, f"{path}[{index}]")
    elif expected != found and member not in VALUES_OF_THEIR_OWN:
        yield f"{path} is {found!r}, not {expected!r}"


def _place(entry: Any) -> str:
    """What a list is compared by: the names in an entry."""
    names = ("id", "namespace", "name", "dataset", "field", "origin", "destination", "datasetVersionId")
    if not isinstance(entry, dict):
        return json.dumps(entry, sort_keys=True)
    keyed = {name: entry[name] for name in names if name in entry}
    keyed.get("datasetVersionId", {}).pop("version", None) if isinstance(keyed.get("datasetVersionId"), dict) else None
    return json.dumps(keyed, sort_keys=True)
