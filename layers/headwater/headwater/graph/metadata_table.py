"""Iceberg's metadata tables: `crm.customers.snapshots` has the history of `crm.customers`."""

from headwater.graph.mention import SYMLINKS, symlinks
from headwater.openlineage.event import DatasetMention

_NAMES = {
    *("entries", "files", "history", "manifests", "metadata_log_entries", "partitions", "refs", "snapshots"),
    *("data_files", "delete_files", "position_deletes"),
    *("all_data_files", "all_delete_files", "all_entries", "all_files", "all_manifests"),
}
"""As Iceberg's documentation of Spark queries lists them. A table in a nested namespace cannot be called so."""
_LEAST_PARTS = 3
"""Of the name of one: namespace, table, metadata table."""


def is_metadata_table(mention: DatasetMention) -> bool:
    """Whether it is one of these: the Spark listener names it by the path of its table, and by its own symlink."""
    match mention.facets.get("catalog"):
        case {"framework": "iceberg"}:
            parts = [name.name.split(".") for name in symlinks(mention.facets.get(SYMLINKS))]
            return any(len(of_name) >= _LEAST_PARTS and of_name[-1] in _NAMES for of_name in parts)
    return False
