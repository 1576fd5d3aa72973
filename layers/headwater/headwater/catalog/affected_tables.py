"""The datasets whose tables may need other parameters after changes in the stream.

A job's head changes with every run, but usually only in its newest run, which affects no table. A late event of an
older run changes no head, yet that run may now be the last complete one, so completed runs are followed, too.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from headwater.catalog.flows import affects_tables, flows
from headwater.graph.facets.dataset_reference import SYMLINKS
from headwater.graph.names.identity import DatasetId, JobId, dataset_id, job_id
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.edges import Edges
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NeighbourPage
from headwater.graph.states.normalised_event import FirstWriter
from headwater.graph.states.run import Run, RunState
from headwater.graph.states.stored_states import KnownAlias
from headwater.openlineage.event import Name
from headwater.store.stream_records import StateChange

KINDS = ("job", "dataset", "neighbours", "alias", "run")
"""The kinds of items whose changes can affect a table. template.yaml filters the stream by these kinds, and lets
through only runs that are COMPLETED."""
_STAGED = {"temporary", "model"}
"""Rules of naming for paths of data that is still being written: such a path is not a partition yet."""


@dataclass
class AffectedTables:
    """The affected datasets, with the sequence numbers of the records that affect each, and the written partitions.

    relabelled   datasets that are new, renamed or deleted: the parameters of tables one hop away name these datasets
    partitions   for each dataset, the paths of partitions, each with its first writer
    jobs         jobs whose flows have changed: the datasets of their newest runs are affected, too
    completed    jobs with a run that has ended: their flows have changed if a newer run is open

    The fold stores a dataset after the jobs that use the dataset. A window may end in between, so a dataset may come in
    a later window than its jobs.
    """

    datasets: dict[DatasetId, set[str]] = field(default_factory=lambda: defaultdict(set))
    relabelled: dict[DatasetId, set[str]] = field(default_factory=lambda: defaultdict(set))
    partitions: dict[DatasetId, dict[Name, FirstWriter]] = field(default_factory=lambda: defaultdict(dict))
    jobs: dict[JobId, set[str]] = field(default_factory=lambda: defaultdict(set))
    completed: dict[JobId, set[str]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, changes: Iterable[StateChange]) -> "AffectedTables":
        affected = cls()
        for change in changes:
            affected._add(change)
        return affected

    def _add(self, change: StateChange) -> None:
        match change.after:
            case JobHead() as job:
                self._add_job(change, job)
            case Run() as run:
                self._add_run(change, run)
            case DatasetHead() as dataset:
                self._add_dataset(change, dataset)
            case NeighbourPage() as page:
                self._add_neighbours(change, page)
            case KnownAlias() as alias:
                self._add_partition(change, alias)

    def _add_job(self, change: StateChange, job: JobHead) -> None:
        before: JobHead | None = change.before
        if not change.is_rewrite and affects_tables(before, job):
            edges = [job.current, *([before.current] if before else [])]
            self._mark({dataset for used in edges for flow in flows(used) for dataset in flow if dataset}, change)
            if before:
                self.jobs[job_id(job.facts.name)].add(change.sequence)

    def _add_run(self, change: StateChange, run: Run) -> None:
        before: Run | None = change.before
        is_known = before is not None and (before.state, Edges.of(before)) == (run.state, Edges.of(run))
        if run.state is RunState.COMPLETED and run.names_datasets and not is_known:
            self.completed[run.id.job].add(change.sequence)

    def _add_dataset(self, change: StateChange, head: DatasetHead) -> None:
        before: DatasetHead | None = change.before
        dataset = dataset_id(head.facts.name)
        is_relabelled = _label(head) != _label(before)
        if is_relabelled:
            self.relabelled[dataset].add(change.sequence)
        if is_relabelled or before is None or head.schema_digest != before.schema_digest:
            self._mark({dataset}, change)

    def _add_neighbours(self, change: StateChange, page: NeighbourPage) -> None:
        """Links to other names of the dataset, which a late event of an older run may bring without a new head; and
        jobs, which come after the head of the job if the fold of its run was interrupted and another one went on. The
        head of a dataset with its first job comes later."""
        before: NeighbourPage = change.before or NeighbourPage(page.id)
        is_relinked = (page.linked, page.merged) != (before.linked, before.merged)
        if is_relinked:
            self.relabelled[page.id.dataset].add(change.sequence)
        if is_relinked or (page.jobs != before.jobs and (change.before or page.id.prefix)):
            self._mark({page.id.dataset}, change)

    def _add_partition(self, change: StateChange, known: KnownAlias) -> None:
        before: KnownAlias | None = change.before
        rules, is_known = known.alias.rules, before is not None and before.writing == known.writing
        if known.writing and not is_known and "partition" in rules and not _STAGED & set(rules):
            self.partitions[known.id.dataset][known.alias.sent] = known.writing
            self._mark({known.id.dataset}, change)

    def __bool__(self) -> bool:
        return bool(self.datasets or self.jobs or self.completed)

    @property
    def records(self) -> set[str]:
        """The sequence numbers of all records that affect a table."""
        return set().union(*self.datasets.values(), *self.jobs.values(), *self.completed.values())

    def mark(self, datasets: Iterable[DatasetId], sequences: Iterable[str]) -> None:
        for dataset in datasets:
            self.datasets[dataset].update(sequences)

    def _mark(self, datasets: Iterable[DatasetId], change: StateChange) -> None:
        self.mark(datasets, [change.sequence])


def _label(head: DatasetHead | None) -> Any:
    """The members of a head that decide the dataset's table, and its label in the parameters of other tables."""
    return (head.facts.name, head.facets.get(SYMLINKS), head.is_deleted) if head else None
