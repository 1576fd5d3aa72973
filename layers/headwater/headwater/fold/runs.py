"""Folds runs, and the versions of datasets that they wrote."""

from headwater.fold.batch import Batch
from headwater.graph.identity import NodeId, job_id
from headwater.graph.run import Run
from headwater.store import keys, records
from headwater.store.records import Retention
from headwater.store.table import Change, Item, Stored, Table, changed


def fold_runs(batch: Batch, table: Table, retention: Retention, stored: Stored) -> tuple[list[Run], frozenset[NodeId]]:
    """Writes what runs wrote, then the runs: a run's item is the sign that its writes are stored.

    Returns the runs as they are now, and the jobs of those that changed.
    """
    runs: list[Run] = []
    writes: list[Item] = []
    changes: list[Change] = []
    for run in batch.runs.values():
        item = stored.get(keys.run(job_id(run.job), run.run_id))
        known = records.read_run(item) if item else None
        joined = run.join(known)
        runs.append(joined)
        if joined != known:
            changes.append(Change(records.run_item(joined, retention), item))
            moved = known is not None and known.order != joined.order
            touched = joined.outputs if moved else run.outputs
            writes += [
                write for write in records.write_items(joined, retention) if keys.node_of(write.key.pk) in touched
            ]
    unread = [write.key for write in writes if write.key not in batch.keys_to_read()]
    stored = {**stored, **table.read(unread)} if unread else stored
    table.change(changed(writes, stored))
    table.change(changes)
    return runs, frozenset(keys.node_of(change.item.key.pk) for change in changes)
