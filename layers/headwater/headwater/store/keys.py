"""Every key of the table: from ids to keys and back. docs/table.md lists the kinds of items. Keys are private to
`store`."""

import hashlib
import re
from typing import NamedTuple

from headwater.graph.names.identity import (
    AliasId,
    ColumnLineageId,
    DatasetId,
    EventId,
    JobId,
    JobRunId,
    NamespaceId,
    NeighbourPageId,
    QualityId,
    SchemaId,
    SentNameId,
    WriteId,
    namespace_id,
)
from headwater.graph.states.search_terms import SearchTerm
from headwater.graph.states.stored_states import DatasetAlert
from headwater.openlineage.event import EventKind, Name
from headwater.openlineage.instant import Instant


class Key(NamedTuple):
    """A primary key: partition and sort."""

    pk: str
    sk: str


HEAD = "META"
ALL_NAMESPACES = "NS"
DAYS = "DAYS"
EVENT, SCHEMA, _RUN, _WRITE, _NEIGHBOURS, _COLUMN_LINEAGE, _LATENCY, _ALERT, _RHYTHM = (
    *("E#", "S#", "R#", "W#", "ADJ#", "C#", "LATENCY"),
    *("ALERT", "RHYTHM"),
)
"""The beginnings of sort keys."""
QUALITY = "Q#"
"""The beginning of the sort key and of the label `at` of quality results. It sorts behind every time: quality results
share an index with the writes of their dataset."""
JOB_HEADS, RUNS, LATENCIES = Key("J#", HEAD), Key("J#", _RUN), Key("J#", _LATENCY)
RHYTHMS = Key("X#", _RHYTHM)
DATASET_HEADS, NEIGHBOURS, WRITES = Key("D#", HEAD), Key("D#", _NEIGHBOURS), Key("D#", _WRITE)
QUALITY_RESULTS, SCHEMAS, COLUMN_LINEAGES = Key("D#", QUALITY), Key("D#", SCHEMA), Key("D#", _COLUMN_LINEAGE)
ALIASES, NAMESPACES, EVENTS, ALERTS = Key("A#", ""), Key(ALL_NAMESPACES, ""), Key("", EVENT), Key("K#", _ALERT)
"""The beginnings of the keys of each kind."""
EVENT_PARTITIONS = {EventKind.RUN_EVENT: "R#", EventKind.JOB_EVENT: "J#", EventKind.DATASET_EVENT: "D#"}
"""The beginnings of the partitions of events, by the kind of event."""
SHARDS = "0123456789abcdef"
"""The shards of the open runs, and of the events of a day."""
LIST_SHARDS = "0123"
"""The shards of the runs of one outcome, and of the alerts of one severity. A reader merges the shards; a key takes
1,000 writes a second."""
AUDIT, AUDIT_SHARDS = "AUDIT#", "0123"
"""The beginning of the partitions of audit entries, and their shards. A partition of DynamoDB takes 1,000 writes a
second, so four take more requests than the API lets through."""
REFUSALS = f"{AUDIT}REFUSED#"
"""The beginning of the partitions of refusals: ingest may only write the partitions of audit entries."""
MAX_SORTED_NAME_BYTES = 900
"""A sort key has up to 1,024 bytes: longer names are sorted by their beginning, then by their id."""

_EVENT_KINDS = {beginning: kind for kind, beginning in EVENT_PARTITIONS.items()}
_AUDIT_POSITION = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d{9}Z#[\w=-]{1,64})?", re.ASCII)
_EVENT_POSITION = re.compile(r"[0-9T:.-]+Z#[A-Za-z]+#[0-9a-f]+")


def job_head(job: JobId) -> Key:
    return Key(f"J#{job}", HEAD)


def run(run: JobRunId) -> Key:
    return Key(f"J#{run.job}", f"{_RUN}{run.run_id}")


def latency(job: JobId) -> Key:
    return Key(f"J#{job}", _LATENCY)


def rhythm(job: JobId) -> Key:
    """The rhythm of a job, in its own partition: its label `at` is not the time of a run."""
    return Key(f"X#{job}", _RHYTHM)


def dataset_head(dataset: DatasetId) -> Key:
    return Key(f"D#{dataset}", HEAD)


def neighbours(page: NeighbourPageId) -> Key:
    return Key(f"D#{page.dataset}", f"{_NEIGHBOURS}{page.prefix}")


def column_lineage(column_lineage: ColumnLineageId) -> Key:
    return Key(f"D#{column_lineage.dataset}", f"{_COLUMN_LINEAGE}{column_lineage.digest}")


