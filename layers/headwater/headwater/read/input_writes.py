"""The writes that runs have read: for each input of a run, the version of the dataset that the run read.

The write of an input is that of the last other run that began to write the dataset before the reading run ended. While
the reading run is open, the writes of its inputs may change. An event without a run only describes a dataset: no run
reads the version of such an event.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.application import is_query_job
from headwater.graph.iceberg_snapshots import scanned_snapshot, writes_data, written_snapshot
from headwater.graph.identity import NO_JOB, DatasetId, WriteId
from headwater.graph.register import values
from headwater.graph.run import Run
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.neighbourhood import Neighbourhood
from headwater.read.reader import Reader
from headwater.store.snapshot import Wanted

LOOKED_AT = 50
"""Newest writes of a dataset that are read if the newest write has no run, which is rare."""

RunInput = tuple[str, DatasetId]
"""An input: the id of its run, and the id of the dataset."""


class _InputOfRun(NamedTuple):
    """An input of a run, and the ids under which the dataset may have been written."""

    run: Run
    dataset: DatasetId
    ids: tuple[DatasetId, ...]

    @property
    def key(self) -> RunInput:
        return self.run.run_id, self.dataset

    @property
    def snapshot(self) -> float | None:
        return scanned_snapshot(self.run.inputs[self.dataset])


class _InputById(NamedTuple):
    """An input of a run, by one of the ids of its dataset."""

    run: Run
    dataset: DatasetId

    @property
    def key(self) -> "_Key":
        """The identity of the run in place of its id, since two jobs may have runs with one id."""
        return id(self.run), self.dataset

    def may_have_read(self, write: WriteId, begun: Instant = NEVER) -> bool:
        """Whether the write is by another run, and began before the reading run ended. A run may read a dataset that it
        writes."""
        ended = self.run.ended_at
        return write.job != NO_JOB and write.version != self.run.run_id and (ended is None or begun < ended)


_Key = tuple[int, DatasetId]


def input_writes(reader: Reader, runs: Collection[Run]) -> dict[RunInput, WriteId]:
    """The write of each input of these runs, without inputs that no known run wrote.

    This takes three calls, and one for each dataset. Further calls: for a dataset that was written far more often than
    read, one for each input; if the newest write has no run, and for Iceberg snapshots, the same again.
    """
    inputs = _inputs(reader, runs)
    newest = _latest(reader, inputs, 1)
    writes = _newest_with_run(reader, newest)
    without_run = [run_input for run_input in inputs if newest[run_input.key] and run_input.key not in writes]
    writes |= _newest_with_run(reader, _latest(reader, without_run, LOOKED_AT))
    return _by_snapshots(reader, inputs, writes)


def _by_snapshots(
    reader: Reader, inputs: Sequence[_InputOfRun], writes: dict[RunInput, WriteId]
) -> dict[RunInput, WriteId]:
    """The writes, corrected for inputs with an Iceberg snapshot: a run may have scanned an older snapshot.

    writes of the table                           write of the input
    one names the scanned snapshot                that write
    some name snapshots, none the scanned one     that of the newest application, mostly a stream: an application never
                                                  names a snapshot. Unknown, if there are more than `LOOKED_AT` writes
    none names a snapshot                         as without snapshots: the newest write
    """
    scanned = [run_input for run_input in inputs if run_input.snapshot is not None]
    latest = _latest(reader, scanned, LOOKED_AT)
    stored = reader.store.read(Wanted(writes=_all(latest)))
    for run_input in scanned:
        outputs = {write.id: write.output for write in stored.writes.of(latest[run_input.key])}
        snapshot_of = {
            write_id: written_snapshot(output) for write_id, output in outputs.items() if writes_data(output)
        }
        of_snapshot = [write_id for write_id, snapshot in snapshot_of.items() if snapshot == run_input.snapshot][-1:]
        if any(snapshot_of.values()) or len(snapshot_of) < len(outputs):
            writes.pop(run_input.key, None)
            is_all = len(latest[run_input.key]) < LOOKED_AT
            unnamed = _of_applications(reader, snapshot_of) if is_all and not of_snapshot else []
            writes |= _newest_with_run(reader, {run_input.key: of_snapshot or unnamed})
    return writes


def _of_applications(reader: Reader, snapshot_of: Mapping[WriteId, float | None]) -> list[WriteId]:
    """The writes by applications among the writes without a snapshot. A query that completes names its snapshot, an
    application never does."""
    unnamed = [write for write, snapshot in snapshot_of.items() if snapshot is None]
    stored = reader.store.read(Wanted(runs=[write.run for write in unnamed]))
    runs = {write: stored.runs.get(write.run) for write in unnamed}
    return [write for write, run in runs.items() if run and not is_query_job(values(run.job_facets))]


def _inputs(reader: Reader, runs: Collection[Run]) -> list[_InputOfRun]:
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


def _latest(reader: Reader, inputs: Sequence[_InputOfRun], most: int) -> dict[RunInput, list[WriteId]]:
    """For each input, the latest writes by other runs that started before the reading run ended, under every id."""
    readers: dict[DatasetId, list[_InputById]] = defaultdict(list)
    for run_input in inputs:
        for dataset in run_input.ids:
            readers[dataset].append(_InputById(run_input.run, dataset))
    latest = _latest_together(
        reader, {dataset: of_dataset for dataset, of_dataset in readers.items() if len(of_dataset) > 1}, most
    )
    single = [by_id for of_dataset in readers.values() for by_id in of_dataset if by_id.key not in latest]
    writes_of_single = concurrent_map(lambda by_id: _latest_of(reader, by_id, most), single)
    latest |= {by_id.key: writes for by_id, writes in zip(single, writes_of_single, strict=True)}
    return {
        run_input.key: [write for dataset in run_input.ids for write in latest[_InputById(run_input.run, dataset).key]]
        for run_input in inputs
    }


def _latest_of(reader: Reader, by_id: _InputById, most: int) -> list[WriteId]:
    newest = reader.store.writes_of(by_id.dataset).newest(before=by_id.run.ended_at, limit=most + 1)
    others: Iterable[WriteId] = (write for write in islice(newest, LOOKED_AT) if by_id.may_have_read(write))
    return list(islice(others, most))


def _latest_together(
    reader: Reader, readers: Mapping[DatasetId, Sequence[_InputById]], most: int
) -> dict[_Key, list[WriteId]]:
    """The latest writes of datasets that several runs read, as far as one call for each dataset finds enough of them.

    Runs of one job read the same datasets, and most often what was written since the run before.
    """

    def newest(dataset: DatasetId) -> list[WriteId]:
        ends = [by_id.run.ended_at for by_id in readers[dataset]]
        before = None if None in ends else max(end for end in ends if end)
        writes = reader.store.writes_of(dataset).newest(before=before, limit=length(dataset))
        return list(islice(writes, length(dataset)))

    def length(dataset: DatasetId) -> int:
        return most + len(readers[dataset])

    listed = dict(zip(readers, concurrent_map(newest, readers), strict=True))
    ids = _all(listed)
    stored = reader.store.read(Wanted(writes=ids))
    begun = {write.id: write.output.first for write in stored.writes.of(ids)}
    latest: dict[_Key, list[WriteId]] = {}
    for dataset, of_dataset in readers.items():
        known = [write for write in listed[dataset] if write in begun]
        is_whole = len(listed[dataset]) < length(dataset)
        for by_id in of_dataset:
            writes = [write for write in known if by_id.may_have_read(write, begun[write])]
            if is_whole or len(writes) >= most:
                latest[by_id.key] = writes[:most]
    return latest


def _newest_with_run(reader: Reader, latest: Mapping[RunInput, Collection[WriteId]]) -> dict[RunInput, WriteId]:
    """For each input, the newest of its writes that has a run."""
    ids = _all(latest)
    stored = reader.store.read(Wanted(writes=ids, runs=[write.run for write in ids]))
    begun = {write.id: write.output.first for write in stored.writes.of(ids) if stored.runs.get(write.id.run)}
    dated = {key: [(begun[write], write) for write in writes if write in begun] for key, writes in latest.items()}
    return {key: max(writes)[1] for key, writes in dated.items() if writes}


def _all(writes: Mapping[Any, Collection[WriteId]]) -> set[WriteId]:
    return set(chain.from_iterable(writes.values()))
