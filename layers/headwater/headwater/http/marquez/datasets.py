"""Datasets in the form of Marquez's API."""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from headwater.graph.facets.column_lineage import ColumnFlow, column_flows, transformation
from headwater.graph.facets.curation import DECLARED, shown_tags, tagging, without_curation
from headwater.graph.facets.dataset_reference import INPUT_STATISTICS, QUALITY, display_name
from headwater.graph.facets.insights import criticality_of
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, SCHEMA
from headwater.graph.facets.members import exposures_of, facet_text, place_of
from headwater.graph.facets.register import values
from headwater.graph.facets.schema import fields_of
from headwater.graph.names.identity import NodeKind, node_id, version_of_schema
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.stored_states import QualityResult
from headwater.openlineage.event import Facets, Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant, shown
from headwater.read.dataset_details import DatasetDetails
from headwater.read.good_writes import LastWrite
from headwater.read.reader import Reader

_STREAMS = frozenset({"TOPIC", "STREAM"})
"""The types of the facet datasetType that are Marquez's STREAM. Any other dataset is a DB_TABLE: Marquez's clients fail
on a third type."""
_KAFKA = "kafka://"
"""The beginning of namespaces whose datasets are topics. Flink sends no type for them."""


def dataset_node(head: DatasetHead, used: Instant | None = None) -> JsonObject:
    """A dataset in a lineage graph. `used` is the time of the last known use. A head does not hold this time, since
    every run would then have to write it. A dataset that the caller may not read (`foreign`) has only a name."""
    name, facets, created = head.facts.name, head.facets, head.facts.created
    tagged = tagging(facets)
    return {
        "id": name.as_json(),
        "type": "STREAM" if _is_stream(head) else "DB_TABLE",
        "name": name.name,
        "physicalName": facet_text(facets, DECLARED, "physicalName") or name.name,
        "createdAt": shown(created) if created else None,
        **updated(head, used),
        "namespace": name.namespace,
        "sourceName": facet_text(facets, "dataSource", "name") or name.namespace,
        "fields": [field(column, tagged) for column in fields_of(head.schema)],
        **shown_tags(tagged),
        "lastModifiedAt": None,
        "description": facet_text(facets, "documentation", "description"),
        "lastLifecycleState": facet_text(facets, "lifecycleStateChange", "lifecycleStateChange") or "",
        **({"displayName": display} if (display := display_name(name, facets)) else {}),
        **({"schemaLocation": location} if (location := facet_text(facets, DECLARED, "schemaLocation")) else {}),
        **({"exposures": exposures} if (exposures := exposures_of(facets)) else {}),
        **({"place": place} if (place := place_of(facets)) else {}),
        **({"foreign": True} if head.is_foreign else {}),
    }


def updated(head: DatasetHead, used: Instant | None) -> JsonObject:
    """When a dataset was created or last used. Neither is known if only a reference names it."""
    created = head.facts.created
    return {"updatedAt": shown(max(created, used or created)) if created else None}


def display_names(heads: Iterable[DatasetHead]) -> JsonObject:
    """What datasets are called in a catalogue, by nodeId and in its order. It is a member of an answer that names
    them only by nodeId; there is no member if none is in a catalogue."""
    named = sorted((head.facts.name, display_name(head.facts.name, head.facets)) for head in heads)
    shown = {node_id(NodeKind.DATASET, name): display for name, display in named if display}
    return {"displayNames": shown} if shown else {}


def _is_stream(head: DatasetHead) -> bool:
    """Whether a dataset is a stream: by its type, or without a type by its namespace."""
    of_producer = dataset_type(head.facets)
    return of_producer in _STREAMS if of_producer else head.facts.name.namespace.startswith(_KAFKA)


def dataset_type(facets: Facets) -> str | None:
    """The producer's own type of a dataset, such as VIEW or MODEL."""
    return facet_text(facets, "datasetType", "datasetType")


