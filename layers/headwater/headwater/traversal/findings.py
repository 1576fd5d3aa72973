"""Findings at datasets: schema changes and failed assertions that may be the cause of a wrong number."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from headwater.graph.facets.members import assertions_of, describe_assertion
from headwater.graph.facets.register import values
from headwater.graph.names.identity import NodeKind, node_id
from headwater.graph.states.stored_states import QualityResult
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.schema_changes import SchemaChange

MAX_NAMED = 5
"""Columns, assertions, datasets or runs that a summary names; the details have the full list."""


class FindingKind(StrEnum):
    RUN_FAILED = "RUN_FAILED"
    RUN_ABORTED = "RUN_ABORTED"
    RUN_RUNNING = "RUN_RUNNING"
    CHILD_FAILED = "CHILD_FAILED"
    RUN_LATE = "RUN_LATE"
    RUN_MISSING = "RUN_MISSING"
    VOLUME_UNUSUAL = "VOLUME_UNUSUAL"
    JOB_CHANGED = "JOB_CHANGED"
    CODE_CHANGED = "CODE_CHANGED"
    SCHEMA_CHANGED = "SCHEMA_CHANGED"
    ASSERTION_FAILED = "ASSERTION_FAILED"


class UpstreamNode(NamedTuple):
    """A job or dataset upstream, `distance` hops from the start, and what people call it: its name in a
    catalogue, or what the author of an application calls it."""

    kind: NodeKind
    name: Name
    distance: int
    display: str | None = None

    @property
    def called(self) -> str:
        return self.display or self.name.name

    @property
    def node_id(self) -> str:
        return node_id(self.kind, self.name)


@dataclass(frozen=True, slots=True)
class Finding:
    """A failure or change at a node. `details` are further members of its JSON, `columns` those of the dataset that it
    names; `has_removed` says that some of them are gone."""

    kind: FindingKind
    at: Instant
    node: UpstreamNode
    run_id: str | None
    summary: str
    details: JsonObject = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    has_removed: bool = False

    def affected(self, outputs: Sequence[Name]) -> str | None:
        """The nodeId whose impact is that of the finding: of its column if it names one that is there, else of its
        dataset, or of the first of its job's `outputs`."""
        if self.node.kind is NodeKind.JOB:
            return node_id(NodeKind.DATASET, outputs[0]) if outputs else None
        if len(self.columns) == 1 and not self.has_removed:
            return f"{node_id(NodeKind.FIELD, self.node.name)}:{self.columns[0]}"
        return self.node.node_id


def of_schemas(node: UpstreamNode, changes: Iterable[SchemaChange]) -> Iterator[Finding]:
    for change in changes:
        diff, run = change.diff, change.run
        writer = (f", by {run.job.name}" if change.is_drop else f", since {run.job.name} wrote it") if run else ""
        details: JsonObject = {
            "added": list(diff.added),
            "removed": [] if change.is_drop else list(diff.removed),
            "retyped": [
                {"field": column.name, "before": column.before, "after": column.after, "change": column.change}
                for column in diff.retyped
            ],
        }
        if change.renamed:
            details["renamed"] = [{"before": each.before, "after": each.after} for each in change.renamed]
        summary = f"{node.called}: {first_few(change.sentences)}{writer}"
        names = (*diff.added, *diff.removed, *(column.name for column in diff.retyped))
        run_id = run.run_id if run else None
        yield Finding(
            FindingKind.SCHEMA_CHANGED, change.at, node, run_id, summary, details, names, has_removed=bool(diff.removed)
        )


def of_quality_results(node: UpstreamNode, checks: Iterable[QualityResult]) -> Iterator[Finding]:
    """Failed assertions, one finding for each quality result."""
    for check in checks:
        assertions = assertions_of(values(check.facets))
        failed = [assertion for assertion in assertions if assertion.get("success") is False]
        if failed:
            named = first_few(list(map(describe_assertion, failed)))
            held = f"; {len(assertions) - len(failed)} held" if len(failed) < len(assertions) else ""
            what = "1 assertion" if len(failed) == 1 else f"{len(failed)} assertions"
            summary = f"{node.called}: {what} failed: {named}{held}"
            columns = tuple({str(assertion["column"]): None for assertion in failed if assertion.get("column")})
            details: JsonObject = {"assertions": failed}
            yield Finding(FindingKind.ASSERTION_FAILED, check.time, node, check.id.run_id, summary, details, columns)


def first_few(parts: Sequence[str]) -> str:
    """The first few texts, and the number of further texts."""
    more = f" and {len(parts) - MAX_NAMED} more" if len(parts) > MAX_NAMED else ""
    return ", ".join(parts[:MAX_NAMED]) + more
