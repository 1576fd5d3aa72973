"""The claims of jobs about one dataset, joined: what the dataset's head copies from the heads of the dataset's jobs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from headwater.graph.facets.dataset_reference import schema_register
from headwater.graph.facets.register import Register, Registers, join_registers
from headwater.graph.facets.schema import with_words
from headwater.graph.names.identity import DatasetId, JobId
from headwater.graph.states.dataset import DatasetFacts, DatasetHead, first_users, with_newest_facets, without_schema
from headwater.graph.states.job import JobHead
from headwater.openlineage.instant import NEVER, Instant


@dataclass(frozen=True, slots=True)
class DatasetClaims:
    """The claims of some of a dataset's jobs.

    facets     the newest facet of each name
    written    the newest schema with which one of the jobs wrote the dataset
    columns    the digests of the column lineage that each job claims; a deleted job claims none
    users      a few of the jobs, writers first
    last       the time of the last event that names the dataset, with the right to write it
    last_write the time of the last event of a job that writes the dataset
    """

    facets: Registers = field(default_factory=dict)
    written: Register | None = None
    columns: Mapping[JobId, tuple[str, ...]] = field(default_factory=dict)
    users: tuple[tuple[int, JobId], ...] = ()
    last: Instant = NEVER
    last_write: Instant = NEVER

    @classmethod
    def of(cls, head: JobHead, dataset: DatasetId) -> "DatasetClaims":
        """The claims of one job that has used the dataset."""
        job, usage = head.facts.id, head.facts.usages[dataset]
        columns = () if head.facts.is_deleted else tuple(head.column_lineages(dataset))
        return cls(
            with_words(usage.facets),
            usage.wrote,
            {job: columns} if columns else {},
            ((int(not usage.writes), job),) if usage.last else (),
            usage.last,
            usage.last if usage.writes else NEVER,
        )

    def join(self, other: "DatasetClaims") -> "DatasetClaims":
        return DatasetClaims(
            join_registers(self.facets, other.facets),
            self.written.join(other.written) if self.written else other.written,
            {**self.columns, **other.columns},
            first_users([*self.users, *other.users]),
            max(self.last, other.last),
            max(self.last_write, other.last_write),
        )

    def head(self, facts: DatasetFacts) -> DatasetHead:
        """The dataset's head by the claims of all its jobs and by its facts; the schema of a digest is left to the
        caller. The schema of a registry counts before the schemas of jobs (facets/schema.py)."""
        own, claimed, written = schema_register(facts.own), self.facets, self.written
        if facts.has_registered_schema:
            claimed, written = without_schema(claimed), own
        elif own:
            written = own.join(written)
        head = DatasetHead(
            facts,
            written=written.value if written else None,
            columns=dict(sorted(self.columns.items())),
            users=self.users,
        )
        head = with_newest_facets(head, [claimed, facts.own])
        return head.with_deletion(max(self.last, facts.described), max(self.last_write, facts.described))
