"""Folds the heads of jobs: what events say of them, and which of their runs is the newest."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice

from headwater.fold.batch import Batch
from headwater.graph.identity import NodeId, job_id
from headwater.graph.job import NO_EDGES, Edges, JobHead, RunRef
from headwater.graph.run import Run
from headwater.store import keys, records
from headwater.store.table import Change, Item, Stored, Table, changed

RUNS_AT_A_TIME = 20


def fold_jobs(
    batch: Batch, table: Table, runs: Iterable[Run], before: Mapping[NodeId, JobHead], stored: Stored
) -> tuple[dict[NodeId, JobHead], frozenset[NodeId]]:
    """Writes the heads of jobs that changed. Returns all heads, and the jobs whose head was left as it is."""
    heads = {
        job: replace(before[job], facts=facts.join(before[job].facts)) if job in before else JobHead(facts)
        for job, facts in batch.jobs.items()
    }
    settling = {job for job, head in heads.items() if head.settling}
    for run in runs:
        job = job_id(run.job)
        if heads[job].is_undercut_by(run):
            settling.add(job)
        heads[job] = heads[job].with_run(run)
    changes = changed([records.job_item(head) for job, head in heads.items() if job not in settling], stored)
    table.change(changes)
    for job in sorted(settling):
        heads[job] = _settle_job(table, heads[job], stored.get(keys.job_head(job)))
    written = settling.union(keys.node_of(change.item.key.pk) for change in changes)
    return heads, frozenset(heads.keys() - written)


def _settle_job(table: Table, head: JobHead, item: Item | None) -> JobHead:
    marked = records.job_item(replace(head, settling=uuid.uuid4().hex))
    table.change([Change(marked, item)])
    latest, chosen = _newest_runs(table, keys.node_of(marked.key.pk))
    settled = JobHead(head.facts, latest, chosen)
    table.change([Change(records.job_item(settled), marked)])
    return settled


def _newest_runs(table: Table, job: NodeId) -> tuple[RunRef | None, Edges]:
    """The newest run of a job, and what its newest run that names a dataset reads and writes."""
    latest: RunRef | None = None
    newest = table.newest(keys.job_head(job).pk)
    while page := list(islice(newest, RUNS_AT_A_TIME)):
        items = table.read(page)
        for run in (records.read_run(items[key]) for key in page if key in items):
            latest = latest or RunRef(*run.order)
            if run.names_datasets:
                return latest, Edges.of(run)
    return latest, NO_EDGES
