"""What changes of items mean for the catalogue: which datasets' tables may have to say something else now.

A job's head changes with every run, and mostly for its newest run's sake alone: that is no news here.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from headwater.catalog.flows import flows, is_news
from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, dataset_id
from headwater.graph.mention import SYMLINKS
from headwater.graph.received import Writing
from headwater.openlineage.event import Name
from headwater.store import keys, records
from headwater.store.images import ItemChange
from headwater.store.table import Item

State = TypeVar("State")

KINDS = ("job", "dataset", "alias")
"""The kinds of items that can be news: template.yaml has the stream filtered by them."""
_STAGED = {"temporary", "model"}
"""Rules by which a path is inside of what is being written, and no partition yet."""


@dataclass
class News:
    """The datasets concerned and the partitions written, each with the records that say so, by sequence number."""

    datasets: dict[NodeId, set[str]] = field(default_factory=lambda: defaultdict(set))
    partitions: dict[NodeId, dict[Name, Writing]] = field(default_factory=lambda: defaultdict(dict))

    @classmethod
    def of(cls, changes: Iterable[ItemChange]) -> "News":
        news = cls()
        for change in changes:
            if change.after:
                news._add(change, change.after)
        return news

    def _add(self, change: ItemChange, after: Item) -> None:
        kind = after.labels.get("kind")
        if kind == "job":
            before, now = _read(records.read_job, change.before), records.read_job(after)
            if is_news(before, now):
                edges = [now.current, *([before.current] if before else [])]
                self._concern({each for of_head in edges for flow in flows(of_head) for each in flow if each}, change)
        elif kind == "dataset":
            if _shown(records.read_dataset(after)) != _shown(_read(records.read_dataset, change.before)):
                self._concern({keys.node_of(after.key.pk)}, change)
        elif kind == "alias":
            self._add_partition(change, after)

    def _add_partition(self, change: ItemChange, after: Item) -> None:
        alias, writing = records.read_alias(after), records.read_writing(after)
        is_known = writing == _read(records.read_writing, change.before)
        if writing and not is_known and "partition" in alias.rules and not _STAGED & set(alias.rules):
            self.partitions[dataset_id(alias.dataset)][alias.sent] = writing
            self._concern({dataset_id(alias.dataset)}, change)

    def _concern(self, datasets: Iterable[NodeId], change: ItemChange) -> None:
        for dataset in datasets:
            self.datasets[dataset].add(change.sequence)


def _read(read: Callable[[Item], State], item: Item | None) -> State | None:
    return read(item) if item else None


def _shown(head: DatasetHead | None) -> Mapping[str, Any] | None:
    """What of a dataset's head the catalogue shows, or finds its table by."""
    if head is None:
        return None
    names = {"name": head.facts.name, "symlinks": head.facets.get(SYMLINKS)}
    return {**names, "schema": head.schema_digest, "isDeleted": head.is_deleted}
