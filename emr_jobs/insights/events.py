"""Insights as ordinary events: facets of jobs and datasets, and of the datasets that stand for kinds of insights."""

import gzip
import json
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from headwater.graph.facets.curation import INSIGHTS
from headwater.graph.facets.insights import CRITICALITY, INSIGHTS_FACET
from headwater.openlineage.exact_json import JsonObject

PRODUCER = "https://github.com/headwater-lineage/headwater/emr_jobs/insights"
AT_ONCE = 200
SECONDS = 60


class NotPosted(Exception):
    """The server took none or not all of the events. The message says why."""


def criticality_event(row: Mapping[str, Any], time: str) -> JsonObject:
    """The event that tells how critical a node is. It is no use of the node: it brings back no deleted node."""
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


def insights_event(kind: str, insights: Sequence[JsonObject], total: int, time: str) -> JsonObject:
    """The event with the first insights of a kind, which replace those of earlier analyses."""
    facet = _facet({"at": time, "total": total, "insights": list(insights)})
    return _event(time, "dataset", {"namespace": INSIGHTS, "name": kind, "facets": {INSIGHTS_FACET: facet}})


def post(url: str, key: str, events: Iterable[JsonObject]) -> int:
    """Post events in batches, and return their number. Raises NotPosted or OSError."""
    number, remaining = 0, iter(events)
    while batch := list(islice(remaining, AT_ONCE)):
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip", "Authorization": f"Bearer {key}"}
        body = gzip.compress(json.dumps(batch).encode(), 1)
        request = urllib.request.Request(f"{url.rstrip('/')}/api/v1/lineage/batch", body, headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            answered = json.load(answer)
        if refused := list(_refusals(answered)):
            raise NotPosted(f"{len(refused)} of {len(batch)} events were refused: {refused[0]}")
        number += len(batch)
    return number


def _refusals(answer: Any) -> Iterator[str]:
    failed = answer.get("failed_events") if isinstance(answer, dict) else None
    return (json.dumps(each)[:300] for each in failed or ())


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
