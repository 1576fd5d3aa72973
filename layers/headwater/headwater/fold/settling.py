"""Asks everybody concerned, when a head cannot tell by itself what it should say (see fold)."""

from itertools import islice

from headwater.graph.identity import NodeId
from headwater.graph.job import NO_EDGES, Edges, RunRef
from headwater.graph.register import Registers
from headwater.store import keys, records
from headwater.store.pages import read_neighbours
from headwater.store.table import Table

RUNS_AT_A_TIME = 20


def newest_runs(table: Table, job: NodeId) -> tuple[RunRef | None, Edges]:
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


def opinions(table: Table, dataset: NodeId) -> list[Registers]:
    """What each job that has ever used a dataset says of its facets."""
    neighbours = read_neighbours(table, dataset)
    heads = table.read([keys.job_head(job) for job in sorted(neighbours.readers | neighbours.writers)])
    facts = [records.read_job(item).facts for item in heads.values()]
    return [seen.seen[dataset].facets for seen in facts if dataset in seen.seen]
