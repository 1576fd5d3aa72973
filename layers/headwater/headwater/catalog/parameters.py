"""The parameters of a table that Headwater writes: their names begin with `headwater.`, and docs/catalog.md lists them.

All other parameters stay as they are.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from headwater.catalog.lineage import TableLineage
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

    A change of the last run alone is not written: it comes with each run, and the lookup shows the last run
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


def _names(parameter: str, count: str, labels: tuple[str, ...]) -> dict[str, str | None]:
    named = json.dumps(labels[:MAX_NAMES]) if labels else None
    return {parameter: named, count: str(len(labels)) if len(labels) > MAX_NAMES else None}


def _lasting(parameters: Parameters) -> dict[str, str]:
    return {name: value for name, value in parameters.items() if name not in (LAST_RUN, CREATED)}
