"""Writes one table, or creates it.

New tables are in a database of their own. No other database gets a table, and dropping the database removes all of
them.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from headwater.catalog import parameters
from headwater.catalog.glue import AlreadyThere, Busy, GlueCatalog, Missing, Stale, Table
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.hive_types import columns
from headwater.catalog.identity import CatalogArn, TableRef
from headwater.graph.names.identity import DatasetId, dataset_id
from headwater.graph.names.naming import FILE_SYSTEMS
from headwater.graph.states.dataset import DatasetHead

_NOT_ALLOWED = re.compile(r"[^a-z0-9_]+")
MAX_NAME = 200
"""Characters of a dataset's name in its table's name, of the 255 that Glue takes."""
MAX_TRIES = 5
"""Tries to write a table that other writers change at the same time."""


@dataclass
class CatalogTable:
    """A table of the catalogue, or a table that is to be created.

    ids      the ids of the datasets that the table is a name of
    records  the sequence numbers of the records that affect these datasets
    """

    definition: Table
    is_new: bool = False
    ids: set[DatasetId] = field(default_factory=set)
    records: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Creation:
    """The database for new tables; no table is created if `database` is empty."""

    database: str
    catalog: CatalogArn

    def table_for(self, head: DatasetHead) -> TableRef | None:
        """The table to create for a dataset without a table; None if no table is to be created.

        The table's name ends with a part of the dataset's id: two datasets may have names that differ only in
        characters that Glue does not take.
        """
        name = head.facts.name
        is_data = name.namespace.partition(":")[0] in FILE_SYSTEMS or self.catalog.table_of(name) is not None
        if not self.database or not is_data or head.is_deleted or not columns(head.complete_schema):
            return None
        plain = _NOT_ALLOWED.sub("_", name.name.lower().removeprefix("table/")).strip("_")[-MAX_NAME:]
        return TableRef.of(self.database, f"{plain}_{dataset_id(name)[:8]}")

    def definition(self, head: DatasetHead) -> dict[str, Any]:
        """The definition of a new table, without a format: a schema facet does not say the format of the data."""
        name = head.facts.name
        is_glue = self.catalog.table_of(name) is not None
        location = {} if is_glue else {"Location": f"{name.namespace}/{name.name.lstrip('/')}"}
        return {
            "TableType": "EXTERNAL_TABLE",
            "Parameters": {parameters.CREATED: "true", "EXTERNAL": "TRUE"},
            "StorageDescriptor": {"Columns": columns(head.complete_schema), **location},
        }

    def create(self, glue: GlueCatalog, retry: GlueRetry, table: TableRef, new: Table) -> None:
        """Creates a table; if the database is missing, the database first."""
        try:
            retry(lambda: glue.create(table, new))
        except Missing:
            with suppress(AlreadyThere):
                retry(lambda: glue.create_database(self.database, "Datasets that Headwater found in no other"))
            retry(lambda: glue.create(table, new))


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
