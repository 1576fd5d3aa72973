"""Nodes in the shapes of Marquez's API: members, null where nothing is known, times with as few digits as they need."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, dataset_id, job_id
from headwater.graph.job import Edges, JobHead
from headwater.graph.mention import COLUMN_LINEAGE, SCHEMA, DatasetUse
from headwater.graph.register import values
from headwater.graph.run import Run
from headwater.lookup.columns import Flow, flows, transformation
from headwater.openlineage import exact_json
from headwater.openlineage.event import Facets, Name
from headwater.openlineage.instant import Instant, milliseconds_between, shown

Shape = dict[str, Any]

_JOB_TYPES = {"BATCH": "BATCH", "STREAMING": "STREAM", "SERVICE": "SERVICE"}
_STREAM_TYPES = {"TOPIC", "STREAM"}


def namespace(name: str, created: str) -> Shape:
    at = shown(Instant(created))
    return {
        "name": name,
        "createdAt": at,
        "updatedAt": at,
        "ownerName": "anonymous",
        "description": None,
        "isHidden": False,
    }


def name(of: Name) -> Shape:
    return {"namespace": of.namespace, "name": of.name}


def node_id(kind: str, of: Name) -> str:
    return f"{kind}:{of.namespace}:{of.name}"


def dataset_node(head: DatasetHead, used: Instant | None = None) -> Shape:
    """A dataset as a lineage graph shows it. `used` is the latest time at which it is known to have been used: its
    head does not hold that, since it would have to be written with every run."""
    of, facets = head.facts.name, head.facets
    return {
        "id": name(of),
        "type": "STREAM" if _text(facets, "datasetType", "datasetType") in _STREAM_TYPES else "DB_TABLE",
        "name": of.name,
        "physicalName": of.name,
        "createdAt": shown(head.facts.created),
        "updatedAt": shown(max(head.facts.created, used or head.facts.created)),
        "namespace": of.namespace,
        "sourceName": _text(facets, "dataSource", "name") or of.namespace,
        "fields": [_field(each) for each in fields_of(head.schema)],
        "tags": [],
        "lastModifiedAt": None,
        "description": _text(facets, "documentation", "description"),
        "lastLifecycleState": _text(facets, "lifecycleStateChange", "lifecycleStateChange") or "",
    }


def dataset(
    head: DatasetHead,
    used: Instant | None = None,
    last_write: tuple[str, DatasetUse] | None = None,
    column_lineage: Sequence[Any] = (),
) -> Shape:
    """A dataset on its own: with its facets, those of its last write, and its column lineage, the newest first."""
    shape = dataset_node(head, used)
    facets = {each: facet for each, facet in head.facets.items() if each != SCHEMA}
    if head.schema is not None:
        facets[SCHEMA] = head.schema
    if last_write:
        of_write = values(last_write[1].facets)
        facets |= {each: facet for each, facet in of_write.items() if each not in (SCHEMA, COLUMN_LINEAGE, *facets)}
    if column_lineage:
        facets[COLUMN_LINEAGE] = column_lineage[0]
    shape["currentVersion"] = version_of(head.facts.name, last_write[0] if last_write else head.schema_digest or "")
    shape["columnLineage"] = _column_lineage(head.facts.name, column_lineage) or None
    return shape | {"facets": facets, "deleted": False}


def job_node(head: JobHead, names: Mapping[NodeId, Name], latest: Run | None) -> Shape:
    """A job as a lineage graph shows it."""
    facts, of = head.facts, head.facts.name
    facets = values(facts.facets)
    parent = _parent_name(head)
    edges = head.current
    return {
        "id": name(of),
        "type": _JOB_TYPES.get(_text(facets, "jobType", "processingType") or "", "BATCH"),
        "name": of.name,
        "simpleName": of.name.removeprefix(f"{parent.name}.") if parent else of.name,
        "parentJobName": parent.name if parent else None,
        "parentJobUuid": str(uuid.UUID(job_id(parent))) if parent else None,
        "currentRunUuid": head.latest.run_id if head.latest else None,
        "createdAt": shown(facts.first),
        "updatedAt": shown(facts.last),
        "namespace": of.namespace,
        "inputs": _names(edges.inputs, names),
        "outputs": _names(edges.outputs, names),
        "location": _text(facets, "sourceCodeLocation", "url"),
        "description": _text(facets, "documentation", "description"),
        "latestRun": _run_in_graph(latest) if latest else None,
    }


def job(head: JobHead, names: Mapping[NodeId, Name], newest: list[Run]) -> Shape:
    """A job on its own: with its facets and newest runs."""
    shape = job_node(head, names, None)
    del shape["currentRunUuid"]
    shape["latestRun"] = run(newest[0]) if newest else None
    shape["latestRuns"] = [run(each) for each in newest] or None
    version = job_version(head.facts.name, head.current)
    shape["currentVersion"] = version if head.current.inputs or head.current.outputs else None
    return shape | {"facets": values(head.facts.facets), "labels": [], "tags": []}


def run(of: Run) -> Shape:
    facets = values(of.facets)
    ended = of.ended_at
    version = {**name(of.job), "version": job_version(of.job, Edges.of(of))} if of.names_datasets else None
    return {
        "id": of.run_id,
        "createdAt": shown(of.first),
        "updatedAt": shown(of.last),
        "nominalStartTime": _text(facets, "nominalTime", "nominalStartTime"),
        "nominalEndTime": _text(facets, "nominalTime", "nominalEndTime"),
        "state": of.state.value,
        "startedAt": shown(of.started_at),
        "endedAt": shown(ended) if ended else None,
        "durationMs": milliseconds_between(of.started_at, ended) if ended else None,
        "args": _arguments(of, facets),
        "jobVersion": version,
        "inputDatasetVersions": [_input_version(use) for use in of.inputs.values()],
        "outputDatasetVersions": [_output_version(use, of.run_id) for use in of.outputs.values()],
        "facets": facets,
    }


def _run_in_graph(of: Run) -> Shape:
    """A run as a lineage graph shows it: without facets and datasets, which would make most of the answer."""
    shape = run(of)
    bare: Shape = {
        "args": {},
        "jobVersion": None,
        "inputDatasetVersions": [],
        "outputDatasetVersions": [],
        "facets": {},
    }
    return shape | bare


def version_of(of: Name, said_by: str) -> str:
    """A dataset version's id: of a write by its run, else of a schema by its digest."""
    return str(uuid.uuid5(uuid.UUID(dataset_id(of)), said_by))


