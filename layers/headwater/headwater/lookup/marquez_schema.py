"""Nodes in the shapes of Marquez's API: members, null where nothing is known, times with as few digits as they need."""

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from headwater.graph.column_lineage import Flow, flows, transformation
from headwater.graph.curation import DECLARED, tagging, tags, without_curation
from headwater.graph.dataset import DatasetHead
from headwater.graph.dataset_reference import COLUMN_LINEAGE, QUALITY, SCHEMA, DatasetUse
from headwater.graph.facets import facet_text, fields_of, owners_of, parent_name
from headwater.graph.identity import job_id, version_of_schema
from headwater.graph.job import DatasetRef, Edges, JobHead, LatestRun, job_version
from headwater.graph.register import values
from headwater.graph.run import CREATED, Run, RunState
from headwater.openlineage.event import Facets, Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import NEVER, Instant, milliseconds_between, shown
from headwater.store import item_codec, keys
from headwater.store.table import Item

_JOB_TYPES = {"BATCH": "BATCH", "STREAMING": "STREAM", "SERVICE": "SERVICE"}
_DATASET_TYPES = {"TOPIC": "STREAM", "STREAM": "STREAM", "MODEL": "MODEL"}
"""Marquez knows DB_TABLE and STREAM alone; a model is neither."""


def namespace(name: str, created: str, described: DatasetHead | None = None, *, is_hidden: bool = False) -> JsonObject:
    """A namespace; `described` holds what was said of it through the API."""
    facets = described.facets if described else {}
    updated = max(Instant(created), described.facts.said if described else NEVER)
    owners = owners_of(facets)
    return {
        "name": name,
        "createdAt": shown(Instant(created)),
        "updatedAt": shown(updated),
        "ownerName": owners[0] if owners else "anonymous",
        "description": facet_text(facets, "documentation", "description"),
        "isHidden": is_hidden,
    }


def dataset_node(head: DatasetHead, used: Instant | None = None) -> JsonObject:
    """A dataset as a lineage graph shows it. `used` is the latest time at which it is known to have been used: its
    head does not hold that, since it would have to be written with every run."""
    of, facets = head.facts.name, head.facets
    tagged = tagging(facets)
    return {
        "id": of.as_json(),
        "type": _DATASET_TYPES.get(facet_text(facets, "datasetType", "datasetType") or "", "DB_TABLE"),
        "name": of.name,
        "physicalName": facet_text(facets, DECLARED, "physicalName") or of.name,
        "createdAt": shown(head.facts.created),
        "updatedAt": shown(max(head.facts.created, used or head.facts.created)),
        "namespace": of.namespace,
        "sourceName": facet_text(facets, "dataSource", "name") or of.namespace,
        "fields": [field(each, tagged) for each in fields_of(head.schema)],
        "tags": tags(tagged),
        "lastModifiedAt": None,
        "description": facet_text(facets, "documentation", "description"),
        "lastLifecycleState": facet_text(facets, "lifecycleStateChange", "lifecycleStateChange") or "",
    }


def dataset(
    head: DatasetHead,
    used: Instant | None = None,
    last_write: tuple[str, DatasetUse] | None = None,
    column_lineage: Sequence[Any] = (),
) -> JsonObject:
    """A dataset on its own: with its facets, those of its last write, and its column lineage, the newest first."""
    document = dataset_node(head, used)
    facets = {each: facet for each, facet in head.facets.items() if each != SCHEMA}
    if head.schema is not None:
        facets[SCHEMA] = head.schema
    if last_write:
        of_write = values(last_write[1].facets)
        facets |= {each: facet for each, facet in of_write.items() if each not in (SCHEMA, COLUMN_LINEAGE, *facets)}
    if column_lineage:
        facets[COLUMN_LINEAGE] = column_lineage[0]
    by_schema = version_of_schema(head.schema_digest) if head.schema_digest else None
    document["currentVersion"] = last_write[0] if last_write else by_schema
    document["columnLineage"] = _column_lineage(head.facts.name, column_lineage) or None
    return document | {"facets": without_curation(facets), "deleted": head.is_deleted}


def job_node(head: JobHead, edges: Edges, latest: LatestRun | None) -> JsonObject:
    """A job as a lineage graph shows it."""
    facts, of = head.facts, head.facts.name
    facets = values(facts.facets)
    parent = parent_name(head)
    return {
        "id": of.as_json(),
        "type": _JOB_TYPES.get(facet_text(facets, "jobType", "processingType") or "", "BATCH"),
        "name": of.name,
        "simpleName": of.name.removeprefix(f"{parent.name}.") if parent else of.name,
        "parentJobName": parent.name if parent else None,
        "parentJobUuid": str(uuid.UUID(job_id(parent))) if parent else None,
        "currentRunUuid": latest.run_id if latest else None,
        "createdAt": shown(facts.first),
        "updatedAt": shown(facts.updated),
        "namespace": of.namespace,
        "inputs": _names(edges.inputs),
        "outputs": _names(edges.outputs),
        "location": facet_text(facets, "sourceCodeLocation", "url"),
        "description": facet_text(facets, "documentation", "description"),
        "latestRun": _run_in_graph(latest) if latest else None,
    }


