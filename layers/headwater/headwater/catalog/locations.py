"""The tables of the catalogue, by the location of their data.

The index comes from a listing of all tables, in pages. The listing runs at most every ten minutes, and only if a table
is needed by its location. No event causes a call of its own.
"""

import time
from collections.abc import Callable, Sequence

from headwater.catalog.glue import CallRejected, GlueCatalog, Table
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import TableRef, dataset_at
from headwater.graph.names.identity import DatasetId

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
