"""Folds runs, and the versions of datasets that they wrote."""

from collections.abc import Iterator
from typing import NamedTuple

from headwater.fold.batch import Batch
from headwater.graph.identity import job_id
from headwater.graph.run import Run
from headwater.store import keys, records
from headwater.store.records import Retention
from headwater.store.table import Item, Stored, Table, changed


class FoldedRun(NamedTuple):
    """A run as it is stored now, and whether this batch changed it."""

    run: Run
    item: Item
    is_news: bool


def fold_runs(batch: Batch, table: Table, retention: Retention, stored: Stored) -> list[FoldedRun]:
    """Writes what runs wrote, and the runs."""
    folded = [_fold_run(run, retention, stored) for run in batch.runs.values()]
    writes = [write for run in batch.runs.values() for write in _writes(run, retention, stored)]
    table.change(changed([*writes, *(run.item for run in folded)], stored))
    return folded


def _fold_run(run: Run, retention: Retention, stored: Stored) -> FoldedRun:
    item = stored.get(keys.run(job_id(run.job), run.run_id))
    known = records.read_run(item) if item else None
    joined = run.join(known)
    if item and joined == known:
        return FoldedRun(joined, item, is_news=False)
    return FoldedRun(joined, records.run_item(joined, retention), is_news=True)


def _writes(run: Run, retention: Retention, stored: Stored) -> Iterator[Item]:
    for dataset, use in run.outputs.items():
        item = stored.get(keys.write(dataset, run.run_id, job_id(run.job)))
        joined = use.join(records.read_write(item)[1] if item else None)
        yield records.write_item(run.job, run.run_id, joined, retention)
