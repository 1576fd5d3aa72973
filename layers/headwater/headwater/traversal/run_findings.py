"""What of all that happened to a job may be the cause of a wrong number: runs that failed, and what they use now."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from headwater.graph.dataset_reference import Uses
from headwater.graph.facets import error_message, first_line
from headwater.graph.identity import NodeId, NodeKind, node_id
from headwater.graph.register import values
from headwater.graph.run import Run, RunState
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import shown
from headwater.read.window import Window
from headwater.traversal.findings import Finding, FindingKind, UpstreamNode, first_few

MAX_MESSAGE = 5_000
"""Characters of an error message in the details of a finding: the message may be a stack trace."""

One = Callable[[NodeId], NodeId]
"""From any id of a dataset to the one that stands for it."""

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
    """Whether a run had completed by the end of the window, and none of its children failed: the Spark listener ends
    an application COMPLETE, whatever its actions did."""
    return _state(run, window) is RunState.COMPLETED and not run.failed_children


def of_runs(node: UpstreamNode, runs: Sequence[Run], window: Window, one: One) -> Iterator[Finding]:
    """What runs tell that ended in the window or still run, but for those that went well; and where what they use is
    not what the one before did. A run that has not completed may not have named all of it."""
    for run in runs:
        if window.has(run.ended_at or run.started_at) or _is_open(run, window):
            yield from _of_run(node, run, window)
    whole = [run for run in runs if run.names_datasets and _state(run, window) is RunState.COMPLETED]
    for before, after in pairwise(whole):
        details = _difference(before, after, one)
        if details and window.has(after.started_at):
            summary = f"{node.name.name} {first_few(_told_of(details))}"
            yield Finding(FindingKind.JOB_CHANGED, after.started_at, node, after.run_id, summary, details)


def _state(run: Run, window: Window) -> RunState:
    """The state of a run at the end of the window."""
    is_ahead = bool(run.ended_at and window.until and run.ended_at > window.until)
    return RunState.RUNNING if is_ahead else run.state


def _is_open(run: Run, window: Window) -> bool:
    return _state(run, window) in (RunState.NEW, RunState.RUNNING)


def _of_run(node: UpstreamNode, run: Run, window: Window) -> Iterator[Finding]:
    """One that was only ever named by its children, and never spoke itself, is not known to run."""
    name, state = node.name.name, _state(run, window)
    at = run.started_at if _is_open(run, window) else run.ended_at or run.started_at
    if state in _FAILURES:
        kind, told = _FAILURES[state]
        message = error_message(values(run.facets))
        because = f": {first_line(message)}" if message else ""
        details: JsonObject = {"message": message[:MAX_MESSAGE]} if message else {}
        yield Finding(kind, at, node, run.run_id, f"{name} {told}{because}", details | _children(run))
    elif run.failed_children:
        ended = "has not ended" if _is_open(run, window) else "completed"
        told = first_few([child.job.name for child in run.failed_children])
        summary = f"{name} {ended}, but of what it started failed: {told}"
        yield Finding(FindingKind.CHILD_FAILED, at, node, run.run_id, summary, _children(run))
    elif state is RunState.RUNNING and run.first:
        yield Finding(FindingKind.RUN_RUNNING, at, node, run.run_id, f"{name} is running since {shown(at)}")


def _children(run: Run) -> JsonObject:
    failed = [{"runId": child.run_id, "job": child.job.as_json()} for child in run.failed_children]
    return {"failedChildren": failed} if failed else {}


def _difference(before: Run, after: Run, one: One) -> JsonObject:
    """Which datasets a run reads or writes that another does not, by nodeId; by whatever name it knows them."""
    sides = {
        "inputs": (_by_one(before.inputs, one), _by_one(after.inputs, one)),
        "outputs": (_by_one(before.outputs, one), _by_one(after.outputs, one)),
    }
    found = {f"{side}Added": _only_in(new, old) for side, (old, new) in sides.items()}
    found |= {f"{side}Removed": _only_in(old, new) for side, (old, new) in sides.items()}
    return {member: nodes for member, nodes in found.items() if nodes}


def _by_one(uses: Uses, one: One) -> dict[NodeId, Name]:
    return {one(node): use.name for node, use in uses.items()}


def _only_in(these: Mapping[NodeId, Name], those: Mapping[NodeId, Name]) -> list[str]:
    return sorted(node_id(NodeKind.DATASET, name) for node, name in these.items() if node not in those)


def _told_of(difference: JsonObject) -> list[str]:
    return [
        f"{_CHANGES[member]} {node.removeprefix('dataset:')}" for member, nodes in difference.items() for node in nodes
    ]
