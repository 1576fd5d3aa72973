"""Partitions that runs wrote. A partition's path, as producers send it, is an alias of the dataset."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from headwater.catalog import parameters
from headwater.catalog.glue import GlueCatalog, Table, Values
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import TableRef
from headwater.catalog.locations import location_of
from headwater.graph.states.normalised_event import FirstWriter
from headwater.openlineage.event import Name

WrittenPaths = Mapping[Name, FirstWriter]
"""Paths of partitions, each with its first writer."""


def write_partitions(
    glue: GlueCatalog, retry: GlueRetry, table: TableRef, definition: Table, paths: WrittenPaths
) -> int:
    """Updates the parameters of partitions, and creates missing partitions. Returns the number of both."""
    wanted = {values: (path, paths[path]) for path in sorted(paths) if (values := values_of(path, definition))}
    if not wanted or is_projected(definition):
        return 0
    existing = {
        tuple(partition["Values"]): partition for partition in retry(lambda: glue.partitions(table, list(wanted)))
    }
    changed = [
        {**partition, "Parameters": new_parameters}
        for values, partition in existing.items()
        if (new_parameters := parameters.changed(partition, _parameters(wanted[values][1])))
    ]
    new = [_new(definition, values, *wanted[values]) for values in wanted if values not in existing]
    failed = retry(lambda: glue.update_partitions(table, changed)) if changed else {}
    # A partition that another writer created in the meantime, mostly the job of the data, stays unchanged.
    failed |= retry(lambda: glue.create_partitions(table, new)) if new else {}
    return len(changed) + len(new) - len(failed)


def values_of(path: Name, definition: Table) -> Values | None:
    """The values of a table's partition keys in a path; None if a key is missing, or if the table has no keys."""
    keys = [key["Name"].lower() for key in definition.get("PartitionKeys") or ()]
    values = {key.lower(): unquote(value) for key, _, value in (folder.partition("=") for folder in _folders(path))}
    return tuple(values[key] for key in keys) if keys and all(key in values for key in keys) else None


def is_projected(definition: Table) -> bool:
    """Whether Athena computes the table's partitions, and never reads them from the catalogue."""
    return str((definition.get("Parameters") or {}).get("projection.enabled", "")).lower() == "true"


def _parameters(first_writer: FirstWriter) -> dict[str, str]:
    return {
        parameters.JOB: f"{first_writer.job.namespace}/{first_writer.job.name}",
        parameters.FIRST_RUN: first_writer.run_id,
    }


def _new(definition: Table, values: Values, path: Name, first_writer: FirstWriter) -> dict[str, Any]:
    location = "/".join([location_of(definition).rstrip("/"), *_folders(path)])
    storage = {**(definition.get("StorageDescriptor") or {}), "Location": location}
    return {"Values": list(values), "StorageDescriptor": storage, "Parameters": _parameters(first_writer)}


def _folders(path: Name) -> Sequence[str]:
    """The folders `key=value` of a path."""
    return [folder for folder in path.name.split("/") if folder.count("=") == 1 and not folder.startswith("=")]
