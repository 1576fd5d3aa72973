"""The ground truth of a generated graph: what a right answer of a lineage server has."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmarks.graph import Graph, Job, columns
from benchmarks.spark_events import JOBS, LAKE


def job_node(job: Job) -> str:
    return f"job:{JOBS}:{job.name}"


def dataset_node(name: str) -> str:
    return f"dataset:{LAKE}:{name}"


@dataclass(frozen=True)
class Truth:
    """Checks answers against a graph. Each check returns what is wrong, or an empty text."""

    graph: Graph

    def lineage(self, job: Job, depth: int, answer: Any) -> str:
        """A lineage answer must have the direct neighbours, nothing that is not connected, and at the full depth
        every node that can be reached. Servers count the steps of a depth in different ways."""
        nodes = {node["id"] for node in answer["graph"]}
        start = job_node(job)
        near = {start} | self._neighbours[start]
        if missing := near - nodes:
            return f"lacks {len(missing)} direct neighbours, such as {min(missing)}"
        reachable = self.reachable(start)
        if unknown := nodes - reachable:
            return f"has {len(unknown)} nodes that are not connected, such as {min(unknown)}"
        if depth >= self.height and (missing := reachable - nodes):
            return f"lacks {len(missing)} of {len(reachable)} nodes, such as {min(missing)}"
        return ""

    def job(self, job: Job, answer: Any) -> str:
        return _differs("inputs", {dataset.name for dataset in job.inputs}, _names(answer["inputs"])) or _differs(
            "outputs", {job.output.name}, _names(answer["outputs"])
        )

    def dataset(self, job: Job, answer: Any) -> str:
        return _differs("fields", set(columns(job.output)), {field["name"] for field in answer["fields"]})

    def listed(self, kind: str, limit: int, answer: Any) -> str:
        known = {"jobs": {job.name for job in self.graph.jobs}, "datasets": self._datasets}[kind]
        names = _names(answer[kind])
        if len(answer[kind]) != min(limit, len(known)):
            return f"has {len(answer[kind])} {kind}, expected {min(limit, len(known))}"
        return f"has unknown {kind}, such as {min(names - known)}" if names - known else ""

    def column_lineage(self, job: Job, answer: Any) -> str:
        """Each column of the job's output must have its direct inputs among the edges."""
        edges = {
            (edge["origin"], edge["destination"])
            for node in answer["graph"]
            for edge in [*node.get("inEdges", ()), *node.get("outEdges", ())]
        }
        linked = edges | {(destination, origin) for origin, destination in edges}
        for flow in job.flows:
            output = f"datasetField:{LAKE}:{job.output.name}:{flow.column}"
            for source, column in flow.sources:
                pair = (f"datasetField:{LAKE}:{source.name}:{column}", output)
                if pair not in linked:
                    return f"lacks the edge from {pair[0]} to {flow.column}"
        return ""

    def reachable(self, start: str) -> set[str]:
        """All nodes upstream and downstream of a node, in the way in which a walk through both directions finds them:
        every node that is connected."""
        reached, level = {start}, {start}
        while level:
            level = {node for known in level for node in self._neighbours[known]} - reached
            reached |= level
        return reached

    @cached_property
    def height(self) -> int:
        """More steps than any shortest path between two nodes needs."""
        return 2 * len({job.output.layer for job in self.graph.jobs})

    @cached_property
    def _neighbours(self) -> Mapping[str, set[str]]:
        neighbours: defaultdict[str, set[str]] = defaultdict(set)
        for job in self.graph.jobs:
            for dataset in (*job.inputs, job.output):
                neighbours[job_node(job)].add(dataset_node(dataset.name))
                neighbours[dataset_node(dataset.name)].add(job_node(job))
        return neighbours

    @cached_property
    def _datasets(self) -> set[str]:
        return {dataset.name for job in self.graph.jobs for dataset in (*job.inputs, job.output)}


def _names(documents: Iterable[Mapping[str, Any]]) -> set[str]:
    return {document["name"] for document in documents}


def _differs(what: str, expected: set[str], found: set[str]) -> str:
    if expected == found:
        return ""
    return f"{what} differ in {', '.join(sorted(expected ^ found)[:3])}"
