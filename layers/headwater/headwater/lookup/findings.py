"""What of all that happened to datasets may be the cause of a wrong number, each told in a sentence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from headwater.graph.mention import ASSERTIONS
from headwater.graph.register import values
from headwater.graph.schema_diff import SchemaDiff
from headwater.lookup import shapes
from headwater.lookup.happenings import Check
from headwater.lookup.names import Kind
from headwater.lookup.schema_changes import SchemaChange
from headwater.lookup.shapes import Shape
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant

TOLD = 5
"""Columns, assertions, datasets or runs that a sentence names; the details have all."""


class What(StrEnum):
    """What happened."""

    RUN_FAILED = "RUN_FAILED"
    RUN_ABORTED = "RUN_ABORTED"
    RUN_RUNNING = "RUN_RUNNING"
    CHILD_FAILED = "CHILD_FAILED"
    JOB_CHANGED = "JOB_CHANGED"
    SCHEMA_CHANGED = "SCHEMA_CHANGED"
    ASSERTION_FAILED = "ASSERTION_FAILED"


class Place(NamedTuple):
    """A job or dataset upstream, so many job hops away."""

    kind: Kind
    name: Name
    distance: int

    @property
    def node_id(self) -> str:
        return shapes.node_id(self.kind, self.name)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that happened. `details` are further members of its JSON."""

    what: What
    at: Instant
    place: Place
    run_id: str | None
    summary: str
    details: Shape = field(default_factory=dict)


def of_schemas(place: Place, changes: Iterable[SchemaChange]) -> Iterator[Finding]:
    """Columns that came, went or have another type now."""
    for change in changes:
        diff, run = change.diff, change.run
        writer = f", since {run.job.name} wrote it" if run else ""
        details: Shape = {
            "added": list(diff.added),
            "removed": list(diff.removed),
            "retyped": [{"field": each.name, "before": each.before, "after": each.after} for each in diff.retyped],
        }
        summary = f"{place.name.name}: {listed(_told_of_columns(diff))}{writer}"
        yield Finding(What.SCHEMA_CHANGED, change.at, place, run.run_id if run else None, summary, details)


def of_checks(place: Place, checks: Iterable[Check]) -> Iterator[Finding]:
    """Assertions on the data that did not hold, of a run all in one."""
    for check in checks:
        assertions = assertions_of(values(check.found))
        failed = [each for each in assertions if each.get("success") is False]
        if failed:
            told = listed([told_of_assertion(each) for each in failed])
            summary = f"{place.name.name}: {len(failed)} of {len(assertions)} assertions failed: {told}"
            yield Finding(What.ASSERTION_FAILED, check.at, place, check.run_id, summary, {"assertions": failed})


def listed(parts: Sequence[str]) -> str:
    """The first few of them, and how many more there are."""
    more = f" and {len(parts) - TOLD} more" if len(parts) > TOLD else ""
    return ", ".join(parts[:TOLD]) + more


def _told_of_columns(diff: SchemaDiff) -> list[str]:
    retyped = [f"{each.name} is {each.after} now, was {each.before}" for each in diff.retyped]
    removed = [f"{name} was removed" for name in diff.removed]
    return [*retyped, *removed, *(f"{name} was added" for name in diff.added)]


def assertions_of(facets: Shape) -> list[dict[str, Any]]:
    """The assertions among what a run found out about a dataset."""
    facet = facets.get(ASSERTIONS)
    assertions = facet.get("assertions") if isinstance(facet, dict) else None
    return [each for each in assertions if isinstance(each, dict)] if isinstance(assertions, list) else []


def told_of_assertion(assertion: Mapping[str, Any]) -> str:
    """An assertion in few words: `not_null of email`."""
    column = f" of {assertion['column']}" if assertion.get("column") else ""
    return f"{assertion.get('assertion')}{column}"
