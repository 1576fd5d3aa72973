"""Datasets with their neighbours; several names of a dataset are merged into one.

A symlinks facet says that two ids are names of one dataset. Example: Spark names a table by its path `s3://lake/orders`,
and the facet gives the Glue name. Both ids have a head, neighbours and column lineage of their own. A lookup shows the
head with the facet (the representative), merged with the states under the other id.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from headwater.graph.names.identity import DatasetId
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, NeighbourPage, Neighbours, NeighboursRead, Side, union


@dataclass
class Neighbourhood:
    """Datasets, their neighbours, and the ids of each dataset.

    heads              the heads, by representative
    users              the neighbours, by representative
    representatives    the representative of each id, for datasets with several ids
    used               the ids under which a state is stored; no event uses most symlinks
    unread             about how many neighbours of a side were not read, by representative
    """

    heads: dict[DatasetId, DatasetHead] = field(default_factory=dict)
    users: dict[DatasetId, Neighbours] = field(default_factory=dict)
    representatives: dict[DatasetId, DatasetId] = field(default_factory=dict)
    used: frozenset[DatasetId] = frozenset()
    unread: dict[DatasetId, dict[Side, int]] = field(default_factory=dict)

    @property
    def is_cut(self) -> bool:
        """Whether there are neighbours that were not read."""
        return bool(self.unread)

    def representative(self, dataset: DatasetId) -> DatasetId:
        """The id that stands for all ids of a dataset."""
        return self.representatives.get(dataset, dataset)

    def ids_of(self, dataset: DatasetId) -> set[DatasetId]:
        """The ids under which a state of a dataset is stored, by the dataset's representative."""
        names = {other for other, shown in self.representatives.items() if shown == dataset}
        return names & self.used | {dataset}


def merged(
    heads: dict[DatasetId, DatasetHead],
    read: NeighboursRead,
    first_pages: Mapping[DatasetId, NeighbourPage],
) -> Neighbourhood:
    """The neighbourhood of datasets; the several ids of a dataset are merged."""
    representatives, users = _representatives(heads, first_pages), read.by_dataset
    neighbourhood = Neighbourhood(representatives=representatives, used=frozenset({*heads, *users}))
    for dataset in {*heads, *users}:
        shown = neighbourhood.representative(dataset)
        known = neighbourhood.users.get(shown, NO_NEIGHBOURS)
        neighbourhood.users[shown] = union(known, users.get(dataset, NO_NEIGHBOURS))
    for dataset, unread in read.unread.items():
        of_shown = neighbourhood.unread.setdefault(neighbourhood.representative(dataset), {})
        of_shown |= {side: of_shown.get(side, 0) + number for side, number in unread.items()}
    for dataset, head in sorted(heads.items(), key=lambda entry: neighbourhood.representative(entry[0]) == entry[0]):
        shown = neighbourhood.representative(dataset)
        neighbourhood.heads[shown] = _united(head, neighbourhood.heads.get(shown))
    return neighbourhood


def _representatives(
    heads: Mapping[DatasetId, DatasetHead], first_pages: Mapping[DatasetId, NeighbourPage]
) -> dict[DatasetId, DatasetId]:
    """The representative of each id of a dataset with several ids."""
    group: dict[DatasetId, set[DatasetId]] = {}
    for dataset, page in first_pages.items():
        linked = {dataset, *page.linked}
        united = linked.union(*(group.get(other, set()) for other in linked))
        group |= dict.fromkeys(united, united)
    first = {dataset: min(ids, key=lambda other: _rank(other, heads)) for dataset, ids in group.items()}
    return {dataset: shown for dataset, shown in first.items() if len(group[dataset]) > 1 and shown in heads}


def _rank(dataset: DatasetId, heads: Mapping[DatasetId, DatasetHead]) -> tuple[Any, ...]:
    """The order of the ids of a dataset: an id whose head has the symlinks facet comes first."""
    head = heads.get(dataset)
    return (head is None, "symlinks" not in head.facets if head else True, head.facts.name if head else (), dataset)


def _united(head: DatasetHead, other: DatasetHead | None) -> DatasetHead:
    """A head, completed with the facets, the schema and the column lineage of the dataset under another id."""
    if other is None:
        return head
    return replace(
        head,
        facts=replace(head.facts, created=min(head.facts.created, other.facts.created)),
        facets={**other.facets, **head.facets},
        schema=other.schema if head.schema is None or (other.schema_digest and not head.schema_digest) else head.schema,
        columns={**other.columns, **head.columns},
    )
