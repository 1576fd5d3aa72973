"""The positions of states in listings and time lines.

A cursor holds a position as an opaque text. The text in a client's cursor may be any text.
"""

from headwater.graph.names.identity import DatasetId, EventId, NamespaceId, job_id, namespace_id
from headwater.graph.states.audit import AuditEntry
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import DatasetWrite, QualityResult, StoredAlert
from headwater.openlineage.event import Name
from headwater.store import keys
from headwater.store.ranges import Position
from headwater.store.table import LOWEST


def run_position(run: Run) -> Position:
    """The position of a run among the runs of its job."""
    return Position(keys.time_key(*run.order))


def top_run_position(run: Run) -> Position:
    """The position of a run without a parent among those with its outcome. The position has the namespace, so that a
    list is filtered without a read of the runs."""
    namespace = namespace_id(run.job.namespace)
    return Position(keys.time_key(run.outcome_at, run.run_id, job_id(run.job), namespace))


def alert_position(alert: StoredAlert) -> Position:
    """The position of an alert among those of its severity, likewise with its namespace."""
    return Position(keys.time_key(alert.time, alert.id, namespace_id(alert.namespace)))


def namespace_of(position: str) -> NamespaceId:
    """The namespace in the position of a run without a parent, or of an alert."""
    return NamespaceId(position.rpartition("#")[2])


def write_position(write: DatasetWrite) -> Position:
    """The position of a write among the writes of its dataset."""
    return Position(keys.time_key(write.output.first, write.id.version, write.id.job))


def quality_position(result: QualityResult) -> Position:
    """The position of a quality result among those of its dataset."""
    return Position(keys.time_key(result.time, result.id.run_id, result.id.job))


def name_position(name: Name, dataset: DatasetId) -> Position:
    """The position of a dataset in a listing by name."""
    return Position(keys.name_key(name, dataset))


def just_behind(position: str) -> Position:
    """The lowest position behind a position."""
    return Position(position + LOWEST)


def event_type(position: Position) -> str:
    """The type of an event, in the list of a day's events: START, COMPLETE, ... of a RunEvent, else the kind."""
    return keys.type_of_event(position)


def run_event_position(event: EventId) -> Position:
    """The position of an event among the events of its run."""
    return Position(keys.event(event).sk.removeprefix(keys.EVENT))


def is_event_position(text: str) -> bool:
    """Whether a text may be a position in the list of a day's events."""
    return keys.is_event_position(text)


def is_audit_position(text: str) -> bool:
    """Whether a text may be the position in the audit log: `time#request id`, or a day, before which a
    page ended."""
    return keys.is_audit_position(text)


def audit_position(entry: AuditEntry) -> Position:
    """The position of an audit entry among those of its day."""
    return Position(keys.audit_entry(entry.time, entry.request_id).sk)
