"""The versions of a dataset: one for each run that wrote it, and for each event without a run that described it.

A dataset that is only read has a version for each of its schemas, which are its history, with the facets that its
readers send. Without a schema it has one version.
"""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from headwater.graph.facets.curation import without_curation
from headwater.graph.facets.dataset_reference import Document
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, LONG_FACETS, SCHEMA
from headwater.graph.facets.register import values
from headwater.graph.names.identity import (
    DatasetId,
    JobRunId,
    SchemaId,
    WriteId,
    version_of_schema,
    version_without_schema,
)
from headwater.graph.producers import is_query_job
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.stored_states import DatasetWrite
from headwater.http.marquez.datasets import dataset_node
from headwater.http.marquez.runs import run as run_as_json
from headwater.http.paging import Page, chunked, page_of, within_size_limit
from headwater.http.request import ApiRequest, PageRequest
from headwater.lookup.nodes.dataset_history import DatasetHistory, head_and_spans, write_history
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import NotFound
from headwater.openlineage.instant import Instant
from headwater.read.good_writes import wrappers
from headwater.read.name_resolution import NamedNode
from headwater.read.neighbourhood import NameSpan
from headwater.read.reader import Reader
from headwater.read.run_details import RunDetails, read_run_details
from headwater.store.ranges import write_position
from headwater.store.snapshot import ReadRequest, Snapshot

READ_AT_A_TIME = 100
WITHIN = 5
"""Writes of a dataset that are looked at within the time of a run."""
_OF_THE_VERSION = frozenset({SCHEMA, COLUMN_LINEAGE, "lifecycleStateChange", "version"})
"""Facets that a version has only from its own event. The other facets are those of the dataset."""


def versions(reader: Reader, request: ApiRequest, dataset: NamedNode) -> JsonObject:
    """A page of a dataset's versions, newest first: four reads for a hundred versions, and up to four more if several
    jobs wrote them, or on other pages. Without known writes, the versions are the schemas with which the dataset was
    read."""
    page_request = request.page()
    head, spans = head_and_spans(reader, dataset)
    history = write_history(reader.store, spans)
    page = _statements(reader, spans, history, page_request)
    if not page.entries and history.newest() is None:
        return _read_versions(reader, head, {span.id for span in spans}, page_request)
    documents = within_size_limit(_all_as_json(reader, head, page.entries))
    return {"versions": documents, "totalCount": page.total, **page.cursor(page_request, len(documents))}


def _statements(
    reader: Reader, spans: Sequence[NameSpan], history: DatasetHistory[WriteId, DatasetWrite], request: PageRequest
) -> Page[DatasetWrite]:
    """A page without the writes of wrappers: a statement is one version. The total is without those, too, if all of the
    list is on the page."""
    page = history.page(request)
    is_whole = page.is_last and request.after is None and not request.offset
    gone = _wrappers(reader, spans, page.entries, is_whole=is_whole)
    kept = [write for write in page.entries if write.id.run not in gone]
    if page.entries and not kept and not page.is_last:
        last = page.position_of(page.entries[-1])
        return _statements(reader, spans, history, request._replace(offset=0, after=last, total=page.total))
    left_out = len(page.entries) - len(kept) if is_whole else 0
    return replace(page, entries=kept, total=page.total - left_out)


def _wrappers(
    reader: Reader, spans: Sequence[NameSpan], writes: Sequence[DatasetWrite], *, is_whole: bool
) -> set[JobRunId]:
    """The runs of a page that are wrappers. The query within the first or the last may be on another page."""
    if not writes or (is_whole and len({write.id.job for write in writes}) == 1):
        return set()
    runs = {run.id: run for run in reader.runs([write.id.run for write in writes])}
    ends = [] if is_whole else [runs[end] for end in {writes[0].id.run, writes[-1].id.run} & runs.keys()]
    within = {
        write.run
        for run in ends
        if run.parent and is_query_job(values(run.job_facets))
        for name, since, end in spans
        for line in [reader.store.writes_of(name).between(since, end)]
        for write in islice(line.newest(since=run.started_at, until=run.ended_at, limit=WITHIN), WITHIN)
    }
    return wrappers([*runs.values(), *reader.runs(sorted(within - runs.keys()))])


def _read_versions(reader: Reader, head: DatasetHead, ids: Iterable[DatasetId], request: PageRequest) -> JsonObject:
    """A page of the versions of a dataset that is only read, by the first event time of each schema. Without a complete
    schema none counts: what is stored are columns that an older release took for all."""
    schemas = [schema for name in ids for schema in reader.store.schemas_of(name)] if head.schema_digest else []
    read = reader.store.read(ReadRequest(schemas=schemas)).schemas
    first_seen = {document.digest: document for document in sorted(read.of(schemas), key=_position, reverse=True)}
    newest = sorted(first_seen.values(), key=_position, reverse=True)
    if not newest:
        only = [version_without_schema(head.id)]
        page_of_one = page_of(only, request, str)
        return {"versions": [_without_schema(head, each) for each in page_of_one.entries], "totalCount": len(only)}
    page = page_of(newest, request, _position, newest_first=True)
    documents = within_size_limit(
        _of_schema(head, document, version_of_schema(document.digest)) for document in page.entries
    )
    return {"versions": documents, "totalCount": page.total, **page.cursor(request, len(documents))}


