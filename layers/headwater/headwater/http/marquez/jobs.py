"""Jobs in the form of Marquez's API."""

import re
import uuid
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from headwater.graph.facets.curation import called, shown_tags, without_curation
from headwater.graph.facets.insights import criticality_of
from headwater.graph.facets.members import JOB_DEPENDENCIES, facet_text
from headwater.graph.facets.register import values
from headwater.graph.names.identity import job_id
from headwater.graph.states.edges import DatasetRef, Edges, job_version
from headwater.graph.states.job import JobHead, LatestRun
from headwater.http.marquez.runs import run, run_in_graph
from headwater.openlineage.event import Facets, Name
from headwater.openlineage.exact_json import DocumentText, JsonObject
from headwater.openlineage.instant import shown
from headwater.read.job_details import JobDetails

_TYPES = {"BATCH": "BATCH", "STREAMING": "STREAM", "SERVICE": "SERVICE"}
_LOCATION_SCHEMES = frozenset({"http", "https", "ftp", "file"})
"""The schemes that Java's URL parses without a handler: Marquez's Java client fails on any other location."""


def job_node(head: JobHead, edges: Edges, latest: LatestRun | None) -> JsonObject:
    """A job in a lineage graph. A job that the caller may not read (`foreign`) has only a name."""
    facts, name = head.facts, head.facts.name
    facets = values(facts.facets)
    parent = head.parent_name
    return {
        "id": name.as_json(),
        "type": _TYPES.get(facet_text(facets, "jobType", "processingType") or "", "BATCH"),
        "name": name.name,
        **({"displayName": display} if (display := called(facets)) else {}),
        "simpleName": name.name.removeprefix(f"{parent.name}.") if parent else name.name,
        "parentJobName": parent.name if parent else None,
        "parentJobUuid": str(uuid.UUID(job_id(parent))) if parent else None,
        "currentRunUuid": latest.run_id if latest else None,
        "createdAt": shown(facts.first) if facts.first else None,
        "updatedAt": shown(facts.updated) if facts.updated else None,
        "namespace": name.namespace,
        "inputs": names_of(edges.inputs),
        "outputs": names_of(edges.outputs),
        "location": location(facets),
        "description": facet_text(facets, "documentation", "description"),
        "latestRun": run_in_graph(latest) if latest else None,
        **(_job_lineage(facets, name) if "lineage" in facets else {}),
        **({"jobDependencies": flow} if (flow := values(facts.run_facets).get(JOB_DEPENDENCIES)) else {}),
        **({"candidateInputs": True} if head.reads_candidates else {}),
        **({"foreign": True} if head.is_foreign else {}),
    }


def job(details: JobDetails) -> JsonObject:
    """A single job: with its facets and newest runs."""
    return job_with_runs(details.head, list(map(run, details.newest_runs)))


def job_with_runs(head: JobHead, runs: Sequence[JsonObject | DocumentText]) -> JsonObject:
    document = job_node(head, head.current, None)
    del document["currentRunUuid"]
    facets = values(head.facts.facets)
    document["latestRun"] = runs[0] if runs else None
    document["latestRuns"] = [*runs] or None
    document["currentVersion"] = job_version(head.facts.name, head.current) if head.current else None
    if criticality := criticality_of(facets):
        document["criticality"] = criticality
    return document | {"facets": without_curation(facets), "labels": _labels(facets), **shown_tags(facets)}


def _job_lineage(facets: Facets, name: Name) -> JsonObject:
    """The other jobs in the `lineage` facet, which few producers send: the module is only imported for them."""
    from headwater.graph.facets.explicit_lineage import jobs_in_lineage  # noqa: PLC0415

    others = jobs_in_lineage(facets, name)
    return (
        {"jobLineage": {side: [each.as_json() for each in names] for side, names in others.items()}} if others else {}
    )


def _labels(facets: Facets) -> list[str]:
    """The labels of a job, as Marquez makes them of the facet jobType: `["SQL_JOB", "SPARK"]`."""
    texts = (facet_text(facets, "jobType", member) for member in ("jobType", "integration"))
    return [text for text in texts if text]


def location(facets: Facets) -> str | None:
    """The URL of a job's source code; None for a location that is not a URL, such as `git@github.com:shop/jobs.git`,
    which the facet sourceCodeLocation has."""
    text = facet_text(facets, "sourceCodeLocation", "url") or ""
    try:
        parts = urlsplit(text)
        is_url = parts.scheme in _LOCATION_SCHEMES and (bool(parts.hostname) or parts.scheme == "file")
        is_url = is_url and parts.port != 0
    except ValueError:
        return None
    return text if is_url and not re.search(r"[\s\x00-\x1f\x7f]", text) else None


def names_of(used: Iterable[DatasetRef]) -> list[JsonObject]:
    return [dataset.name.as_json() for dataset in sorted(used, key=lambda dataset: dataset.name)]
