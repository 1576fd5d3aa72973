"""Table formats: columns that are sent with a dataset although they are not its own, and snapshots of Iceberg tables.

Columns of a table's metadata tables, of its log or of temporary folders, of files read as text, and of files inside a
saved model are left out.

The `version` facet of an input names the present snapshot of an Iceberg table, even if the run read an older snapshot.
The snapshot that the run scanned is in the scan report, as a float that lost the last digits of the id. So ids are
compared as floats: a table's snapshot ids are random, and no two are the same float.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

from headwater.graph.facets.dataset_reference import SYMLINKS, IoDataset, symlinks
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, SCHEMA
from headwater.graph.facets.register import Register, values
from headwater.openlineage.event import DatasetReference

_METADATA_TABLES = {
    *("entries", "files", "history", "manifests", "metadata_log_entries", "partitions", "refs", "snapshots"),
    *("data_files", "delete_files", "position_deletes"),
    *("all_data_files", "all_delete_files", "all_entries", "all_files", "all_manifests"),
}
"""Iceberg's metadata tables, by its documentation of Spark queries."""
_LEAST_PARTS = 3
"""Parts of a metadata table's name: namespace, table, metadata table."""
_INNER = frozenset({"model", "temporary"})
"""The naming rules for what is inside a dataset's folder: each file inside a saved model has other columns, and a file
of `_delta_log` has those of the log (`add`, `metaData`, `protocol`)."""


def without_metadata_table_columns(
    reference: DatasetReference, rules: Collection[str], *, is_read: bool
) -> DatasetReference:
    """The dataset with the facets that are its own; `rules` are the naming rules applied to its name."""
    dropped = set(_foreign_facets(reference, rules, is_read=is_read))
    kept = {name: facet for name, facet in reference.facets.items() if name not in dropped}
    return replace(reference, facets=kept) if dropped else reference


def _foreign_facets(reference: DatasetReference, rules: Collection[str], *, is_read: bool) -> Iterator[str]:
    if _INNER & set(rules):
        yield from (SCHEMA, COLUMN_LINEAGE)
    if is_read and _is_metadata_table(reference):
        yield from (SCHEMA, SYMLINKS)
    if is_read and is_read_as_text(reference):
        yield SCHEMA


def _is_metadata_table(reference: DatasetReference) -> bool:
    """Whether the dataset is a table like `crm.customers.snapshots`, of an Iceberg table `crm.customers`.

    The Spark listener names a metadata table by the path of its table, with the metadata table's name as symlink. The
    path of an ordinary table called `snapshots` ends with `snapshots`.
    """
    return bool(_metadata_table(reference) & _METADATA_TABLES)


def is_list_of_files(reference: DatasetReference) -> bool:
    """Whether the dataset is the metadata table `entries`, which `rewrite_manifests` reads to rewrite manifests."""
    return "entries" in _metadata_table(reference)


def _metadata_table(reference: DatasetReference) -> set[str]:
    match reference.facets.get("catalog"):
        case {"framework": "iceberg"}:
            parts = [name.name.split(".") for name in symlinks(reference.facets.get(SYMLINKS))]
            last = {name_parts[-1] for name_parts in parts if len(name_parts) >= _LEAST_PARTS}
            return last - {reference.name.name.rstrip("/").rpartition("/")[2]}
    return set()


def is_read_as_text(reference: DatasetReference) -> bool:
    """Whether the dataset is not a table, and its only column is that of Spark's text source: `value`."""
    if SYMLINKS in reference.facets:
        return False
    match reference.facets.get(SCHEMA):
        case {"fields": [{"name": "value", "type": "string"}]}:
            return True
    return False


_OF_THE_TABLE = {"CREATE", "ALTER", "RENAME", "DROP"}
"""Changes of a table that do not change its data (lifecycleStateChange facet)."""


def scanned_snapshot(io_dataset: IoDataset) -> float | None:
    """The snapshot that a run scanned, by the scan report of its input."""
    match io_dataset.io_facets.get("icebergScanReport"):
        case Register(value={"snapshotId": int() | float() | Decimal() as snapshot}):
            return _id(snapshot)
    return None


def written_snapshot(io_dataset: IoDataset) -> float | None:
    """The snapshot that a run made, by the version facet of its output."""
    match values(io_dataset.facets).get("version"):
        case {"datasetVersion": str(version)} if version.isdecimal():
            return _id(version)
    return None


def writes_data(io_dataset: IoDataset) -> bool:
    """Whether a run wrote rows. A run that only creates or alters the table names the snapshot that was there
    before."""
    change = values(io_dataset.facets).get("lifecycleStateChange")
    kind = change.get("lifecycleStateChange") if isinstance(change, dict) else None
    return kind not in _OF_THE_TABLE or "outputStatistics" in io_dataset.io_facets


def _id(snapshot: Any) -> float | None:
    """The id of a snapshot as a float; None for a table without data, whose scans have -1."""
    number = float(snapshot)
    return number if number > 0 else None