def job(head: JobHead, newest: Sequence[Run]) -> JsonObject:
    """A job on its own: with its facets and newest runs."""
    document = job_node(head, head.current, None)
    del document["currentRunUuid"]
    facets = values(head.facts.facets)
    document["latestRun"] = run(newest[0]) if newest else None
    document["latestRuns"] = [run(each) for each in newest] or None
    document["currentVersion"] = job_version(head.facts.name, head.current) if head.current else None
    return document | {"facets": without_curation(facets), "labels": [], "tags": tags(facets)}


def run(of: Run) -> JsonObject:
    facets = values(of.facets)
    ended, is_new = of.ended_at, of.state is RunState.NEW
    version = {**of.job.as_json(), "version": job_version(of.job, Edges.of(of))} if of.names_datasets else None
    return {
        "id": of.run_id,
        "createdAt": shown(of.created),
        "updatedAt": shown(of.updated),
        "nominalStartTime": facet_text(facets, "nominalTime", "nominalStartTime"),
        "nominalEndTime": facet_text(facets, "nominalTime", "nominalEndTime"),
        "state": of.state.value,
        "startedAt": None if is_new else shown(of.started_at),
        "endedAt": shown(ended) if ended else None,
        "durationMs": milliseconds_between(of.started_at, ended) if ended else None,
        "args": _arguments(of, facets),
        "jobVersion": version,
        "inputDatasetVersions": [_input_version(use) for use in of.inputs.values()],
        "outputDatasetVersions": [_output_version(use, of.run_id) for use in of.outputs.values()],
        "facets": without_curation(facets),
        "failedChildren": [{"runId": child.run_id, "job": child.job.as_json()} for child in of.failed_children],
    }


def _run_in_graph(of: LatestRun) -> JsonObject:
    """A run as a lineage graph shows it: without facets and datasets, which would make most of the answer."""
    ended = of.ended_at
    return {
        "id": of.run_id,
        "createdAt": shown(of.created),
        "updatedAt": shown(of.updated),
        "nominalStartTime": None,
        "nominalEndTime": None,
        "state": of.state,
        "startedAt": shown(of.started_at),
        "endedAt": shown(ended) if ended else None,
        "durationMs": milliseconds_between(of.started_at, ended) if ended else None,
        "args": {},
        "jobVersion": None,
        "inputDatasetVersions": [],
        "outputDatasetVersions": [],
        "facets": {},
        "failedChildren": of.failed_children,
    }


def _column_lineage(of: Name, facets: Iterable[Any]) -> list[JsonObject]:
    """Column by column, as Marquez lists it in a dataset: the newest word on a column first."""
    columns: dict[str, list[Flow]] = {}
    for facet in facets:
        said: dict[str, list[Flow]] = {}
        for flow in flows(of, facet):
            said.setdefault(flow.output.field, []).append(flow)
        columns = said | columns
    return [
        {
            "name": column,
            "inputFields": [_input_field(flow) for flow in of_column],
            **transformation([step for flow in of_column for step in flow.steps]),
        }
        for column, of_column in sorted(columns.items())
    ]


def _input_field(flow: Flow) -> JsonObject:
    return {
        "namespace": flow.source.dataset.namespace,
        "dataset": flow.source.dataset.name,
        "field": flow.source.field,
        **transformation(flow.steps),
        "transformations": flow.steps,
    }


def field(of: JsonObject, tagged: Facets) -> JsonObject:
    """A field as clients expect it, whatever a producer put into the facet, which is there too as it was sent."""
    document: JsonObject = {each: _text_of(of.get(each)) for each in ("name", "type", "description")}
    document["tags"] = tags(tagged, of["name"]) if tagged else []
    nested = fields_of(of) if "fields" in of else []
    return document | {"fields": [field(each, {}) for each in nested]} if nested else document


def _text_of(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _names(used: Iterable[DatasetRef]) -> list[JsonObject]:
    return [each.name.as_json() for each in sorted(used, key=lambda each: each.name)]


def _input_version(use: DatasetUse) -> JsonObject:
    """What was read is known by its schema; which run wrote it, GET /runlineage/upstream tells."""
    digest = values(use.facets).get(SCHEMA)
    return _dataset_version(use, version_of_schema(digest) if isinstance(digest, str) else None)


def _output_version(use: DatasetUse, run_id: str) -> JsonObject:
    return _dataset_version(use, run_id)


def _dataset_version(use: DatasetUse, version: str | None) -> JsonObject:
    return {"datasetVersionId": {**use.name.as_json(), "version": version}, "facets": values(use.io_facets)}


def _arguments(of: Run, facets: Facets) -> JsonObject:
    created = facets.get(CREATED)
    arguments: JsonObject = dict(created.get("args") or {}) if isinstance(created, dict) else {}
    if of.parent:
        run_id, parent = of.parent
        arguments |= {"run_id": run_id, "name": parent.name, "namespace": parent.namespace}
    for argument, member in (("nominal_start_time", "nominalStartTime"), ("nominal_end_time", "nominalEndTime")):
        at = facet_text(facets, "nominalTime", member)
        if at:
            arguments[argument] = at
    return arguments


def quality(found: Item) -> JsonObject:
    """What a run found out about a dataset's data."""
    facets = values(item_codec.read_quality(found))
    run_id, _ = keys.run_of(found.key.sk)
    at = max(register.time for register in item_codec.read_quality(found).values())
    return {"runId": run_id, "at": shown(at), **{facet: facets.get(facet) for facet in sorted(QUALITY)}}
