"""The claims of jobs about a dataset: facets, the schema that a job wrote, column lineage."""

from collections.abc import Mapping
from functools import reduce

from headwater.graph.facets.dataset_reference import schema_register
from headwater.graph.facets.register import Register, Registers
from headwater.graph.facets.schema import columns_among, fields_of
from headwater.graph.names.identity import DatasetId, JobId
from headwater.graph.states.dataset import KEPT_USERS, DatasetFacts, DatasetHead, without_schema
from headwater.graph.states.dataset_claims import DatasetClaims
from headwater.graph.states.job import JobHead
from headwater.openlineage.instant import Instant


class JobClaims:
    """The claims about one dataset, of all its jobs or of the jobs of a batch."""

    def __init__(self, dataset: DatasetId, jobs: Mapping[JobId, JobHead]) -> None:
        self.dataset = dataset
        self.heads = {job: head for job, head in jobs.items() if dataset in head.facts.usages}
        self.usages = {job: head.facts.usages[dataset] for job, head in self.heads.items()}

    def columns(self) -> dict[JobId, tuple[str, ...]]:
        """The digests of the column lineage that each job claims. A deleted job claims none."""
        present = {job: head for job, head in sorted(self.heads.items()) if not head.facts.is_deleted}
        digests = {job: tuple(head.column_lineages(self.dataset)) for job, head in present.items()}
        return {job: of_job for job, of_job in digests.items() if of_job}

    def copied_by(self) -> dict[JobId, bool]:
        """The jobs with column lineage that the dataset's head copies, or leaves out since the job is deleted
        (True)."""
        return {job: head.facts.is_deleted for job, head in self.heads.items() if head.column_lineages(self.dataset)}

    def users(self) -> list[tuple[int, JobId]]:
        """The jobs, each with 0 if it writes the dataset, else 1. Jobs whose events only name the dataset do not
        count."""
        return [(int(not usage.writes), job) for job, usage in self.usages.items() if usage.last]

    def head(self, facts: DatasetFacts) -> DatasetHead:
        """The dataset's head by these claims and by its facts; the schema of a digest is left to the caller."""
        claims = (DatasetClaims.of(head, self.dataset) for head in self.heads.values())
        return reduce(DatasetClaims.join, claims, DatasetClaims()).head(facts)

    def contradict(self, head: DatasetHead, facts: DatasetFacts, used: Instant) -> bool:
        """Whether the head differs from these claims. If so, the claims of all its jobs are needed.

        `used` is the last event time that names the dataset: a newer event brings a deleted dataset back.
        """
        through, columns = head.ended_through, self.columns()
        return (
            any(head.disagrees_with(claimed) for claimed in self._claimed(facts))
            or head.disagrees_with(facts.own)
            or (head.was_written_otherwise(self._schemas_written(facts)) and not self._have_all_writers(head))
            or any(head.columns.get(job) != columns.get(job) for job in self.heads)
            or (head.is_deleted and through is not None and used > through)
            or self._withdraw_schema(head, facts, used)
        )

    def written(self, head: DatasetHead, facts: DatasetFacts) -> str | None:
        """The digest of the schema with which the dataset was last written, if these claims do not contradict the
        head: either they are those of all writers, or they say what the head has."""
        written = self._schemas_written(facts)
        newest = max(written, key=lambda register: register.stamp, default=None)
        return newest.value if newest and self._have_all_writers(head) else head.written

    def _have_all_writers(self, head: DatasetHead) -> bool:
        """Whether no other job has ever written the dataset. A head keeps a few users, writers first."""
        writers = {job for rank, job in head.users if rank == 0}
        return len(writers) < KEPT_USERS and writers <= self.heads.keys()

    def _withdraw_schema(self, head: DatasetHead, facts: DatasetFacts, used: Instant) -> bool:
        """Whether the head may have a schema that none of its jobs claims any more: an older release took the columns
        of one query for all of them. Either these are all jobs of the dataset, or one of them has just read a column
        that is not in the schema."""
        claimed = [*(usage.facets for usage in self.usages.values()), facts.own]
        if head.schema_digest in (None, head.written) or any(map(schema_register, claimed)):
            return False
        are_all = len(head.users) < KEPT_USERS and {job for _, job in head.users} <= self.heads.keys()
        known = {field["name"] for field in fields_of(head.schema)}
        newest = ({name: each for name, each in facets.items() if each.time >= used} for facets in claimed)
        return are_all or any(columns_among(facets).keys() - known for facets in newest)

    def _schemas_written(self, facts: DatasetFacts) -> list[Register]:
        """The schemas with which the dataset was written, by these jobs and by DatasetEvents."""
        own = schema_register(facts.own)
        if facts.has_registered_schema:
            return [own] if own else []
        written = [usage.wrote for usage in self.usages.values()]
        return [register for register in (*written, own) if register]

    def _claimed(self, facts: DatasetFacts) -> list[Registers]:
        """The facets of each job, without schemas that do not count."""
        claimed = [usage.facets for usage in self.usages.values()]
        return [without_schema(facets) for facets in claimed] if facts.has_registered_schema else claimed
