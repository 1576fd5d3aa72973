"""Snapshots: the states that one call has read, by their kinds and ids, with the versions of their items.

read = store.read(ReadRequest(jobs=[job], runs=runs))
read.jobs.get(job)          the head of a job, or None if it is not stored
read.runs.of(runs)          the runs that are stored, in the order of their ids
read.jobs.all()             every head that was read, by its id
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headwater.graph.names.identity import JobId, JobRunId
from headwater.graph.states.job import JobHead
from headwater.graph.states.stored_states import CatalogProgress
from headwater.store import keys
from headwater.store.item_type import ItemStates, ItemType, ReadStates, RequestedIds, States
from headwater.store.items import names, runs
from headwater.store.keys import Key
from headwater.store.kinds import ROWS, ItemTypes, JoinedState, type_of
from headwater.store.table import Item


class ReadRequest(RequestedIds, ItemTypes):
    """The ids of the states to read, by kind: up to a hundred of all kinds together are one call to the table."""

    days: Collection[str] = ()
    catalog_progress: bool = False

    if not TYPE_CHECKING:  # mypy makes it of the rows: ReadRequest(*, jobs: Collection[JobId] = ..., runs: ..., ...)

        def __init__(
            self, *, days: Collection[str] = (), catalog_progress: bool = False, **ids: Collection[Any]
        ) -> None:
            super().__init__(ids)
            self.keys = {key for name, of_kind in ids.items() for key in map(ROWS[name].key, of_kind)}
            self.keys.update(map(keys.day, days))
            if catalog_progress:
                self.keys.add(keys.catalog_progress())

    @classmethod
    def of(cls, state: JoinedState) -> "ReadRequest":
        """The request for the stored state of the same id."""
        ids: dict[str, Any] = {type_of(state).name: [state.id]}
        return cls(**ids)


@dataclass(frozen=True, slots=True)
class Preconditions:
    """Versions of items that must still be current at a later read; None for an item that must not be stored."""

    versions: Mapping[Key, str | None] = field(default_factory=dict)

    def joined(self, others: "Preconditions") -> "Preconditions":
        """These preconditions and others."""
        return Preconditions({**self.versions, **others.versions})

    def hold(self, items: Mapping[Key, Item]) -> bool:
        return all(version == _version(items.get(key)) for key, version in self.versions.items())


NOTHING = ItemStates()


class Snapshot(ReadStates, ItemTypes):
    """States as they were read. `jobs` is the type of the heads of jobs: without usages, if those were not read."""

    def __init__(self, items: ItemStates = NOTHING, jobs: ItemType[JobId, JobHead] = ItemTypes.jobs) -> None:
        super().__init__(items)
        vars(self)["jobs"] = States(jobs, items)

    @property
    def items(self) -> Mapping[Key, Item]:
        return self.decoded.items

    @property
    def days(self) -> set[str]:
        return {key.sk for key in self.items if key.pk == keys.DAYS}

    def catalog_progress(self) -> CatalogProgress | None:
        return self.decoded.state(keys.catalog_progress(), names.CATALOG)

    def known(self, state: JoinedState) -> Any:
        """The state of the same id, of the same type."""
        return States(type_of(state), self.decoded).get(state.id)

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
        return Snapshot(self.decoded.replacing(items), self.jobs.type)


def _version(item: Item | None) -> str | None:
    return item.version if item else None
