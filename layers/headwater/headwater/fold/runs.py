"""Folds runs, those they name as their parents, and the versions of datasets that they wrote."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from headwater.fold.batch import Batch
from headwater.graph.curation import is_curation
from headwater.graph.dataset_reference import uses
from headwater.graph.identity import NodeId, job_id
from headwater.graph.job import JobFacts
from headwater.graph.register import join_registers, stamp
from headwater.graph.run import Run
from headwater.openlineage.event import DatasetEvent, JobEvent, Name
from headwater.store import item_codec, keys
from headwater.store.item_codec import Retention
from headwater.store.keys import Key
from headwater.store.table import Item, Stored, Table, changed


class FoldedRun(NamedTuple):
    """A run as it is stored now, and whether this batch changed it."""

    run: Run
    item: Item
    is_news: bool


class Folded(NamedTuple):
    """The runs of a batch and of the parents that they name, the jobs of those, and all that was read until then."""

    runs: list[FoldedRun]
    parents: dict[NodeId, JobFacts]
    stored: Stored


def fold_runs(batch: Batch, table: Table, retention: Retention, stored: Stored) -> Folded:
    """Writes what runs wrote and found out, the runs, and what they tell of their parents.

    What a run tells follows from its own events alone, so no parent has to pass anything on.
    """
    runs = {place: run.join(_stored(place, stored)) for place, run in batch.runs.items()}
    told = _told(runs.values())
    stored = {**stored, **_unread(told, table, batch.keys_to_read)}
    runs |= {place: run.join(runs.get(place) or _stored(place, stored)) for place, run in told.items()}
    folded = [_folded(place, run, retention, stored) for place, run in runs.items()]
    of_datasets = [item for run in batch.runs.values() for item in _of_datasets(run, retention, stored)]
    table.change(changed([*of_datasets, *(run.item for run in folded)], stored))
    table.put(_versions(batch, retention))
    return Folded(folded, _parent_jobs(told.values()), stored)


_RunKey = tuple[Name, str]
"""A run by its job and its id."""


def _key(place: _RunKey) -> Key:
    return keys.run(job_id(place[0]), place[1])


def _stored(place: _RunKey, stored: Stored) -> Run | None:
    item = stored.get(_key(place))
    return item_codec.read_run(item) if item else None


def _folded(place: _RunKey, run: Run, retention: Retention, stored: Stored) -> FoldedRun:
    item = stored.get(_key(place))
    if item and item_codec.read_run(item) == run:
        return FoldedRun(run, item, is_news=False)
    return FoldedRun(run, item_codec.run_item(run, retention), is_news=True)


def _told(runs: Iterable[Run]) -> dict[_RunKey, Run]:
    """What runs tell of those above them."""
    told: dict[_RunKey, Run] = {}
    for run in runs:
        for parent in sorted(run.parents):
            place = (parent.job, parent.run_id)
            told[place] = run.as_told_to(parent).join(told.get(place))
    return told


def _unread(told: Iterable[_RunKey], table: Table, read: Collection[Key]) -> Stored:
    """The parents, and their jobs, that no event of this batch names but an earlier one of the same run."""
    wanted = {key for place in told for key in (_key(place), keys.job_head(job_id(place[0])))}
    unread = wanted.difference(read)
    return table.read(unread) if unread else {}


def _parent_jobs(told: Iterable[Run]) -> dict[NodeId, JobFacts]:
    jobs: dict[NodeId, JobFacts] = {}
    for run in told:
        facts = JobFacts.only_named(run)
        jobs[facts.node] = facts.join(jobs.get(facts.node))
    return jobs


def _of_datasets(run: Run, retention: Retention, stored: Stored) -> Iterator[Item]:
    """What a run says of the datasets that it wrote, and what it found out about those that it used."""
    job = job_id(run.job)
    for dataset, use in run.outputs.items():
        item = stored.get(keys.write(dataset, run.run_id, job))
        yield item_codec.write_item(run, use.join(item_codec.read_write(item) if item else None), retention)
    for dataset, found in run.found_out.items():
        item = stored.get(keys.quality(dataset, run.run_id, job))
        known = item_codec.read_quality(item) if item else {}
        yield item_codec.quality_item(run, dataset, join_registers(found, known), retention)


def _versions(batch: Batch, retention: Retention) -> Iterator[Item]:
    """The versions that events without a run make; each follows from its event alone."""
    for event, *_ in batch.normalised:
        if isinstance(event, JobEvent):
            for use in uses(event.outputs, stamp(event)).values():
                yield item_codec.version_item(event, use, event.job.name, retention)
        elif isinstance(event, DatasetEvent) and not is_curation(event):
            (use,) = uses([event.dataset], stamp(event)).values()
            yield item_codec.version_item(event, use, None, retention)
