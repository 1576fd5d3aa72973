"""The lineage of tables, for their parameters: one hop upstream and one downstream, read for many tables at once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from headwater.catalog.flows import Flow, known_flows, last_complete
from headwater.catalog.identity import TableRef
from headwater.catalog.resolver import Resolver
from headwater.graph.names.identity import DatasetId, JobId, version_of_schema
from headwater.graph.states.generation import Generation
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Side
from headwater.openlineage.event import Name
from headwater.read.neighbourhood import Neighbourhood
from headwater.read.reader import Reader

MAX_JOBS = 500
"""Readers or writers of a table that are read."""


@dataclass(frozen=True, slots=True)
class TableLineage:
    """The lineage of a table.

    name            the name of the table's dataset
    upstream        the labels of the datasets that the table is made of
    downstream      the labels of the datasets that are made of the table
    last_run        the newest run that wrote the table
    schema_version  the version of the table's schema
    """

    name: Name
    upstream: tuple[str, ...]
    downstream: tuple[str, ...]
    last_run: str | None
    schema_version: str | None


def read_lineage(
    reader: Reader, resolver: Resolver, tables: Mapping[TableRef, Collection[DatasetId]]
) -> dict[TableRef, TableLineage]:
    """The lineage of the tables whose datasets are in the graph. Each table comes with the ids of its datasets."""
    neighbourhood = reader.neighbourhood({dataset for ids in tables.values() for dataset in ids})
    known = {
        table: {neighbourhood.representative(dataset) for dataset in ids} & neighbourhood.heads.keys()
        for table, ids in tables.items()
    }
    users = {job for ids in known.values() for dataset in ids for job in _users(neighbourhood, dataset)}
    jobs = reader.jobs(users, usages=False)
    complete = last_complete(reader, jobs)
    flows = known_flows(jobs, complete)
    ends = {dataset for of_job in flows.values() for flow in of_job for dataset in flow if dataset}
    one_hop = reader.neighbourhood(ends, ())
    return {
        table: _GlueTable(resolver, neighbourhood, one_hop, jobs, complete, flows, ids).lineage()
        for table, ids in known.items()
        if ids
    }


def adjacent(reader: Reader, datasets: Collection[DatasetId]) -> dict[DatasetId, set[DatasetId]]:
    """For each dataset, the datasets one hop upstream and one hop downstream."""
    neighbourhood = reader.neighbourhood(datasets) if datasets else Neighbourhood()
    users = {dataset: _users(neighbourhood, neighbourhood.representative(dataset)) for dataset in datasets}
    jobs = reader.jobs({job for of_dataset in users.values() for job in of_dataset}, usages=False)
    flows = known_flows(jobs, last_complete(reader, jobs))
    adjacent_to: dict[DatasetId, set[DatasetId]] = {}
    for dataset, of_dataset in users.items():
        representative = neighbourhood.representative(dataset)
        through = {flow for job in of_dataset & jobs.keys() for flow in flows[job]}
        touching = [
            flow for flow in through if any(end and neighbourhood.representative(end) == representative for end in flow)
        ]
        adjacent_to[dataset] = {end for flow in touching for end in flow if end}
    return adjacent_to


@dataclass(frozen=True, slots=True)
class _GlueTable:
    """A table in the graph that was read for all tables. `ids` are its datasets, `one_hop` those one hop away."""

    resolver: Resolver
    neighbourhood: Neighbourhood
    one_hop: Neighbourhood
    jobs: Mapping[JobId, JobHead]
    complete: Mapping[JobId, Generation]
    flows: Mapping[JobId, frozenset[Flow]]
    ids: Collection[DatasetId]

    def lineage(self) -> TableLineage:
        heads = sorted((self.neighbourhood.heads[dataset] for dataset in self.ids), key=lambda head: head.facts.name)
        digest = next((head.schema_digest for head in heads if head.schema_digest), None)
        return TableLineage(
            name=heads[0].facts.name,
            upstream=self._ends(Side.WRITES),
            downstream=self._ends(Side.READS),
            last_run=self._last_run(),
            schema_version=version_of_schema(digest) if digest else None,
        )

    def _ends(self, side: Side) -> tuple[str, ...]:
        """The labels of the other ends of flows through the jobs on a side of the table. Those of jobs alone that only
        may use their inputs say so."""
        own, other = (1, 0) if side is Side.WRITES else (0, 1)
        ends: dict[bool, set[DatasetId | None]] = {False: set(), True: set()}
        for job in self._users(side):
            found = [flow[other] for flow in self.flows[job] if self._is_table(flow[own])]
            ends[self.jobs[job].reads_candidates].update(found)
        certain = self._labels(ends[False])
        return tuple(sorted({*certain, *(f"{label} (possibly)" for label in self._labels(ends[True]) - certain)}))

    def _users(self, side: Side) -> list[JobId]:
        users = {job for dataset in self.ids for job in _users_on(self.neighbourhood, dataset, side)}
        return sorted(users & self.jobs.keys())

    def _is_table(self, dataset: DatasetId | None) -> bool:
        return dataset is not None and self.neighbourhood.representative(dataset) in self.ids

    def _labels(self, datasets: Iterable[DatasetId | None]) -> set[str]:
        """The labels of the datasets, without the datasets of the table itself."""
        others = {
            self.one_hop.representative(dataset) for dataset in datasets if dataset and not self._is_table(dataset)
        }
        heads = [self.one_hop.heads[dataset] for dataset in others if dataset in self.one_hop.heads]
        return {self.resolver.label(head) for head in heads}

    def _last_run(self) -> str | None:
        """The newest run of the table's writers that wrote the table, of those that went well; without any, of those
        that are open, and then of those that failed."""
        writers = self._users(Side.WRITES)
        known = [(job not in self.complete, self.jobs[job].generation) for job in writers]
        known += [(True, self.complete[job]) for job in writers if job in self.complete]
        wrote = [
            (0 if run.has_failed else 1 + is_complete, run.order)
            for is_complete, generation in known
            for run in generation.runs
            if run.edges.run_id and any(map(self._is_table, run.edges.output_ids))
        ]
        return max(wrote)[1].run_id if wrote else None


def _users(neighbourhood: Neighbourhood, dataset: DatasetId) -> set[JobId]:
    return {job for side in Side for job in _users_on(neighbourhood, dataset, side)}


def _users_on(neighbourhood: Neighbourhood, dataset: DatasetId, side: Side) -> Sequence[JobId]:
    return sorted(neighbourhood.users.get(dataset, NO_NEIGHBOURS)[side])[:MAX_JOBS]
