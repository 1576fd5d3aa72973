"""Partitions that runs wrote: their paths, as producers name them, are aliases of the dataset."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from headwater.catalog import parameters
from headwater.catalog.glue import GlueCatalog, Table, Values
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import TableRef
from headwater.catalog.locations import location_of
from headwater.graph.normalised_event import FirstWriter
from headwater.openlineage.event import Name

Written = Mapping[Name, FirstWriter]
"""Partition paths, and the run that wrote each."""


def write_partitions(glue: GlueCatalog, retry: GlueRetry, table: TableRef, definition: Table, written: Written) -> int:
    """Gives each partition its parameters, and creates those that are not there. Returns how many were written."""
    wanted = {values: (path, written[path]) for path in sorted(written) if (values := values_of(path, definition))}
    if not wanted or is_projected(definition):
        return 0
    found = {tuple(each["Values"]): each for each in retry(lambda: glue.partitions(table, list(wanted)))}
    changed = [
        {**there, "Parameters": said}
        for values, there in found.items()
        if (said := parameters.changed(there, _said(wanted[values][1])))
    ]
    new = [_new(definition, values, *wanted[values]) for values in wanted if values not in found]
    failed = retry(lambda: glue.update_partitions(table, changed)) if changed else {}
    # Who created one in the meantime, most likely the job that wrote it, has made it known: that is enough.
    failed |= retry(lambda: glue.create_partitions(table, new)) if new else {}
    return len(changed) + len(new) - len(failed)


def values_of(path: Name, definition: Table) -> Values | None:
    """The values of a table's partition keys in a path; None if one is not in it, or if the table has no keys."""
    keys = [key["Name"].lower() for key in definition.get("PartitionKeys") or ()]
    named = {key.lower(): unquote(value) for key, _, value in (each.partition("=") for each in _folders(path))}
    return tuple(named[key] for key in keys) if keys and keys == [each for each in keys if each in named] else None


def is_projected(definition: Table) -> bool:
    """Whether Athena computes the table's partitions and never asks the catalogue for any."""
    return str((definition.get("Parameters") or {}).get("projection.enabled", "")).lower() == "true"


def _said(first_writer: FirstWriter) -> dict[str, str]:
    return {
        parameters.JOB: f"{first_writer.job.namespace}/{first_writer.job.name}",
        parameters.FIRST_RUN: first_writer.run_id,
    }


def _new(definition: Table, values: Values, path: Name, first_writer: FirstWriter) -> dict[str, Any]:
    location = "/".join([location_of(definition).rstrip("/"), *_folders(path)])
    storage = {**(definition.get("StorageDescriptor") or {}), "Location": location}
    return {"Values": list(values), "StorageDescriptor": storage, "Parameters": _said(first_writer)}


def _folders(path: Name) -> Sequence[str]:
    """The folders `key=value` of a path."""
    return [each for each in path.name.split("/") if each.count("=") == 1 and not each.startswith("=")]
