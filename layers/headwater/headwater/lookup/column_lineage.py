"""GET /column-lineage: which columns a column comes from, and with `withDownstream`, which come from it.

The mappings are what each job that ever wrote a dataset, or a DatasetEvent, said of it last. Three reads a hop:
datasets with their neighbours, jobs, column lineage.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, dataset_id
from headwater.graph.job import JobHead
from headwater.lookup import shapes
from headwater.lookup.columns import Column, Steps, flows, indirects, transformation
from headwater.lookup.names import Kind, Node
from headwater.lookup.reader import Reader
from headwater.openlineage.event import Name

MAX_NODES = 10_000


class _Known:
    """What the answer knows so far, read hop by hop."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.into: dict[Column, dict[Column, Steps]] = defaultdict(dict)
        self.out_of: dict[Column, set[Column]] = defaultdict(set)
        self.indirect: dict[tuple[Name, Column], Steps] = {}
        self.read_writers: set[NodeId] = set()
        self.read_readers: set[NodeId] = set()

    def read_upstream(self, datasets: Collection[Name]) -> None:
        """The mappings into the columns of these datasets."""
        unread = {dataset_id(each) for each in datasets} - self.read_writers
        self.read_writers |= unread
        heads, neighbours = self.reader.datasets_with_neighbours(unread)
        jobs = self.reader.jobs({job for each in neighbours.values() for job in each.writers})
        self._add(heads, jobs.values())

    def read_downstream(self, datasets: Collection[Name]) -> None:
        """The mappings out of the columns of these datasets."""
        unread = {dataset_id(each) for each in datasets} - self.read_readers
        self.read_readers |= unread
        _, neighbours = self.reader.datasets_with_neighbours(unread)
        jobs = self.reader.jobs({job for each in neighbours.values() for job in each.readers})
        written = {dataset for head in jobs.values() for dataset, seen in head.facts.seen.items() if seen.writes}
        self._add(self.reader.datasets(written), jobs.values())

    def _add(self, datasets: Mapping[NodeId, DatasetHead], jobs: Collection[JobHead]) -> None:
        """What these jobs, or DatasetEvents, say of these datasets' columns."""
        said = {
            (dataset, register.value)
            for dataset, head in datasets.items()
            for register in [head.column_lineage, *(job.column_lineage(dataset) for job in jobs)]
            if register
        }
        for (dataset, _), facet in sorted(self.reader.column_lineage(said).items(), key=lambda each: each[0]):
            name = datasets[dataset].facts.name
            for flow in flows(name, facet):
                _unite(self.into[flow.output].setdefault(flow.source, []), flow.steps)
                self.out_of[flow.source].add(flow.output)
            for indirect in indirects(name, facet):
                _unite(self.indirect.setdefault((indirect.output, indirect.source), []), indirect.steps)


def _unite(steps: Steps, more: Steps) -> None:
    steps += [step for step in more if step not in steps]


def column_lineage(reader: Reader, start: Node, depth: int, *, with_downstream: bool) -> dict[str, Any]:
    """The columns up to `depth` steps from a column, from a dataset's columns, or from those of a job's outputs.

    Upstream and downstream are walked apart: what else flows into a downstream column is not part of the answer.
    """
    known = _Known(reader)
    datasets = _datasets(reader, start)
    known.read_upstream(datasets)
    if with_downstream:
        known.read_downstream(datasets)
    begin = {Column(start.name, start.field)} if start.field is not None else _columns(known, datasets)
    found = _reached(begin, depth, known.into, known.read_upstream)
    if with_downstream:
        found |= _reached(begin, depth, known.out_of, known.read_downstream)
    return _answer(reader, known, found, start=begin)


def _reached(
    begin: set[Column], depth: int, edges: Mapping[Column, Iterable[Column]], read: Callable[[Collection[Name]], None]
) -> set[Column]:
    found, frontier = set(begin), set(begin)
    for hop in range(depth):
        frontier = {column for each in frontier for column in edges.get(each, ())} - found
        found |= frontier
        if not frontier or len(found) > MAX_NODES or hop == depth - 1:
            break
        read({column.dataset for column in frontier})
    return found


def _datasets(reader: Reader, start: Node) -> list[Name]:
    if start.kind is not Kind.JOB:
        return [start.name]
    outputs = reader.jobs([start.id])[start.id].current.outputs
    return [head.facts.name for head in reader.datasets(outputs).values()]


def _columns(known: _Known, datasets: Iterable[Name]) -> set[Column]:
    """The columns of datasets that have lineage on either side."""
    of = set(datasets)
    return {column for column in [*known.into, *known.out_of] if column.dataset in of}


def _answer(reader: Reader, known: _Known, found: set[Column], *, start: set[Column]) -> dict[str, Any]:
    datasets = reader.datasets({dataset_id(column.dataset) for column in found})
    heads = {head.facts.name: head for head in datasets.values()}
    types = {
        Column(name, field["name"]): field.get("type")
        for name, head in heads.items()
        for field in shapes.fields_of(head.schema)
    }
    lone = {column for column in start if not known.into.get(column) and not known.out_of.get(column)}
    nodes = []
    for column in sorted(found - lone, key=lambda each: each.node):
        sources = {source: steps for source, steps in known.into.get(column, {}).items() if source in found}
        all_steps = [step for steps in sources.values() for step in steps]
        data = {
            "namespace": column.dataset.namespace,
            "dataset": column.dataset.name,
            "datasetVersion": None,
            "field": column.field,
            "fieldType": types.get(column) or "",
            **transformation(all_steps),
            "inputFields": [_source(source, steps) for source, steps in sorted(sources.items())],
        }
        targets = known.out_of.get(column, set()) & found
        nodes.append(
            {
                "id": column.node,
                "type": "DATASET_FIELD",
                "data": data,
                "inEdges": [{"origin": column.node, "destination": source.node} for source in sorted(sources)],
                "outEdges": [{"origin": column.node, "destination": target.node} for target in sorted(targets)],
            }
        )
    answer: dict[str, Any] = {"graph": nodes, "indirect": _indirect(known, {column.dataset for column in found})}
    return answer | {"truncated": True} if len(found) > MAX_NODES else answer


def _source(source: Column, steps: Steps) -> dict[str, Any]:
    return {
        "namespace": source.dataset.namespace,
        "dataset": source.dataset.name,
        "datasetVersion": None,
        "field": source.field,
        **transformation(steps),
        "transformations": steps,
    }


def _indirect(known: _Known, datasets: set[Name]) -> list[dict[str, Any]]:
    """The inputs that bear on whole datasets, each once: apart from the columns, not multiplied by them."""
    return [
        {
            "namespace": output.namespace,
            "dataset": output.name,
            "inputField": {
                "namespace": source.dataset.namespace,
                "dataset": source.dataset.name,
                "field": source.field,
                "transformations": steps,
            },
        }
        for (output, source), steps in sorted(known.indirect.items(), key=lambda each: each[0])
        if output in datasets
    ]
