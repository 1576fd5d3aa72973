"""What differs between two sides, as `headwater diff` tells it of two times, and what of it takes something away."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from headwater.cli.ci.side import ChangeSide
from headwater.cli.failure import WRONG_COMMAND, CommandFailure
from headwater.graph.facets.column_lineage import Column
from headwater.graph.names.identity import NodeKind, node_id
from headwater.lookup.graphs.diff_view import columns_as_json, edges_as_json
from headwater.lookup.text.amounts import count
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.read.frontier import BlindSpot, Frontier, blind_spots
from headwater.traversal.graph_diff import GraphDiff, LineageFlow, graph_diff

NOT_COMPARED = "Not compared: what expressions compute, and the values by which filters choose."
NOT_IN_SNAPSHOTS = NOT_COMPARED.replace(":", ": jobs, which snapshots do not name,")


class Loss(NamedTuple):
    """A column, or without one a table, that the change takes away: removed, renamed, retyped, or no longer written."""

    dataset: Name
    column: str
    change: str
    before: str | None = None
    after: str | None = None

    @property
    def node(self) -> str:
        return Column(self.dataset, self.column).node if self.column else node_id(NodeKind.DATASET, self.dataset)


@dataclass(frozen=True, slots=True)
class ChangeComparison:
    before: ChangeSide
    after: ChangeSide
    difference: GraphDiff

    @classmethod
    def of(cls, before: ChangeSide, after: ChangeSide) -> "ChangeComparison":
        """Raises CommandFailure if the sides have no dataset in common: nothing is compared in silence."""
        if not {*before.datasets} & {*after.datasets}:
            raise without_common_name(before.source, before.datasets, after.source, after.datasets)
        return cls(before, after, graph_diff(before.graph, after.graph))

    def losses(self) -> Iterator[Loss]:
        """What the change takes away of the tables that the jobs write. A source is as the test made it. In a snapshot
        a table that reads nothing may be a source, or be written from what the listener does not see."""
        was, will = (_written(side) for side in (self.before, self.after))
        for node in sorted(was - will - self.unfinished):
            if node not in self.after.names:
                yield Loss(self.before.names[node], "", "removed")
            elif self.after.names_jobs:
                yield Loss(self.before.names[node], "", "no longer written")
        for node in sorted(self.difference.changed.keys() & was & will):
            diff, name = self.difference.changed[node], self.before.names[node]
            yield from (Loss(name, column, "removed") for column in diff.removed)
            yield from (Loss(name, each.before, "renamed", after=each.after) for each in diff.renamed)
            yield from (
                Loss(name, each.name, "retyped", _text(each.before), _text(each.after)) for each in diff.retyped
            )

    @property
    def unfinished(self) -> set[str]:
        """The tables of jobs that failed after the change: what these lack is not known to be taken away."""
        if self.after.failed and not self.after.names_jobs:
            return {*self.before.names}  # which table is of which job is not known
        failed = {node_id(NodeKind.JOB, job) for job in self.after.failed}
        edges = self.before.graph.edges | self.after.graph.edges
        return {target for origin, target in edges if origin in failed}

    @property
    def frontier(self) -> Frontier:
        seen = {**self.before.names, **self.after.names}
        jobs = sum(node.startswith("job:") for node in seen)
        spots = [(spot, {*self.before.unseen.get(spot, ()), *self.after.unseen.get(spot, ())}) for spot in BlindSpot]
        return Frontier(jobs=jobs, datasets=len(seen) - jobs, unseen=blind_spots(*spots))

    def as_json(self) -> JsonObject:
        """The difference in the form of GET /diff, with the flows between columns."""
        found, frontier = self.difference, self.frontier
        jobs = f"{count(frontier.jobs, 'job')} and " if frontier.jobs else ""
        looked = f"It looked at {jobs}{count(frontier.datasets, 'dataset')}."
        sentence = f"{frontier.sentence or looked} {NOT_COMPARED if jobs else NOT_IN_SNAPSHOTS}"
        return {
            "before": {"source": self.before.source},
            "after": {"source": self.after.source},
            "nodes": {
                "added": [_named(self.after, node) for node in found.added],
                "removed": [_named(self.before, node) for node in found.removed],
                "changed": [self._changed(node) for node in sorted(found.changed)],
            },
            "edges": {"added": edges_as_json(found.edges_added), "removed": edges_as_json(found.edges_removed)},
            "flows": {"added": _flows(found.flows_added), "removed": _flows(found.flows_removed)},
            "frontier": {**frontier.as_json(), "sentence": sentence},
        }

    def _changed(self, node: str) -> JsonObject:
        columns = (side.graph.columns[node] or {} for side in (self.before, self.after))
        return {**_named(self.after, node), "columns": columns_as_json(self.difference.changed[node], *columns)}


def without_common_name(one: str, ours: list[str], other: str, theirs: list[str]) -> CommandFailure:
    """The failure of two sides that name no dataset alike."""
    named = [
        f"{source} has {', '.join(nodes[:3])}{', ...' * (len(nodes) > 3)}"
        for source, nodes in ((one, ours), (other, theirs))
    ]
    return CommandFailure(
        f"{one} and {other} have no dataset name in common; nothing was compared",
        "map the names of one to those of the other in the section `names` of headwater.yml",
        "`headwater ci --suggest-map` with the same arguments proposes a map",
        status=WRONG_COMMAND,
        listed=named,
    )


def _written(side: ChangeSide) -> set[str]:
    return {target for _, target in side.graph.edges if target.startswith("dataset:")}


def _named(side: ChangeSide, node: str) -> JsonObject:
    kind = NodeKind.JOB if node.startswith("job:") else NodeKind.DATASET
    return {"nodeId": node, "type": kind.value.upper(), **side.names[node].as_json()}


def _flows(flows: tuple[LineageFlow, ...]) -> list[JsonObject]:
    return [flow._asdict() for flow in flows]


def _text(kind: Any) -> str | None:
    return kind if isinstance(kind, str) else None
