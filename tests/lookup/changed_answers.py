"""What has changed in answers since a release: each change by its member, with the reason.

A golden answer (golden_answers.py) never changes. Before it is compared with the answer of this release, each change
since its release is applied: to the request, or to the two bodies. All that no change names is compared as it is.
"""

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from headwater.graph.identity import dataset_id
from headwater.openlineage.event import Name

ALL_EVENTS = {"eventKinds": ("RunEvent", "JobEvent", "DatasetEvent")}


class Change(NamedTuple):
    """A change of a member in the answers of some paths.

    since    the last release without the change
    applies  whether the answers of a path may have the member
    settle   checks the member in an answer of that release and in one of today, and makes the two equal in it
    """

    since: str
    applies: Callable[[str], bool]
    settle: Callable[[Any, Any], None]


def added_parameters(release: str, path: str) -> Mapping[str, tuple[str, ...]]:
    """The parameters that a request of a release needs today for the answer of that release.

    0.1.0: `/events/lineage` listed events of all kinds. Today a request has to name the kinds, since an event without a
    run blanks the events page of Marquez's web UI.
    """
    return ALL_EVENTS if release == "0.1.0" and path == "events/lineage" else {}


def without_changes(release: str, path: str, old: str, new: str) -> tuple[str, str]:
    """The bodies of a release's answer and of today's, equal in the members that have changed since."""
    changes = [change for change in CHANGES if change.since >= release and change.applies(path)]
    if not changes:
        return old, new
    before, after = (json.loads(body, parse_float=str) for body in (old, new))
    for change in changes:
        change.settle(before, after)
    return json.dumps(before), json.dumps(after)


def _types_in_graphs(_old: Any, new: Any) -> None:
    """`datasetType` is new: since a dataset's `type` is DB_TABLE or STREAM alone, it has the producer's word."""
    for node in new.get("graph", []):
        if node["type"] == "DATASET":
            assert node["data"].pop("datasetType") is None


def _versions_of_inputs(old: Any, new: Any) -> None:
    """The `version` of a run's input was that of the schema, or null. It is the run that wrote the dataset, as in
    `/runlineage`, and never null: Marquez's Java client fails on null. (tests/lookup/test_input_versions.py)"""
    inputs_of_runs = (_members(body, "inputDatasetVersions") for body in (old, new))
    for old_inputs, new_inputs in zip(*inputs_of_runs, strict=True):
        for old_input, new_input in zip(old_inputs, new_inputs, strict=True):
            assert uuid.UUID(new_input["datasetVersionId"]["version"])
            old_input["datasetVersionId"]["version"] = new_input["datasetVersionId"]["version"] = None


def _versions_of_run_lineage(old: Any, _new: Any) -> None:
    """The `version` of an input that no known run wrote, and of which no schema is known, was null."""
    for inputs in _members(old, "inputs"):
        for dataset in inputs:
            if dataset["version"] is None:
                dataset["version"] = str(uuid.UUID(dataset_id(Name(dataset["namespace"], dataset["name"]))))


def _latest_runs_in_lists(old: Any, new: Any) -> None:
    """`latestRuns` of a job in a list had the newest run alone. It has up to ten, as Marquez's web UI shows them."""
    for old_job, new_job in zip(old.get("jobs", []), new.get("jobs", []), strict=True):
        if old_job["latestRuns"]:
            assert len(new_job["latestRuns"]) <= 10
            new_job["latestRuns"] = new_job["latestRuns"][:1]


def _children_after_a_cursor(old: Any, new: Any) -> None:
    """A page of children after a cursor had a run less than its limit, and was the last one."""
    if "cursor" in new and "cursor" not in old:
        del new["cursor"], new["runs"][len(old["runs"]) :]


def _members(document: Any, name: str) -> Iterator[Any]:
    """The values of a member, wherever it is in a document."""
    if isinstance(document, dict):
        if name in document:
            yield document[name]
        document = list(document.values())
    if isinstance(document, list):
        for element in document:
            yield from _members(element, name)


def _is_list_of_jobs(path: str) -> bool:
    return path == "jobs" or (path.startswith("namespaces/") and path.endswith("/jobs"))


def _has_runs(path: str) -> bool:
    return any(part in path for part in ("jobs", "rootcause", "versions"))


CHANGES = [
    Change("0.1.0", lambda path: path == "lineage", _types_in_graphs),
    Change("0.1.0", _is_list_of_jobs, _latest_runs_in_lists),
    Change("0.1.0", lambda path: path.endswith("/children"), _children_after_a_cursor),
    Change("0.1.0", _has_runs, _versions_of_inputs),
    Change("0.1.0", lambda path: path == "runlineage/upstream", _versions_of_run_lineage),
]
