"""Snapshots: the states that one call has read, by their ids, with the versions of their items."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from headwater.graph.dataset import DatasetHead
from headwater.graph.dataset_reference import Document
from headwater.graph.identity import (
    AliasId,
    ColumnLineageId,
    DatasetId,
    EventId,
    JobId,
    JobRunId,
    NeighbourPageId,
    QualityId,
    SchemaId,
    WriteId,
)
from headwater.graph.job import JobHead
from headwater.graph.latency import Latency
from headwater.graph.neighbours import NeighbourPage
from headwater.graph.normalised_event import NormalisedEvent
from headwater.graph.run import Run
from headwater.graph.stored_states import CatalogProgress, DatasetWrite, KnownAlias, KnownNamespace, QualityResult
from headwater.store import keys
from headwater.store.codec import Codec
from headwater.store.errors import CorruptItem
from headwater.store.items import datasets, events, jobs, latency, names, runs, writes
from headwater.store.keys import Key
from headwater.store.table import Item

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The states to read, by kind: up to a hundred of all kinds together are one call to the table."""

    jobs: Collection[JobId] = ()
    runs: Collection[JobRunId] = ()
    datasets: Collection[DatasetId] = ()
    neighbours: Collection[NeighbourPageId] = ()
    writes: Collection[WriteId] = ()
    quality: Collection[QualityId] = ()
    schemas: Collection[SchemaId] = ()
    column_lineages: Collection[ColumnLineageId] = ()
    aliases: Collection[AliasId] = ()
    namespaces: Collection[str] = ()
    latencies: Collection[JobId] = ()
    days: Collection[str] = ()
    events: Collection[EventId] = ()
    events_to_put: Collection[NormalisedEvent] = ()
    catalog_progress: bool = False

    @property
    def keys(self) -> set[Key]:
        wanted = {
            *map(keys.job_head, self.jobs),
            *map(keys.run, self.runs),
            *map(keys.dataset_head, self.datasets),
            *map(keys.neighbours, self.neighbours),
            *map(keys.write, self.writes),
            *map(keys.quality, self.quality),
            *map(keys.schema, self.schemas),
            *map(keys.column_lineage, self.column_lineages),
            *map(keys.alias, self.aliases),
            *map(keys.namespace, self.namespaces),
            *map(keys.latency, self.latencies),
            *map(keys.day, self.days),
            *map(keys.event, self.events),
            *(keys.event(keys.event_id(event.event)) for event in self.events_to_put),
        }
        return wanted | {keys.catalog_progress()} if self.catalog_progress else wanted


@dataclass(frozen=True, slots=True)
class Preconditions:
    """Versions of items that must still stand at a later read; None for an item that must not be stored."""

    versions: Mapping[Key, str | None] = field(default_factory=dict)

    def hold(self, items: Mapping[Key, Item]) -> bool:
        return all(version == _version(items.get(key)) for key, version in self.versions.items())


