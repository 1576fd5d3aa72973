"""The ground truth of a generated graph: what a right answer of a lineage server has."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmarks.graph import Job, LayeredGraph, columns
from benchmarks.spark_events import JOBS, LAKE


def job_node(job: Job) -> str:
    return f"job:{JOBS}:{job.name}"


def dataset_node(name: str) -> str:
    return f"dataset:{LAKE}:{name}"


@dataclass(frozen=True)
class Truth:
    """Checks answers against a graph. Each check returns what is wrong, or an empty text."""

    graph: LayeredGraph

    def lineage(self, job: Job, depth: int, answer: Any) -> str:
        """A lineage answer must have every node within `depth` edges, and no node that is not connected. A server may
        count a job with its datasets as one step, and then has more nodes."""
        nodes = {node["id"] for node in answer["graph"]}
        start = job_node(job)
        if missing := self.within(start, depth) - nodes:
            return f"lacks {len(missing)} nodes within {depth} edges, such as {min(missing)}"
        if unknown := nodes - self.within(start, None):
            return f"has {len(unknown)} nodes that are not connected, such as {min(unknown)}"
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

    def within(self, start: str, edges: int | None) -> set[str]:
        """The nodes that are connected with a node by at most so many edges; None: by any number of edges."""
        reached, level, steps = {start}, {start}, 0
        while level and (edges is None or steps < edges):
            level = {node for known in level for node in self._neighbours[known]} - reached
            reached |= level
            steps += 1
        return reached

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
