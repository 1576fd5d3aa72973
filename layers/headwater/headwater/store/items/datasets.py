"""The heads of datasets, their neighbours, and their distinct schemas and column lineages."""

from collections.abc import Mapping
from typing import Any

from headwater.graph.facets.dataset_reference import Document
from headwater.graph.facets.long_facet import SCHEMA, stored_form
from headwater.graph.names.identity import JobId, SchemaId, dataset_id
from headwater.graph.states.dataset import DatasetFacts, DatasetHead
from headwater.graph.states.neighbours import NeighbourPage, Side
from headwater.openlineage.instant import NEVER
from headwater.store import keys
from headwater.store.items.codec import Codec, Members, unchanged
from headwater.store.items.jobs import RESELECTING
from headwater.store.items.values import (
    anything,
    array,
    boolean,
    dataset_registers,
    digest,
    facet_of,
    instant,
    instant_or_never,
    job_id,
    name_of,
    number,
    object_of,
    optional,
    registers_json,
    text,
)
from headwater.store.items.values import dataset_id as to_dataset_id
from headwater.store.table import Item


def encode(head: DatasetHead) -> Item:
    facts = head.facts
    document = {
        "name": facts.name,
        "named": facts.named,
        "created": facts.created,
        "own": registers_json(facts.own),
        "said": facts.described,
        "facets": head.facets,
        **({"saidBefore": head.said_before} if head.said_before else {}),
        "schema": head.schema,
        **({"gone": head.gone} if head.gone else {}),
        **({"columnOrder": head.column_order} if head.column_order else {}),
        "written": head.written,
        "columns": {job: digests[0] for job, digests in head.columns.items()},
        **_more_columns(head),
        "users": head.users,
        "isDeleted": head.is_deleted,
        **({"isForeign": True} if facts.is_foreign else {}),
    }
    labels = dict(_labels(head))
    if head.reselecting:
        labels[RESELECTING] = head.reselecting
    return DATASET.item(keys.dataset_head(head.id), document, labels)


def _labels(head: DatasetHead) -> Mapping[str, str]:
    name = head.facts.name
    labels = {"namespace": name.namespace, "name": name.name}
    if head.is_deleted:
        return labels
    listed_in = keys.named_by_others_of if head.facts.is_foreign else keys.datasets_of
    return labels | {"listed_in": listed_in(name.namespace), "place": keys.name_key(name, head.id)}


def _decode(item: Item, members: Members) -> DatasetHead:
    facts = DatasetFacts(
        name=members.read("name", name_of(dataset_id, keys.dataset_of(item.key))),
        named=members.read("named", instant),
        created=members.read("created", instant),
        own=members.read("own", dataset_registers),
        described=members.read("said", instant_or_never, NEVER),
        is_foreign=members.read("isForeign", boolean, default=False),
    )
    return DatasetHead(
        facts=facts,
        facets=members.read("facets", _facets),
        said_before=members.read("saidBefore", object_of(instant), {}),
        schema=members.read("schema", anything),
        gone=members.read("gone", array(text), ()),
        column_order=members.read("columnOrder", text, ""),
        written=members.read("written", optional(digest), None),
        columns=_all_columns(members.read("columns", _columns, {}), members.read("moreColumns", _further_columns, {})),
        users=members.read("users", array(_user), ()),
        is_deleted=members.read("isDeleted", boolean, default=False),
        reselecting=item.labels.get(RESELECTING),
    )


def _facets(value: Any) -> dict[str, Any]:
    facets = object_of(anything)(value)
    if SCHEMA in facets:
        digest(facets[SCHEMA])
    return facets


def _more_columns(head: DatasetHead) -> dict[str, Any]:
    """The further digests of jobs that sent several, in a member that the previous release ignores. If that release
    drops it, the next event of the job brings it back."""
    more = {job: digests[1:] for job, digests in head.columns.items() if digests[1:]}
    return {"moreColumns": more} if more else {}


def _columns(value: Any) -> dict[JobId, str]:
    return {job_id(job): lineage for job, lineage in object_of(digest)(value).items()}


def _further_columns(value: Any) -> dict[JobId, tuple[str, ...]]:
    return {job_id(job): lineages for job, lineages in object_of(array(digest))(value).items()}


def _all_columns(first: dict[JobId, str], more: dict[JobId, tuple[str, ...]]) -> dict[JobId, tuple[str, ...]]:
    return {job: (lineage, *more.get(job, ())) for job, lineage in first.items()}


def _user(value: Any) -> tuple[int, JobId]:
    rank, job = value
    if number(rank) not in (0, 1):
        raise ValueError("expected 0 for a writer, or 1")
    return rank, job_id(job)


DATASET = Codec("dataset", _decode, (unchanged, unchanged), _labels)


def encode_page(page: NeighbourPage) -> Item:
    """A page of a dataset's neighbours."""
    document: dict[str, Any] = {
        **{side: sorted(page.jobs[side]) for side in Side},
        "split": sorted(page.split),
        "linked": sorted(page.linked),
        "merged": sorted(page.merged),
        "isDescribed": page.is_described,
    }
    return NEIGHBOURS.item(keys.neighbours(page.id), document)


def _decode_page(item: Item, members: Members) -> NeighbourPage:
    return NeighbourPage(
        id=keys.page_of(item.key),
        jobs={side: frozenset(members.read(side, array(job_id))) for side in Side},
        split=frozenset(map(Side, members.read("split", array(Side)))),
        linked=frozenset(members.read("linked", array(to_dataset_id), ())),
        merged=frozenset(members.read("merged", array(to_dataset_id), ())),
        is_described=members.read("isDescribed", boolean, default=False),
    )


NEIGHBOURS = Codec("neighbours", _decode_page, (unchanged, unchanged))


def encode_document(document: Document) -> Item:
    """The item of a schema or column lineage. A schema's label `first` is the earliest event time that has the
    schema."""
    if isinstance(document.id, SchemaId):
        return SCHEMAS.item(keys.schema(document.id), _facet(document.value), _schema_labels(document))
    columns = stored_form(document.facet, document.value)
    return COLUMN_LINEAGE.item(keys.column_lineage(document.id), _facet(columns))


def _schema_labels(document: Document) -> Mapping[str, str]:
    return {"first": document.time}


def _facet(value: Any) -> Mapping[str, Any]:
    """A document with the facet as a member: the document itself needs room for further members."""
    return {"facet": value}


def _decode_schema(item: Item, members: Members) -> Document:
    own = keys.schema_of(item.key)
    first = Members(dict(item.labels)).read("first", instant)
    return Document(own.dataset, SCHEMA, own.digest, members.read("facet", facet_of(own.digest)), first)


def _decode_column_lineage(item: Item, members: Members) -> Any:
    return members.read("facet", facet_of(keys.column_lineage_of(item.key).digest))


SCHEMAS = Codec("schema", _decode_schema, (_facet, unchanged), _schema_labels)
COLUMN_LINEAGE = Codec("columnLineage", _decode_column_lineage, (_facet, unchanged))
"""The document of version 1 was the facet itself, for both kinds."""