class Snapshot:
    """States as they were read, decoded at the first use.

    A corrupt item raises CorruptItem at that use. With `on_corrupt`, the error is given to `on_corrupt` and the state
    is absent. `heads` is the codec of the heads of jobs: without their usages, if that part was not read.
    """

    def __init__(
        self,
        items: Mapping[Key, Item] = {},
        on_corrupt: Callable[[CorruptItem], None] | None = None,
        heads: Codec[JobHead] = jobs.JOB,
    ) -> None:
        self.items = items
        self._on_corrupt = on_corrupt
        self._heads = heads
        self._states: dict[Key, Any] = {}

    def job(self, job: JobId) -> JobHead | None:
        return self._state(keys.job_head(job), self._heads)

    def run(self, run: JobRunId) -> Run | None:
        return self._state(keys.run(run), runs.RUN)

    def dataset(self, dataset: DatasetId) -> DatasetHead | None:
        return self._state(keys.dataset_head(dataset), datasets.DATASET)

    def neighbours(self, page: NeighbourPageId) -> NeighbourPage | None:
        return self._state(keys.neighbours(page), datasets.NEIGHBOURS)

    def write(self, write: WriteId) -> DatasetWrite | None:
        return self._state(keys.write(write), writes.WRITE)

    def quality(self, quality: QualityId) -> QualityResult | None:
        return self._state(keys.quality(quality), writes.QUALITY)

    def schema(self, schema: SchemaId) -> Document | None:
        """A schema as it was sent; `time` is the earliest event time that has the schema."""
        return self._state(keys.schema(schema), datasets.SCHEMAS)

    def column_lineage(self, lineage: ColumnLineageId) -> Any:
        """A columnLineage facet."""
        return self._state(keys.column_lineage(lineage), datasets.COLUMN_LINEAGE)

    def alias(self, alias: AliasId) -> KnownAlias | None:
        return self._state(keys.alias(alias), names.ALIAS)

    def namespace(self, name: str) -> KnownNamespace | None:
        return self._state(keys.namespace(name), names.NAMESPACE)

    def latency(self, job: JobId) -> Latency | None:
        return self._state(keys.latency(job), latency.LATENCY)

    def event(self, event: EventId) -> dict[str, Any] | None:
        """An event as it was sent."""
        return self._state(keys.event(event), events.EVENT)

    def catalog_progress(self) -> CatalogProgress | None:
        return self._state(keys.catalog_progress(), names.CATALOG)

    def known(self, state: "JoinedState") -> Any:
        """The state of the same id, of the same type."""
        return _LOOKUPS[type(state)](self, state)

    def has_day(self, day: str) -> bool:
        """Whether a day is stored."""
        return keys.day(day) in self.items

    def jobs(self) -> dict[JobId, JobHead]:
        """All heads of jobs that were read."""
        return {keys.job_of(key): head for key, head in self._all(keys.JOB_HEADS, self._heads)}

    def runs(self) -> dict[JobRunId, Run]:
        return {keys.run_of(key): run for key, run in self._all(keys.RUNS, runs.RUN)}

    def datasets(self) -> dict[DatasetId, DatasetHead]:
        return {keys.dataset_of(key): head for key, head in self._all(keys.DATASET_HEADS, datasets.DATASET)}

    def pages(self) -> dict[NeighbourPageId, NeighbourPage]:
        """All pages of neighbours that were read."""
        return {page.id: page for _, page in self._all(keys.NEIGHBOURS, datasets.NEIGHBOURS)}

    def namespaces(self) -> list[KnownNamespace]:
        return [namespace for _, namespace in self._all(keys.NAMESPACES, names.NAMESPACE)]

    def preconditions(self, *, jobs: Collection[JobId] = (), runs: Collection[JobRunId] = ()) -> Preconditions:
        """The preconditions that these heads and runs are still as in this snapshot."""
        required = [*map(keys.job_head, jobs), *map(keys.run, runs)]
        return Preconditions({key: _version(self.items.get(key)) for key in required})

    def is_open(self, run: JobRunId) -> bool:
        """Whether a run is among the open runs: it has not ended, nor was given up as abandoned."""
        item = self.items.get(keys.run(run))
        return item is not None and runs.OPEN_IN in item.labels

    def with_snapshot(self, other: "Snapshot") -> "Snapshot":
        """This snapshot with the states of another one."""
        return self.with_items(other.items)

    def with_items(self, items: Mapping[Key, Item]) -> "Snapshot":
        """This snapshot with these items, which were written or read later."""
        merged = Snapshot({**self.items, **items}, self._on_corrupt, self._heads)
        merged._states = {key: state for key, state in self._states.items() if key not in items}
        return merged

    def _all(self, beginning: Key, codec: Codec[State]) -> Iterator[tuple[Key, State]]:
        for key in self.items:
            if keys.begins_with(key, beginning) and (state := self._state(key, codec)) is not None:
                yield key, state

    def _state(self, key: Key, codec: Codec[State]) -> State | None:
        if key not in self._states:
            self._states[key] = self._decoded(key, codec)
        state: State | None = self._states[key]
        return state

    def _decoded(self, key: Key, codec: Codec[State]) -> State | None:
        item = self.items.get(key)
        if item is None:
            return None
        try:
            return codec.read(item)
        except CorruptItem as fault:
            if self._on_corrupt is None:
                raise
            self._on_corrupt(fault)
            return None


def _version(item: Item | None) -> str | None:
    return item.version if item else None


JoinedState = Run | DatasetWrite | QualityResult | KnownAlias | KnownNamespace | Document
"""A state that is joined with the stored state of its id, without more."""
_LOOKUPS: Mapping[type, Callable[[Snapshot, Any], Any]] = {
    Run: lambda read, run: read.run(run.id),
    DatasetWrite: lambda read, write: read.write(write.id),
    QualityResult: lambda read, result: read.quality(result.id),
    KnownAlias: lambda read, alias: read.alias(alias.id),
    KnownNamespace: lambda read, namespace: read.namespace(namespace.name),
    Document: lambda read, document: read.schema(SchemaId(document.dataset, document.digest)),
}
