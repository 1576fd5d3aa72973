"""The parameters that Headwater writes, of tables and of the partitions that runs wrote.

Their names begin with `headwater.`, and docs/catalog.md lists them. All other parameters stay as they are. A
partition's path, as producers send it, is an alias of the dataset.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote

from headwater.catalog.glue import GlueCatalog, Table, Values
from headwater.catalog.glue_retry import GlueRetry
from headwater.catalog.identity import TableRef
from headwater.catalog.lineage import TableLineage
from headwater.catalog.resolver import location_of
from headwater.graph.states.normalised_event import FirstWriter
from headwater.openlineage.event import Name

PREFIX = "headwater."
UPSTREAM, DOWNSTREAM = f"{PREFIX}upstream", f"{PREFIX}downstream"
UPSTREAM_COUNT, DOWNSTREAM_COUNT = f"{PREFIX}upstream-count", f"{PREFIX}downstream-count"
LAST_RUN, SCHEMA_VERSION, LOOKUP_URL = f"{PREFIX}last-run", f"{PREFIX}schema-version", f"{PREFIX}lookup-url"
JOB, FIRST_RUN = f"{PREFIX}job", f"{PREFIX}first-run"
CREATED = f"{PREFIX}created"
"""Marks the tables that Headwater created."""

MAX_NAMES = 100
"""Tables that a parameter names; the lookup has all tables."""

Parameters = Mapping[str, str]
WrittenPaths = Mapping[Name, FirstWriter]
"""Paths of partitions, each with its first writer."""


def of_table(lineage: TableLineage, api_url: str) -> dict[str, str]:
    """The parameters for a table. A parameter without a known value is left out."""
    values = {
        **_names(UPSTREAM, UPSTREAM_COUNT, lineage.upstream),
        **_names(DOWNSTREAM, DOWNSTREAM_COUNT, lineage.downstream),
        LAST_RUN: lineage.last_run,
        SCHEMA_VERSION: lineage.schema_version,
        LOOKUP_URL: lookup_url(api_url, lineage.name),
    }
    return {name: value for name, value in values.items() if value}


def changed(definition: Mapping[str, Any], wanted: Parameters) -> dict[str, str] | None:
    """The parameters of a table or partition, with the wanted parameters in place of ours; None if nothing changes.

    If only the last run changes, nothing is written: that happens with each run, and the lookup shows the last run
    (docs/decisions/0012).
    """
    existing: Parameters = definition.get("Parameters") or {}
    ours = {name: value for name, value in existing.items() if name.startswith(PREFIX)}
    if _lasting(ours) == _lasting(wanted):
        return None
    others = {name: value for name, value in existing.items() if name not in ours}
    mark = {CREATED: ours[CREATED]} if CREATED in ours else {}
    return {**others, **mark, **wanted}


def lookup_url(api_url: str, name: Name) -> str:
    """The URL of the lookup of a dataset's lineage."""
    return f"{api_url}/api/v1/lineage?nodeId={quote(f'dataset:{name.namespace}:{name.name}', safe='')}"


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
    written = [
        {**partition, "Parameters": new_parameters}
        for values, partition in existing.items()
        if (new_parameters := changed(partition, _parameters(wanted[values][1])))
    ]
    new = [_new(definition, values, *wanted[values]) for values in wanted if values not in existing]
    failed = retry(lambda: glue.update_partitions(table, written)) if written else {}
    # A partition that another writer has created meanwhile, usually the data's own job, stays unchanged.
    failed |= retry(lambda: glue.create_partitions(table, new)) if new else {}
    return len(written) + len(new) - len(failed)


def values_of(path: Name, definition: Table) -> Values | None:
    """The values of a table's partition keys in a path; None if a key is missing, or if the table has no keys."""
    keys = [key["Name"].lower() for key in definition.get("PartitionKeys") or ()]
    values = {key.lower(): unquote(value) for key, _, value in (folder.partition("=") for folder in _folders(path))}
    return tuple(values[key] for key in keys) if keys and all(key in values for key in keys) else None


def is_projected(definition: Table) -> bool:
    """Whether Athena computes the table's partitions, and never reads them from the catalogue."""
    return str((definition.get("Parameters") or {}).get("projection.enabled", "")).lower() == "true"


def _names(parameter: str, count: str, labels: tuple[str, ...]) -> dict[str, str | None]:
    named = json.dumps(labels[:MAX_NAMES]) if labels else None
    return {parameter: named, count: str(len(labels)) if len(labels) > MAX_NAMES else None}


def _lasting(parameters: Parameters) -> dict[str, str]:
    return {name: value for name, value in parameters.items() if name not in (LAST_RUN, CREATED)}


def _parameters(first_writer: FirstWriter) -> dict[str, str]:
    return {JOB: f"{first_writer.job.namespace}/{first_writer.job.name}", FIRST_RUN: first_writer.run_id}


def _new(definition: Table, values: Values, path: Name, first_writer: FirstWriter) -> dict[str, Any]:
    location = "/".join([location_of(definition).rstrip("/"), *_folders(path)])
    storage = {**(definition.get("StorageDescriptor") or {}), "Location": location}
    return {"Values": list(values), "StorageDescriptor": storage, "Parameters": _parameters(first_writer)}


def _folders(path: Name) -> Sequence[str]:
    """The folders `key=value` of a path."""
    return [folder for folder in path.name.split("/") if folder.count("=") == 1 and not folder.startswith("=")]
