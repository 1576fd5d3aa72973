"""Every item that the fold would have left, from the distinct events of the archive.

Each step joins states by their keys: no step collects on the driver, and no step is more than linear in the events.
docs/decisions/0003-choosing-heads.md has how the fold reaches the same heads one event at a time.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from pyspark import RDD, StorageLevel

from emr_jobs.archive.events import ArchivedEvent, Fault
from emr_jobs.rebuild import states
from emr_jobs.rebuild.latency import Measure, latencies
from emr_jobs.rebuild.neighbours import pages
from emr_jobs.rebuild.settings import RebuildSettings
from headwater.graph.dataset import DatasetHead
from headwater.graph.dataset_claims import DatasetClaims
from headwater.graph.identity import ColumnLineageId, SchemaId
from headwater.graph.job import JobHead
from headwater.store.graph_store import encode
from headwater.store.retention import Retention
from headwater.store.table import Item

KEPT = StorageLevel.MEMORY_AND_DISK
Made = TypeVar("Made")


class RebuiltTable(NamedTuple):
    """The items by their kinds, in the order in which the fold writes the kinds; the items of all distinct events; and
    what could not be read."""

    items: Mapping[str, RDD[Item]]
    faults: RDD[Fault]
    events: RDD[Item]


def rebuilt(archived: RDD[ArchivedEvent | Fault], settings: RebuildSettings) -> RebuiltTable:
    """The table by these events."""
    said: RDD[Any] = archived.mapPartitions(lambda part: states.states_of(part, settings)).persist(KEPT)
    partitions = archived.getNumPartitions()
    keyed = said.filter(lambda each: type(each) is tuple)
    joined = keyed.reduceByKey(lambda left, right: left.join(right), partitions).persist(KEPT)

    def of(kind: str) -> RDD[Any]:
        return joined.filter(lambda pair: pair[0][0] == kind).values()

    reported = of("Run").mapPartitions(states.of_runs)
    runs = reported.reduceByKey(lambda left, right: left.join(right), partitions).values().persist(KEPT)
    of_runs = runs.map(states.head_by).keyBy(lambda head: head.facts.id)
    facts = of("JobFacts").map(JobHead).keyBy(lambda head: head.facts.id)
    jobs = facts.union(of_runs).reduceByKey(JobHead.join, partitions).values().persist(KEPT)
    edges = of("Edge").keyBy(states.key_of).union(jobs.flatMap(states.edges_of)).reduceByKey(states.Edge.join)
    namespaces = of("KnownNamespace").keyBy(states.key_of).union(jobs.mapPartitions(states.namespaces_of))
    terms = of("SearchTerm").keyBy(states.key_of).union(jobs.mapPartitions(states.terms_of))
    documents = of("Document").persist(KEPT)
    of_kinds: Mapping[str, RDD[Any]] = {
        "day": of("Day").map(lambda day: day.day),
        "latency": latencies(said.filter(lambda each: isinstance(each, Measure)), settings.thresholds, partitions),
        "run": runs,
        "write": of("DatasetWrite"),
        "quality": of("QualityResult"),
        "neighbours": pages(edges.values(), of("NeighbourPage"), partitions),
        "searchTerm": terms.reduceByKey(lambda left, right: left.join(right), partitions).values(),
        "schema": documents.filter(lambda document: isinstance(document.id, SchemaId)),
        "columnLineage": documents.filter(lambda document: isinstance(document.id, ColumnLineageId)),
        "namespace": namespaces.reduceByKey(lambda left, right: left.join(right), partitions).values(),
        "job": jobs,
        "dataset": _datasets(of("DatasetFacts"), jobs, documents, partitions),
        "alias": of("KnownAlias"),
    }
    events = said.filter(lambda each: isinstance(each, Item))
    items = {kind: made.map(_encoding(settings.retention)) for kind, made in of_kinds.items()}
    is_kept = _is_kept(settings.now)
    kept = {kind: made.filter(is_kept) for kind, made in {"event": events, **items}.items()}
    return RebuiltTable(kept, said.filter(lambda each: isinstance(each, Fault)), events)


def _datasets(facts: RDD[Any], jobs: RDD[Any], documents: RDD[Any], partitions: int) -> RDD[DatasetHead]:
    """The heads of datasets by the claims of all their jobs."""
    claims = jobs.flatMap(states.claims_of).reduceByKey(DatasetClaims.join, partitions)
    by_id = facts.keyBy(lambda each: states.key_of(each)[1])
    heads = (
        by_id.leftOuterJoin(claims, partitions).values().map(lambda pair: (pair[1] or DatasetClaims()).head(pair[0]))
    )
    schemas = documents.keyBy(lambda document: (document.dataset, document.digest))
    by_schema = heads.keyBy(lambda head: (head.id, head.schema_digest))
    return by_schema.leftOuterJoin(schemas, partitions).values().map(_with_schema)


def _with_schema(pair: tuple[DatasetHead, Any]) -> DatasetHead:
    head, document = pair
    return replace(head, schema=document.value) if document else head


def _encoding(retention: Retention) -> Callable[[Any], Item]:
    return lambda state: encode(state, retention)


def _is_kept(now: float) -> Callable[[Item], bool]:
    """Whether an item has not expired: an expired item has left the table."""
    return lambda item: item.expires_at is None or item.expires_at > now
