"""Jobs in the form of Marquez's API."""

import uuid
from collections.abc import Iterable

from headwater.graph.curation import tags, without_curation
from headwater.graph.edges import DatasetRef, Edges, job_version
from headwater.graph.facets import facet_text, parent_name
from headwater.graph.identity import job_id
from headwater.graph.job import JobHead, LatestRun
from headwater.graph.register import values
from headwater.http.marquez.runs import run, run_in_graph
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import shown
from headwater.read.job_details import JobDetails

_TYPES = {"BATCH": "BATCH", "STREAMING": "STREAM", "SERVICE": "SERVICE"}


def job_node(head: JobHead, edges: Edges, latest: LatestRun | None) -> JsonObject:
    """A job in a lineage graph."""
    facts, name = head.facts, head.facts.name
    facets = values(facts.facets)
    parent = parent_name(head)
    return {
        "id": name.as_json(),
        "type": _TYPES.get(facet_text(facets, "jobType", "processingType") or "", "BATCH"),
        "name": name.name,
        "simpleName": name.name.removeprefix(f"{parent.name}.") if parent else name.name,
        "parentJobName": parent.name if parent else None,
        "parentJobUuid": str(uuid.UUID(job_id(parent))) if parent else None,
        "currentRunUuid": latest.run_id if latest else None,
        "createdAt": shown(facts.first),
        "updatedAt": shown(facts.updated),
        "namespace": name.namespace,
        "inputs": _names(edges.inputs),
        "outputs": _names(edges.outputs),
        "location": facet_text(facets, "sourceCodeLocation", "url"),
        "description": facet_text(facets, "documentation", "description"),
        "latestRun": run_in_graph(latest) if latest else None,
    }


def job(details: JobDetails) -> JsonObject:
    """A single job: with its facets and newest runs."""
    head, newest = details.head, details.newest_runs
    document = job_node(head, head.current, None)
    del document["currentRunUuid"]
    facets = values(head.facts.facets)
    document["latestRun"] = run(newest[0]) if newest else None
    document["latestRuns"] = list(map(run, newest)) or None
    document["currentVersion"] = job_version(head.facts.name, head.current) if head.current else None
    return document | {"facets": without_curation(facets), "labels": [], "tags": tags(facets)}


def _names(used: Iterable[DatasetRef]) -> list[JsonObject]:
    return [dataset.name.as_json() for dataset in sorted(used, key=lambda dataset: dataset.name)]
