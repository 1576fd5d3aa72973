"""What has changed in answers since the last release: each change by its member, with the reason.

A golden answer (golden_answers.py) never changes. Before it is compared with the answer of this release, each change is
applied to the two bodies. All that no change names is compared as it is.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple


class Change(NamedTuple):
    """A change of a member in the answers of some paths.

    applies  whether the answers of a path may have the member
    settle   checks the member in an answer of the last release and in one of today, and makes the two equal in it
    """

    applies: Callable[[str], bool]
    settle: Callable[[Any, Any], None]


def without_changes(path: str, old: str, new: str) -> tuple[str, str]:
    """The bodies of the last release's answer and of today's, equal in the members that have changed since."""
    changes = [change for change in CHANGES if change.applies(path)]
    if not changes or not old.startswith(("{", "[")):
        return old, new
    before, after = (json.loads(body, parse_float=str) for body in (old, new))
    for change in changes:
        change.settle(before, after)
    return json.dumps(before), json.dumps(after)


def _dropped_tables(old: Any, new: Any) -> None:
    """A table that was dropped had lost each of its columns, and one that was made again had got each. As in alerts,
    the dataset was dropped, the new columns are compared with those before the drop, and columns seem renamed."""
    before, after = map(_schema_changes, (old, new))
    nothing = {"added": [], "removed": [], "retyped": [], "summary": ""}
    changed = [(was, after.get(key, nothing)) for key, was in before.items() if was != after.get(key)]
    for was, now in changed:
        if "the dataset was dropped, by " in now["summary"]:
            assert (was["added"], was["retyped"], bool(was["removed"])) == ([], [], True)
        elif now.get("renamed"):
            assert {**now, "summary": "", "renamed": []} == {**was, "summary": "", "renamed": []}
        else:
            assert (was["removed"], was["retyped"]) == (now["removed"], now["retyped"]) == ([], [])
            assert set(was["added"]) > set(now["added"])
    for body in (old, new) if changed else ():
        body["findings"] = [found for found in body["findings"] if found["kind"] != "SCHEMA_CHANGED"]
        body.pop("earlier", None)


def _schema_changes(body: Any) -> dict[tuple[str, str], Any]:
    findings = [*body.get("findings", ()), *(body.get("earlier") or {}).get("changes", ())]
    changed = [found for found in findings if found["kind"] == "SCHEMA_CHANGED"]
    return {(found["nodeId"], found.get("runId", "")): found for found in changed}


def _renamed_columns(old: Any, new: Any) -> None:
    """A column that seems renamed, as in its alert, was one that is removed and one that is added."""
    for was, now in zip(old["nodes"]["changed"], new["nodes"]["changed"], strict=True):
        if renamed := now.get("columns", {}).pop("renamed", ()):
            for side, name in (("removed", "before"), ("added", "after")):
                fields = {column["field"] for column in now["columns"][side]} | {each[name] for each in renamed}
                assert fields == {column["field"] for column in was["columns"][side]}
                now["columns"][side] = was["columns"][side]


CHANGES = [
    Change(lambda path: path == "rootcause", _dropped_tables),
    Change(lambda path: path == "diff", _renamed_columns),
]
