"""Columns that a producer names with a dataset, and that are those of something else which goes by its name."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from headwater.graph.dataset_reference import COLUMN_LINEAGE, SCHEMA, SYMLINKS, symlinks
from headwater.openlineage.event import DatasetReference

_METADATA_TABLES = {
    *("entries", "files", "history", "manifests", "metadata_log_entries", "partitions", "refs", "snapshots"),
    *("data_files", "delete_files", "position_deletes"),
    *("all_data_files", "all_delete_files", "all_entries", "all_files", "all_manifests"),
}
"""As Iceberg's documentation of Spark queries lists them."""
_LEAST_PARTS = 3
"""Of the name of one: namespace, table, metadata table."""
_MODEL = "model"


def without_metadata_table_columns(
    reference: DatasetReference, rules: Collection[str], *, is_read: bool
) -> DatasetReference:
    """What is said of a dataset alone; `rules` are those that its name was found by."""
    dropped = set(_not_its_own(reference, rules, is_read=is_read))
    kept = {name: facet for name, facet in reference.facets.items() if name not in dropped}
    return replace(reference, facets=kept) if dropped else reference


def _not_its_own(reference: DatasetReference, rules: Collection[str], *, is_read: bool) -> Iterator[str]:
    if _MODEL in rules:  # a file inside a saved model: each has others
        yield from (SCHEMA, COLUMN_LINEAGE)
    if is_read and _is_metadata_table(reference):
        yield from (SCHEMA, SYMLINKS)
    if is_read and _is_read_as_text(reference):
        yield SCHEMA


def _is_metadata_table(reference: DatasetReference) -> bool:
    """Whether it is a table like `crm.customers.snapshots`, of an Iceberg table `crm.customers`: the Spark listener
    names it by the path of its table, and by its own symlink. A table of that name has a path that ends so."""
    match reference.facets.get("catalog"):
        case {"framework": "iceberg"}:
            parts = [name.name.split(".") for name in symlinks(reference.facets.get(SYMLINKS))]
            last = {of_name[-1] for of_name in parts if len(of_name) >= _LEAST_PARTS}
            return bool(last & _METADATA_TABLES - {reference.name.name.rstrip("/").rpartition("/")[2]})
    return False


def _is_read_as_text(reference: DatasetReference) -> bool:
    """Whether it has the one column that Spark's text source makes of any file, and is no table."""
    if SYMLINKS in reference.facets:
        return False
    match reference.facets.get(SCHEMA):
        case {"fields": [{"name": "value", "type": "string"}]}:
            return True
    return False