def dataset(reader: Reader, details: DatasetDetails) -> JsonObject:
    """A single dataset: a listed dataset, with its aliases, its newest quality result, and its last write."""
    return listed_dataset(details, reader.store.made) | {
        "aliases": [name.as_json() for name in details.aliases],
        "dataQuality": quality(details.quality) if details.quality else None,
        **last_write(details.written),
    }


def last_write(write: LastWrite) -> JsonObject:
    """When a dataset was last written, and what to know of it if no write of it went well."""
    caution = {"caution": write.caution} if write.caution else {}
    return {"lastWrittenAt": shown(write.time) if write.time else None, **caution}


def _made(make: Callable[..., Any], *given: Any) -> Any:
    return make(*given)


def listed_dataset(details: DatasetDetails, made: Callable[..., Any] = _made) -> JsonObject:
    """A dataset in a list: with its facets, those of its last write, its newest quality result and its last read, and
    its column lineage. `made` keeps what is made of a state."""
    head, last_write, column_lineage = details.head, details.last_write, details.column_lineage
    document = {**made(dataset_node, head), **updated(head, details.last_used)}
    facets = {name: facet for name, facet in head.facets.items() if name != SCHEMA}
    if head.schema is not None:
        facets[SCHEMA] = head.schema
    if last_write:
        written = values(last_write.output.facets)
        facets |= {name: facet for name, facet in written.items() if name not in (SCHEMA, COLUMN_LINEAGE, *facets)}
    if details.quality:
        facets |= values(details.quality.facets)
    if details.input_statistics:
        facets[INPUT_STATISTICS] = details.input_statistics
    if column_lineage:
        facets[COLUMN_LINEAGE] = column_lineage[0]
    if details.ownership:
        facets["ownership"] = details.ownership
    by_schema = version_of_schema(head.schema_digest) if head.schema_digest else None
    document["currentVersion"] = last_write.id.version if last_write else by_schema
    if details.written.caution:
        document["caution"] = details.written.caution
    if criticality := criticality_of(facets):
        document["criticality"] = criticality
    lineages = [made(_column_lineage, facet, head.facts.name) for facet in column_lineage]
    columns = dict(chain.from_iterable(each.items() for each in reversed(lineages)))
    document["columnLineage"] = [column for _, column in sorted(columns.items())] or None
    return document | {"facets": without_curation(facets), "deleted": head.is_deleted or details.is_dropped}


def _column_lineage(facet: Any, dataset_name: Name) -> dict[str, JsonObject]:
    """The column lineage of a dataset by one facet, column by column. The newest facet that names a column counts."""
    columns: dict[str, list[ColumnFlow]] = {}
    for flow in column_flows(dataset_name, facet):
        columns.setdefault(flow.output.field, []).append(flow)
    return {
        column: {
            "name": column,
            "inputFields": [_input_field(flow) for flow in of_column],
            **transformation([step for flow in of_column for step in flow.steps]),
        }
        for column, of_column in columns.items()
    }


def _input_field(flow: ColumnFlow) -> JsonObject:
    return {
        "namespace": flow.source.dataset.namespace,
        "dataset": flow.source.dataset.name,
        "field": flow.source.field,
        **transformation(flow.steps),
        "transformations": flow.steps,
    }


def field(column: JsonObject, tagged: Facets) -> JsonObject:
    """A field of the schema facet, without members of a wrong type."""
    document: JsonObject = {member: _text_of(column.get(member)) for member in ("name", "type", "description")}
    document |= shown_tags(tagged, column["name"]) if tagged else {"tags": []}
    nested = fields_of(column) if "fields" in column else []
    return document | {"fields": [field(inner, {}) for inner in nested]} if nested else document


def _text_of(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def quality(result: QualityResult) -> JsonObject:
    """The quality result of a run on a dataset."""
    facets = values(result.facets)
    results = {name: facets.get(name) for name in sorted(QUALITY)}
    return {"runId": result.id.run_id, "at": shown(result.time), **results}
