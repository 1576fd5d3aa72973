"""What the graph knows of tables that goes into their parameters: one hop up and down, read for many tables at once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from headwater.catalog.flows import Flow, known_flows
from headwater.catalog.identity import TableRef
from headwater.catalog.resolver import Resolver
from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, version_of_schema
from headwater.graph.job import JobHead
from headwater.graph.neighbours import NOBODY, Side
from headwater.openlineage.event import Name
from headwater.read.reader import Neighbourhood, Reader

MAX_JOBS = 500
"""Readers or writers of a table that are looked at."""


@dataclass(frozen=True, slots=True)
class TableLineage:
    """A table in the graph: the labels of what it is made of and what is made of it, and the newest run that wrote it.

    `name` is what the graph calls it.
    """

    name: Name
    upstream: tuple[str, ...]
    downstream: tuple[str, ...]
    last_run: str | None
    schema_version: str | None


def read_lineage(
    reader: Reader, resolver: Resolver, tables: Mapping[TableRef, Collection[NodeId]]
) -> dict[TableRef, TableLineage]:
    """The lineage of tables, each of which goes by some ids; of those that the graph does not know, nothing."""
    neighbourhood = reader.neighbourhood({each for ids in tables.values() for each in ids})
    near = {
        table: {_one(neighbourhood, each) for each in ids} & neighbourhood.heads.keys() for table, ids in tables.items()
    }
    near = {table: known for table, known in near.items() if known}
    users = {
        job for ids in near.values() for dataset in ids for side in Side for job in _some(neighbourhood, dataset, side)
    }
    jobs = reader.jobs(users, usages=False)
    through = known_flows(reader, jobs)
    ends = {each for flows in through.values() for flow in flows for each in flow if each}
    beyond = reader.neighbourhood(ends, ())
    return {table: _Table(resolver, neighbourhood, beyond, jobs, through, ids).lineage() for table, ids in near.items()}


def adjacent(reader: Reader, datasets: Collection[NodeId]) -> dict[NodeId, set[NodeId]]:
    """The datasets that each of some is made of, and that are made of it."""
    neighbourhood = reader.neighbourhood(datasets) if datasets else Neighbourhood()
    users = {
        each: {job for side in Side for job in _some(neighbourhood, _one(neighbourhood, each), side)}
        for each in datasets
    }
    jobs = reader.jobs({job for of_dataset in users.values() for job in of_dataset}, usages=False)
    through = known_flows(reader, jobs)
    found: dict[NodeId, set[NodeId]] = {}
    for dataset, of_dataset in users.items():
        flows = {flow for job in of_dataset & jobs.keys() for flow in through[job]}
        touching = [
            flow
            for flow in flows
            if any(each and _one(neighbourhood, each) == _one(neighbourhood, dataset) for each in flow)
        ]
        found[dataset] = {each for flow in touching for each in flow if each}
    return found


@dataclass(frozen=True, slots=True)
class _Table:
    """One table, `ids`, in what was read for all."""

    resolver: Resolver
    neighbourhood: Neighbourhood
    beyond: Neighbourhood
    jobs: Mapping[NodeId, JobHead]
    through: Mapping[NodeId, frozenset[Flow]]
    ids: Collection[NodeId]

    def lineage(self) -> TableLineage:
        made = {flow for job in self._users(Side.WRITES) for flow in self.through[job] if self._is_here(flow[1])}
        makes = {flow for job in self._users(Side.READS) for flow in self.through[job] if self._is_here(flow[0])}
        heads = sorted((self.neighbourhood.heads[each] for each in self.ids), key=lambda head: head.facts.name)
        digest = next((head.schema_digest for head in heads if head.schema_digest), None)
        return TableLineage(
            heads[0].facts.name,
            self._labels(source for source, _ in made),
            self._labels(output for _, output in makes),
            self._last_run(),
            version_of_schema(digest) if digest else None,
        )

    def _users(self, side: Side) -> list[NodeId]:
        of_side = {job for each in self.ids for job in _some(self.neighbourhood, each, side)}
        return sorted(of_side & self.jobs.keys())

    def _is_here(self, dataset: NodeId | None) -> bool:
        return dataset is not None and _one(self.neighbourhood, dataset) in self.ids

    def _labels(self, datasets: Iterable[NodeId | None]) -> tuple[str, ...]:
        others = {_one(self.beyond, each) for each in datasets if each and not self._is_here(each)}
        heads: list[DatasetHead] = [self.beyond.heads[each] for each in others if each in self.beyond.heads]
        return tuple(sorted({self.resolver.label(head) for head in heads}))

    def _last_run(self) -> str | None:
        """The newest run that wrote it, by what its writers do now."""
        current = [self.jobs[job].current for job in self._users(Side.WRITES)]
        runs = [edges for edges in current if edges.run_id and any(map(self._is_here, edges.output_ids))]
        return max(runs, key=lambda edges: edges[:2]).run_id if runs else None


def _one(neighbourhood: Neighbourhood, dataset: NodeId) -> NodeId:
    return neighbourhood.same.get(dataset, dataset)


def _some(neighbourhood: Neighbourhood, dataset: NodeId, side: Side) -> Sequence[NodeId]:
    return sorted(neighbourhood.users.get(dataset, NOBODY)[side])[:MAX_JOBS]
