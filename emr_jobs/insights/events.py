"""Insights as ordinary events: facets of jobs and datasets, and of the datasets that stand for kinds of insights."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from headwater.cli.api import Api
from headwater.graph.facets.curation import INSIGHTS
from headwater.graph.facets.insights import CRITICALITY, INSIGHTS_FACET
from headwater.openlineage.exact_json import JsonObject
from headwater.read.frontier import Frontier

PRODUCER = "https://github.com/headwater-lineage/headwater/emr_jobs/insights"
AT_ONCE = 200
_WHOLE = Frontier()


class NotPosted(Exception):
    """The server refused events. The message says why."""


def criticality_event(row: Mapping[str, Any], time: str) -> JsonObject:
    """The event that says how critical a node is. It is not a use of the node, and does not bring back a deleted
    one."""
    facet = {
        "at": time,
        "downstreamDatasets": row["downstream_datasets"],
        "downstreamJobs": row["downstream_jobs"],
        "downstreamOwners": row["downstream_owners"],
        "rank": round(row["rank"], 4),
        "singlePointOfFailure": row["is_single_point"],
    }
    named = {"namespace": row["namespace"], "name": row["name"], "facets": {CRITICALITY: _facet(facet)}}
    return _event(time, row["type"], named)


def insights_event(
    kind: str, insights: Sequence[JsonObject], total: int, time: str, frontier: Frontier = _WHOLE
) -> JsonObject:
    """The event with the first insights of a kind, which replace those of earlier analyses."""
    facet = _facet({"at": time, "total": total, "insights": list(insights), "frontier": frontier.as_json()})
    return _event(time, "dataset", {"namespace": INSIGHTS, "name": kind, "facets": {INSIGHTS_FACET: facet}})


def post(server: Api, events: Iterable[JsonObject]) -> int:
    """Post events in batches, and return their number. Raises NotPosted, or CommandFailure without an answer."""
    number, remaining = 0, iter(events)
    while batch := list(islice(remaining, AT_ONCE)):
        answer = server.send("POST", "lineage", "batch", body=json.dumps(batch)).document
        if refused := answer.get("failed_events"):
            raise NotPosted(f"{len(refused)} of {len(batch)} events were refused: {json.dumps(refused[0])[:300]}")
        number += len(batch)
    return number


def _event(time: str, member: str, named: JsonObject) -> JsonObject:
    return {"eventTime": time, "producer": PRODUCER, "schemaURL": _SCHEMAS[member], member: named}


_SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
_SCHEMAS = {"job": f"{_SPEC}JobEvent", "dataset": f"{_SPEC}DatasetEvent"}


def _facet(members: JsonObject) -> JsonObject:
    return {
        "_producer": PRODUCER,
        "_schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/BaseFacet",
        **members,
    }
