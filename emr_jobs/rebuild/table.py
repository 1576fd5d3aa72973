"""Every item that the fold would have left, from the events of the archive.

Each step joins states by their keys: no step collects on the driver, and no step is more than linear in the events.
docs/decisions/0003-choosing-heads.md has how the fold reaches the same heads one event at a time.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from pyspark import RDD, StorageLevel

from emr_jobs.archive.events import ArchivedEvent, LineFault
from emr_jobs.rebuild.latency import latencies
from emr_jobs.rebuild.neighbours import pages
from emr_jobs.rebuild.packets import Packet, of_kinds, records_of, sent
from emr_jobs.rebuild.settings import RebuildSettings
from emr_jobs.rebuild.states import states_of
from emr_jobs.rebuild.steps import EVENT, OF_FIRST_STEP, first_step, job_step, node_step, run_step, schema_step
from headwater.graph.states.neighbours import NeighbourPage
from headwater.store.bulk import Item, Retention, encode

KEPT = StorageLevel.DISK_ONLY
Work = Callable[[Iterable[Packet]], Iterator[Packet]]


class RebuiltTable(NamedTuple):
    """The items by their kinds, in the order in which the fold writes the kinds; the items of all distinct events; and
    what could not be read."""

    items: Mapping[str, RDD[Item]]
    faults: RDD[LineFault]
    events: RDD[Item]


def rebuilt(archived: RDD[ArchivedEvent | LineFault], settings: RebuildSettings) -> RebuiltTable:
    """The table by these events, each of which may be there more than once."""
    tasks, retention = archived.getNumPartitions(), settings.retention

    def step(packets: RDD[Packet], work: Work) -> RDD[Packet]:
        return sent(packets, tasks).mapPartitions(_without_collector(work)).persist(KEPT)

    said = archived.mapPartitions(_without_collector(lambda part: states_of(part, settings, tasks))).persist(KEPT)
    first = step(of_kinds(said, *OF_FIRST_STEP), partial(first_step, retention=retention, tasks=tasks))
    runs = step(of_kinds(first, "Run"), partial(run_step, retention=retention, tasks=tasks))
    jobs = step(of_kinds(said.union(runs), "JobHead", "Rhythm"), partial(job_step, retention=retention, tasks=tasks))
    named = of_kinds(said.union(jobs), "DatasetFacts", "DatasetClaims", "KnownNamespace", "SearchTerm")
    nodes = step(named, partial(node_step, retention=retention, tasks=tasks))
    heads = of_kinds(first.union(nodes), "Document", "DatasetHead")
    datasets = step(heads, partial(schema_step, retention=retention))
    measures = records_of(said, "Measure")
    first_pages: RDD[NeighbourPage] = records_of(said, "NeighbourPage").values()
    encoding = _encoding(retention)
    items: dict[str, RDD[Item]] = {
        EVENT: records_of(first, EVENT),
        "day": records_of(first, "day"),
        "latency": latencies(measures, settings.thresholds, tasks).map(encoding),
        "run": records_of(runs, "run"),
        "write": records_of(first, "write"),
        "quality": records_of(first, "quality"),
        "neighbours": pages(records_of(jobs, "Edge"), first_pages, tasks).map(encoding),
        "searchTerm": records_of(nodes, "searchTerm"),
        "schema": records_of(first, "schema"),
        "columnLineage": records_of(first, "columnLineage"),
        "namespace": records_of(nodes, "namespace"),
        "job": records_of(jobs, "job"),
        "rhythm": records_of(jobs, "rhythm"),
        "dataset": records_of(datasets, "dataset"),
        "alias": records_of(first, "alias"),
    }
    is_kept = _is_kept(settings.now)
    kept = {kind: made.filter(is_kept) for kind, made in items.items()}
    return RebuiltTable(kept, records_of(said, "Fault").distinct(tasks), items[EVENT])


def _without_collector(
    work: Callable[[Iterable[Any]], Iterator[Packet]],
) -> Callable[[Iterable[Any]], Iterator[Packet]]:
    """The work of a task, in a worker whose collector is off. The collector looks for cycles among the states of the
    task, which have none, and takes a third of the time."""

    def uncollected(part: Iterable[Any]) -> Iterator[Packet]:
        gc.disable()
        return work(part)

    return uncollected


def _encoding(retention: Retention) -> Callable[[Any], Item]:
    return lambda state: encode(state, retention)


def _is_kept(now: float) -> Callable[[Item], bool]:
    """Whether an item has not expired: an expired item has left the table."""
    return lambda item: item.expires_at is None or item.expires_at > now
