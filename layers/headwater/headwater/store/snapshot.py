"""Snapshots: the states that one call has read, by their kinds and ids, with the versions of their items.

read = store.read(Wanted(jobs=[job], runs=runs))
read.jobs.get(job)          the head of a job, or None if it is not stored
read.runs.of(runs)          the runs that are stored, in the order of their ids
read.jobs.all()             every head that was read, by its id
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from headwater.graph.names.identity import (
    AliasId,
    ColumnLineageId,
    DatasetId,
    EventId,
    JobId,
    JobRunId,
    NamespaceId,
    NeighbourPageId,
    QualityId,
    SchemaId,
    WriteId,
)
from headwater.graph.states.job import JobHead
from headwater.graph.states.stored_states import CatalogProgress
from headwater.store import keys, kinds
from headwater.store.caches import StateCache
from headwater.store.errors import CorruptItem
from headwater.store.items import names, runs
from headwater.store.items.codec import Codec
from headwater.store.keys import Key
from headwater.store.kinds import KIND_OF_JOINED, JoinedState, Kind
from headwater.store.table import Item

if TYPE_CHECKING:
    from headwater.graph.states.visibility import Visibility

Id = TypeVar("Id")
State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The ids of the states to read, by kind: up to a hundred of all kinds together are one call to the table."""

    jobs: Collection[JobId] = ()
    runs: Collection[JobRunId] = ()
    datasets: Collection[DatasetId] = ()
    neighbours: Collection[NeighbourPageId] = ()
    writes: Collection[WriteId] = ()
    quality: Collection[QualityId] = ()
    schemas: Collection[SchemaId] = ()
    column_lineages: Collection[ColumnLineageId] = ()
    aliases: Collection[AliasId] = ()
    namespaces: Collection[NamespaceId] = ()
    latencies: Collection[JobId] = ()
    events: Collection[EventId] = ()
    alerts: Collection[str] = ()
    days: Collection[str] = ()
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
            *map(keys.alert, self.alerts),
            *map(keys.day, self.days),
            *map(keys.event, self.events),
        }
        return wanted | {keys.catalog_progress()} if self.catalog_progress else wanted


@dataclass(frozen=True, slots=True)
class Preconditions:
    """Versions of items that must still stand at a later read; None for an item that must not be stored."""

    versions: Mapping[Key, str | None] = field(default_factory=dict)

    def hold(self, items: Mapping[Key, Item]) -> bool:
        return all(version == _version(items.get(key)) for key, version in self.versions.items())


class ItemStates:
    """Items with their states, each decoded at the first use.

    A corrupt item raises CorruptItem at that use. With `on_corrupt`, the error is given to `on_corrupt` and the state
    is absent. With `cache`, an item whose state the cache has is not decoded again. With `visibility`, the states are
    what a caller sees of them.
    """

    def __init__(
        self,
        items: Mapping[Key, Item] = {},
        on_corrupt: Callable[[CorruptItem], None] | None = None,
        cache: StateCache | None = None,
        visibility: "Visibility | None" = None,
    ) -> None:
        self.items = items
        self.on_corrupt = on_corrupt
        self.cache = cache
        self.visibility = visibility
        self._states: dict[Key, Any] = {}

    def state(self, key: Key, codec: Codec[State]) -> State | None:
        if key not in self._states:
            self._states[key] = self._read(key, codec)
        state: State | None = self._states[key]
        return state

    def replacing(self, items: Mapping[Key, Item]) -> "ItemStates":
        """These items, and `items` in place of those with their keys."""
        merged = ItemStates({**self.items, **items}, self.on_corrupt, self.cache, self.visibility)
        merged._states = {key: state for key, state in self._states.items() if key not in items}
        return merged

    def _read(self, key: Key, codec: Codec[State]) -> State | None:
        item = self.items.get(key)
        if item is None:
            return None
        try:
            return self.cache.read(item, codec) if self.cache else codec.read(item)
        except CorruptItem as fault:
            if self.on_corrupt is None:
                raise
            self.on_corrupt(fault)
            return None


