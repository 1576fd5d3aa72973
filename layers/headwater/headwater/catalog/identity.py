"""Which names of datasets are names of tables in the Glue Data Catalog of this account and region.

Producers spell a Glue table as `table/db/table` or `db.table`, with or without a slash behind the ARN. What they call a
table by another catalogue's name (`hive://...`, an Iceberg warehouse in S3) may be a Glue table of that name: only the
table itself can tell, by where its data is.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from headwater.graph.identity import NodeId, dataset_id
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
    """The catalogue of this account and region: `arn:aws:glue:REGION:ACCOUNT`. No other is ever written to."""

    arn: str

    def table_of(self, name: Name) -> TableRef | None:
        """The table that a name says outright."""
        if name.namespace.rstrip("/") != self.arn:
            return None
        found = _GLUE.fullmatch(name.name.strip("/"))
        return TableRef.of(found[1], found[2]) if found else None

    def names_of(self, table: TableRef) -> tuple[Name, ...]:
        """The names that producers give a table of this catalogue."""
        return Name(self.arn, f"table/{table.database}/{table.name}"), Name(self.arn, str(table))


def told_elsewhere(name: Name) -> TableRef | None:
    """The table of this name in some catalogue: `db.table`, or with a catalogue's name before it."""
    found = None if name.namespace.startswith("arn:") else _DOTTED.fullmatch(name.name)
    return TableRef.of(found[1], found[2]) if found else None


def at_location(location: str) -> NodeId | None:
    """The dataset whose data is there: `s3://bucket/path/` is `path` in `s3://bucket`."""
    parts = urlsplit(location)
    if not parts.scheme or not parts.path.strip("/"):
        return None
    namespace = f"{parts.scheme}://{parts.netloc}" if parts.netloc else parts.scheme
    return dataset_id(Name(namespace, location.split(parts.netloc, 1)[1] if parts.netloc else parts.path))