def _position(schema: Document) -> str:
    return f"{schema.time}#{schema.digest}"


def version(reader: Reader, request: ApiRequest, dataset: NamedNode) -> JsonObject:
    """One version, by the id of the run that wrote it, or of the event or schema that made it. Raises NotFound."""
    version = request.parameters["version"].lower()
    head, spans = head_and_spans(reader, dataset)
    ids = sorted({span.id for span in spans})
    writes = [write for name in ids for write in reader.store.writes_with_version(name, version)]
    schemas = [SchemaId(name, _digest(version)) for name in ids]
    read = reader.store.read(ReadRequest(writes=writes, schemas=schemas))
    written = [write for write in read.writes.of(writes) if _is_among(write, spans)]
    if written:
        return next(_all_as_json(reader, head, [max(written, key=write_position)]))
    for schema in schemas:
        if document := read.schemas.get(schema):
            return _of_schema(head, document, version)
    if version in map(version_without_schema, ids):
        return _without_schema(head, version)
    raise NotFound(f"Dataset version '{version}' not found.")


def _is_among(write: DatasetWrite, spans: Iterable[NameSpan]) -> bool:
    return any(span.id == write.id.dataset and span.has(write.output.first) for span in spans)


def _all_as_json(reader: Reader, head: DatasetHead, writes: Iterable[DatasetWrite]) -> Iterator[JsonObject]:
    for chunk in chunked(writes, READ_AT_A_TIME):
        read = reader.store.read(
            ReadRequest(
                runs=[write.id.run for write in chunk],
                schemas=[write.schema for write in chunk if write.schema],
                column_lineages=[write.column_lineage for write in chunk if write.column_lineage],
            )
        )
        runs = read_run_details(reader, read.runs.of([write.id.run for write in chunk]))
        by_id = {details.run.id: details for details in runs}
        yield from (_as_json(head, write, read, by_id.get(write.id.run)) for write in chunk)


def _as_json(head: DatasetHead, write: DatasetWrite, read: Snapshot, run: RunDetails | None) -> JsonObject:
    document = _of_dataset(head, write.output.first, _facets(write, read), write.id.version)
    document["currentSchemaVersion"] = version_of_schema(write.schema.digest) if write.schema else None
    return document | {"createdByRun": run_as_json(run) if run else None}


def _facets(write: DatasetWrite, read: Snapshot) -> dict[str, Any]:
    """The facets of a version. Schema and column lineage are documents of their own, and are left out if missing."""
    facets = values(write.output.facets) | values(write.output.io_facets)
    facets = {name: facet for name, facet in facets.items() if name not in LONG_FACETS}
    if write.schema and (schema := read.schemas.get(write.schema)):
        facets[SCHEMA] = schema.value
    if write.column_lineage and (columns := read.column_lineages.get(write.column_lineage)) is not None:
        facets[COLUMN_LINEAGE] = columns
    return facets


def _of_schema(head: DatasetHead, schema: Document, version: str) -> JsonObject:
    """The version of a dataset by a schema with which a job read the dataset."""
    document = _of_dataset(head, schema.time, {**_lasting(head), SCHEMA: schema.value}, version)
    return document | {"currentSchemaVersion": version, "createdByRun": None}


def _without_schema(head: DatasetHead, version: str) -> JsonObject:
    """The version of a dataset that a job read, without a schema."""
    document = _of_dataset(head, head.facts.created, _lasting(head), version)
    return document | {"currentSchemaVersion": None, "createdByRun": None}


def _of_dataset(head: DatasetHead, created: Instant, facets: Mapping[str, Any], version: str) -> JsonObject:
    facts = replace(head.facts, created=created)
    head_then = replace(head, facts=facts, facets={**_lasting(head), **facets}, schema=facets.get(SCHEMA))
    document = dataset_node(head_then)
    document["lifecycleState"] = document.pop("lastLifecycleState")
    del document["updatedAt"], document["lastModifiedAt"]
    return document | {"version": version, "facets": without_curation(facets)}


def _lasting(head: DatasetHead) -> dict[str, Any]:
    return {name: facet for name, facet in head.facets.items() if name not in _OF_THE_VERSION}


def _digest(version: str) -> str:
    try:
        return uuid.UUID(version).hex
    except ValueError:
        raise NotFound(f"Dataset version '{version}' not found.") from None