@dataclass(frozen=True, slots=True)
class States(Generic[Id, State]):
    """The states of one kind in a snapshot."""

    kind: Kind[Id, State]
    decoded: ItemStates

    def get(self, state_id: Id) -> State | None:
        """The state of an id, or None if it is not stored or was not read, or the caller may not see it."""
        return self._seen(self.decoded.state(self.kind.key(state_id), self.kind.codec), state_id)

    def of(self, ids: Iterable[Id]) -> list[State]:
        """The stored states of some ids, in the order of the ids."""
        return [state for state_id in ids if (state := self.get(state_id)) is not None]

    def all(self) -> dict[Id, State]:
        """All states of the kind that were read, by their ids."""
        beginning, codec = self.kind.beginning, self.kind.codec
        keys_of_kind = [key for key in self.decoded.items if keys.begins_with(key, beginning)]
        read = ((self.kind.id_of(key), self.decoded.state(key, codec)) for key in keys_of_kind)
        states = ((state_id, self._seen(state, state_id)) for state_id, state in read)
        return {state_id: state for state_id, state in states if state is not None}

    def _seen(self, state: State | None, state_id: Id) -> State | None:
        visibility, seen = self.decoded.visibility, self.kind.seen
        return seen(visibility, state, state_id) if visibility and seen and state is not None else state


NOTHING = ItemStates()


class Snapshot:
    """States as they were read. `jobs` is the kind of the heads of jobs: without usages, if those were not read."""

    def __init__(
        self,
        items: ItemStates = NOTHING,
        jobs: Kind[JobId, JobHead] = kinds.JOBS,
    ) -> None:
        self._items = items
        self.jobs = States(jobs, items)
        self.runs = States(kinds.RUNS, items)
        self.datasets = States(kinds.DATASETS, items)
        self.neighbours = States(kinds.NEIGHBOURS, items)
        self.writes = States(kinds.WRITES, items)
        self.quality = States(kinds.QUALITY, items)
        self.schemas = States(kinds.SCHEMAS, items)
        self.column_lineages = States(kinds.COLUMN_LINEAGES, items)
        self.aliases = States(kinds.ALIASES, items)
        self.namespaces = States(kinds.NAMESPACES, items)
        self.latencies = States(kinds.LATENCIES, items)
        self.events = States(kinds.EVENTS, items)
        self.alerts = States(kinds.ALERTS, items)

    @property
    def items(self) -> Mapping[Key, Item]:
        return self._items.items

    @property
    def days(self) -> set[str]:
        """The days that are stored."""
        return {key.sk for key in self.items if key.pk == keys.DAYS}

    def catalog_progress(self) -> CatalogProgress | None:
        return self._items.state(keys.catalog_progress(), names.CATALOG)

    def known(self, state: JoinedState) -> Any:
        """The state of the same id, of the same type."""
        return States(KIND_OF_JOINED[type(state)], self._items).get(state.id)

    def preconditions(self, *, jobs: Collection[JobId] = (), runs: Collection[JobRunId] = ()) -> Preconditions:
        """The preconditions that these heads and runs are still as in this snapshot."""
        required = [*map(keys.job_head, jobs), *map(keys.run, runs)]
        return Preconditions({key: _version(self.items.get(key)) for key in required})

    def is_open(self, run: JobRunId) -> bool:
        """Whether a run is among the open runs: it has not ended, nor was given up as abandoned."""
        item = self.items.get(keys.run(run))
        return item is not None and runs.OPEN_IN in item.labels

    def with_items(self, items: Mapping[Key, Item]) -> "Snapshot":
        """This snapshot with these items, which were written or read later."""
        return Snapshot(self._items.replacing(items), self.jobs.kind)


def _version(item: Item | None) -> str | None:
    return item.version if item else None
