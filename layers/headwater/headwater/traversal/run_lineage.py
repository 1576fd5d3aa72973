"""The runs that made what a run read, those that made what they read, and so on.

What a run read of a dataset is the newest that some other run began to write before it ended. While it runs, that may
change. Jobs that only declare a dataset (JobEvents) and events that only describe it make nothing that can be read.
"""

import time as clock
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.application import is_query_job
from headwater.graph.iceberg_snapshots import scanned_snapshot, writes_data, written_snapshot
from headwater.graph.identity import NodeId
from headwater.graph.register import values
from headwater.graph.run import Run, joined
from headwater.read.reader import Reader
from headwater.store import item_codec, keys
from headwater.store.keys import Key

MAX_RUNS = 1_000
MAX_INPUTS = 10_000
"""Inputs whose producers are looked for: a query each."""
MAX_SECONDS = 15
LOOKED_AT = 50
"""Newest writes of a dataset that are looked at if the newest was not a run's; mostly it is."""


class _InputOfRun(NamedTuple):
    """An input of a run, and the ids under which it may have been written."""

    run: Run
    dataset: NodeId
    ids: tuple[NodeId, ...]

    @property
    def key(self) -> "RunInput":
        return self.run.run_id, self.dataset

    @property
    def snapshot(self) -> float | None:
        return scanned_snapshot(self.run.inputs[self.dataset])


RunInput = tuple[str, NodeId]
"""An input by its run's id and its own."""


@dataclass
class RunLineage:
    """What was found: runs in the order in which they were come to, and who made their inputs."""

    runs: dict[str, Run] = field(default_factory=dict)
    made_by: dict[RunInput, str] = field(default_factory=dict)
    inputs: int = 0
    is_truncated: bool = False

    def add(self, runs: Iterable[Run]) -> list[Run]:
        """Takes in the runs that are new, as far as there is room for them."""
        new = [run for run in runs if run.run_id not in self.runs]
        added = [run for run in new if self._adds(run)]
        self.is_truncated |= len(added) < len(new)
        return added

    def drop(self, runs: Iterable[Run]) -> None:
        """Gives up runs that there is no time to look into."""
        for run in runs:
            del self.runs[run.run_id]
        self.is_truncated = True

    def _adds(self, run: Run) -> bool:
        has_room = len(self.runs) < MAX_RUNS and self.inputs + len(run.inputs) <= MAX_INPUTS
        if has_room or not self.runs:
            self.runs[run.run_id] = run
            self.inputs += len(run.inputs)
        return run.run_id in self.runs


def walk_run_lineage(reader: Reader, start: Run, depth: int) -> RunLineage:
    """The runs upstream of a run, nearest first, at most `depth` steps away."""
    walk, deadline = RunLineage(), clock.monotonic() + MAX_SECONDS
    level = walk.add([start])
    for step in range(depth + 1):
        if level and clock.monotonic() > deadline:
            walk.drop(level)
            break
        made_by = _producers(reader, level)
        walk.made_by |= {run_input: run.run_id for run_input, run in made_by.items()}
        found = {run.run_id: run for run in made_by.values()}
        level = walk.add(sorted(found.values(), key=lambda run: (run.job, run.order))) if step < depth else []
    return walk


def _producers(reader: Reader, runs: Collection[Run]) -> dict[RunInput, Run]:
    """The run that made each input of each run, as far as one did."""
    reads = _reads(reader, runs)
    newest = _writes(reader, reads, 1)
    made_by = _runs_of(reader, newest)
    others = [read for read in reads if newest[read.key] and read.key not in made_by]
    made_by |= _runs_of(reader, _writes(reader, others, LOOKED_AT))
    return _by_snapshots(reader, reads, made_by)


