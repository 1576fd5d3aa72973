"""One table brought up to date."""

from collections.abc import Mapping
from dataclasses import dataclass

from headwater.catalog import parameters
from headwater.catalog.creation import Creation
from headwater.catalog.glue import Busy, GlueCatalog, Stale, Table
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import TableRef
from headwater.catalog.tables import FoundTable

TRIES = 5
"""Of a table that others write at the same time."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes tables that do not say yet what they should."""

    glue: GlueCatalog
    creation: Creation
    retry: GlueRetry

    def write(self, table: TableRef, found: FoundTable, said: Mapping[str, str]) -> bool:
        """Whether a table was written. Only our parameters differ from what was read, so the guard by its version is
        all that keeps an Iceberg commit of the same moment from being undone."""
        definition = found.definition
        for _ in range(TRIES):
            changed = parameters.changed(definition, said)
            if changed is None and not found.is_new:
                return False
            try:
                self._put(table, found, {**definition, "Parameters": changed or definition["Parameters"]})
            except Stale:
                definition = self.retry(lambda: self.glue.table(table))
            else:
                return True
        raise Busy(f"others wrote it {TRIES} times in a row")

    def _put(self, table: TableRef, found: FoundTable, definition: Table) -> None:
        if found.is_new:
            self.creation.create(self.glue, self.retry, table, definition)
        else:
            self.retry(lambda: self.glue.update(table, definition))
