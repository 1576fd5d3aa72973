"""Folds a batch of events into the table.

    read     runs and their parents, their writes, the heads of their jobs    one BatchGetItem for 100 items
    change   the emission latency of jobs, where it turns           seldom
    put      events
    change   runs and their writes                                  each on the version that was read
    put      what a head refers to: neighbours, schemas, column lineage, namespaces
    change   the heads of jobs
    read     the heads of the datasets, once those of the jobs are written: the second BatchGetItem
    change   the heads of datasets that now say something else      seldom
    change   names that stand for datasets of other names           seldom; who follows the stream finds those then

Whatever is interrupted, at any call, ends the same once the events are delivered again: each step follows from the
events and from what the steps before it have stored. Whoever loses a race (Conflict) reads and folds again.

Two choices need more than their own item: which run of a job is its newest, when a chosen one turns out to have
started earlier; and what the newest facets of a dataset are, when two jobs disagree. For these the head is first
marked, then everybody concerned is asked, then the choice is written on condition that the mark still stands. Someone
who has stored something new either looks at the head after it was marked, and joins in, or stored it before, and is
among those who are asked. docs/decisions/0003-choosing-heads.md tells why.
"""

import time
from collections.abc import Sequence

from headwater.fold.batch import Batch
from headwater.fold.datasets import fold_datasets
from headwater.fold.jobs import fold_jobs
from headwater.fold.latency import put_latency, timely
from headwater.fold.runs import fold_runs
from headwater.fold.supporting_items import put_aliases, put_days, write_supporting_items
from headwater.graph.latency import BACKFILL_MILLIS
from headwater.graph.normalised_event import NormalisedEvent
from headwater.graph.thresholds import Thresholds
from headwater.retry import backoff
from headwater.store import item_codec, keys
from headwater.store.item_codec import Retention
from headwater.store.table import Conflict, StorageError, Stored, Table

ATTEMPTS = 12
NO_THRESHOLDS = Thresholds(BACKFILL_MILLIS, {})
"""What is later than this does not count at all."""


def fold(
    normalised: Sequence[NormalisedEvent], table: Table, retention: Retention, thresholds: Thresholds = NO_THRESHOLDS
) -> tuple[NormalisedEvent, ...]:
    """Folds events into the table; afterwards it holds what it would hold had they come in any other order.

    Returns the events that count for the emission latency: those that are news when they come.

    Raises StorageError if the table cannot be used, or is so contended that no attempt got through; whatever was
    stored until then is right, and folding the same events again completes it.
    """
    batch = Batch.of(normalised)
    news: tuple[NormalisedEvent, ...] | None = None
    for attempt in range(ATTEMPTS):
        try:
            stored = table.read(batch.keys_to_read)
            news = timely(batch, stored) if news is None else news
            put_latency(news, table, stored, thresholds)
            _fold_once(batch, table, retention, stored)
        except Conflict:
            time.sleep(backoff(attempt, 0.01, most=0.64))
        else:
            return news
    raise StorageError(f"other writers were faster {ATTEMPTS} times in a row")


def _fold_once(batch: Batch, table: Table, retention: Retention, stored: Stored) -> None:
    table.put(item_codec.event_item(each.event, each.canonical, retention) for each in batch.normalised)
    put_days(batch, table, stored, retention)
    folded = fold_runs(batch, table, retention, stored)
    jobs = {job: facts.join(folded.parents.get(job)) for job, facts in {**folded.parents, **batch.jobs}.items()}
    before = {job: item_codec.read_job(item) for job in jobs if (item := folded.stored.get(keys.job_head(job)))}
    write_supporting_items(batch, table, jobs, before)
    heads, preconditions = fold_jobs(jobs, table, folded.runs, before, folded.stored)
    fold_datasets(batch, table, heads, preconditions)
    put_aliases(batch, table, stored, retention)
