"""Reads nodes by their ids: one BatchGetItem for up to a hundred."""

from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Any

from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId
from headwater.graph.job import JobHead
from headwater.graph.mention import DatasetUse
from headwater.graph.neighbours import ROOT, Neighbours
from headwater.graph.run import Run, joined
from headwater.store import keys, records
from headwater.store.keys import Key
from headwater.store.pages import read_pages
from headwater.store.table import Table


class Reader:
    """The table as questions see it."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def jobs(self, ids: Collection[NodeId]) -> dict[NodeId, JobHead]:
        """The heads of jobs that are known; an edge may be stored a moment before its job."""
        items = self.table.read([keys.job_head(job) for job in ids])
        return {keys.node_of(key.pk): records.read_job(item) for key, item in items.items()}

    def datasets(self, ids: Collection[NodeId]) -> dict[NodeId, DatasetHead]:
        """The heads of datasets that are known."""
        items = self.table.read([keys.dataset_head(dataset) for dataset in ids])
        return {keys.node_of(key.pk): records.read_dataset(item) for key, item in items.items()}

    def datasets_with_neighbours(
        self, ids: Collection[NodeId]
    ) -> tuple[dict[NodeId, DatasetHead], dict[NodeId, Neighbours]]:
        """The heads of datasets and who reads and writes them, in one read unless a dataset has many neighbours."""
        roots = {dataset: keys.neighbours(dataset, ROOT) for dataset in ids}
        items = self.table.read([*map(keys.dataset_head, ids), *roots.values()])
        heads = {keys.node_of(key.pk): records.read_dataset(item) for key, item in items.items() if key.sk == keys.HEAD}
        return heads, {dataset: read_pages(self.table, dataset, items.get(root)) for dataset, root in roots.items()}

    def runs(self, of_job: NodeId, *, offset: int, limit: int) -> tuple[list[Run], int]:
        """Some of a job's runs, newest first, and how many it has."""
        found = list(self.table.newest(keys.job_head(of_job).pk))
        return self._runs(found[offset : offset + limit]), len(found)

    def newest_runs(self, of_job: NodeId, limit: int) -> list[Run]:
        """The newest runs of a job."""
        return self._runs(list(islice(self.table.newest(keys.job_head(of_job).pk), limit)))

    def latest_runs(self, heads: Iterable[tuple[NodeId, JobHead]]) -> dict[NodeId, Run]:
        """The newest run of each job."""
        wanted = [keys.run(job, head.latest.run_id) for job, head in heads if head.latest]
        items = self.table.read(wanted)
        return {keys.node_of(key.pk): records.read_run(item) for key, item in items.items()}

    def run(self, run_id: str) -> Run | None:
        """A run by its id alone."""
        found = self._runs(self.table.runs(run_id))
        return joined(found) if found else None

    def last_write(self, dataset: NodeId) -> tuple[str, DatasetUse] | None:
        """The run that wrote a dataset last, and what it said of it."""
        for key in self.table.newest(keys.dataset_head(dataset).pk):
            item = self.table.read([key]).get(key)
            if item:
                return records.read_write(item)
        return None

    def column_lineage(self, wanted: Collection[tuple[NodeId, str]]) -> dict[tuple[NodeId, str], Any]:
        """Column lineage facets by dataset and digest."""
        named = {keys.column_lineage(*each): each for each in wanted}
        items = self.table.read(named)
        return {named[key]: records.read_document(item) for key, item in items.items()}

    def namespaces(self) -> list[tuple[str, str]]:
        """Every namespace, and the earliest event time that named it, by name."""
        items = self.table.read(list(self.table.named(keys.ALL_NAMESPACES)))
        return sorted((records.read_document(item)["name"], item.labels["first"]) for item in items.values())

    def listed(self, listed_in: str, *, offset: int, limit: int) -> tuple[list[NodeId], int]:
        """Some of what is listed there by name, and how much there is."""
        found = list(self.table.named(listed_in))
        return [keys.node_of(key.pk) for key in found[offset : offset + limit]], len(found)

    def _runs(self, wanted: Sequence[Key]) -> list[Run]:
        items = self.table.read(wanted)
        return [records.read_run(items[key]) for key in wanted if key in items]
