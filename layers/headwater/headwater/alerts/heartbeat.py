"""How long a run may be silent: as its namespace says, or as long as is usual for its job."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice, pairwise

from headwater.graph.facets import facet_text
from headwater.graph.identity import job_id
from headwater.graph.register import values
from headwater.graph.run import Run, RunState
from headwater.graph.thresholds import Thresholds
from headwater.openlineage.instant import Instant, to_datetime
from headwater.read.reader import Reader
from headwater.store import keys

SHORTEST = timedelta(minutes=15)
"""Nobody is told of less: the sweep itself comes by that often."""
MOST_RUNS, DURATIONS = 10, 3
"""Runs of a job that are looked at, and how many times the longest of them a run may take."""
MOST_BEATS, LEAST_BEATS, GAPS = 50, 5, 10
"""Signs of life of a run that are looked at; how many it takes to know what is usual; and how many times the longest
silence between two of them one may last."""


@dataclass(frozen=True)
class Heartbeat:
    """What is known of the signs of life of one run: its own events, and those of the runs that it started."""

    reader: Reader
    run: Run

    def since(self) -> Instant:
        """When it, or a run that it started, was last heard of."""
        newest = self.reader.table.list_entries(keys.children_of(self.run.run_id), newest_first=True, limit=1)
        children = self.reader.read_runs([entry.key for entry in islice(newest, 1)])
        return max([self.run.updated, *(child.updated for child in children)])

    def allowed(self, minutes: Thresholds) -> timedelta:
        """A stream has no end to wait for, so its silence is measured by those before; another run's by how long those
        of its job take. Where neither is known, the default counts."""
        own = minutes.own(self.run.job.namespace)
        if own is not None:
            return max(SHORTEST, timedelta(minutes=own))
        streams = facet_text(values(self.run.job_facets), "jobType", "processingType") == "STREAMING"
        usual = (None if streams else self._by_durations()) or self._by_beats()
        return max(SHORTEST, usual) if usual else timedelta(minutes=minutes.default)

    def _by_durations(self) -> timedelta | None:
        runs = self.reader.read_runs(self.reader.newest_runs(job_id(self.run.job), MOST_RUNS))
        took = [_between(run.started_at, run.ended_at) for run in runs if run.ended_at and _is_whole(run)]
        return DURATIONS * max(took) if took else None

    def _by_beats(self) -> timedelta | None:
        beats = sorted(self._beats())
        gaps = [_between(one, other) for one, other in pairwise(beats)]
        return GAPS * max(gaps) if len(beats) >= LEAST_BEATS else None

    def _beats(self) -> Iterator[Instant]:
        """The times of its newest children, or, without any, of its own events."""
        newest = self.reader.table.list_entries(keys.children_of(self.run.run_id), newest_first=True, limit=MOST_BEATS)
        children = [Instant(entry.place.partition("#")[0]) for entry in islice(newest, MOST_BEATS)]
        yield from children or self._newest_events()

    def _newest_events(self) -> Iterator[Instant]:
        """The times of its events in the hour that it was last heard in; of that day, if those are too few."""
        of_run, last = keys.events_of_run(self.run.run_id), self.run.last
        for beginning in (last[:13], last[:10]):
            times = [Instant(key.sk.split("#")[1]) for key in self.reader.table.partition(of_run, f"E#{beginning}")]
            if len(times) >= LEAST_BEATS:
                break
        yield from times[-MOST_BEATS:]


def _is_whole(run: Run) -> bool:
    """Whether a run's start and end were both told of: of one that only ended, nobody knows how long it took."""
    return run.started is not None and run.state is RunState.COMPLETED


def _between(start: Instant, end: Instant) -> timedelta:
    return to_datetime(end) - to_datetime(start)
