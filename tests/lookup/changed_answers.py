"""What has changed in answers since a release: each change by its member, with the reason.

A golden answer (golden_answers.py) never changes. Before it is compared with the answer of this release, each change
since its release is applied: to the request, or to the two bodies. All that no change names is compared as it is.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

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


CHANGES = [Change("0.1.0", lambda path: path == "lineage", _types_in_graphs)]
