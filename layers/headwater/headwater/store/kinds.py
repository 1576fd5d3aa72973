"""The kinds of items that are read by ids, each defined once: a row of `ItemTypes`. docs/table.md describes all items.

    store.read(ReadRequest(jobs=[...]))      the name of a row is what a read request calls the kind,
    read.jobs                                and what a snapshot does

The states of one id are read, joined and written by one row, whatever the kind. For a new kind, write its state, its
codec, its key and its row.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, dataclass_transform

from headwater.graph.facets.dataset_reference import Document
from headwater.graph.names.identity import (
    AliasId,
    ColumnLineageId,
    DatasetId,
    EventId,
    JobId,
    JobRunId,
    NamespaceId,
    NeighbourPageId,
    QualityId,
    SchemaId,
    WriteId,
)
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.job import JobHead
from headwater.graph.states.latency import Latency
from headwater.graph.states.neighbours import NeighbourPage
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.graph.states.rhythm import Rhythm
from headwater.graph.states.run import Run
from headwater.graph.states.search_terms import SearchTerm
from headwater.graph.states.stored_states import (
    CatalogProgress,
    DatasetAlert,
    DatasetWrite,
    EventDay,
    KnownAlias,
    KnownNamespace,
    QualityResult,
    StoredAlert,
)
from headwater.store import keys
from headwater.store.item_type import Encode, ItemType
from headwater.store.items.alerts import ALERT, LATENCY, encode_dataset_alert, encode_latency
from headwater.store.items.alerts import encode as encode_alert
from headwater.store.items.codec import Codec
from headwater.store.items.datasets import COLUMN_LINEAGE, DATASET, NEIGHBOURS, SCHEMAS, encode_document, encode_page
from headwater.store.items.datasets import encode as encode_dataset
from headwater.store.items.events import EVENT, encode_day
from headwater.store.items.events import encode as encode_event
from headwater.store.items.jobs import JOB
from headwater.store.items.jobs import encode as encode_job
from headwater.store.items.names import (
    ALIAS,
    CATALOG,
    NAMESPACE,
    encode_alias,
    encode_namespace,
    encode_progress,
    encode_search_term,
)
from headwater.store.items.rhythms import RHYTHM
from headwater.store.items.rhythms import encode as encode_rhythm
from headwater.store.items.runs import RUN
from headwater.store.items.runs import encode as encode_run
from headwater.store.items.writes import QUALITY, WRITE, encode_quality
from headwater.store.items.writes import encode as encode_write
from headwater.store.keys import Key
from headwater.store.table import Item, Retention

if TYPE_CHECKING:
    from headwater.graph.states.visibility import Visibility


def _lasting(encode: Callable[[Any], Item]) -> Encode:
    """The encoder of items that are kept for good."""
    return lambda state, _: encode(state)


def _job(visibility: "Visibility", head: JobHead, _id: JobId) -> JobHead:
    return visibility.job(head)


def _dataset(visibility: "Visibility", head: DatasetHead, dataset: DatasetId) -> DatasetHead:
    return visibility.dataset(head, dataset)


def _run(visibility: "Visibility", run: Run, _id: JobRunId) -> Run | None:
    return visibility.run(run)


def _write(visibility: "Visibility", write: DatasetWrite, _id: WriteId) -> DatasetWrite | None:
    return visibility.write(write)


def _alias(visibility: "Visibility", alias: KnownAlias, _id: AliasId) -> KnownAlias | None:
    return visibility.alias(alias)


def _columns(visibility: "Visibility", facet: Any, _id: ColumnLineageId) -> Any:
    return visibility.column_lineage(facet)


def _event(visibility: "Visibility", event: dict[str, Any], _id: EventId) -> dict[str, Any] | None:
    return visibility.event(event)


@dataclass_transform(kw_only_default=True)
class _Rows:
    """Lets mypy read the rows as what a read request may be given."""


class ItemTypes(_Rows):
    """The types of items that are read by ids. A row has: key and id; the beginning of the keys; the codec; what is
    saved, and how it becomes an item; and what a caller sees."""

    jobs: ItemType[JobId, JobHead] = ItemType(
        keys.job_head, keys.job_of, keys.JOB_HEADS, JOB, JobHead, _lasting(encode_job), _job
    )
    runs: ItemType[JobRunId, Run] = ItemType(keys.run, keys.run_of, keys.RUNS, RUN, Run, encode_run, _run)
    datasets: ItemType[DatasetId, DatasetHead] = ItemType(
        keys.dataset_head, keys.dataset_of, keys.DATASET_HEADS, DATASET, DatasetHead, _lasting(encode_dataset), _dataset
    )
    neighbours: ItemType[NeighbourPageId, NeighbourPage] = ItemType(
        keys.neighbours, keys.page_of, keys.NEIGHBOURS, NEIGHBOURS, NeighbourPage, _lasting(encode_page)
    )
    writes: ItemType[WriteId, DatasetWrite] = ItemType(
        keys.write, keys.write_of, keys.WRITES, WRITE, DatasetWrite, encode_write, _write
    )
    quality: ItemType[QualityId, QualityResult] = ItemType(
        keys.quality, keys.quality_of, keys.QUALITY_RESULTS, QUALITY, QualityResult, encode_quality
    )
    column_lineages: ItemType[ColumnLineageId, Any] = ItemType(
        keys.column_lineage,
        keys.column_lineage_of,
        keys.COLUMN_LINEAGES,
        COLUMN_LINEAGE,
        Document,
        _lasting(encode_document),
        _columns,
    )
    schemas: ItemType[SchemaId, Document] = ItemType(  # after column lineages: a Document that is joined is a schema
        keys.schema, keys.schema_of, keys.SCHEMAS, SCHEMAS, Document, _lasting(encode_document)
    )
    aliases: ItemType[AliasId, KnownAlias] = ItemType(
        keys.alias, keys.alias_of, keys.ALIASES, ALIAS, KnownAlias, encode_alias, _alias
    )
    namespaces: ItemType[NamespaceId, KnownNamespace] = ItemType(
        keys.namespace, keys.namespace_of, keys.NAMESPACES, NAMESPACE, KnownNamespace, _lasting(encode_namespace)
    )
    latencies: ItemType[JobId, Latency] = ItemType(
        keys.latency, keys.job_of, keys.LATENCIES, LATENCY, Latency, _lasting(encode_latency)
    )
    rhythms: ItemType[JobId, Rhythm] = ItemType(
        keys.rhythm, keys.rhythm_of, keys.RHYTHMS, RHYTHM, Rhythm, _lasting(encode_rhythm)
    )
    events: ItemType[EventId, dict[str, Any]] = ItemType(
        keys.event, keys.event_of, keys.EVENTS, EVENT, NormalisedEvent, encode_event, _event
    )
    alerts: ItemType[str, StoredAlert] = ItemType(
        keys.alert, keys.alert_of, keys.ALERTS, ALERT, StoredAlert, encode_alert
    )


ROWS: Mapping[str, ItemType[Any, Any]] = {
    name: row for name, row in vars(ItemTypes).items() if isinstance(row, ItemType)
}
_TYPE_OF: Mapping[type, ItemType[Any, Any]] = {row.saved: row for row in ROWS.values()}

JoinedState = Run | Rhythm | DatasetWrite | QualityResult | KnownAlias | KnownNamespace | Document
"""A state that is simply joined with the stored state of its id."""
State = (
    JoinedState
    | JobHead
    | DatasetHead
    | NeighbourPage
    | Latency
    | NormalisedEvent
    | StoredAlert
    | EventDay
    | SearchTerm
    | DatasetAlert
    | CatalogProgress
)
"""What is saved. Of a NormalisedEvent only the event is stored. The last four have no row, because they are not read by
ids: an EventDay, a SearchTerm and a DatasetAlert are keys without documents, and there is one CatalogProgress."""

CODECS: Mapping[str, Codec[Any]] = {codec.kind: codec for codec in (*(row.codec for row in ROWS.values()), CATALOG)}
"""The codecs by the kind of an item, for all items that have a document."""
NOT_OF_EVENTS = frozenset({"alert", "datasetAlert", CATALOG.kind, "auditEntry", "refusal"})
"""The kinds of items that do not come from events: what was announced, imported, audited or refused."""
_ENCODERS: Mapping[type, Encode] = {
    **{row.saved: row.encode for row in ROWS.values()},
    EventDay: encode_day,
    SearchTerm: encode_search_term,
    DatasetAlert: encode_dataset_alert,
    CatalogProgress: _lasting(encode_progress),
}


def encode(state: State, retention: Retention, stored: Mapping[Key, Item] = {}) -> Item:
    """The item of a state, beside what is stored."""
    item = _ENCODERS[type(state)](state, retention)
    if retention.keeps_former_forms and (codec := CODECS.get(item.labels["kind"])):
        return codec.in_former_form(item, stored.get(item.key))
    return item


def type_of(state: JoinedState) -> ItemType[Any, Any]:
    return _TYPE_OF[type(state)]
