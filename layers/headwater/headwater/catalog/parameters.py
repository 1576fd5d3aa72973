"""The parameters of a table that are ours: those whose name begins with `headwater.`; docs/catalog.md lists them.

All others are somebody else's and stay as they are.
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
"""Marks the tables that we created."""

MAX_NAMES = 100
"""Tables that a parameter names; the lookup has them all."""

Parameters = Mapping[str, str]


def of_table(lineage: TableLineage, api_url: str) -> dict[str, str]:
    """What a table's parameters are to say. Only what is known is there."""
    said = {
        **_names(UPSTREAM, UPSTREAM_COUNT, lineage.upstream),
        **_names(DOWNSTREAM, DOWNSTREAM_COUNT, lineage.downstream),
        LAST_RUN: lineage.last_run,
        SCHEMA_VERSION: lineage.schema_version,
        LOOKUP_URL: lookup_url(api_url, lineage.name),
    }
    return {name: value for name, value in said.items() if value}


def changed(definition: Mapping[str, Any], said: Parameters) -> dict[str, str] | None:
    """A table's parameters with ours replaced by what is to be said; None if they say it already.

    Another last run alone is no change: it comes with each run, and the lookup has it (docs/decisions/0012).
    """
    existing: Parameters = definition.get("Parameters") or {}
    ours = {name: value for name, value in existing.items() if name.startswith(PREFIX)}
    if _lasting(ours) == _lasting(said):
        return None
    others = {name: value for name, value in existing.items() if name not in ours}
    mark = {CREATED: ours[CREATED]} if CREATED in ours else {}
    return {**others, **mark, **said}


def lookup_url(api_url: str, name: Name) -> str:
    """Where the lineage of a dataset is."""
    return f"{api_url}/api/v1/lineage?nodeId={quote(f'dataset:{name.namespace}:{name.name}', safe='')}"


def _names(parameter: str, count: str, labels: tuple[str, ...]) -> dict[str, str | None]:
    named = json.dumps(labels[:MAX_NAMES]) if labels else None
    return {parameter: named, count: str(len(labels)) if len(labels) > MAX_NAMES else None}


def _lasting(parameters: Parameters) -> dict[str, str]:
    return {name: value for name, value in parameters.items() if name not in (LAST_RUN, CREATED)}
