"""Folds the heads of jobs: what events say of them, and which of their runs is the newest."""

import uuid
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from headwater.fold.runs import FoldedRun
from headwater.graph.identity import NodeId, job_id
from headwater.graph.job import NO_EDGES, Edges, JobFacts, JobHead, LatestRun
from headwater.store import item_codec, keys
from headwater.store.keys import Key
from headwater.store.table import ConditionalPut, Conflict, Item, Stored, Table, changed

RUNS_AT_A_TIME = 20

Preconditions = Mapping[Key, Item | None]
"""Items as they must still be."""


def fold_jobs(
    facts: Mapping[NodeId, JobFacts],
    table: Table,
    runs: Sequence[FoldedRun],
    before: Mapping[NodeId, JobHead],
    stored: Stored,
) -> tuple[dict[NodeId, JobHead], Preconditions]:
    """Writes the heads of jobs that changed. Returns all heads, and what must still be as it is when all is written:

    a head that was left as it is although a run of its job is news, since a choice made in the meantime may have missed
    that run; and a run that a head now names, since it may have turned out to be older before the head was written.
    """
    heads = {
        job: replace(before[job], facts=said.join(before[job].facts)) if job in before else JobHead(said)
        for job, said in facts.items()
    }
    reselecting = {job for job, head in heads.items() if head.reselecting}
    for folded in runs:
        job = job_id(folded.run.job)
        if heads[job].is_stale_after(folded.run):
            reselecting.add(job)
        heads[job] = heads[job].with_run(folded.run)
    changes = changed([item_codec.job_item(head) for job, head in heads.items() if job not in reselecting], stored)
    table.change(changes)
    written = {keys.node_of(change.item.key.pk) for change in changes}
    preconditions = _preconditions(runs, heads, before, written, stored)
    for job in sorted(reselecting):
        heads[job] = _reselect_runs(table, heads[job], stored.get(keys.job_head(job)))
    return heads, {key: item for key, item in preconditions.items() if keys.node_of(key.pk) not in reselecting}


def _preconditions(
    runs: Iterable[FoldedRun],
    heads: Mapping[NodeId, JobHead],
    before: Mapping[NodeId, JobHead],
    written: Container[NodeId],
    stored: Stored,
) -> Preconditions:
    preconditions: dict[Key, Item | None] = {}
    for run, item, is_news in runs:
        job = job_id(run.job)
        if job not in written and is_news:
            preconditions[keys.job_head(job)] = stored.get(keys.job_head(job))
        elif job in written and heads[job].chooses(run) and not (job in before and before[job].chooses(run)):
            preconditions[item.key] = item
    return preconditions


def _reselect_runs(table: Table, head: JobHead, item: Item | None) -> JobHead:
    marked = item_codec.job_item(replace(head, reselecting=uuid.uuid4().hex))
    table.change([ConditionalPut(marked, item)])
    latest, chosen = _newest_runs(table, keys.node_of(marked.key.pk))
    settled = JobHead(head.facts, latest, chosen)
    table.change([ConditionalPut(item_codec.job_item(settled), marked)])
    return settled


def _newest_runs(table: Table, job: NodeId) -> tuple[LatestRun | None, Edges]:
    """The newest run of a job, and what its newest run that names a dataset reads and writes.

    The index gives the order, the runs are read after it: if one has moved in between, Conflict.
    """
    latest: LatestRun | None = None
    newest = table.newest(keys.job_head(job).pk)
    while page := list(islice(newest, RUNS_AT_A_TIME)):
        items = table.read(page)
        runs = [item_codec.read_run(items[key]) for key in page if key in items]
        if runs != sorted(runs, key=lambda run: run.order, reverse=True):
            raise Conflict("a run moved among its job's runs while they were read")
        for run in runs:
            latest = latest or LatestRun.of(run)
            if run.names_datasets:
                return latest, Edges.of(run)
    return latest, NO_EDGES
