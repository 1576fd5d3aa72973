"""The writes that runs have read: for each input of a run, the version of the dataset that the run read.

The write of an input is that of the last other run that began to write the dataset before the reading run ended, and
that had written by then: a run that had failed is the writer of no input, and one that was open only if no earlier
write went well (good_writes.py). While the reading run is open, the writes of its inputs may change. An event without a
run only describes a dataset: no run reads the version it makes.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from headwater.concurrent import concurrent_map, give_way
from headwater.graph.facets.register import values
from headwater.graph.names.identity import NO_JOB, DatasetId, NeighbourPageId, WriteId
from headwater.graph.producers import is_query_job
from headwater.graph.producers.table_formats import scanned_snapshot, writes_data, written_snapshot
from headwater.graph.states.run import Run
from headwater.openlineage.event import Name
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.good_writes import (
    LOOKED_AT,
    Standing,
    WriteOfRun,
    commits_as_it_goes,
    innermost,
    renames,
    standing,
    wraps,
    write_that_counts,
)
from headwater.read.neighbourhood import NameSpan, Neighbourhood
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest

NEWEST = 2
"""Newest writes of a dataset that are read first: of a statement that Spark runs as two queries, the wrapper writes
last."""
RunInput = tuple[Name, str, DatasetId]
"""An input: the job and id of its run, since two jobs may have runs with one id, and the id of the dataset."""


class _InputOfRun(NamedTuple):
    """An input of a run, and the ids under which the dataset may have been written, each with its time."""

    run: Run
    dataset: DatasetId
    spans: tuple[NameSpan, ...]
    key: RunInput

    @property
    def snapshot(self) -> float | None:
        return scanned_snapshot(self.run.inputs[self.dataset])


class _InputById(NamedTuple):
    """An input of a run, by one of the ids of its dataset."""

    run: Run
    span: NameSpan

    def may_have_read(self, begun: "_Begun") -> bool:
        """Whether the write is by another run, and began before the reading run ended. A run may read a dataset that it
        writes."""
        write, ended = begun.write, self.run.ended_at
        return write.job != NO_JOB and write.version != self.run.run_id and (ended is None or begun.time < ended)


class _Begun(NamedTuple):
    """A write, and the time at which it began: that of the first event that names the output."""

    time: Instant
    write: WriteId


def input_writes(reader: Reader, runs: Collection[Run]) -> dict[RunInput, WriteId]:
    """The write of each input of these runs, without inputs that no known run wrote.

    This takes two calls, and one for each dataset. Further calls: two for datasets with several names; for a dataset
    that was written far more often than read, one for each input; if no newest write went well, for Iceberg snapshots,
    and for renamed tables, the same again.
    """
    inputs = _inputs(reader, runs)
    newest = _latest(reader, inputs, NEWEST)
    known = _by_runs(reader, newest)
    renaming = _renaming(known)
    writes, others = _plain_writes(inputs, known, renaming)
    writes |= {each.key: _write_of(each, known[each.key], renaming) for each in others}
    unsure = [each for each in others if not _is_sure(each, newest[each.key], writes[each.key])]
    if unsure:
        known |= _by_runs(reader, _latest(reader, unsure, LOOKED_AT))
        renaming = _renaming(known)
    renamed = [
        each for each in inputs if renaming and _may_be_renamed(each, known[each.key], writes[each.key], renaming)
    ]
    if renamed:
        names = reader.neighbourhood({each.dataset for each in renamed}, ())
        renamed = _inputs_of(((each.run, each.dataset) for each in renamed), names)
        known |= _by_runs(reader, _latest(reader, renamed, LOOKED_AT))
        renaming = _renaming(known)
    writes |= {each.key: _write_of(each, known[each.key], renaming) for each in [*unsure, *renamed]}
    read = {key: write.id for key, write in writes.items() if write}
    return _by_snapshots(reader, inputs, read)


def _plain_writes(
    inputs: Sequence[_InputOfRun], known: Mapping[RunInput, Sequence[WriteOfRun]], renaming: Collection[WriteId]
) -> tuple[dict[RunInput, WriteOfRun | None], list[_InputOfRun]]:
    """The writes of most inputs, and the other inputs: the newest write that had gone well when its reader ended, if no
    statement can have written the dataset in several runs, or read what it wrote."""
    parents = {write.id: write.run.parent for writes in known.values() for write in writes}
    parents_of_readers = {id(each.run): each.run.parent for each in inputs}
    found: dict[RunInput, WriteOfRun | None] = {}
    others: list[_InputOfRun] = []
    for each in inputs:
        give_way()
        writes, ended = known[each.key], each.run.ended_at
        good = (write for write in writes if write.id not in renaming and write.standing(ended) is Standing.GOOD)
        write = next(good, None) if len(each.spans) == 1 else None
        beside = [other for other in writes if other is not write]
        if write and all(other.time != write.time for other in beside):
            of_others = (parents_of_readers[id(each.run)], *(parents[other.id] for other in beside))
            if parents[write.id] is None or parents[write.id] not in of_others:
                found[each.key] = write
                continue
        others.append(each)
    return found, others


def _renaming(known: Mapping[RunInput, Iterable[WriteOfRun]]) -> set[WriteId]:
    """Those of the writes that renamed their dataset. Thousands of inputs have the same few writes."""
    runs = {write.id: write.run for writes in known.values() for write in writes}
    return {write for write, run in runs.items() if renames(run, write.dataset)}


def _may_be_renamed(
    run_input: _InputOfRun, writes: Iterable[WriteOfRun], write: WriteOfRun | None, renaming: Collection[WriteId]
) -> bool:
    """Whether one of these writes is a rename, so that the input may have been written under another name, or another
    table under this name."""
    since = min(run_input.run.started_at, write.time if write and write.id not in renaming else NEVER)
    return any(each.id in renaming and each.time >= since for each in writes)


def _by_runs(reader: Reader, latest: Mapping[RunInput, Collection[_Begun]]) -> dict[RunInput, list[WriteOfRun]]:
    """For each input, those of its writes whose runs are stored."""
    begun = set(chain.from_iterable(latest.values()))
    stored = {run.id: run for run in reader.runs(sorted({each.write.run for each in begun}))}
    writes = {each: WriteOfRun(*each, run) for each in begun if (run := stored.get(each.write.run))}
    return {key: [writes[each] for each in of_input if each in writes] for key, of_input in latest.items()}


def _write_of(
    run_input: _InputOfRun, writes: Collection[WriteOfRun], renaming: Collection[WriteId]
) -> WriteOfRun | None:
    """The write that counted when the reading run ended. A query reads nothing that the same statement writes. A rename
    made the data only of a table of which nothing else is known."""
    run, ended = run_input.run, run_input.run.ended_at
    is_part = run.parent is not None
    of_others = [write for write in writes if not (is_part and (wraps(run, write.run) or wraps(write.run, run)))]
    made = [write for write in of_others if write.id not in renaming] if renaming else of_others
    return write_that_counts(made, ended) or (write_that_counts(of_others, ended) if renaming else None)


def _is_sure(run_input: _InputOfRun, newest: Collection[_Begun], write: WriteOfRun | None) -> bool:
    """Whether no older write than the newest ones can be that of the input."""
    if len(newest) < NEWEST:
        return True
    times: dict[DatasetId, list[Instant]] = defaultdict(list)
    for begun in newest:
        times[begun.write.dataset].append(begun.time)
    oldest = max((min(of_id) for of_id in times.values() if len(of_id) == NEWEST), default=NEVER)
    return not oldest or (
        write is not None and write.time >= oldest and standing(write.run, run_input.run.ended_at) is Standing.GOOD
    )


def _by_snapshots(
    reader: Reader, inputs: Sequence[_InputOfRun], writes: dict[RunInput, WriteId]
) -> dict[RunInput, WriteId]:
    """The writes, corrected for inputs with an Iceberg snapshot: a run may have scanned an older snapshot.

    writes of the table                           write of the input
    one names the scanned snapshot                that write
    some name snapshots, none the scanned one     that of the newest stream or application: neither ever names a
                                                  snapshot. Unknown, if there are more than `LOOKED_AT` writes
    none names a snapshot                         as without snapshots: the newest write
    """
    scanned = [run_input for run_input in inputs if run_input.snapshot is not None]
    if not scanned:
        return writes
    latest = _latest(reader, scanned, LOOKED_AT)
    stored = reader.store.read(ReadRequest(writes=_ids(latest)))
    for run_input in scanned:
        begun = {begun.write: begun for begun in latest[run_input.key]}
        outputs = {begun[write.id]: write.output for write in stored.writes.of(begun)}
        snapshot_of = {begun: written_snapshot(output) for begun, output in outputs.items() if writes_data(output)}
        of_snapshot = [begun for begun, snapshot in snapshot_of.items() if snapshot == run_input.snapshot]
        if any(snapshot_of.values()) or len(snapshot_of) < len(outputs):
            writes.pop(run_input.key, None)
            is_all = len(latest[run_input.key]) < LOOKED_AT
            unnamed = [begun for begun, snapshot in snapshot_of.items() if snapshot is None] if is_all else []
            by_runs = _by_runs(reader, {run_input.key: [*of_snapshot, *unnamed]})[run_input.key]
            others = _by_applications(by_runs, unnamed)
            renaming = _renaming({run_input.key: others})
            write = _first_good(by_runs, of_snapshot) or _write_of(run_input, others, renaming)
            writes |= {run_input.key: write.id} if write else {}
    return writes


def _first_good(writes: Iterable[WriteOfRun], of_snapshot: Collection[_Begun]) -> WriteOfRun | None:
    """The write that made a snapshot. A later run that fails names the snapshot that it found."""
    known = [write for write in writes if write[:2] in of_snapshot and write.standing()]
    first = min(known, key=lambda write: write[:2], default=None)
    return first and innermost(first, known)


def _by_applications(writes: Iterable[WriteOfRun], unnamed: Collection[_Begun]) -> list[WriteOfRun]:
    """The writes by applications and streams among those without a snapshot. A query that completes names its
    snapshot, an application or a stream never does."""
    others = (write for write in writes if write[:2] in unnamed)
    return [each for each in others if commits_as_it_goes(each.run) or not is_query_job(values(each.run.job_facets))]


def _inputs(reader: Reader, runs: Collection[Run]) -> list[_InputOfRun]:
    """The inputs of runs. Most datasets have one name: only the others need a neighbourhood."""
    pages = {NeighbourPageId(dataset) for run in runs for dataset in run.inputs}
    read = reader.store.read(ReadRequest(neighbours=pages)).neighbours.of(pages)
    several = {page.id.dataset for page in read if page.merged}
    neighbourhood = reader.neighbourhood(several, ()) if several else Neighbourhood()
    return _inputs_of(((run, dataset) for run in runs for dataset in run.inputs), neighbourhood)


def _inputs_of(inputs: Iterable[tuple[Run, DatasetId]], neighbourhood: Neighbourhood) -> list[_InputOfRun]:
    """Each input with the dataset that its name meant when the run began."""
    spans: dict[DatasetId, tuple[NameSpan, ...]] = {}
    found: list[_InputOfRun] = []
    for run, dataset in inputs:
        node = neighbourhood.meant(dataset, run.started_at)
        if node not in spans:
            spans[node] = tuple(neighbourhood.spans_of(node))
        found.append(_InputOfRun(run, dataset, spans[node], (run.job, run.run_id, dataset)))
    return found


def _latest(reader: Reader, inputs: Sequence[_InputOfRun], most: int) -> dict[RunInput, list[_Begun]]:
    """For each input, the latest writes by other runs that started before the reading run ended, under every id.

    The writes are gathered by the identity of each input by id: two jobs may have runs with one id."""
    if not inputs:
        return {}
    by_ids = [[_InputById(run_input.run, span) for span in run_input.spans] for run_input in inputs]
    readers: dict[NameSpan, list[_InputById]] = defaultdict(list)
    for by_id in chain.from_iterable(by_ids):
        readers[by_id.span].append(by_id)
    latest = _latest_together(reader, {span: of_span for span, of_span in readers.items() if len(of_span) > 1}, most)
    single = [by_id for of_span in readers.values() for by_id in of_span if id(by_id) not in latest]
    writes_of_single = concurrent_map(lambda by_id: _latest_of(reader, by_id, most), single)
    latest |= {id(by_id): writes for by_id, writes in zip(single, writes_of_single, strict=True)}
    return {
        run_input.key: [begun for by_id in of_input for begun in latest[id(by_id)]]
        for run_input, of_input in zip(inputs, by_ids, strict=True)
    }


def _latest_of(reader: Reader, by_id: _InputById, most: int) -> list[_Begun]:
    newest = _newest(reader, by_id.span, by_id.run.ended_at, most + 1)
    others = (begun for begun in islice(newest, LOOKED_AT) if by_id.may_have_read(begun))
    return list(islice(others, most))


def _newest(reader: Reader, span: NameSpan, before: Instant | None, limit: int) -> Iterator[_Begun]:
    """The writes of a dataset that began before a time, newest first."""
    line = reader.store.writes_of(span.id).between(span.since, span.end)
    entries = line.entries(before=before, limit=limit)
    return (_Begun(entry.time, entry.id) for entry in entries)


def _latest_together(
    reader: Reader, readers: Mapping[NameSpan, Sequence[_InputById]], most: int
) -> dict[int, list[_Begun]]:
    """The latest writes of datasets that several runs read, as far as one call for each dataset finds enough of them.

    Runs of one job read the same datasets, and most often what was written since the run before.
    """

    def newest(span: NameSpan) -> list[_Begun]:
        ends = [by_id.run.ended_at for by_id in readers[span]]
        before = None if None in ends else max(end for end in ends if end)
        return list(islice(_newest(reader, span, before, length(span)), length(span)))

    def length(span: NameSpan) -> int:
        return most + len(readers[span])

    listed = zip(readers.items(), concurrent_map(newest, readers), strict=True)
    latest: dict[int, list[_Begun]] = {}
    for (span, of_span), known in listed:
        is_whole = len(known) < length(span)
        times = [begun.time for begun in reversed(known)]
        for by_id in of_span:
            ended = by_id.run.ended_at
            too_late = len(times) - bisect_left(times, ended) if ended else 0
            writes = list(islice(filter(by_id.may_have_read, islice(known, too_late, None)), most))
            if is_whole or len(writes) == most:
                latest[id(by_id)] = writes
    return latest


def _ids(latest: Mapping[RunInput, Collection[_Begun]]) -> set[WriteId]:
    return {begun.write for writes in latest.values() for begun in writes}
