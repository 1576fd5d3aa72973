"""Columns that a producer names with a dataset, and that are those of something else which goes by its name."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from headwater.graph.mention import COLUMN_LINEAGE, SCHEMA, SYMLINKS, symlinks
from headwater.openlineage.event import DatasetMention

_METADATA_TABLES = {
    *("entries", "files", "history", "manifests", "metadata_log_entries", "partitions", "refs", "snapshots"),
    *("data_files", "delete_files", "position_deletes"),
    *("all_data_files", "all_delete_files", "all_entries", "all_files", "all_manifests"),
}
"""As Iceberg's documentation of Spark queries lists them."""
_LEAST_PARTS = 3
"""Of the name of one: namespace, table, metadata table."""
_MODEL = "model"


def without_foreign_columns(mention: DatasetMention, rules: Collection[str], *, is_read: bool) -> DatasetMention:
    """What is said of a dataset alone; `rules` are those that its name was found by."""
    dropped = set(_not_its_own(mention, rules, is_read=is_read))
    kept = {name: facet for name, facet in mention.facets.items() if name not in dropped}
    return replace(mention, facets=kept) if dropped else mention


def _not_its_own(mention: DatasetMention, rules: Collection[str], *, is_read: bool) -> Iterator[str]:
    if _MODEL in rules:  # a file inside a saved model: each has others
        yield from (SCHEMA, COLUMN_LINEAGE)
    if is_read and _is_metadata_table(mention):
        yield from (SCHEMA, SYMLINKS)
    if is_read and _is_read_as_text(mention):
        yield SCHEMA


def _is_metadata_table(mention: DatasetMention) -> bool:
    """Whether it is a table like `crm.customers.snapshots`, of an Iceberg table `crm.customers`: the Spark listener
    names it by the path of its table, and by its own symlink. A table of that name has a path that ends so."""
    match mention.facets.get("catalog"):
        case {"framework": "iceberg"}:
            parts = [name.name.split(".") for name in symlinks(mention.facets.get(SYMLINKS))]
            last = {of_name[-1] for of_name in parts if len(of_name) >= _LEAST_PARTS}
            return bool(last & _METADATA_TABLES - {mention.name.name.rstrip("/").rpartition("/")[2]})
    return False


def _is_read_as_text(mention: DatasetMention) -> bool:
    """Whether it has the one column that Spark's text source makes of any file, and is no table."""
    if SYMLINKS in mention.facets:
        return False
    match mention.facets.get(SCHEMA):
        case {"fields": [{"name": "value", "type": "string"}]}:
            return True
    return False
