"""Folds a batch of events into the table.

    read     runs and their parents, writes, heads of jobs              one BatchGetItem for 100 items
    change   the emission latency of jobs that begin or end a breach    seldom
    put      events
    read     schemas and column lineages that are new to their jobs     seldom
    put      search terms of new names
    change   runs and their writes                                      each on the version that was read
    put      supporting items: neighbours, schemas, column lineage, namespaces
    change   the heads of jobs
    read     the heads of datasets, after the heads of jobs are written: the second BatchGetItem
    change   the heads of datasets whose copies are no longer right     seldom
    change   aliases, quality results                                   seldom; last, so that readers of the stream find
                                                                        their datasets and runs

A fold that is interrupted at any call has the same outcome once the events are delivered again: each step follows from
the events and from the states that the earlier steps have stored. A fold that loses a race (Conflict) reads and folds
again.

A head that does not follow from its stored state and the batch is chosen anew: fold/head_selection.py.
"""

import time
from collections.abc import Sequence

from headwater.fold.batch import Batch
from headwater.fold.datasets import fold_datasets
from headwater.fold.jobs import fold_jobs
from headwater.fold.latency import put_latency, timely
from headwater.fold.runs import fold_runs
from headwater.fold.search_terms import put_search_terms
from headwater.fold.supporting_items import read_documents, write_supporting_items
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.states.latency import BACKFILL_MILLIS
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.graph.states.stored_states import EventDay
from headwater.retry import backoff
from headwater.store.errors import Conflict, StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import Snapshot

ATTEMPTS = 12
NO_THRESHOLDS = Thresholds(BACKFILL_MILLIS, {})
"""Events later than this are backfills, and do not count for the emission latency."""


def fold(
    events: Sequence[NormalisedEvent], store: GraphStore, thresholds: Thresholds = NO_THRESHOLDS
) -> tuple[NormalisedEvent, ...]:
    """Folds events into the store. The store then holds the same states as after any other order of the events.

    Returns the events that count for the emission latency.

    Raises StorageError if the store is unavailable, or if other writers won every attempt. What was stored until then
    is right, and folding the same events again completes it.
    """
    batch = Batch.of(events)
    timely_events: tuple[NormalisedEvent, ...] | None = None
    lost: Snapshot | None = None
    for attempt in range(ATTEMPTS):
        try:
            read = store.read(batch.wanted) if attempt else store.read_eventually(batch.wanted)
            timely_events = timely(batch, read) if timely_events is None else timely_events
            put_latency(timely_events, store, read, thresholds)
            _fold_once(batch, store, read, lost)
        except Conflict as conflict:
            lost, reason = lost or read, conflict
            time.sleep(backoff(attempt, 0.01, most=0.64))
        else:
            return timely_events
    raise StorageError(f"other writers were faster {ATTEMPTS} times in a row: {reason}")


def _fold_once(batch: Batch, store: GraphStore, read: Snapshot, lost: Snapshot | None) -> None:
    store.put([*batch.events, *map(EventDay, batch.days - read.days)], read)
    before = {job: head.facts for job, head in read.jobs.all().items()}
    documents = read_documents(batch, store, before.values())
    put_search_terms(store, batch, before, store.schemas_with_terms(documents.stored))
    runs = fold_runs(batch, store, read)
    jobs = {job: facts.join(runs.parents.get(job)) for job, facts in {**runs.parents, **batch.jobs}.items()}
    write_supporting_items(batch, store, jobs, documents, runs.stored)
    folded = fold_jobs(batch, jobs, store, runs, lost)
    fold_datasets(batch, store, folded.heads, folded.preconditions, folded.claimed_anew)
    folded.selection.finish()
    store.join([*batch.aliases.values(), *batch.results], read)
