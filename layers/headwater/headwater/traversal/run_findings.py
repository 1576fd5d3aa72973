"""Findings at jobs: failed and open runs, late ones and odd amounts, and changes of inputs, outputs and code."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from headwater.graph.facets.dataset_reference import IoDatasets
from headwater.graph.facets.members import code_of, error_message, error_summary, facet_text, without_comments
from headwater.graph.facets.register import values
from headwater.graph.facets.schema_diff import blamed
from headwater.graph.names.identity import DatasetId, NodeKind, node_id
from headwater.graph.states.rhythm import DAY, Moment, Rhythm, at, moment, observation, shown_moment
from headwater.graph.states.run import Run, RunState
from headwater.openlineage.event import Facets, Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import instant_of, shown
from headwater.read.schema_changes import SchemaChange
from headwater.read.window import Window
from headwater.traversal.findings import Finding, FindingKind, UpstreamNode, first_few

if TYPE_CHECKING:
    from headwater.graph.expectations.timetable import Slot
    from headwater.traversal.expectations import Expected

MAX_MESSAGE = 5_000
"""Characters of an error message in the details of a finding. A message may be a long stack trace."""

RETIRED = 7 * DAY
"""A job that is later than this has stopped running."""

Representative = Callable[[DatasetId], DatasetId]
"""Returns the representative of a dataset."""

_LITERALS = re.compile(r"'[^']*'|\d+")
"""Literals of SQL: the same statement has other dates in each run."""
_CHANGES = {
    "inputsAdded": "now reads",
    "outputsAdded": "now writes",
    "inputsRemoved": "no longer reads",
    "outputsRemoved": "no longer writes",
}
_FAILURES = {
    RunState.FAILED: (FindingKind.RUN_FAILED, "failed"),
    RunState.ABORTED: (FindingKind.RUN_ABORTED, "was aborted"),
}


def went_well(run: Run, window: Window) -> bool:
    """Whether a run had completed by the end of the window, and none of its children failed.

    The Spark listener ends an application with COMPLETE, even if queries failed.
    """
    return _state(run, window) is RunState.COMPLETED and not run.failed_children


def of_runs(node: UpstreamNode, runs: Sequence[Run], window: Window) -> Iterator[Finding]:
    """Findings of a job: runs that ended in the window, or are open, and did not go well."""
    for run in runs:
        if window.has(run.ended_at or run.started_at) or _is_open(run, window):
            yield from _of_run(node, run, window)


def following(failure: Finding, changes: Iterable[tuple[UpstreamNode, SchemaChange]]) -> Finding:
    """The finding of a failure, with those changes of what the run read, the newest first, that its error names."""
    message = str(failure.details.get("message", ""))
    columns = {node: names for node, change in changes if (names := blamed(message, change.diff))}
    if not columns:
        return failure
    named = first_few([f"{node.called} ({', '.join(names)})" for node, names in columns.items()])
    causes = [{"nodeId": node.node_id, "columns": list(names)} for node, names in columns.items()]
    summary = f"{failure.summary.rstrip('.')}; it follows from the change of {named}"
    return replace(failure, summary=summary, details=failure.details | {"causes": causes})


def of_changes(
    node: UpstreamNode, runs: Sequence[Run], window: Window, representative: Representative
) -> Iterator[Finding]:
    """Changes of a job in the window: runs of another version of its code than the run before, and completed runs whose
    inputs or outputs differ from the completed run before.

    Only completed runs are compared for these: any other run may not have named all its datasets.
    """
    for before, after in pairwise(run for run in runs if code_of(values(run.job_facets)).get("version")):
        old, new = (code_of(values(run.job_facets)) for run in (before, after))
        if old["version"] != new["version"] and window.has(after.started_at):
            details: JsonObject = {"codeBefore": old, "codeAfter": new}
            summary = f"{node.called} {_describe_code(old, new)}"
            yield Finding(FindingKind.CODE_CHANGED, after.started_at, node, after.run_id, summary, details)
    completed = [run for run in runs if run.names_datasets and _state(run, window) is RunState.COMPLETED]
    for before, after in pairwise(completed):
        details = _difference(before, after, representative)
        if details and window.has(after.started_at):
            summary = f"{node.called} {first_few(_describe_difference(details))}"
            yield Finding(FindingKind.JOB_CHANGED, after.started_at, node, after.run_id, summary, details)


def of_rhythm(
    node: UpstreamNode, rhythm: Rhythm, runs: Sequence[Run], until: Moment, window: Window
) -> Iterator[Finding]:
    """Findings of a job by its rhythm, until the suspect ended: runs in the window that began late, or wrote an unusual
    amount, and a run that was due and had not begun."""
    from headwater.graph.expectations.timetable import slot_of  # noqa: PLC0415 - no function needs it to start
    from headwater.graph.expectations.usual import unusual  # noqa: PLC0415

    ended = [run for run in runs if run.ending and run.last and window.has(run.ended_at or run.started_at)]
    known = {observation(run).run: run for run in ended}
    for number, seen in enumerate(rhythm.observations, start=1):
        if (run := known.get(seen.run)) is None:
            continue
        slot = slot_of(rhythm, seen)
        if slot and slot.due <= until and slot.latest < seen.start:
            summary = (
                f"{node.called} started {_delay(seen.start - slot.due)} late: it was due at {shown_moment(slot.due)}"
            )
            yield Finding(FindingKind.RUN_LATE, run.started_at, node, run.run_id, summary, _due(slot))
        found = unusual(rhythm.observations[:number]) if seen.end <= until else None
        if found:
            summary = f"{node.called} wrote {found.amount:,} {found.unit}, usually {found.usual.usual:,}"
            details: JsonObject = {"unit": found.unit, "amount": found.amount, "usual": found.usual._asdict()}
            at_end = run.ended_at or run.started_at
            yield Finding(FindingKind.VOLUME_UNUSUAL, at_end, node, run.run_id, summary, details)
    if slot := _missing(rhythm, runs, until):
        summary = f"{node.called} had not run: it was due at {shown_moment(slot.due)}"
        yield _missing_run(node, slot, summary)


def of_late(node: UpstreamNode, expected: "Expected", now: Moment) -> Iterator[Finding]:
    """The finding of a run that is late now, and has not begun."""
    if expected.slot and expected.state == "LATE" and now < expected.slot.latest + RETIRED:
        summary = f"{node.called} has not run: it was due at {shown_moment(expected.slot.due)}"
        yield _missing_run(node, expected.slot, summary)


def _missing_run(node: UpstreamNode, slot: "Slot", summary: str) -> Finding:
    return Finding(FindingKind.RUN_MISSING, instant_of(at(slot.latest)), node, None, summary, _due(slot))


def _missing(rhythm: Rhythm, runs: Sequence[Run], until: Moment) -> "Slot | None":
    """When a run was due that had not begun at a time, and not after it until now."""
    from headwater.graph.expectations.timetable import timetable  # noqa: PLC0415 - no function needs it to start

    before = Rhythm(rhythm.job, tuple(seen for seen in rhythm.observations if seen.start <= until))
    found = timetable(before) if before.is_due else None
    begun = max((moment(run.started_at) for run in runs if run.started_at), default=None)
    slot = found.next_after(begun) if found and begun is not None else None
    return slot if slot and slot.latest < until < slot.latest + RETIRED else None


def _due(slot: "Slot") -> JsonObject:
    return {"dueAt": shown_moment(slot.due), "latestAt": shown_moment(slot.latest)}


def _delay(seconds: int) -> str:
    return f"{seconds // 60} min" if seconds < 7_200 else f"{seconds / 3_600:.1f} h"


def is_other_code(before: Run, after: Run) -> bool:
    """Whether a run ran other code than a run before: another version, source or SQL. What only one of them reports
    does not count. Nor do plans and column lineage, which in Spark change with the types of the inputs."""
    old, new = (_code(values(run.job_facets)) for run in (before, after))
    return any(told and new[name] and told != new[name] for name, told in old.items())


def tells_code(run: Run) -> bool:
    """Whether a run says anything about its code that can be compared."""
    return any(_code(values(run.job_facets)).values())


def _code(facets: Facets) -> dict[str, str]:
    sql = facet_text(facets, "sql", "query") or ""
    return {
        "version": facet_text(facets, "sourceCodeLocation", "version") or "",
        "source": facet_text(facets, "sourceCode", "sourceCode") or "",
        "sql": " ".join(_LITERALS.sub("?", without_comments(sql)).split()),
    }


def _describe_code(old: JsonObject, new: JsonObject) -> str:
    number = str(new.get("pullRequestNumber") or "").removeprefix("#")
    by = f" by #{number}" if number else ""
    branch = f" of {new['branch']}" if new.get("branch") else ""
    return f"was changed{by}: version {new['version']}{branch}, was {old['version']}"


def _state(run: Run, window: Window) -> RunState:
    """The state of a run at the end of the window."""
    is_ahead = bool(run.ended_at and window.until and run.ended_at > window.until)
    return RunState.RUNNING if is_ahead else run.state


def _is_open(run: Run, window: Window) -> bool:
    return _state(run, window) in (RunState.NEW, RunState.RUNNING)


def _of_run(node: UpstreamNode, run: Run, window: Window) -> Iterator[Finding]:
    """The finding of a run, if there is one. A run that only its children named has no events, and is not known to be
    running."""
    name, state = node.called, _state(run, window)
    at = run.started_at if _is_open(run, window) else run.ended_at or run.started_at
    if state in _FAILURES:
        kind, verb = _FAILURES[state]
        message = error_message(values(run.facets))
        because = f": {error_summary(message)}" if message else ""
        details: JsonObject = {"message": message[:MAX_MESSAGE]} if message else {}
        yield Finding(kind, at, node, run.run_id, f"{name} {verb}{because}", details | _children(run))
    elif run.failed_children:
        is_open = _is_open(run, window)
        ended = "never reported" if not run.first else "has not ended" if is_open else "completed"
        failed = first_few([child.job.name for child in run.failed_children])
        summary = f"{name} {ended}, but runs that it started failed: {failed}"
        yield Finding(FindingKind.CHILD_FAILED, at, node, run.run_id, summary, _children(run))
    elif state is RunState.RUNNING and run.first:
        yield Finding(FindingKind.RUN_RUNNING, at, node, run.run_id, f"{name} is running since {shown(at)}")


def _children(run: Run) -> JsonObject:
    failed = [{"runId": child.run_id, "job": child.job.as_json()} for child in run.failed_children]
    return {"failedChildren": failed} if failed else {}


def _difference(before: Run, after: Run, representative: Representative) -> JsonObject:
    """The inputs and outputs that only one of two runs has, by nodeId. Datasets are compared by representative."""
    sides = {
        "inputs": (_by_representative(before.inputs, representative), _by_representative(after.inputs, representative)),
        "outputs": (
            _by_representative(before.outputs, representative),
            _by_representative(after.outputs, representative),
        ),
    }
    difference = {f"{side}Added": _only_in(new, old) for side, (old, new) in sides.items()}
    difference |= {f"{side}Removed": _only_in(old, new) for side, (old, new) in sides.items()}
    return {member: nodes for member, nodes in difference.items() if nodes}


def _by_representative(io_datasets: IoDatasets, representative: Representative) -> dict[DatasetId, Name]:
    return {representative(dataset): io_dataset.name for dataset, io_dataset in io_datasets.items()}


def _only_in(these: Mapping[DatasetId, Name], those: Mapping[DatasetId, Name]) -> list[str]:
    return sorted(node_id(NodeKind.DATASET, name) for node, name in these.items() if node not in those)


def _describe_difference(difference: JsonObject) -> list[str]:
    return [
        f"{_CHANGES[member]} {node.removeprefix('dataset:')}" for member, nodes in difference.items() for node in nodes
    ]
