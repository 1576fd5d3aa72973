"""The versions of a dataset: one for each run that wrote it, and for each event without a run that described it.

A dataset that is only read has versions too, by its schemas; they are found by their ids alone.
"""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from headwater.graph.curation import without_curation
from headwater.graph.dataset import DatasetHead
from headwater.graph.dataset_reference import COLUMN_LINEAGE, SCHEMA, DatasetUse
from headwater.graph.identity import NodeId, NodeKind, version_of_schema
from headwater.graph.register import values
from headwater.graph.run import Run
from headwater.http.paging import in_parts, within_size_limit
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.lookup import marquez_schema
from headwater.lookup.nodes import dataset_history
from headwater.lookup.request_nodes import node_from_path
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.name_resolution import NotFound
from headwater.read.reader import Reader
from headwater.store import item_codec, keys
from headwater.store.keys import Key
from headwater.store.table import Item, Stored

READ_AT_A_TIME = 100
_OF_THE_VERSION = frozenset({SCHEMA, COLUMN_LINEAGE, "lifecycleStateChange", "version"})
"""Facets that a version has only if it was said of it; the others hold for the dataset as a whole."""


def versions(reader: Reader, request: ApiRequest, path: str) -> ApiResponse:
    """A page of a dataset's versions, newest first: four reads for a hundred of them."""
    node = node_from_path(reader, request, NodeKind.DATASET, path)
    page = request.page()
    head, ids = dataset_history.known_as(reader, node)
    part = dataset_history.part(reader, ids, dataset_history.VERSIONS, page)
    found = within_size_limit(_all_as_json(reader, head, part.entries))
    return ApiResponse(200, {"versions": found, "totalCount": part.total, **part.cursor(page, len(found))})


def version(reader: Reader, request: ApiRequest, path: str, version: str) -> ApiResponse:
    """One version, by the id of the run that wrote it, or of the event or schema that made it."""
    node = node_from_path(reader, request, NodeKind.DATASET, path)
    head, ids = dataset_history.known_as(reader, node)
    pks = [keys.dataset_head(each).pk for each in ids]
    writes = [key for pk in pks for key in reader.table.partition(pk, f"W#{version.lower()}#")]
    of_schema = [keys.schema(each, _digest(version)) for each in ids]
    items = reader.table.read([*writes, *of_schema])
    written = max((items[key] for key in writes if key in items), key=lambda item: item.labels["at"], default=None)
    if written:
        return ApiResponse(200, next(_all_as_json(reader, head, [written])))
    for key in of_schema:
        if key in items:
            return ApiResponse(200, _of_schema(head, items[key], version.lower()))
    raise NotFound(f"Dataset version '{version}' not found.")


class _Write(NamedTuple):
    """A version as it is stored. An event without a run has its own id for the run's, and no job if it has none."""

    dataset: NodeId
    run_id: str
    job: NodeId
    use: DatasetUse

    @classmethod
    def of(cls, item: Item) -> "_Write":
        run_id, job = keys.run_of(item.key.sk)
        return cls(keys.node_of(item.key.pk), run_id, job, item_codec.read_write(item))

    @property
    def run(self) -> Key:
        return keys.run(self.job, self.run_id)

    @property
    def schema(self) -> Key | None:
        digest = values(self.use.facets).get(SCHEMA)
        return keys.schema(self.dataset, digest) if isinstance(digest, str) else None

    @property
    def column_lineage(self) -> Key | None:
        digest = values(self.use.facets).get(COLUMN_LINEAGE)
        return keys.column_lineage(self.dataset, digest) if isinstance(digest, str) else None

    @property
    def keys(self) -> Iterable[Key]:
        """The items that tell more of it."""
        return [each for each in (self.run, self.schema, self.column_lineage) if each]


def _all_as_json(reader: Reader, head: DatasetHead, items: Iterable[Item]) -> Iterator[JsonObject]:
    for some in in_parts(items, READ_AT_A_TIME):
        writes = [_Write.of(item) for item in some]
        stored = reader.table.read({key for write in writes for key in write.keys})
        said = _documents(stored)
        for write in writes:
            run = stored.get(write.run)
            yield _as_json(head, write, said, item_codec.read_run(run) if run else None)


def _documents(stored: Stored) -> dict[Key | None, Any]:
    """Schemas and column lineage, each read once: many versions have the same."""
    kinds = ("schema", "columnLineage")
    return {key: item_codec.read_document(item) for key, item in stored.items() if item.labels["kind"] in kinds}


def _as_json(head: DatasetHead, write: _Write, said: Mapping[Key | None, Any], run: Run | None) -> JsonObject:
    use = write.use
    facets = values(use.facets) | values(use.io_facets)
    for name, key in ((SCHEMA, write.schema), (COLUMN_LINEAGE, write.column_lineage)):
        facets.pop(name, None)
        if key in said:
            facets[name] = said[key]
    document = _of_dataset(head, use.first, facets, write.run_id)
    digest = write.schema.sk.removeprefix("S#") if write.schema else None
    document["currentSchemaVersion"] = version_of_schema(digest) if digest else None
    return document | {"createdByRun": marquez_schema.run(run) if run else None}


def _of_schema(head: DatasetHead, schema: Item, version: str) -> JsonObject:
    """What is known of a dataset that was read with a schema."""
    document = _of_dataset(head, Instant(schema.labels["first"]), {SCHEMA: item_codec.read_document(schema)}, version)
    return document | {"currentSchemaVersion": version, "createdByRun": None}


def _of_dataset(head: DatasetHead, created: Instant, facets: Mapping[str, Any], version: str) -> JsonObject:
    lasting = {name: facet for name, facet in head.facets.items() if name not in _OF_THE_VERSION}
    facts = replace(head.facts, created=created)
    then = replace(head, facts=facts, facets={**lasting, **facets}, schema=facets.get(SCHEMA))
    document = marquez_schema.dataset_node(then)
    document["lifecycleState"] = document.pop("lastLifecycleState")
    del document["updatedAt"], document["lastModifiedAt"]
    return document | {"version": version, "facets": without_curation(facets)}


def _digest(version: str) -> str:
    try:
        return uuid.UUID(version).hex
    except ValueError:
        raise NotFound(f"Dataset version '{version}' not found.") from None