def _by_snapshots(reader: Reader, reads: Sequence[_InputOfRun], made_by: dict[RunInput, Run]) -> dict[RunInput, Run]:
    """Where a run says which snapshot of an Iceberg table it read, who wrote that one, not the newest: it may have
    travelled in time. If writers are known by their snapshots, and none by this one, it was the newest of the
    applications, which never name one: a stream, mostly."""
    scanned = [read for read in reads if read.snapshot is not None]
    wrote = _writes(reader, scanned, LOOKED_AT) if scanned else {}
    items = reader.table.read({key for found in wrote.values() for key in found})
    for read in scanned:
        uses = {key: item_codec.read_write(items[key]) for key in wrote[read.key] if key in items}
        of = {key: written_snapshot(use) for key, use in uses.items() if writes_data(use)}
        made = [key for key in of if of[key] == read.snapshot][-1:]
        if any(of.values()) or len(of) < len(uses):
            made_by.pop(read.key, None)
            is_all = len(wrote[read.key]) < LOOKED_AT
            made_by |= _runs_of(reader, {read.key: made or (_of_applications(reader, of) if is_all else [])})
    return made_by


def _of_applications(reader: Reader, snapshots: Mapping[Key, float | None]) -> list[Key]:
    """Writes whose snapshots nobody ever names, since they are told of applications: an action that ends well names its
    own, an application none."""
    unnamed = [key for key, snapshot in snapshots.items() if snapshot is None]
    runs = _runs(reader, {keys.run_of(key.sk) for key in unnamed})
    by = {key: runs.get(keys.run_of(key.sk)[0]) for key in unnamed}
    return [key for key, run in by.items() if run and not is_query_job(values(run.job_facets))]


def _reads(reader: Reader, runs: Collection[Run]) -> list[_InputOfRun]:
    neighbourhood = reader.neighbourhood({dataset for run in runs for dataset in run.inputs}, ())
    names: dict[NodeId, set[NodeId]] = defaultdict(set)
    for other, one in neighbourhood.same.items():
        if other in neighbourhood.used:
            names[one].add(other)
    return [
        _InputOfRun(run, dataset, tuple(sorted({dataset, *names[neighbourhood.same.get(dataset, dataset)]})))
        for run in runs
        for dataset in run.inputs
    ]


def _writes(reader: Reader, reads: Sequence[_InputOfRun], most: int) -> dict[RunInput, list[Key]]:
    """The newest writes of each input that others began before its reader ended, of each of its ids."""

    def of(read: _InputOfRun) -> list[Key]:
        before = read.run.ended_at or keys.QUALITY
        return [key for each in read.ids for key in islice(_others(reader, each, before, read.run.run_id, most), most)]

    return dict(zip([read.key for read in reads], concurrent_map(of, reads), strict=True))


def _others(reader: Reader, dataset: NodeId, before: str, run_id: str, most: int) -> Iterable[Key]:
    """Writes of a dataset by jobs, but for those of a run that reads what it writes."""
    newest = reader.table.newest(keys.dataset_head(dataset).pk, before=before, limit=most + 1)
    for key in islice(newest, LOOKED_AT):
        writer, job = keys.run_of(key.sk)
        if job and writer != run_id:
            yield key


def _runs_of(reader: Reader, writes: Mapping[RunInput, Collection[Key]]) -> dict[RunInput, Run]:
    """The run behind the newest of an input's writes that is one's."""
    known = _runs(reader, {keys.run_of(key.sk) for found in writes.values() for key in found})
    made_by: dict[RunInput, Run] = {}
    for run_input, found in writes.items():
        dated = [(_begun(known[keys.run_of(key.sk)[0]], key), key) for key in found if keys.run_of(key.sk)[0] in known]
        if dated:
            made_by[run_input] = known[keys.run_of(max(dated)[1].sk)[0]]
    return made_by


def _begun(run: Run, write: Key) -> str:
    """When a run was first said to write a dataset."""
    use = run.outputs.get(keys.node_of(write.pk))
    return use.first if use else ""


def _runs(reader: Reader, writers: Collection[tuple[str, NodeId]]) -> dict[str, Run]:
    """Runs by id, each with what was said of it under any job name. What an event without a run wrote is not there."""
    of_jobs = {keys.run(job, run_id) for run_id, job in writers}
    run_ids = sorted({run_id for run_id, _ in writers})
    found = of_jobs.union(*concurrent_map(reader.table.runs, run_ids))
    runs: dict[str, list[Run]] = defaultdict(list)
    for run in reader.read_runs(sorted(found)):
        runs[run.run_id].append(run)
    return {run_id: joined(parts) for run_id, parts in runs.items()}
