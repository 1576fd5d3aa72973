"""`Run Abandoned`: a run that started, has not ended, and has sent no event for longer than is usual.

No event reports silence, so a schedule examines the open runs, which have an index of their own. A run leaves the index
with its alert, and comes back with its next event. The alert is put on the bus before the run leaves the index: a
sweeper that dies in between puts the same alert, with the same id, at the next sweep.

A run superseded by a newer run of its job leaves the index without an alert, and so does a run without a START. So does
a run that has been silent for much longer than allowed: earlier sweeps would have reported it, so its events came late,
as those of a backfill do.

    last event    allowed until    received    sweep    alert
    08:00         08:15            08:00       08:30    yes
    08:00         08:15            22:00       22:10    no
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from headwater.alerts.alert import Alert, DetailType, distinct_owners, id_of, short_name
from headwater.alerts.announce import Bus
from headwater.alerts.downstream import Downstream, suffering_from
from headwater.alerts.heartbeat import Heartbeat
from headwater.alerts.run_ancestors import ancestors_of, owners_of_job
from headwater.graph.facets.members import owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobRunId, NodeKind, job_id, node_id
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.producers import is_query_job
from headwater.graph.states.run import Run, RunState
from headwater.graph.states.stored_states import Severity
from headwater.log import FaultLog
from headwater.openlineage.instant import Instant, moved_back, shown
from headwater.read.reader import Reader
from headwater.read.run_end import MIN_SILENCE
from headwater.store.errors import Conflict, CorruptItem, StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import ReadRequest, Snapshot

AT_A_TIME = 100
"""Runs in one read."""
MAX_OUTPUTS = 50
"""Outputs of a run that an alert names."""
LATE = timedelta(hours=12)
"""No sweep can have seen a silence this much longer than allowed: the events came late. If sweeps themselves stop for
this long, another alarm says so."""


@dataclass(slots=True)
class SweepResult:
    """The numbers of runs: examined open runs, abandoned runs, and runs that could not be read."""

    open_runs: int = 0
    abandoned: int = 0
    corrupt: int = 0


@dataclass(frozen=True)
class Sweeper:
    """Finds abandoned runs. `minutes` is the allowed silence of a run, by namespace."""

    store: GraphStore
    bus: Bus
    naming: Naming
    minutes: Thresholds
    log: FaultLog
    has_time: Callable[[], bool] = lambda: True

    def sweep(self, now: Instant) -> SweepResult:
        """Puts an alert on the bus for each abandoned run. Raises StorageError.

        Runs for which there is no time, and runs that cannot be read, are left for the next sweep.
        """
        result = SweepResult()
        ids = self.store.open_runs(moved_back(now, MIN_SILENCE))
        for start in range(0, len(ids), AT_A_TIME):
            self._sweep(ids[start : start + AT_A_TIME], now, result)
        return result

    def _sweep(self, ids: Collection[JobRunId], now: Instant, result: SweepResult) -> None:
        read = self.store.read(ReadRequest(runs=ids))
        for run_id in ids:
            try:
                run = read.runs.get(run_id)
                if run and run.state is RunState.RUNNING and read.is_open(run_id) and self.has_time():
                    result.open_runs += 1
                    result.abandoned += self._check(run, read, now, result)
            except CorruptItem as error:
                self.log("a run is left for the next sweep, since an item cannot be read", error, run=run_id.run_id)
                result.corrupt += 1
            except StorageError:
                raise
            except Exception as error:  # noqa: BLE001 - a fault in one run must not hide the other runs
                self.log("a run could not be examined", error, run=run_id.run_id)

    def _check(self, run: Run, read: Snapshot, now: Instant, result: SweepResult) -> bool:
        """Whether a run is abandoned. An abandoned run gets an alert, and leaves the index of open runs."""

        def skip(error: CorruptItem) -> None:
            self.log("an alert is without what is downstream of an output", error, run=run.run_id)
            result.corrupt += 1

        reader = Reader(self.store.for_one_request(), self.naming)
        is_application_open = _is_application_open(reader, run)
        if is_application_open is not None:
            # Spark's listener does not end every query: a query ends with its application, whose alert covers both.
            if not is_application_open:
                self._stop_watching(run.id, read)
            return False
        alert = self._alert(reader, run, now, skip)
        if alert is None:
            return False
        is_told = not (run.started is None or _was_received_late(alert, now) or _is_superseded(reader, run))
        if is_told:
            self.bus.put([alert])
        self._stop_watching(run.id, read)
        return is_told

    def _stop_watching(self, run_id: JobRunId, read: Snapshot) -> None:
        try:
            self.store.give_up(run_id, read)
        except Conflict:
            return  # an event of the run has just come

    def _alert(self, reader: Reader, run: Run, now: Instant, skip: Callable[[CorruptItem], None]) -> Alert | None:
        heartbeat = Heartbeat(reader, run)
        if run.updated > moved_back(now, MIN_SILENCE) or not heartbeat.tells_its_end():
            return None
        since, allowed = heartbeat.last_sign(), heartbeat.allowed_silence(self.minutes)
        suffering = suffering_from(reader, run, since, skip) if since <= moved_back(now, allowed) else None
        return None if suffering is None else _alert_of(reader, run, since, allowed, suffering)


def _is_application_open(reader: Reader, run: Run) -> bool | None:
    """Whether the application of a query's run is open.

    None if the run is no query's run, or if the application never sent an event.
    """
    if run.parent is None or not is_query_job(values(run.job_facets)):
        return None
    read = reader.store.read(ReadRequest(runs=[run.parent.id]))
    application = read.runs.get(run.parent.id)
    return read.is_open(run.parent.id) if application and application.last else None


def _was_received_late(alert: Alert, now: Instant) -> bool:
    allowed = timedelta(minutes=alert.details["allowedMinutes"])
    return alert.time <= moved_back(now, allowed + LATE)


def _is_superseded(reader: Reader, run: Run) -> bool:
    head = reader.jobs([job_id(run.job)], usages=False).get(job_id(run.job))
    return head is not None and head.latest is not None and head.latest.has_superseded(run)


def _alert_of(reader: Reader, run: Run, since: Instant, allowed: timedelta, suffering: Sequence[Downstream]) -> Alert:
    ancestors, job = ancestors_of(reader, run), job_id(run.job)
    outputs = reader.datasets(run.outputs)
    owners = [owners_of_job(reader, run), *(owners_of(head.facets) for head in outputs.values())]
    suffer = (each.owners for each in suffering)
    minutes = int(allowed.total_seconds() // 60)
    started = f"Run {run.run_id} of job {run.job.name} in {run.job.namespace} started at {shown(run.started_at)}"
    return Alert(
        type=DetailType.RUN_ABANDONED,
        id=id_of(DetailType.RUN_ABANDONED, job, run.run_id, since),
        time=since,
        severity=Severity.WARNING,
        kind=NodeKind.JOB,
        name=run.job,
        owners=distinct_owners(*owners, *suffer),
        title=f"{short_name(run.job.name)} started, and was not heard of again",
        lines=(
            f"{started}{ancestors.as_text()}.",
            f"It was last heard of at {shown(since)}; a silence of {minutes} minutes is usual or allowed.",
            *(line for each in suffering for line in each.lines("The delay", "affects", "affect")),
        ),
        group=job,
        details={
            "job": run.job.as_json(),
            "run": {"runId": run.run_id, "startedAt": shown(run.started_at)},
            **ancestors.as_json(),
            "lastHeardAt": shown(since),
            "allowedMinutes": minutes,
            "outputs": [node_id(NodeKind.DATASET, use.name) for use in list(run.outputs.values())[:MAX_OUTPUTS]],
            "suffers": [each.as_json() for each in suffering],
        },
    )
