"""What of all that happened to datasets may be the cause of a wrong number, each told in a sentence."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from headwater.graph.facets import assertions_of, describe_assertion
from headwater.graph.identity import NodeKind, node_id
from headwater.graph.register import values
from headwater.graph.schema_diff import SchemaDiff
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.activity import DataQualityResult
from headwater.read.schema_changes import SchemaChange

TOLD = 5
"""Columns, assertions, datasets or runs that a sentence names; the details have all."""


class FindingKind(StrEnum):
    """What happened."""

    RUN_FAILED = "RUN_FAILED"
    RUN_ABORTED = "RUN_ABORTED"
    RUN_RUNNING = "RUN_RUNNING"
    CHILD_FAILED = "CHILD_FAILED"
    JOB_CHANGED = "JOB_CHANGED"
    SCHEMA_CHANGED = "SCHEMA_CHANGED"
    ASSERTION_FAILED = "ASSERTION_FAILED"


class UpstreamNode(NamedTuple):
    """A job or dataset upstream, so many job hops away."""

    kind: NodeKind
    name: Name
    distance: int

    @property
    def node_id(self) -> str:
        return node_id(self.kind, self.name)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that happened. `details` are further members of its JSON."""

    kind: FindingKind
    at: Instant
    node: UpstreamNode
    run_id: str | None
    summary: str
    details: JsonObject = field(default_factory=dict)


def of_schemas(node: UpstreamNode, changes: Iterable[SchemaChange]) -> Iterator[Finding]:
    """Columns that came, went or have another type now."""
    for change in changes:
        diff, run = change.diff, change.run
        writer = f", since {run.job.name} wrote it" if run else ""
        details: JsonObject = {
            "added": list(diff.added),
            "removed": list(diff.removed),
            "retyped": [{"field": each.name, "before": each.before, "after": each.after} for each in diff.retyped],
        }
        summary = f"{node.name.name}: {first_few(_describe_columns(diff))}{writer}"
        yield Finding(FindingKind.SCHEMA_CHANGED, change.at, node, run.run_id if run else None, summary, details)


def of_quality_results(node: UpstreamNode, checks: Iterable[DataQualityResult]) -> Iterator[Finding]:
    """Assertions on the data that did not hold, of a run all in one."""
    for check in checks:
        assertions = assertions_of(values(check.found))
        failed = [each for each in assertions if each.get("success") is False]
        if failed:
            told = first_few([describe_assertion(each) for each in failed])
            summary = f"{node.name.name}: {len(failed)} of {len(assertions)} assertions failed: {told}"
            yield Finding(FindingKind.ASSERTION_FAILED, check.at, node, check.run_id, summary, {"assertions": failed})


def first_few(parts: Sequence[str]) -> str:
    """The first few of them, and how many more there are."""
    more = f" and {len(parts) - TOLD} more" if len(parts) > TOLD else ""
    return ", ".join(parts[:TOLD]) + more


def _describe_columns(diff: SchemaDiff) -> list[str]:
    retyped = [f"{each.name} is {each.after} now, was {each.before}" for each in diff.retyped]
    removed = [f"{name} was removed" for name in diff.removed]
    return [*retyped, *removed, *(f"{name} was added" for name in diff.added)]
