"""Events are read strictly in their core, and leniently in their facets."""

import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from headwater.openlineage.event import DatasetEvent, EventType, JobEvent, RunEvent
from headwater.openlineage.faults import InvalidRequest
from headwater.openlineage.wire import read_event
from tests import factory

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SPARK = Path(__file__).parents[1] / "fixtures" / "spark-3.5"


def good() -> dict[str, Any]:
    return factory.run_event("START", inputs=[factory.dataset("a")], outputs=[factory.dataset("b")])


def faults(document: Any) -> list[str]:
    with pytest.raises(InvalidRequest) as refused:
        read_event(document, now=NOW)
    return [str(fault) for fault in refused.value.faults]


def without(path: str) -> dict[str, Any]:
    return replaced(path, None, drop=True)


def replaced(path: str, value: Any, *, drop: bool = False) -> dict[str, Any]:
    document: Any = copy.deepcopy(good())
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    holder = document
    for part in parents:
        holder = holder[part]
    if drop:
        del holder[last]
    else:
        holder[last] = value
    return dict(document)


@pytest.mark.parametrize("path", ["eventTime", "producer", "run", "job", "run.runId", "job.namespace", "job.name"])
def test_each_core_member_is_needed(path: str) -> None:
    assert faults(without(path)) == [f"{path}: missing"]


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("eventTime", 1_700_000_000, "eventTime: expected a string"),
        ("eventTime", "2026-11-20", "eventTime: not an ISO 8601 time such as 2026-11-20T08:00:00Z"),
        (
            "eventTime",
            "2999-01-01T00:00:00Z",
            "eventTime: more than 366 days ahead of the clock; correct the producer's clock",
        ),
        ("eventType", "BOGUS", "eventType: not one of START, RUNNING, COMPLETE, ABORT, FAIL, OTHER"),
        ("eventType", 7, "eventType: expected a string"),
        ("producer", {}, "producer: expected a string"),
        ("run", [], "run: expected an object"),
        ("run.runId", "", "run.runId: not a UUID"),
        ("run.runId", "{00000000-0000-0000-0000-00000000000}", "run.runId: not a UUID"),
        ("run.facets", "x", "run.facets: expected an object"),
        ("job", "load", "job: expected an object"),
        ("job.name", "", "job.name: empty"),
        ("job.name", "x" * 16_385, "job.name: longer than 16384 characters"),
        ("inputs", {}, "inputs: expected an array"),
        ("inputs.0", "a", "inputs[0]: expected an object"),
        ("inputs.0.name", 5, "inputs[0].name: expected a string"),
        ("outputs.0.facets", [], "outputs[0].facets: expected an object"),
    ],
)
def test_a_fault_is_named_by_its_path(path: str, value: Any, fault: str) -> None:
    assert faults(replaced(path, value)) == [fault]


def test_every_fault_is_named_at_once() -> None:
    document = good() | {"producer": 1, "inputs": [{"namespace": ""}]}
    assert faults(document) == ["producer: expected a string", "inputs[0].namespace: empty", "inputs[0].name: missing"]


def test_of_very_many_faults_the_first_hundred_are_named() -> None:
    messages = faults(good() | {"inputs": [{}] * 200_000})
    assert messages[:2] == ["inputs[0].namespace: missing", "inputs[0].name: missing"]
    assert messages[100:] == ["body: 399900 more faults"]
    behind = faults(good() | {"inputs": [factory.dataset("a")] * 100 + [{}] * 100})
    assert behind == ["body: 200 faults, all after the first 100 entries"]


@pytest.mark.parametrize("document", [[], "x", 1, None, True])
def test_only_an_object_is_an_event(document: Any) -> None:
    assert faults(document)[0].startswith("body: expected an object")


def test_the_kind_of_an_event_follows_from_its_members_not_from_schema_url() -> None:
    hint = {"schemaURL": "https://openlineage.io/spec/1-0-0/OpenLineage.json#/$defs/RunEvent"}
    assert isinstance(read_event(good()), RunEvent)
    assert isinstance(read_event(factory.job_event() | hint), JobEvent)
    assert isinstance(read_event(factory.dataset_event(factory.dataset("a")) | hint), DatasetEvent)


def test_a_run_event_that_lost_its_run_is_no_job_event() -> None:
    assert faults(without("run")) == ["run: missing"]


@pytest.mark.parametrize("kind", ["JobEvent", "DatasetEvent"])
def test_an_event_type_makes_no_run_event_of_an_event_that_says_it_is_none(kind: str) -> None:
    url = f"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/{kind}"
    sent = factory.job_event() if kind == "JobEvent" else factory.dataset_event(factory.dataset("a"))
    assert type(read_event(sent | {"eventType": "COMPLETE", "schemaURL": url})).__name__ == kind
    assert "run: missing" in faults(sent | {"eventType": "COMPLETE"})


def test_an_event_without_a_type_counts_as_other_and_case_does_not_matter() -> None:
    untyped, lower = read_event(without("eventType")), read_event(good() | {"eventType": "complete"})
    assert isinstance(untyped, RunEvent)
    assert isinstance(lower, RunEvent)
    assert (untyped.type, lower.type) == (EventType.OTHER, EventType.COMPLETE)


@pytest.mark.parametrize(
    "facet",
    ["file", 5, [], {}, {"_deleted": None}, {"fields": "x"}, {"uri": None}, {"_producer": 1, "deep": [[[[1.5]]]]}],
)
def test_no_event_is_refused_for_a_facet(facet: Any) -> None:
    for place in ("run.facets", "job.facets", "inputs.0.facets", "outputs.0.facets"):
        assert read_event(replaced(place, {"schema": facet, "dataSource": facet, "ours": facet}), now=NOW)


def test_null_is_absent_wherever_a_producer_writes_every_member() -> None:
    document = good() | {"outputs": None, "schemaURL": None, "dataset": None}
    document["run"]["facets"] = None
    document["inputs"][0] |= {"facets": {"schema": None, "symlinks": {}}, "inputFacets": None}
    event = read_event(document)
    assert isinstance(event, RunEvent)
    assert event.outputs == ()
    assert event.inputs[0].facets == {"symlinks": {}}


def test_run_ids_are_compared_in_lower_case() -> None:
    upper = read_event(replaced("run.runId", "4EE9CE6F-E65D-5356-B801-B01A9FAE62A2"))
    assert isinstance(upper, RunEvent)
    assert upper.run_id == "4ee9ce6f-e65d-5356-b801-b01a9fae62a2"


def test_the_old_alias_of_the_parent_is_the_parent_of_a_run_that_has_none() -> None:
    old, new = factory.facet(job={"name": "old"}), factory.facet(job={"name": "new"})
    for sent, read in (
        ({"parentRun": old}, {"parent": old}),
        ({"parent": new, "parentRun": old}, {"parent": new, "parentRun": old}),
    ):
        event = read_event(replaced("run.facets", sent))
        assert isinstance(event, RunEvent)
        assert event.run_facets == read


@pytest.mark.parametrize("recorded", sorted(SPARK.glob("*.jsonl")), ids=lambda path: path.stem)
def test_real_events_are_read_and_no_facet_is_dropped(recorded: Path) -> None:
    for line in recorded.read_text().splitlines():
        document = json.loads(line)
        event = read_event(document)
        assert isinstance(event, RunEvent)
        assert event.run_facets == document["run"]["facets"]
        assert event.job.facets == document["job"].get("facets", {})
        sent = [dataset.get("facets", {}) for dataset in document["inputs"] + document["outputs"]]
        assert [mention.facets for mention in event.inputs + event.outputs] == sent
