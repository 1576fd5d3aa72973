"""Run lineage: the runs that made the inputs of a run, the runs that made the inputs of those runs, and so on.

The producer of an input is the last other run that began to write the dataset before the reading run ended. While the
reading run is open, its producers may change. An event without a run is no producer: it only describes a dataset.
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
from headwater.graph.identity import NO_JOB, DatasetId, JobRunId, WriteId
from headwater.graph.register import values
from headwater.graph.run import Run, joined
from headwater.read.neighbourhood import Neighbourhood
from headwater.read.reader import Reader
from headwater.store.snapshot import Wanted

MAX_RUNS = 1_000
MAX_INPUTS = 10_000
"""Inputs whose producers are searched, with one query for each input."""
MAX_SECONDS = 15
LOOKED_AT = 50
"""Newest writes of a dataset that are read if the newest write has no run, which is rare."""


class _InputOfRun(NamedTuple):
    """An input of a run, and the ids under which the dataset may have been written."""

    run: Run
    dataset: DatasetId
    ids: tuple[DatasetId, ...]

    @property
    def key(self) -> "RunInput":
        return self.run.run_id, self.dataset

    @property
    def snapshot(self) -> float | None:
        return scanned_snapshot(self.run.inputs[self.dataset])


RunInput = tuple[str, DatasetId]
"""An input: the id of its run, and the id of the dataset."""


@dataclass
class RunLineage:
    """The runs in the order in which the walk reached them, and the producer of each input (`made_by`: a run id)."""

    runs: dict[str, Run] = field(default_factory=dict)
    made_by: dict[RunInput, str] = field(default_factory=dict)
    inputs: int = 0
    is_truncated: bool = False

    def add(self, runs: Iterable[Run]) -> list[Run]:
        """Adds the runs that are new, up to the bounds. Returns the runs that were added."""
        new = [run for run in runs if run.run_id not in self.runs]
        added = [run for run in new if self._adds(run)]
        self.is_truncated |= len(added) < len(new)
        return added

    def drop(self, runs: Iterable[Run]) -> None:
        """Removes runs, if there is no time left to find their producers."""
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
    """The runs upstream of a run, nearest first, at most `depth` hops away."""
    walk, deadline = RunLineage(), clock.monotonic() + MAX_SECONDS
    level = walk.add([start])
    for step in range(depth + 1):
        if level and clock.monotonic() > deadline:
            walk.drop(level)
            break
        made_by = _producers(reader, level)
        walk.made_by |= {run_input: run.run_id for run_input, run in made_by.items()}
        producers = {run.run_id: run for run in made_by.values()}
        level = walk.add(sorted(producers.values(), key=lambda run: (run.job, run.order))) if step < depth else []
    return walk


def _producers(reader: Reader, runs: Collection[Run]) -> dict[RunInput, Run]:
    """The producer of each input of these runs, without inputs whose producer is unknown."""
    reads = _reads(reader, runs)
    newest = _writes(reader, reads, 1)
    made_by = _runs_of(reader, newest)
    others = [read for read in reads if newest[read.key] and read.key not in made_by]
    made_by |= _runs_of(reader, _writes(reader, others, LOOKED_AT))
    return _by_snapshots(reader, reads, made_by)


def _by_snapshots(reader: Reader, reads: Sequence[_InputOfRun], made_by: dict[RunInput, Run]) -> dict[RunInput, Run]:
    """The producers, corrected for inputs with an Iceberg snapshot: a run may have scanned an older snapshot.

    writes of the table                           producer of the input
    one names the scanned snapshot                the run of that write
    some name snapshots, none the scanned one     the newest application, mostly a stream: an application never names
                                                  a snapshot. Unknown, if there are more than `LOOKED_AT` writes
    none names a snapshot                         as without snapshots: the newest write
    """
    scanned = [read for read in reads if read.snapshot is not None]
    wrote = _writes(reader, scanned, LOOKED_AT) if scanned else {}
    stored = reader.store.read(Wanted(writes={write for writes in wrote.values() for write in writes}))
    for read in scanned:
        outputs = {write.id: write.output for write in stored.writes.of(wrote[read.key])}
        snapshot_of = {
            write_id: written_snapshot(output) for write_id, output in outputs.items() if writes_data(output)
        }
        of_snapshot = [write_id for write_id, snapshot in snapshot_of.items() if snapshot == read.snapshot][-1:]
        if any(snapshot_of.values()) or len(snapshot_of) < len(outputs):
            made_by.pop(read.key, None)
            is_all = len(wrote[read.key]) < LOOKED_AT
            unnamed = _of_applications(reader, snapshot_of) if is_all and not of_snapshot else []
            made_by |= _runs_of(reader, {read.key: of_snapshot or unnamed})
    return made_by


def _of_applications(reader: Reader, snapshot_of: Mapping[WriteId, float | None]) -> list[WriteId]:
    """The writes by applications among the writes without a snapshot. A query that completes names its snapshot, an
    application never does."""
    unnamed = [write for write, snapshot in snapshot_of.items() if snapshot is None]
    runs = _runs(reader, {write.run for write in unnamed})
    by = {write: runs.get(write.version) for write in unnamed}
    return [write for write, run in by.items() if run and not is_query_job(values(run.job_facets))]


def _reads(reader: Reader, runs: Collection[Run]) -> list[_InputOfRun]:
    neighbourhood = reader.neighbourhood({dataset for run in runs for dataset in run.inputs}, ())
    return [
        _InputOfRun(run, dataset, tuple(sorted({dataset, *_used_names(neighbourhood, dataset)})))
        for run in runs
        for dataset in run.inputs
    ]


def _used_names(neighbourhood: Neighbourhood, dataset: DatasetId) -> set[DatasetId]:
    shown = neighbourhood.representative(dataset)
    same = {other for other, stands_for in neighbourhood.representatives.items() if stands_for == shown}
    return same & neighbourhood.used


def _writes(reader: Reader, reads: Sequence[_InputOfRun], most: int) -> dict[RunInput, list[WriteId]]:
    """For each input, the latest writes by other runs that started before the reading run ended, under every id."""

    def latest(read: _InputOfRun) -> list[WriteId]:
        return [write for dataset in read.ids for write in islice(_others(reader, dataset, read.run, most), most)]

    return dict(zip([read.key for read in reads], concurrent_map(latest, reads), strict=True))


def _others(reader: Reader, dataset: DatasetId, reading: Run, most: int) -> Iterable[WriteId]:
    """The writes of a dataset by other runs until the reading run ended. A run may read a dataset that it writes."""
    newest = reader.store.writes_of(dataset).newest(before=reading.ended_at, limit=most + 1)
    return (write for write in islice(newest, LOOKED_AT) if write.job != NO_JOB and write.version != reading.run_id)


def _runs_of(reader: Reader, writes: Mapping[RunInput, Collection[WriteId]]) -> dict[RunInput, Run]:
    """For each input, the run of the newest of its writes that has a run."""
    known = _runs(reader, {write.run for input_writes in writes.values() for write in input_writes})
    made_by: dict[RunInput, Run] = {}
    for run_input, input_writes in writes.items():
        dated = [(_begun(known[write.version], write), write) for write in input_writes if write.version in known]
        if dated:
            made_by[run_input] = known[max(dated)[1].version]
    return made_by


def _begun(run: Run, write: WriteId) -> str:
    """The first event time at which a run names a dataset as its output."""
    output = run.outputs.get(write.dataset)
    return output.first if output else ""


def _runs(reader: Reader, writers: Collection[JobRunId]) -> dict[str, Run]:
    """Runs by run id; the states of a run under several jobs are joined. A write without a run is left out."""
    run_ids = sorted({writer.run_id for writer in writers})
    ids = set(writers).union(*concurrent_map(reader.store.runs_with_id, run_ids))
    runs: dict[str, list[Run]] = defaultdict(list)
    for run in reader.runs(sorted(ids)):
        runs[run.run_id].append(run)
    return {run_id: joined(parts) for run_id, parts in runs.items()}