def job_version(of: Name, edges: Edges) -> str:
    """A job version's id: one for each set of inputs and outputs."""
    return str(uuid.uuid5(uuid.UUID(job_id(of)), exact_json.dumps([edges.inputs, edges.outputs])))


def fields_of(holder: Any) -> list[Shape]:
    """The named fields of a schema, or of a field that nests some."""
    fields = holder.get("fields") if isinstance(holder, dict) else None
    named = fields if isinstance(fields, list) else []
    return [each for each in named if isinstance(each, dict) and isinstance(each.get("name"), str)]


def _column_lineage(of: Name, facets: Iterable[Any]) -> list[Shape]:
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


def _input_field(flow: Flow) -> Shape:
    return {
        "namespace": flow.source.dataset.namespace,
        "dataset": flow.source.dataset.name,
        "field": flow.source.field,
        **transformation(flow.steps),
        "transformations": flow.steps,
    }


def _field(field: Shape) -> Shape:
    """A field as clients expect it, whatever a producer put into the facet, which is there too as it was sent."""
    shape: Shape = {each: _text_of(field.get(each)) for each in ("name", "type", "description")}
    shape["tags"] = []
    nested = fields_of(field)
    return shape | {"fields": [_field(each) for each in nested]} if nested else shape


def _text_of(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _names(ids: Iterable[NodeId], names: Mapping[NodeId, Name]) -> list[Shape]:
    return [name(of) for of in sorted(names[each] for each in ids if each in names)]


def _input_version(use: DatasetUse) -> Shape:
    digest = values(use.facets).get(SCHEMA) or ""
    return _dataset_version(use, version_of(use.name, digest))


def _output_version(use: DatasetUse, run_id: str) -> Shape:
    return _dataset_version(use, version_of(use.name, run_id))


def _dataset_version(use: DatasetUse, version: str) -> Shape:
    return {"datasetVersionId": {**name(use.name), "version": version}, "facets": values(use.io_facets)}


def _parent_name(head: JobHead) -> Name | None:
    match values(head.facts.run_facets).get("parent"):
        case {"job": {"namespace": str(namespace), "name": str(name)}}:
            return Name(namespace, name)
    return None


def _arguments(of: Run, facets: Facets) -> Shape:
    arguments: Shape = {}
    if of.parent:
        run_id, parent = of.parent
        arguments |= {"run_id": run_id, "name": parent.name, "namespace": parent.namespace}
    for argument, member in (("nominal_start_time", "nominalStartTime"), ("nominal_end_time", "nominalEndTime")):
        at = _text(facets, "nominalTime", member)
        if at:
            arguments[argument] = at
    return arguments


def _text(facets: Facets, facet: str, member: str) -> str | None:
    found = facets.get(facet)
    value = found.get(member) if isinstance(found, dict) else None
    return value if isinstance(value, str) else None
