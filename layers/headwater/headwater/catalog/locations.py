"""The tables of the catalogue by where their data is: from a listing of all of them, in pages, made at most every ten
minutes and only if a dataset has to be found so. Never a call for each event."""

import time
from collections.abc import Callable, Sequence

from headwater.catalog.glue import CatalogError, GlueCatalog, Table
from headwater.catalog.identity import TableRef, at_location
from headwater.graph.identity import NodeId

FRESH_SECONDS = 600
LISTING_SECONDS = 90
"""After so long a listing is used as far as it came."""


class Locations:
    """A listing that is kept while the function is warm."""

    def __init__(
        self, glue: GlueCatalog, log: Callable[[str, Exception], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._glue = glue
        self._log = log
        self._clock = clock
        self._listed_at: float | None = None
        self._tables: dict[NodeId, dict[TableRef, None]] = {}

    def tables_at(self, dataset: NodeId) -> Sequence[TableRef]:
        """The tables whose location is the dataset's path."""
        if self._listed_at is None or self._clock() - self._listed_at > FRESH_SECONDS:
            self._list()
        return tuple(self._tables.get(dataset, ()))

    def _list(self) -> None:
        self._listed_at = self._clock()
        self._tables = {}
        end = self._clock() + LISTING_SECONDS
        try:
            for database in self._glue.databases():
                self._list_database(database, end)
                if self._clock() > end:
                    self._log("the catalogue is too large to be listed whole", TimeoutError(database))
                    return
        except CatalogError as error:
            self._log("the databases could not be listed", error)

    def _list_database(self, database: str, end: float) -> None:
        try:
            for page, _ in self._glue.tables(database):
                self._add(database, page)
                if self._clock() > end:
                    return
        except CatalogError as error:
            self._log(f"the tables of {database} could not be listed", error)

    def _add(self, database: str, page: Sequence[Table]) -> None:
        for table in page:
            dataset = at_location(location_of(table))
            if dataset:
                self._tables.setdefault(dataset, {})[TableRef.of(database, table["Name"])] = None


def location_of(table: Table) -> str:
    """Where a table's data is; empty for a view."""
    location = (table.get("StorageDescriptor") or {}).get("Location")
    return location if isinstance(location, str) else ""
