"""Writes one table."""

from collections.abc import Mapping
from dataclasses import dataclass

from headwater.catalog import parameters
from headwater.catalog.creation import Creation
from headwater.catalog.glue import Busy, GlueCatalog, Stale, Table
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import TableRef
from headwater.catalog.tables import CatalogTable

MAX_TRIES = 5
"""Tries to write a table that other writers change at the same time."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes the wanted parameters of tables."""

    glue: GlueCatalog
    creation: Creation
    retry: GlueRetry

    def write(self, table: TableRef, current: CatalogTable, wanted: Mapping[str, str]) -> bool:
        """Writes a table if its parameters differ from the wanted parameters. Returns whether the table was written.

        UpdateTable replaces the whole definition. The condition on the table's version is needed: without it, the call
        would undo an Iceberg commit of the same moment.
        """
        definition = current.definition
        for _ in range(MAX_TRIES):
            changed = parameters.changed(definition, wanted)
            if changed is None and not current.is_new:
                return False
            try:
                self._put(table, current, {**definition, "Parameters": changed or definition["Parameters"]})
            except Stale:
                definition = self.retry(lambda: self.glue.table(table))
            else:
                return True
        raise Busy(f"other writers changed the table {MAX_TRIES} times in a row")

    def _put(self, table: TableRef, current: CatalogTable, definition: Table) -> None:
        if current.is_new:
            self.creation.create(self.glue, self.retry, table, definition)
        else:
            self.retry(lambda: self.glue.update(table, definition))
