"""The tables of the catalogue that are names of a dataset.

The first of these rules that finds a table decides:
1. The dataset's own name, or a name in its `symlinks` facet, is the name of a table of this catalogue, after the alias
   map.
2. The location of a table's data is the dataset's path.
3. A name in the `symlinks` facet is the name of a table in another catalogue, and the table of the same name in this
   catalogue has no other location.

The index of locations comes from a listing of all tables, in pages. The listing runs at most every ten minutes, and
only if a table is needed by its location. No event causes a call of its own.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from headwater.catalog.glue import CallRejected, GlueCatalog, Table
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import CatalogArn, TableRef, dataset_at, table_in_other_catalog
from headwater.graph.facets.dataset_reference import SYMLINKS, symlinks
from headwater.graph.names.identity import DatasetId, dataset_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.dataset import DatasetHead

FRESH_SECONDS = 600
LISTING_SECONDS = 90
"""The longest time for a listing; then the tables listed so far are used."""

_Tables = dict[DatasetId, dict[TableRef, None]]


class Locations:
    """The tables by location, cached while the function is warm."""

    def __init__(
        self,
        glue: GlueCatalog,
        retry: GlueRetry,
        log: Callable[[str, BaseException], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._glue = glue
        self._retry = retry
        self._log = log
        self._clock = clock
        self._listed_at: float | None = None
        self._tables: _Tables = {}

    def tables_at(self, dataset: DatasetId) -> Sequence[TableRef]:
        """The tables whose location is the dataset's path. Raises Busy if the tables cannot be listed at the moment."""
        if self._listed_at is None or self._clock() - self._listed_at > FRESH_SECONDS:
            self._tables = self._listing()
            self._listed_at = self._clock()
        return tuple(self._tables.get(dataset, ()))

    def _listing(self) -> _Tables:
        tables: _Tables = {}
        end = self._clock() + LISTING_SECONDS
        for database in self._databases():
            try:
                self._list(database, tables, end)
            except CallRejected as error:
                self._log(f"the tables of {database} could not be listed", error)
            if self._clock() > end:
                self._log("the catalogue is too large to be listed whole", TimeoutError(database))
                break
        return tables

    def _databases(self) -> Sequence[str]:
        try:
            return self._retry(self._glue.databases)
        except CallRejected as error:
            self._log("the databases could not be listed", error)
            return ()

    def _list(self, database: str, tables: _Tables, end: float) -> None:
        token = ""
        while True:
            at = token
            page, token = self._retry(lambda: self._glue.tables(database, at))  # noqa: B023 - called at once
            for table in page:
                dataset = dataset_at(location_of(table))
                if dataset:
                    tables.setdefault(dataset, {})[TableRef.of(database, table["Name"])] = None
            if not token or self._clock() > end:
                return


def location_of(table: Table) -> str:
    """The location of a table's data; empty for a view."""
    location = (table.get("StorageDescriptor") or {}).get("Location")
    return location if isinstance(location, str) else ""


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
        return certain[0] if certain else f"{head.facts.name.namespace}/{head.facts.name.name.lstrip('/')}"

    def ids_of(self, table: TableRef, definition: Table | None) -> set[DatasetId]:
        """The ids of the datasets that a table may be a name of."""
        named = {dataset_id(name) for name in self.catalog.names_of(table)}
        located = dataset_at(location_of(definition)) if definition else None
        return named | {located} if located else named


def _distinct(tables: Iterable[TableRef | None]) -> list[TableRef]:
    return list(dict.fromkeys(table for table in tables if table))
