"""Names of datasets that name a table in the Glue Data Catalog of this account and region.

Producers spell a Glue table as `table/db/table` or `db.table`, with or without a slash behind the ARN. A table of
another catalogue (`hive://...`, an Iceberg warehouse in S3) may be the Glue table of the same name: it is, if both have
the same location of data.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from headwater.graph.names.identity import DatasetId, dataset_id
from headwater.openlineage.event import Name

_GLUE = re.compile(r"(?:table/)?([^/.]+)[/.]([^/]+)")
_DOTTED = re.compile(r"(?:[^./]+\.)?([^./]+)\.([^./]+)")


class TableRef(NamedTuple):
    """A table of the catalogue. Glue keeps names in lower case."""

    database: str
    name: str

    @classmethod
    def of(cls, database: str, name: str) -> "TableRef":
        return cls(database.lower(), name.lower())

    def __str__(self) -> str:
        return f"{self.database}.{self.name}"


@dataclass(frozen=True, slots=True)
class CatalogArn:
    """The catalogue of this account and region, `arn:aws:glue:REGION:ACCOUNT`. Headwater writes no other catalogue."""

    arn: str

    def table_of(self, name: Name) -> TableRef | None:
        """The table of a name in this catalogue's namespace."""
        if name.namespace.rstrip("/") != self.arn:
            return None
        match = _GLUE.fullmatch(name.name.strip("/"))
        return TableRef.of(match[1], match[2]) if match else None

    def names_of(self, table: TableRef) -> tuple[Name, ...]:
        """The names that producers give a table of this catalogue."""
        return Name(self.arn, f"table/{table.database}/{table.name}"), Name(self.arn, str(table))


def table_in_other_catalog(name: Name) -> TableRef | None:
    """The table of a name in another catalogue: `db.table`, or `catalog.db.table`."""
    match = None if name.namespace.startswith("arn:") else _DOTTED.fullmatch(name.name)
    return TableRef.of(match[1], match[2]) if match else None


def dataset_at(location: str) -> DatasetId | None:
    """The dataset whose data is at a location: `s3://bucket/path/` is `path` in `s3://bucket`."""
    parts = urlsplit(location)
    if not parts.scheme or not parts.path.strip("/"):
        return None
    namespace = f"{parts.scheme}://{parts.netloc}" if parts.netloc else parts.scheme
    return dataset_id(Name(namespace, location.split(parts.netloc, 1)[1] if parts.netloc else parts.path))
