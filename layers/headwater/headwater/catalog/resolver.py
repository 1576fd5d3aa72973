"""The tables of the catalogue that are names of a dataset.

The first of these rules that finds a table decides:
1. The dataset's own name, or a name in its `symlinks` facet, is the name of a table of this catalogue, after the alias
   map.
2. The location of a table's data is the dataset's path.
3. A name in the `symlinks` facet is the name of a table in another catalogue, and the table of the same name in this
   catalogue has no other location.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headwater.catalog.glue import Table
from headwater.catalog.identity import CatalogArn, TableRef, dataset_at, table_in_other_catalog
from headwater.catalog.locations import Locations, location_of
from headwater.graph.facets.dataset_reference import SYMLINKS, symlinks
from headwater.graph.names.identity import DatasetId, dataset_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.dataset import DatasetHead
from headwater.openlineage.event import Name


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table that may be a name of a dataset. If it is not certain, the location of its data must confirm it."""

    table: TableRef
    is_certain: bool = True

    def is_of(self, dataset: DatasetId, definition: Table) -> bool:
        """Whether the table is a name of the dataset. A candidate that is not certain must have no other location."""
        return self.is_certain or dataset_at(location_of(definition)) in (None, dataset)


@dataclass(frozen=True, slots=True)
class Resolver:
    catalog: CatalogArn
    naming: Naming
    locations: Locations

    def candidates(self, head: DatasetHead) -> Sequence[Candidate]:
        """The tables that may be names of a dataset."""
        linked = [self.naming.identify(name).identity for name in symlinks(head.facets.get(SYMLINKS))]
        names = [self.naming.identify(head.facts.name).identity, *linked]
        if named := _distinct(map(self.catalog.table_of, names)):
            return [Candidate(table) for table in named]
        if located := self.locations.tables_at(dataset_id(head.facts.name)):
            return [Candidate(table) for table in located]
        return [Candidate(table, is_certain=False) for table in _distinct(map(table_in_other_catalog, linked))]

    def label(self, head: DatasetHead) -> str:
        """The text for a dataset in a table's parameters: `db.table`, else its namespace and name."""
        certain = [str(candidate.table) for candidate in self.candidates(head) if candidate.is_certain]
        return certain[0] if certain else _spelled(head.facts.name)

    def ids_of(self, table: TableRef, definition: Table | None) -> set[DatasetId]:
        """The ids of the datasets that a table may be a name of."""
        named = {dataset_id(name) for name in self.catalog.names_of(table)}
        located = dataset_at(location_of(definition)) if definition else None
        return named | {located} if located else named


def _distinct(tables: Iterable[TableRef | None]) -> list[TableRef]:
    return list(dict.fromkeys(table for table in tables if table))


def _spelled(name: Name) -> str:
    return f"{name.namespace}/{name.name.lstrip('/')}"