def schema(schema: SchemaId) -> Key:
    return Key(f"D#{schema.dataset}", f"{SCHEMA}{schema.digest}")


def write(write: WriteId) -> Key:
    """The key has the job, since a run id may come under two job names: each of the two jobs has its own write."""
    return Key(f"D#{write.dataset}", f"{_WRITE}{write.version}#{write.job}")


def writes_with(version: str) -> str:
    """The beginning of the sort keys of all writes with one version."""
    return f"{_WRITE}{version}#"


def quality(quality: QualityId) -> Key:
    return Key(f"D#{quality.dataset}", f"{QUALITY}{quality.run_id}#{quality.job}")


def events_of_run(run_id: str) -> str:
    """The partition of a run's events."""
    return f"{EVENT_PARTITIONS[EventKind.RUN_EVENT]}{run_id}"


def event(event: EventId) -> Key:
    """An event is in the partition of its run, else of its job or dataset."""
    return Key(EVENT_PARTITIONS[event.kind] + event.subject, f"{EVENT}{event.time}#{event.digest}")


def namespace(namespace: NamespaceId) -> Key:
    return Key(ALL_NAMESPACES, namespace)


def day(day: str) -> Key:
    """A day on which there are events."""
    return Key(DAYS, day)


def catalog_progress() -> Key:
    """The progress of the import from the Glue Data Catalog."""
    return Key("CATALOG", "READING")


def audit_entry(time: Instant, request_id: str) -> Key:
    """An audit entry is in a shard of its day."""
    return Key(f"{AUDIT}{time[:10]}#{_audit_shard(request_id)}", time_key(time, request_id))


def audit_entries(day: str) -> list[str]:
    return [f"{AUDIT}{day}#{shard}" for shard in AUDIT_SHARDS]


def refusal(time: Instant, request_id: str) -> Key:
    """The refusals of a request are in a shard of their day."""
    return Key(f"{REFUSALS}{time[:10]}#{_audit_shard(request_id)}", time_key(time, request_id))


def refusals(day: str) -> list[str]:
    return [f"{REFUSALS}{day}#{shard}" for shard in AUDIT_SHARDS]


def _audit_shard(request_id: str) -> str:
    return AUDIT_SHARDS[hashlib.sha256(request_id.encode()).digest()[0] % len(AUDIT_SHARDS)]


def alias(alias: AliasId) -> Key:
    """An alias: the hash of the name as it was sent, and the dataset that the name means."""
    return Key(aliases_of(alias.sent), alias.dataset)


def aliases_of(sent: SentNameId) -> str:
    """The partition of the aliases of a name as it was sent."""
    return f"A#{sent}"


def job_of(key: Key) -> JobId:
    """The job of an item in a job's partition."""
    return JobId(key.pk[2:])


def rhythm_of(key: Key) -> JobId:
    return JobId(key.pk[2:])


def dataset_of(key: Key) -> DatasetId:
    """The dataset of an item in a dataset's partition."""
    return DatasetId(key.pk[2:])


def page_of(key: Key) -> NeighbourPageId:
    return NeighbourPageId(dataset_of(key), key.sk.removeprefix(_NEIGHBOURS))


def run_of(key: Key) -> JobRunId:
    return JobRunId(job_of(key), key.sk.removeprefix(_RUN))


def write_of(key: Key) -> WriteId:
    _, version, job = key.sk.split("#")
    return WriteId(dataset_of(key), version, JobId(job))


def quality_of(key: Key) -> QualityId:
    _, run_id, job = key.sk.split("#")
    return QualityId(dataset_of(key), run_id, JobId(job))


def schema_of(key: Key) -> SchemaId:
    return SchemaId(dataset_of(key), key.sk.removeprefix(SCHEMA))


def column_lineage_of(key: Key) -> ColumnLineageId:
    return ColumnLineageId(dataset_of(key), key.sk.removeprefix(_COLUMN_LINEAGE))


def alias_of(key: Key) -> AliasId:
    return AliasId(SentNameId(key.pk[2:]), DatasetId(key.sk))


def event_of(key: Key) -> EventId:
    _, time, digest = key.sk.split("#")
    return EventId(_EVENT_KINDS[key.pk[:2]], key.pk[2:], Instant(time), digest)


def request_of(key: Key) -> tuple[Instant, str]:
    """The time and the id of the request of an audit entry."""
    time, _, request_id = key.sk.partition("#")
    return Instant(time), request_id


def namespace_of(key: Key) -> NamespaceId:
    return NamespaceId(key.sk)


def jobs_of(namespace_name: str, job: JobId) -> str:
    """The list of a namespace's jobs (`listed_in` of the index `listed`) that has a job: one of two shards."""
    first, second = all_jobs_of(namespace_name)
    return second if int(job[-1], 16) % 2 else first


