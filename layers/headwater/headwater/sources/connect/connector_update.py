"""The events that bring the graph in step with a connector.

now, in the worker      newest run in the graph    sent
RUNNING, PAUSED         none, or ended             START of a new run
RUNNING, PAUSED         open, says the same        nothing; RUNNING after ten minutes
RUNNING, PAUSED         open, says something else  RUNNING: progress, a pause, other datasets
FAILED                  open                       FAIL with the trace of the task
FAILED                  none, or ended otherwise   START and FAIL
STOPPED                 open                       ABORT
STOPPED                 none                       the job, without a run
UNASSIGNED, RESTARTING  any                        nothing: the state lasts for a moment
(deleted)               open                       ABORT
(not reached)           any                        nothing
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from headwater.openlineage.event import EventType, Name
from headwater.openlineage.instant import Instant, instant_of, to_datetime
from headwater.sources.connect.connector import Connector, ConnectorState
from headwater.sources.connect.connector_events import (
    ConnectorStatus,
    end_event,
    failure_of,
    job_event,
    run_event,
    run_facet,
    run_id_of,
)
from headwater.sources.connect.last_reported import FAILED, LastReported, LastRun
from headwater.sources.poller import Document

HEARTBEAT = timedelta(minutes=10)
"""The longest silence of a live connector: a run that is silent for 15 minutes may be reported as abandoned."""
_PASSING = (ConnectorState.UNASSIGNED, ConnectorState.RESTARTING)


def events_of_connector(
    namespace: str, status: ConnectorStatus, last: LastReported | None, now: datetime
) -> Iterator[Document]:
    connector, job, at = status.connector, Name(namespace, status.connector.name), instant_of(now)
    run = last.run if last else None
    if connector.state in _PASSING:
        return
    if run and run.is_open(status.kafka_id):
        if run.configuration == status.configuration:
            kind = _next_event(connector, run, run_facet(status)["told"], at)
            if kind:
                yield run_event(kind, run.run_id, job, status, at)
            return
        yield end_event(EventType.COMPLETE, run, job, "RECONFIGURED", at)
    is_known = last is not None and last.configuration == status.configuration
    is_reported = run is not None and run.state == FAILED and (is_known or run.failure == failure_of(connector))
    if connector.state == ConnectorState.STOPPED:
        yield from [] if is_known or connector.is_group else [job_event(job, status, at)]
    elif not (connector.state == ConnectorState.FAILED and is_reported):
        run_id = run_id_of(job, status.kafka_id, run.run_id if run else at[:10])
        yield run_event(EventType.START, run_id, job, status, at)
        if connector.state == ConnectorState.FAILED:
            yield run_event(EventType.FAIL, run_id, job, status, at)


def events_of_deleted(job: Name, run: LastRun, now: datetime) -> list[Document]:
    """The events of a connector that no longer exists, whose run is open."""
    return [end_event(EventType.ABORT, run, job, "DELETED", instant_of(now))]


def _next_event(connector: Connector, last: LastRun, says: str, at: Instant) -> EventType | None:
    """The event that an open run needs, if any."""
    if connector.state == ConnectorState.FAILED:
        return EventType.FAIL
    if connector.state == ConnectorState.STOPPED:
        return EventType.ABORT
    is_silent = to_datetime(at) - to_datetime(last.updated) >= HEARTBEAT
    return EventType.RUNNING if says != last.reported or is_silent else None
