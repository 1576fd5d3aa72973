"""Tables for datasets that are not in the catalogue.

The tables are in a database of their own. No other database gets a table, and dropping the database removes all tables.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from headwater.catalog.glue import AlreadyThere, GlueCatalog, Missing, Table
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.hive_types import columns
from headwater.catalog.identity import CatalogArn, TableRef
from headwater.catalog.parameters import CREATED
from headwater.graph.names.identity import dataset_id
from headwater.graph.names.naming import FILE_SYSTEMS
from headwater.graph.states.dataset import DatasetHead

_NOT_ALLOWED = re.compile(r"[^a-z0-9_]+")
MAX_NAME = 200
"""Characters of a dataset's name in its table's name, of the 255 that Glue takes."""


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
            "Parameters": {CREATED: "true", "EXTERNAL": "TRUE"},
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
