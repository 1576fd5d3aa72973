"""Joins the state in a rebuilt item with the stored state of its id, by the functions of the fold."""

from emr_jobs.rebuild.states import head_by
from headwater.fold.batch import Batch
from headwater.fold.datasets import choose_dataset_anew, fold_datasets
from headwater.fold.jobs import choose_job_anew
from headwater.fold.neighbour_updates import join_page
from headwater.fold.runs import reported_to_parents, rhythms_of, write_rhythms
from headwater.fold.supporting_items import join_namespaces
from headwater.graph.names.identity import job_id
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.job import JobFacts, JobHead
from headwater.graph.states.latency import Latency
from headwater.graph.states.neighbours import NeighbourPage
from headwater.graph.states.rhythm import Rhythm
from headwater.graph.states.run import Run, RunState
from headwater.store.bulk import Item, JoinedState, Table, state_in
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import Preconditions, ReadRequest


def join(store: GraphStore, table: Table, item: Item) -> None:
    """Joins an item with that of the table. Raises Conflict."""
    match state_in(item):
        case JobHead(facts=facts):
            _join_job(store, facts)
        case DatasetHead(facts=facts):
            choose_dataset_anew(store, facts)
        case NeighbourPage() as page:
            join_page(store, page)
        case Run() as run:
            _join_run(store, run)
        case Latency() as latency:
            _join_latency(store, latency)
        case Rhythm() as rhythm:
            _join_rhythm(store, rhythm)
        case state if isinstance(state, JoinedState):
            store.join([state], store.read(ReadRequest.of(state)))
        case _:  # an event, column lineage or a day: its content follows from its key
            table.put([item])


def _join_run(store: GraphStore, run: Run) -> None:
    """Joins a run, after what the joined run reports to its parents, and chooses the head of its job anew.

    A run that was given up as abandoned stays out of the open runs, unless a newer event came.
    """
    read = store.read(ReadRequest(runs=[run.id]))
    known = read.runs.get(run.id)
    joined = run.join(known)
    rhythms = rhythms_of([joined])
    before = store.read(ReadRequest(rhythms=rhythms))
    if joined == known:
        write_rhythms(rhythms, store, before)
        return
    for reported in reported_to_parents([joined]).values():
        _join_run(store, reported)
    facts = head_by(joined).facts
    join_namespaces(store, [(facts.name.namespace, facts.first)])
    choose_job_anew(store, facts, [joined])
    write_rhythms(rhythms, store, before)
    if (
        known
        and known.last
        and known.state is RunState.RUNNING
        and not read.is_open(run.id)
        and joined.updated == known.updated
    ):
        written = store.read(ReadRequest(runs=[run.id]))
        if written.is_open(run.id):
            store.give_up(run.id, written)


def _join_rhythm(store: GraphStore, rhythm: Rhythm) -> None:
    """Joins a rhythm. Of a run that is in the table, the table knows more: its runs were joined before. A job that is
    due no more stays so, unless another of its runs ended."""
    read = store.read(ReadRequest(rhythms=[rhythm.id]))
    known = read.rhythms.get(rhythm.id)
    joined = known.join(rhythm) if known else rhythm
    if joined != known:
        store.save([joined], read)


def _join_job(store: GraphStore, facts: JobFacts) -> None:
    """Joins a job; its deletion, or another generation, also changes heads of datasets that only newer events name."""
    head = choose_job_anew(store, facts)
    fold_datasets(Batch(), store, {facts.id: head}, Preconditions(), head.outputs_with_columns)


def _join_latency(store: GraphStore, latency: Latency) -> None:
    """Of two beginnings or ends of a breach, the later counts."""
    job = job_id(latency.job)
    read = store.read(ReadRequest(latencies=[job]))
    stored = read.latencies.get(job)
    if stored is None or stored.at < latency.at:
        store.save([latency], read)
