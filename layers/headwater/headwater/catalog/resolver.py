"""Which tables of the catalogue a dataset is.

In this order: its own name, or one in its `symlinks` facet, that says the table outright, after the alias map; a table
whose location is the dataset's path; a name of another catalogue in its `symlinks` facet, if the table of that name
is nowhere else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headwater.catalog.glue import Table
from headwater.catalog.identity import CatalogArn, TableRef, at_location, told_elsewhere
from headwater.catalog.locations import Locations, location_of
from headwater.graph.dataset import DatasetHead
from headwater.graph.dataset_reference import SYMLINKS, symlinks
from headwater.graph.identity import NodeId, dataset_id
from headwater.graph.naming import Naming
from headwater.openlineage.event import Name


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table that a dataset may be. One that is not `is_certain` is it only if its data is not known to be elsewhere;
    one that is `said_outright` should be in the catalogue."""

    table: TableRef
    is_certain: bool = True
    said_outright: bool = False

    def is_of(self, dataset: NodeId, table: Table) -> bool:
        location = at_location(location_of(table))
        return self.is_certain or location in (None, dataset)


@dataclass(frozen=True, slots=True)
class Resolver:
    catalog: CatalogArn
    naming: Naming
    locations: Locations

    def candidates(self, head: DatasetHead) -> Sequence[Candidate]:
        """The tables that a dataset may be; none, if nothing says that it is one."""
        linked = [self.naming.identify(name).identity for name in symlinks(head.facets.get(SYMLINKS))]
        names = [self.naming.identify(head.facts.name).identity, *linked]
        if said := _distinct(map(self.catalog.table_of, names)):
            return [Candidate(table, said_outright=True) for table in said]
        if found := self.locations.tables_at(dataset_id(head.facts.name)):
            return [Candidate(table) for table in found]
        return [Candidate(table, is_certain=False) for table in _distinct(map(told_elsewhere, linked))]

    def label(self, head: DatasetHead) -> str:
        """What a dataset is called in a table's parameters: `db.table`, else its namespace and name."""
        certain = [str(each.table) for each in self.candidates(head) if each.is_certain]
        return certain[0] if certain else _spelled(head.facts.name)

    def ids_of(self, table: TableRef, definition: Table | None) -> set[NodeId]:
        """The ids under which lineage may know a table."""
        named = {dataset_id(name) for name in self.catalog.names_of(table)}
        location = at_location(location_of(definition)) if definition else None
        return named | {location} if location else named


def _distinct(tables: Iterable[TableRef | None]) -> list[TableRef]:
    return list(dict.fromkeys(table for table in tables if table))


def _spelled(name: Name) -> str:
    return f"{name.namespace}/{name.name.lstrip('/')}"
