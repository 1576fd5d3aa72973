"""`Volume Anomaly`: a run wrote far fewer or more rows, or bytes, than is usual for its job.

There is one alert until a run is as usual again, and it is about the source: a run that wrote less because an input got
less raises none. The appends of a loop are not compared, since each has its own amount.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from headwater.alerts.alert import Alert, DetailType, Record, distinct_owners, id_of, short_name
from headwater.alerts.downstream import downstream
from headwater.graph.expectations.usual import Unusual, unusual
from headwater.graph.facets.dataset_reference import OUTPUT_STATISTICS
from headwater.graph.facets.members import owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import DatasetId, NodeKind, job_id
from headwater.graph.states.edges import DatasetRef
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import Side
from headwater.graph.states.rhythm import LATE, MOST, Observation, Rhythm, at, is_empty, moment, observation, short_id
from headwater.graph.states.run import Run, RunState
from headwater.graph.states.stored_states import Severity
from headwater.openlineage.instant import instant_of, shown
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest

MOST_WRITERS = 20
MAX_OUTPUTS = 5
"""Outputs whose readers are looked up."""
RUNS_BEFORE = 3
"""Runs by which it is known which dataset one left out."""


def volume_anomaly(record: Record, reader: Reader) -> Iterator[Alert]:
    """The alert for a changed rhythm, if its newest run wrote an unusual amount, and the run before did not. A run
    reported long after it ended comes from a backfill or an archive, and raises no alert."""
    before: Rhythm | None = record.change.before
    after: Rhythm | None = record.change.after
    if before is None or after is None or after.observations[-1] in before.observations:
        return
    if record.written and moment(record.written) - after.observations[-1].end > LATE:
        return
    head = reader.jobs([after.id], usages=False).get(after.id)
    said = _said(reader, head) if head else _LEARNT
    found = said.unusual(after.observations)
    if found is None or said.way(after.observations[:-1]) == found.way:
        return
    yield from _alerts(reader, after, found)


def said_anomaly(reader: Reader, head: JobHead, rhythm: Rhythm) -> Iterator[Alert]:
    """The alert for the first of the newest runs that wrote an amount outside what people set, in the same
    way."""
    said, seen = _said(reader, head), rhythm.observations
    found = said.unusual(seen)
    while found and (before := said.unusual(seen[:-1])) and before.way == found.way:
        seen, found = seen[:-1], before
    if found:
        yield from _alerts(reader, rhythm, found)


class _SaidVolume(NamedTuple):
    """What people said of the amounts that a job writes."""

    share: float | None = None
    is_never_empty: bool = False

    def unusual(self, observations: Sequence[Observation]) -> Unusual | None:
        if not observations:
            return None
        return unusual(observations, self.share, is_never_empty=self.is_never_empty)

    def way(self, observations: Sequence[Observation]) -> tuple[bool, int] | None:
        found = self.unusual(observations)
        return found.way if found else None


_LEARNT = _SaidVolume()


def _said(reader: Reader, head: JobHead) -> _SaidVolume:
    """What is said of a job, and of what it writes if that is one dataset."""
    if reader.said is None:
        return _LEARNT
    outputs = head.current.outputs
    entries = reader.said.of_node(NodeKind.JOB, *head.facts.name)
    entries += reader.said.of_node(NodeKind.DATASET, *outputs[0].name) if len(outputs) == 1 else []
    return _SaidVolume(
        min((entry.rows for entry in entries if entry.rows), default=None),
        any(entry.is_never_empty for entry in entries),
    )


def _follows_from_an_input(reader: Reader, rhythm: Rhythm, found: Unusual) -> bool:
    """Whether what the run read was unusual in the same way."""
    head = reader.jobs([rhythm.id], usages=False).get(rhythm.id)
    inputs = {used.id for used in head.current.inputs} if head else set()
    writers = {job for dataset in inputs for job in reader.store.neighbours(dataset)[Side.WRITES]} - {rhythm.id}
    rhythms = reader.store.read(ReadRequest(rhythms=sorted(writers)[:MOST_WRITERS])).rhythms.all() if writers else {}
    read = ([seen for seen in each.observations if seen.end <= found.run.end] for each in rhythms.values())
    return any(_LEARNT.way(seen) == found.way for seen in read if seen)


def _alerts(reader: Reader, rhythm: Rhythm, found: Unusual) -> Iterator[Alert]:
    """The alert, unless an input explains it, or the run has named more datasets since."""
    left_out: list[DatasetRef] = []
    if found.unit == "datasets":
        generations = reader.newest_generations(rhythm.id, RUNS_BEFORE + 1, instant_of(at(found.run.start + 1)))
        own = (observation(run) for runs in generations for run in runs if short_id(run.run_id) == found.run.run)
        if not any(seen.datasets and seen.datasets < found.usual.low for seen in own):
            return
        left_out = _left_out(generations)
    if not reader.is_of_a_loop(rhythm.id) and not _follows_from_an_input(reader, rhythm, found):
        yield _alert(reader, rhythm, found, left_out)


def _left_out(generations: Sequence[Sequence[Run]]) -> list[DatasetRef]:
    """The datasets that each of a few runs before the newest wrote, and the newest did not. There is none if their
    names have dates."""
    own, *before = map(_written, generations) if generations else [{}]
    before = [written for written in before if written]
    left_out = set[DatasetId].intersection(*map(set, before)) - own.keys() if before else ()
    return [before[0][dataset] for dataset in sorted(left_out)]


def _written(runs: Sequence[Run]) -> dict[DatasetId, DatasetRef]:
    """What runs wrote that went well, and not nothing."""
    return {
        dataset: DatasetRef(dataset, output.name)
        for run in runs
        if run.state is RunState.COMPLETED
        for dataset, output in run.outputs.items()
        if not is_empty(values(output.io_facets).get(OUTPUT_STATISTICS))
    }


def _alert(reader: Reader, rhythm: Rhythm, found: Unusual, left_out: Sequence[DatasetRef]) -> Alert:
    head = reader.jobs([rhythm.id], usages=False).get(rhythm.id)
    outputs = head.current.outputs if head else ()
    ended, name = instant_of(at(found.run.end)), rhythm.job
    about = left_out if found.unit == "datasets" else outputs if len(outputs) == 1 else []
    kind, subject = (NodeKind.DATASET, about[0].name) if about else (NodeKind.JOB, name)
    ids = [used.id for used in about or (() if found.amount else outputs)][:MAX_OUTPUTS]
    suffering = downstream(reader, ids, None, ended, ended) if ids else None
    usual, begun = found.usual, shown(instant_of(at(found.run.start)))
    change, lines = _words(f"Job {name.name} in {name.namespace}", found, begun, left_out)
    lines += suffering.lines("The change", "affects", "affect") if suffering else ()
    return Alert(
        type=DetailType.VOLUME_ANOMALY,
        id=id_of(DetailType.VOLUME_ANOMALY, rhythm.id, found.run.run, str(found.run.start)),
        time=ended,
        severity=Severity.WARNING if found.amount else Severity.CRITICAL,
        kind=kind,
        name=subject,
        owners=distinct_owners(
            owners_of(values(head.facts.facets)) if head else (), suffering.owners if suffering else ()
        ),
        title=f"{short_name(subject.name)}: {change}",
        lines=tuple(lines),
        group=job_id(name),
        details={
            "job": name.as_json(),
            "startedAt": begun,
            "unit": found.unit,
            "amount": found.amount,
            "usual": {"low": usual.low, "usual": usual.usual, "high": usual.high},
            **({"suffers": suffering.as_json()} if suffering else {}),
        },
    )


def _words(job: str, found: Unusual, begun: str, left_out: Sequence[DatasetRef]) -> tuple[str, list[str]]:
    """What has changed, for the title, and the lines that say what the run wrote and what is usual."""
    usual = found.usual
    if found.unit == "datasets":
        change = "not written, or empty" if left_out else f"{found.amount:,} of {usual.low:,} datasets written"
        run = f"{job} wrote {found.amount:,} of {usual.low:,} datasets in its run of {begun}."
        nothing = [f"It wrote nothing to {short_name(used.name.name)}." for used in left_out]
        return change, [f"{run} No earlier run that is kept wrote fewer.", *nothing]
    band = f"{usual.low:,} to {usual.high:,}" if usual.high < MOST else f"{usual.low:,} or more"
    run = f"{job} wrote {found.amount:,} {found.unit} in its run of {begun}."
    return f"{found.amount:,} {found.unit} written, {usual.usual:,} are usual", [run, f"{band} {found.unit} are usual."]
