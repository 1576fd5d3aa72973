"""What changes of items mean for the catalogue: which datasets' tables may have to say something else now.

A job's head changes with every run, and mostly for its newest run's sake alone: that is no news here.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from headwater.catalog.flows import affects_tables, flows
from headwater.graph.dataset import DatasetHead
from headwater.graph.dataset_reference import SYMLINKS
from headwater.graph.identity import NodeId, dataset_id
from headwater.graph.normalised_event import FirstWriter
from headwater.openlineage.event import Name
from headwater.store import item_codec, keys
from headwater.store.stream_records import ItemChange
from headwater.store.table import Item

State = TypeVar("State")

KINDS = ("job", "dataset", "alias")
"""The kinds of items that can be news: template.yaml has the stream filtered by them."""
_STAGED = {"temporary", "model"}
"""Rules by which a path is inside of what is being written, and no partition yet."""


@dataclass
class AffectedTables:
    """The datasets concerned with the records that say so, by sequence number, and the partitions written.

    Of those that are `relabelled` the tables beside them speak, too: they are new, or go by another name, or are gone.
    The fold stores a dataset after the jobs that use it, and a window may end in between.
    """

    datasets: dict[NodeId, set[str]] = field(default_factory=lambda: defaultdict(set))
    relabelled: dict[NodeId, set[str]] = field(default_factory=lambda: defaultdict(set))
    partitions: dict[NodeId, dict[Name, FirstWriter]] = field(default_factory=lambda: defaultdict(dict))

    @classmethod
    def of(cls, changes: Iterable[ItemChange]) -> "AffectedTables":
        affected = cls()
        for change in changes:
            if change.after:
                affected._add(change, change.after)
        return affected

    def _add(self, change: ItemChange, after: Item) -> None:
        kind = after.labels.get("kind")
        if kind == "job":
            before, now = _read(item_codec.read_job, change.before), item_codec.read_job(after)
            if affects_tables(before, now):
                edges = [now.current, *([before.current] if before else [])]
                self._mark({each for of_head in edges for flow in flows(of_head) for each in flow if each}, change)
        elif kind == "dataset":
            self._add_dataset(change, item_codec.read_dataset(after), keys.node_of(after.key.pk))
        elif kind == "alias":
            self._add_partition(change, after)

    def _add_dataset(self, change: ItemChange, now: DatasetHead, dataset: NodeId) -> None:
        before = _read(item_codec.read_dataset, change.before)
        is_relabelled = _label(now) != _label(before)
        if is_relabelled:
            self.relabelled[dataset].add(change.sequence)
        if is_relabelled or before is None or now.schema_digest != before.schema_digest:
            self._mark({dataset}, change)

    def _add_partition(self, change: ItemChange, after: Item) -> None:
        alias, first_writer = item_codec.read_alias(after), item_codec.read_first_writer(after)
        is_known = first_writer == _read(item_codec.read_first_writer, change.before)
        if first_writer and not is_known and "partition" in alias.rules and not _STAGED & set(alias.rules):
            self.partitions[dataset_id(alias.dataset)][alias.sent] = first_writer
            self._mark({dataset_id(alias.dataset)}, change)

    def mark(self, datasets: Iterable[NodeId], sequences: Iterable[str]) -> None:
        for dataset in datasets:
            self.datasets[dataset].update(sequences)

    def _mark(self, datasets: Iterable[NodeId], change: ItemChange) -> None:
        self.mark(datasets, [change.sequence])


def _read(read: Callable[[Item], State], item: Item | None) -> State | None:
    return read(item) if item else None


def _label(head: DatasetHead | None) -> Any:
    """What tells which table a dataset is, and what others call it."""
    return (head.facts.name, head.facets.get(SYMLINKS), head.is_deleted) if head else None
