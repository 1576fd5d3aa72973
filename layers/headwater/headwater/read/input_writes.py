"""The writes that runs have read: for each input of a run, the version of the dataset that the run read.

The write of an input is that of the last other run that began to write the dataset before the reading run ended. While
the reading run is open, the writes of its inputs may change. An event without a run only describes a dataset: no run
reads the version of such an event.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.facets.register import values
from headwater.graph.names.identity import NO_JOB, DatasetId, NeighbourPageId, WriteId
from headwater.graph.producers import is_query_job
from headwater.graph.producers.iceberg import scanned_snapshot, writes_data, written_snapshot
from headwater.graph.states.run import Run
from headwater.openlineage.instant import Instant
from headwater.read.neighbourhood import Neighbourhood
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest

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

    def may_have_read(self, begun: "_Begun") -> bool:
        """Whether the write is by another run, and began before the reading run ended. A run may read a dataset that it
        writes."""
        write, ended = begun.write, self.run.ended_at
        return write.job != NO_JOB and write.version != self.run.run_id and (ended is None or begun.time < ended)


_Key = tuple[int, DatasetId]


class _Begun(NamedTuple):
    """A write, and the time at which it began: that of the first event that names the output."""

    time: Instant
    write: WriteId


def input_writes(reader: Reader, runs: Collection[Run]) -> dict[RunInput, WriteId]:
    """The write of each input of these runs, without inputs that no known run wrote.

    This takes two calls, and one for each dataset. Further calls: two for datasets with several names; for a dataset
    that was written far more often than read, one for each input; if the newest write has no run, and for Iceberg
    snapshots, the same again.
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
    stored = reader.store.read(ReadRequest(writes=_ids(latest)))
    for run_input in scanned:
        begun = {begun.write: begun for begun in latest[run_input.key]}
        outputs = {begun[write.id]: write.output for write in stored.writes.of(begun)}
        snapshot_of = {begun: written_snapshot(output) for begun, output in outputs.items() if writes_data(output)}
        of_snapshot = [begun for begun, snapshot in snapshot_of.items() if snapshot == run_input.snapshot][-1:]
        if any(snapshot_of.values()) or len(snapshot_of) < len(outputs):
            writes.pop(run_input.key, None)
            is_all = len(latest[run_input.key]) < LOOKED_AT
            unnamed = _of_applications(reader, snapshot_of) if is_all and not of_snapshot else []
            writes |= _newest_with_run(reader, {run_input.key: of_snapshot or unnamed})
    return writes


def _of_applications(reader: Reader, snapshot_of: Mapping[_Begun, float | None]) -> list[_Begun]:
    """The writes by applications among the writes without a snapshot. A query that completes names its snapshot, an
    application never does."""
    unnamed = [begun for begun, snapshot in snapshot_of.items() if snapshot is None]
    stored = reader.store.read(ReadRequest(runs=[begun.write.run for begun in unnamed]))
    runs = {begun: stored.runs.get(begun.write.run) for begun in unnamed}
    return [begun for begun, run in runs.items() if run and not is_query_job(values(run.job_facets))]


def _inputs(reader: Reader, runs: Collection[Run]) -> list[_InputOfRun]:
    """The inputs of runs. Most datasets have one name: only the others need a neighbourhood."""
    pages = {NeighbourPageId(dataset) for run in runs for dataset in run.inputs}
    read = reader.store.read(ReadRequest(neighbours=pages)).neighbours.of(pages)
    neighbourhood = reader.neighbourhood({page.id.dataset for page in read if page.merged}, ())
    return [
        _InputOfRun(run, dataset, tuple(sorted({dataset, *_used_names(neighbourhood, dataset)})))
        for run in runs
        for dataset in run.inputs
    ]


def _used_names(neighbourhood: Neighbourhood, dataset: DatasetId) -> set[DatasetId]:
    shown = neighbourhood.representative(dataset)
    same = {other for other, stands_for in neighbourhood.representatives.items() if stands_for == shown}
    return same & neighbourhood.used


def _latest(reader: Reader, inputs: Sequence[_InputOfRun], most: int) -> dict[RunInput, list[_Begun]]:
    """For each input, the latest writes by other runs that started before the reading run ended, under every id."""
    if not inputs:
        return {}
    by_ids = [[_InputById(run_input.run, dataset) for dataset in run_input.ids] for run_input in inputs]
    readers: dict[DatasetId, list[_InputById]] = defaultdict(list)
    for by_id in chain.from_iterable(by_ids):
        readers[by_id.dataset].append(by_id)
    latest = _latest_together(
        reader, {dataset: of_dataset for dataset, of_dataset in readers.items() if len(of_dataset) > 1}, most
    )
    single = [by_id for of_dataset in readers.values() for by_id in of_dataset if by_id.key not in latest]
    writes_of_single = concurrent_map(lambda by_id: _latest_of(reader, by_id, most), single)
    latest |= {by_id.key: writes for by_id, writes in zip(single, writes_of_single, strict=True)}
    return {
        run_input.key: [begun for by_id in of_input for begun in latest[by_id.key]]
        for run_input, of_input in zip(inputs, by_ids, strict=True)
    }


def _latest_of(reader: Reader, by_id: _InputById, most: int) -> list[_Begun]:
    newest = _newest(reader, by_id.dataset, by_id.run.ended_at, most + 1)
    others = (begun for begun in islice(newest, LOOKED_AT) if by_id.may_have_read(begun))
    return list(islice(others, most))


def _newest(reader: Reader, dataset: DatasetId, before: Instant | None, limit: int) -> Iterator[_Begun]:
    """The writes of a dataset that began before a time, newest first."""
    entries = reader.store.writes_of(dataset).entries(before=before, limit=limit)
    return (_Begun(entry.time, entry.id) for entry in entries)


def _latest_together(
    reader: Reader, readers: Mapping[DatasetId, Sequence[_InputById]], most: int
) -> dict[_Key, list[_Begun]]:
    """The latest writes of datasets that several runs read, as far as one call for each dataset finds enough of them.

    Runs of one job read the same datasets, and most often what was written since the run before.
    """

    def newest(dataset: DatasetId) -> list[_Begun]:
        ends = [by_id.run.ended_at for by_id in readers[dataset]]
        before = None if None in ends else max(end for end in ends if end)
        return list(islice(_newest(reader, dataset, before, length(dataset)), length(dataset)))

    def length(dataset: DatasetId) -> int:
        return most + len(readers[dataset])

    listed = zip(readers.items(), concurrent_map(newest, readers), strict=True)
    latest: dict[_Key, list[_Begun]] = {}
    for (dataset, of_dataset), known in listed:
        is_whole = len(known) < length(dataset)
        times = [begun.time for begun in reversed(known)]
        for by_id in of_dataset:
            ended = by_id.run.ended_at
            too_late = len(times) - bisect_left(times, ended) if ended else 0
            writes = list(islice(filter(by_id.may_have_read, islice(known, too_late, None)), most))
            if is_whole or len(writes) == most:
                latest[by_id.key] = writes
    return latest


def _newest_with_run(reader: Reader, latest: Mapping[RunInput, Collection[_Begun]]) -> dict[RunInput, WriteId]:
    """For each input, the newest of its writes that has a run."""
    stored = reader.store.stored_runs(write.run for write in _ids(latest))
    with_run = {key: [begun for begun in writes if begun.write.run in stored] for key, writes in latest.items()}
    return {key: max(writes).write for key, writes in with_run.items() if writes}


def _ids(latest: Mapping[RunInput, Collection[_Begun]]) -> set[WriteId]:
    return {begun.write for writes in latest.values() for begun in writes}
