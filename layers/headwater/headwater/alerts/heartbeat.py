"""How long a run may be silent: as long as the settings say for its namespace, else as long as is usual for its job."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice, pairwise

from headwater.graph.facets import facet_text
from headwater.graph.identity import JobRunId, job_id
from headwater.graph.register import values
from headwater.graph.run import Run, RunState
from headwater.graph.thresholds import Thresholds
from headwater.openlineage.instant import Instant, to_datetime
from headwater.read.reader import Reader
from headwater.store.ranges import Entry

MIN_SILENCE = timedelta(minutes=15)
"""A shorter silence is never abandonment; the schedule of sweeps is as long."""
MAX_RUNS, DURATION_FACTOR = 10, 3
"""Runs of a job that are compared with, and how many times as long as the longest of them a run may take."""
MAX_BEATS, MIN_BEATS, GAP_FACTOR = 50, 5, 10
"""Signs of life of a run that are looked at, how many of them are needed to know the usual gap, and how many times as
long as the longest gap a silence may last."""


@dataclass(frozen=True)
class Heartbeat:
    """The signs of life of a run: its own events, and those of its children, the runs that name it as their parent."""

    reader: Reader
    run: Run

    def last_sign(self) -> Instant:
        """The time of the last event of the run, or of its newest child."""
        children = self.reader.runs([child.id for child in self._children(1)])
        return max([self.run.updated, *(child.updated for child in children)])

    def allowed_silence(self, minutes: Thresholds) -> timedelta:
        """How long the run may be silent.

        A setting for the namespace comes first. A batch run is measured by the durations of its job's runs, a stream,
        which has no end to wait for, by its earlier gaps. Where neither is known, the default counts.
        """
        own = minutes.own(self.run.job.namespace)
        if own is not None:
            return max(MIN_SILENCE, timedelta(minutes=own))
        is_stream = facet_text(values(self.run.job_facets), "jobType", "processingType") == "STREAMING"
        usual = (None if is_stream else self._by_durations()) or self._by_gaps()
        return max(MIN_SILENCE, usual) if usual else timedelta(minutes=minutes.default)

    def _by_durations(self) -> timedelta | None:
        runs = self.reader.newest_runs(job_id(self.run.job), MAX_RUNS)
        durations = [_between(run.started_at, run.ended_at) for run in runs if run.ended_at and _is_whole(run)]
        return DURATION_FACTOR * max(durations) if durations else None

    def _by_gaps(self) -> timedelta | None:
        beats = sorted(self._beats())
        gaps = [_between(earlier, later) for earlier, later in pairwise(beats)]
        return GAP_FACTOR * max(gaps) if len(beats) >= MIN_BEATS else None

    def _beats(self) -> Iterator[Instant]:
        """The start times of the run's newest children; for a run without children, the times of its own events."""
        children = [child.time for child in self._children(MAX_BEATS)]
        yield from children or self._newest_events()

    def _children(self, most: int) -> list[Entry[JobRunId]]:
        """The run's children, the newest first."""
        children = self.reader.store.children_of(self.run.run_id)
        return list(islice(children.entries(newest_first=True, limit=most), most))

    def _newest_events(self) -> Iterator[Instant]:
        """The times of the run's events in the hour of its last event; in the day, if there are too few in the hour."""
        last = self.run.last
        for hour_or_day in (last[:13], last[:10]):
            times = [event.time for event in self.reader.store.events_of_run(self.run.run_id, at=hour_or_day)]
            if len(times) >= MIN_BEATS:
                break
        yield from times[-MAX_BEATS:]


def _is_whole(run: Run) -> bool:
    """Whether a run's duration is known: a run of which only the end was reported has none."""
    return run.started is not None and run.state is RunState.COMPLETED


def _between(start: Instant, end: Instant) -> timedelta:
    return to_datetime(end) - to_datetime(start)