def all_jobs_of(namespace_name: str) -> tuple[str, str]:
    """The lists of a namespace's jobs, each by the start of their newest run. The first has all jobs that were written
    before there were shards."""
    first = f"J#{namespace_id(namespace_name)}"
    return first, f"{first}#1"


def datasets_of(namespace_name: str) -> str:
    """The list of a namespace's datasets, by name."""
    return f"D#{namespace_id(namespace_name)}"


def named_by_others_of(namespace_name: str) -> str:
    """The list of a namespace's datasets that only others have named, by name."""
    return f"{datasets_of(namespace_name)}#others"


def events_of(day: str, digest: str) -> str:
    """The list of a day's events that has the event with a digest: one of sixteen shards."""
    return f"E#{day}#{digest[-1]}"


def all_events_of(day: str) -> list[str]:
    """The lists of a day's events, each by event time. The first has the events that were written before there were
    shards."""
    return [f"E#{day}", *(f"E#{day}#{shard}" for shard in SHARDS)]


def children_of(run_id: str) -> str:
    """The list of the runs that name a run as their parent, by start."""
    return f"P#{run_id}"


def top_runs(outcome: str, shard: str) -> str:
    """A shard of the runs without a parent that have an outcome, by the time of the outcome: `T#FAILED#2`."""
    return f"T#{outcome}#{shard}"


def shard_of(hexadecimal: str) -> str:
    """The shard of a run without a parent, or of an alert, by its id."""
    return LIST_SHARDS[int(hexadecimal[-1], 16) % len(LIST_SHARDS)]


def search_term(term: SearchTerm) -> Key:
    """The key says all that a search term holds."""
    return Key(f"T#{term.list}", term.place)


def search_list(name: str) -> str:
    return f"T#{name}"


def search_term_of(key: Key) -> SearchTerm:
    return SearchTerm(key.pk[2:], key.sk)


def alert(alert: str) -> Key:
    return Key(f"K#{alert}", _ALERT)


def dataset_alert(dataset: DatasetId, time: Instant, alert: str) -> Key:
    """Says that a dataset has an alert. It is in a partition of the table, since an index may lag."""
    return Key(alerts_of_dataset(dataset), time_key(time, alert))


def alerts_of_dataset(dataset: DatasetId) -> str:
    """The partition of a dataset's alerts, by time."""
    return f"K#D#{dataset}"


def dataset_alert_of(key: Key) -> DatasetAlert:
    """The alert of a dataset, in a partition of its alerts."""
    time, _, alert = key.sk.partition("#")
    return DatasetAlert(DatasetId(key.pk.removeprefix("K#D#")), Instant(time), alert)


def alert_of(key: Key) -> str:
    return key.pk[2:]


def alerts_of(severity: str, shard: str) -> str:
    """A shard of the alerts of a severity, by time."""
    return f"K#{severity}#{shard}"


def names_of(dataset: DatasetId) -> str:
    """The list of a dataset's aliases, by the time at which each was first sent."""
    return f"A#{dataset}"


def open_runs(shard: str) -> str:
    """A shard of the open runs (`open_in` of the index `open`), by start."""
    return f"O#{shard}"


OPEN_RUNS = [open_runs(shard) for shard in SHARDS]
DUE_JOBS = [f"X#{shard}" for shard in SHARDS]
"""The shards of the jobs that are due, by the time at which their next run is late; in the index of the open runs."""


def due_jobs(job: JobId) -> str:
    """The shard of the due jobs that has a job."""
    return f"X#{job[-1]}"


def name_key(name: Name, node: str) -> str:
    """The position of a node in a list by name. A name is cut to the length of a key; the id keeps them distinct."""
    beginning = name.name.encode()[:MAX_SORTED_NAME_BYTES].decode(errors="ignore")
    return f"{beginning}\x1f{node}"


def time_key(time: Instant, *rest: str) -> str:
    """The position of a state by time; the further parts keep equal times apart."""
    return "#".join([time, *rest])


def time_of(position: str) -> Instant:
    """The time in a `time_key`."""
    return Instant(position.partition("#")[0])


def type_of_event(position: str) -> str:
    """The type of a RunEvent, else the kind of event, in a position of the list of a day's events:
    `time#type#digest`."""
    return position.split("#")[1]


def is_event_position(text: str) -> bool:
    return _EVENT_POSITION.fullmatch(text) is not None


def is_audit_position(text: str) -> bool:
    return _AUDIT_POSITION.fullmatch(text) is not None
