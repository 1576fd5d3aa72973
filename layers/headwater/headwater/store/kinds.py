"""The kinds of states, each with its keys and its codec: what the store reads by an id.

docs/table.md lists the kinds with their items. The states of one id are read, joined and written by one row of this
table, whatever the kind.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

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
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import DatasetWrite, KnownAlias, KnownNamespace, QualityResult, StoredAlert
from headwater.store import keys
from headwater.store.items import alerts, datasets, events, jobs, latency, names, runs, writes
from headwater.store.items.codec import Codec
from headwater.store.keys import Key

if TYPE_CHECKING:
    from headwater.graph.states.visibility import Visibility

Id = TypeVar("Id")
State = TypeVar("State")


@dataclass(frozen=True)
class Kind(Generic[Id, State]):
    """A kind of state. `key` and `id_of` are inverse; the keys of a kind, and no others, begin with `beginning`. `seen`
    returns what a caller sees of a state; without `seen`, a caller who knows the id sees the state."""

    key: Callable[[Id], Key]
    id_of: Callable[[Key], Id]
    beginning: Key
    codec: Codec[State]
    seen: "Callable[[Visibility, State, Id], State | None] | None" = None


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


JOBS: Kind[JobId, JobHead] = Kind(keys.job_head, keys.job_of, keys.JOB_HEADS, jobs.JOB, _job)
JOBS_WITHOUT_USAGES: Kind[JobId, JobHead] = Kind(
    keys.job_head, keys.job_of, keys.JOB_HEADS, jobs.JOB_WITHOUT_USAGES, _job
)
RUNS: Kind[JobRunId, Run] = Kind(keys.run, keys.run_of, keys.RUNS, runs.RUN, _run)
DATASETS: Kind[DatasetId, DatasetHead] = Kind(
    keys.dataset_head, keys.dataset_of, keys.DATASET_HEADS, datasets.DATASET, _dataset
)
NEIGHBOURS: Kind[NeighbourPageId, NeighbourPage] = Kind(
    keys.neighbours, keys.page_of, keys.NEIGHBOURS, datasets.NEIGHBOURS
)
WRITES: Kind[WriteId, DatasetWrite] = Kind(keys.write, keys.write_of, keys.WRITES, writes.WRITE, _write)
QUALITY: Kind[QualityId, QualityResult] = Kind(keys.quality, keys.quality_of, keys.QUALITY_RESULTS, writes.QUALITY)
SCHEMAS: Kind[SchemaId, Document] = Kind(keys.schema, keys.schema_of, keys.SCHEMAS, datasets.SCHEMAS)
COLUMN_LINEAGES: Kind[ColumnLineageId, Any] = Kind(
    keys.column_lineage, keys.column_lineage_of, keys.COLUMN_LINEAGES, datasets.COLUMN_LINEAGE, _columns
)
ALIASES: Kind[AliasId, KnownAlias] = Kind(keys.alias, keys.alias_of, keys.ALIASES, names.ALIAS, _alias)
NAMESPACES: Kind[NamespaceId, KnownNamespace] = Kind(
    keys.namespace, keys.namespace_of, keys.NAMESPACES, names.NAMESPACE
)
LATENCIES: Kind[JobId, Latency] = Kind(keys.latency, keys.job_of, keys.LATENCIES, latency.LATENCY)
EVENTS: Kind[EventId, dict[str, Any]] = Kind(keys.event, keys.event_of, keys.EVENTS, events.EVENT, _event)

ALERTS: Kind[str, StoredAlert] = Kind(keys.alert, keys.alert_of, keys.ALERTS, alerts.ALERT)

JoinedState = Run | DatasetWrite | QualityResult | KnownAlias | KnownNamespace | Document
"""A state that is joined with the stored state of its id, without more."""
KIND_OF_JOINED: Mapping[type, Kind[Any, Any]] = {
    Run: RUNS,
    DatasetWrite: WRITES,
    QualityResult: QUALITY,
    KnownAlias: ALIASES,
    KnownNamespace: NAMESPACES,
    Document: SCHEMAS,
}
