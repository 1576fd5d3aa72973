"""The allowed silence of a run: by a setting for its namespace, else by what is usual for its job."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice, pairwise

from headwater.graph.facets.register import values
from headwater.graph.names.identity import job_id
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.producers import producer_of
from headwater.graph.states.rhythm import median
from headwater.graph.states.run import Run, RunState
from headwater.openlineage.instant import Instant, to_datetime
from headwater.read.reader import Reader
from headwater.read.run_end import MIN_SILENCE, allowed_by_beats, is_stream
from headwater.store.snapshot import ReadRequest

MAX_GENERATIONS, DURATION_FACTOR = 10, 3
"""A run may take `DURATION_FACTOR` times as long as the longest run of the job's newest `MAX_GENERATIONS` generations:
the ten newest runs of a loop may all be from today, and short ones."""
MAX_BEATS, MIN_BEATS, GAP_FACTOR = 50, 5, 10
"""A silence may last `GAP_FACTOR` times as long as the longest gap among the run's newest `MAX_BEATS` signs of life. At
least `MIN_BEATS` signs of life are needed to know the usual gap."""
MIN_STREAM_BEATS = 3
"""Signs of life that are enough for a stream, which sends them regularly; a batch job sends them as it proceeds."""
MAX_LISTED = 1_000
"""The runs that are read to find the children among those that name the run's id."""


@dataclass(frozen=True)
class Heartbeat:
    """The signs of life of a run: its own events, and the events of its children."""

    reader: Reader
    run: Run

    def last_sign(self) -> Instant:
        """The time of the last event of the run, or of its newest child."""
        newest = islice(self._children(first=1), 1)
        return max([self.run.updated, *(child.updated for child in newest)])

    def tells_its_end(self) -> bool:
        """Whether an event will report the end of the run, as far as is known.

        If the producer need not report it, as with Flink, an event will come if the run sends signs of life, or if an
        earlier run had an end.
        """
        job_facets = values(self.run.job_facets)
        if producer_of(job_facets, self.run.producer.value).tells_end(job_facets):
            return True
        return len(list(self._newest_events())) >= MIN_STREAM_BEATS or any(run.ending for run in self._runs())

    def allowed_silence(self, minutes: Thresholds) -> timedelta:
        """The allowed silence of the run.

        A setting for the namespace comes first, then what the run itself said of its heartbeats. Then, for a batch run,
        the durations of the job's runs count. For a stream, which never ends, and for a job without such durations, the
        earlier gaps of the run count. Without both, the default counts.
        """
        own = minutes.own(self.run.job.namespace)
        if own is not None:
            return max(MIN_SILENCE, timedelta(minutes=own))
        if beats := allowed_by_beats(self.run):
            return beats
        usual = (
            self._by_gaps(MIN_STREAM_BEATS) if is_stream(self.run) else self._by_durations() or self._by_gaps(MIN_BEATS)
        )
        return max(MIN_SILENCE, usual) if usual else timedelta(minutes=minutes.default)

    def _by_durations(self) -> timedelta | None:
        runs = self._runs()
        durations = [_between(run.started_at, run.ended_at) for run in runs if run.ended_at and _is_whole(run)]
        if not durations:  # those of the rhythm count from the first event, which may be the last
            return None
        rhythm = self.reader.store.read(ReadRequest(rhythms=[job_id(self.run.job)])).rhythms.get(job_id(self.run.job))
        if rhythm and (taken := [seen.seconds for seen in rhythm.observations if seen.is_good]):
            durations.append(timedelta(seconds=median(taken)))  # the newest may be the short ones of a backfill
        return DURATION_FACTOR * max(durations)

    def _runs(self) -> list[Run]:
        generations = self.reader.newest_generations(job_id(self.run.job), MAX_GENERATIONS)
        return [run for runs in generations for run in runs]

    def _by_gaps(self, least: int) -> timedelta | None:
        beats = sorted(self._beats())
        gaps = [_between(earlier, later) for earlier, later in pairwise(beats)]
        return GAP_FACTOR * max(gaps) if len(beats) >= least else None

    def _beats(self) -> Iterator[Instant]:
        """The start times of the run's newest children; for a run without children, the times of its own events."""
        children = [child.started_at for child in islice(self._children(first=MAX_BEATS), MAX_BEATS)]
        yield from children or self._newest_events()

    def _children(self, first: int) -> Iterator[Run]:
        """The run's children, the newest first. `first` of them are read at first, and more if runs of another team
        name the run's id, too: those are not its children."""
        children = self.reader.store.children_of(self.run.run_id)
        listed = islice(children.entries(newest_first=True, limit=first), MAX_LISTED)
        size = first
        while chunk := [child.id for child in islice(listed, size)]:
            yield from (child for child in self.reader.runs(chunk) if child.is_child_of(self.run))
            size = MAX_BEATS

    def _newest_events(self) -> Iterator[Instant]:
        """The times of the run's events in the hour of its last event, or in the day if the hour has too few."""
        last = self.run.last
        for hour_or_day in (last[:13], last[:10]):
            times = [event.time for event in self.reader.store.events_of_run(self.run.run_id, at=hour_or_day)]
            if len(times) >= MIN_BEATS:
                break
        yield from times[-MAX_BEATS:]


def _is_whole(run: Run) -> bool:
    """Whether a run's duration is known: the run completed, and its start was reported."""
    return run.started is not None and run.state is RunState.COMPLETED


def _between(start: Instant, end: Instant) -> timedelta:
    return to_datetime(end) - to_datetime(start)
