"""The changes upstream that caused a schema change or the failure of a run.

A job that copies a table loses a column when the table does. The alert for the table names the copy's column among what
breaks; the change of the copy has an alert of its own that names the cause, and is not critical.

    run of the job    customers, as read       copies, as written
    Monday            id, name, country        id, name, country      column lineage: country is made of country
    Tuesday           id, name                 id, name               follows from the change of customers

The job's own runs show it: what the run read, what the run before read, and the column lineage of the run before. So
the order in which the events of the two changes came means nothing: if those of the copy come first, the run that read
the table without the column raises the alert for the table as well. Only the id of the alert upstream depends on the
order: an alert that is not stored yet has none, and nothing is searched again later.

A run that fails follows from the change of an input since its job's last run that went well, if its error names a
column that changed. Without that, a change and a failure are two incidents.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import islice
from typing import NamedTuple

from headwater.alerts.attribution import MAX_RUNS, Attribution
from headwater.alerts.schemas import Schemas
from headwater.graph.facets.column_lineage import column_flows
from headwater.graph.facets.dataset_reference import IoDatasets, schema_register
from headwater.graph.facets.members import error_message
from headwater.graph.facets.register import values
from headwater.graph.facets.schema_diff import Renamed, Retyped, SchemaDiff, blamed, columns_diff
from headwater.graph.names.identity import DatasetId, NodeKind, dataset_id, node_id
from headwater.graph.states.neighbours import Side
from headwater.graph.states.run import Run, RunState, newest_column_lineage
from headwater.graph.states.stored_states import Severity, StoredAlert
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader
from headwater.store.ranges import run_position
from headwater.store.snapshot import ReadRequest

MAX_CHILDREN = 100
"""The children of a run whose inputs are looked at, if it names none itself."""
MAX_NAMED = 10
"""Columns that a sentence names."""
MAX_ALERTS = 100
"""The newest stored alerts of a dataset among which that of a cause is looked for."""


class SchemaCause(NamedTuple):
    """The change of a dataset upstream: the columns that it lost or that have another type, and its alert, if known.

    explains   the changed columns of the dataset downstream that were made of these columns
    """

    name: Name
    columns: tuple[str, ...]
    explains: frozenset[str]
    alert_id: str | None

    def as_json(self) -> JsonObject:
        return {"nodeId": node_id(NodeKind.DATASET, self.name), "columns": list(self.columns), "alertId": self.alert_id}

    @property
    def sentence(self) -> str:
        columns = ", ".join(self.columns[:MAX_NAMED])
        more = f" and {len(self.columns) - MAX_NAMED} more" if len(self.columns) > MAX_NAMED else ""
        told = f", alert {self.alert_id}" if self.alert_id else ""
        return f"It follows from the change of {self.name.name} in {self.name.namespace} ({columns}{more}){told}."


def causes_of(
    reader: Reader, dataset: DatasetId, diff: SchemaDiff, attribution: Attribution | None
) -> tuple[SchemaCause, ...]:
    """The changes of inputs of the run that wrote the dataset, of which columns among the changed ones were made."""
    run = attribution.run if attribution else None
    before = next((run for run in attribution.earlier if dataset in run.outputs), None) if attribution else None
    if run is None or before is None or dataset not in run.outputs:
        return ()
    made_of = _made_of(reader, dataset, before)
    lost = {
        source: _lost(reader, source, before, run)
        for source in {name for pairs in made_of.values() for name, _ in pairs}
    }
    explained: dict[Name, set[tuple[str, str]]] = defaultdict(set)
    for column in diff.touched:
        for name, field in made_of.get(column, ()):
            if field in lost[name]:
                explained[name].add((field, column))
    return tuple(
        SchemaCause(
            name,
            tuple(sorted({field for field, _ in pairs})),
            frozenset(column for _, column in pairs),
            _alert_id(reader, name, before, run),
        )
        for name, pairs in sorted(explained.items())
    )


def causes_of_failure(reader: Reader, run: Run) -> tuple[SchemaCause, ...]:
    """The changes of inputs, since the last run of the job that went well, whose columns the error of a run names."""
    message = error_message(values(run.facets))
    line = reader.store.runs_of(run.id.job)
    earlier = reader.runs([*islice(line.newest(before=run_position(run), limit=MAX_RUNS), MAX_RUNS)]) if message else ()
    before = next((each for each in earlier if each.outcome == RunState.COMPLETED), None)
    if before is None:
        return ()
    inputs = {**before.inputs, **run.inputs} or _inputs_of_children(reader, before)
    causes = (_cause_of_failure(reader, message, use.name, before, run) for _, use in sorted(inputs.items()))
    return tuple(filter(None, causes))


def _inputs_of_children(reader: Reader, run: Run) -> IoDatasets:
    """What the queries of an application read: one that fails before its first query names no input."""
    ids = [each.id for each in islice(reader.store.children_of(run.run_id).entries(limit=MAX_CHILDREN), MAX_CHILDREN)]
    return {dataset: use for child in reader.runs(ids) for dataset, use in child.inputs.items()}


def _cause_of_failure(reader: Reader, message: str, source: Name, before: Run, run: Run) -> SchemaCause | None:
    """The newest change of an input that a message blames, by its alert, else by what the two runs read."""
    for alert in reversed(alerts_of(reader, source, before.started_at, f"{run.updated}~")):
        if columns := blamed(message, _diff_of(alert)):
            return SchemaCause(source, columns, frozenset(), alert.id)
    columns = blamed(message, _difference(reader, dataset_id(source), before, run))
    return SchemaCause(source, columns, frozenset(), None) if columns else None


def _diff_of(alert: StoredAlert) -> SchemaDiff:
    """The difference that an alert reports."""
    details = alert.document["details"]
    return SchemaDiff(
        tuple(column["field"] for column in details["added"]),
        tuple(column["field"] for column in details["removed"]),
        tuple(Retyped(column["field"], column["before"], column["after"]) for column in details["retyped"]),
        tuple(Renamed(each["before"], each["after"], each["type"], "") for each in details["renamed"]),
    )


def _made_of(reader: Reader, dataset: DatasetId, run: Run) -> Mapping[str, set[tuple[Name, str]]]:
    """The input columns of each output column, by the column lineage of a run."""
    lineage = newest_column_lineage(dataset, [run])
    facets = reader.column_lineage({lineage}) if lineage else {}
    sources: dict[str, set[tuple[Name, str]]] = defaultdict(set)
    for facet in facets.values():
        for flow in column_flows(Name("", ""), facet):
            shown = reader.naming.identify(flow.source.dataset).shown
            sources[flow.output.field].add((shown, flow.source.field))
    return sources


def _lost(reader: Reader, source: Name, before: Run, run: Run) -> Collection[str]:
    """The columns of an input that a run read with another type than the run before, or did not find any more."""
    return _difference(reader, dataset_id(source), before, run).touched


def _difference(reader: Reader, dataset: DatasetId, before: Run, run: Run) -> SchemaDiff:
    """The difference between the schemas with which two runs read a dataset."""
    uses = [one.inputs.get(dataset) for one in (before, run)]
    old, new = (schema_register(use.facets) if use else None for use in uses)
    if old is None or new is None:
        return SchemaDiff((), (), ())
    schemas = Schemas(reader, dataset, Side.READS)
    return columns_diff(schemas[old.value], schemas[new.value])


def _alert_id(reader: Reader, source: Name, before: Run, run: Run) -> str | None:
    """The id of the newest stored alert for a change of a dataset between the starts of two runs."""
    told = schema_alerts(reader, source, before.started_at, f"{max(run.started_at, run.updated)}~")
    return told[-1].id if told else None


def schema_alerts(reader: Reader, name: Name, since: str, until: str = "~") -> list[StoredAlert]:
    """The stored alerts for changes of a dataset's schema between two times that are more than information, by time."""
    return [alert for alert in alerts_of(reader, name, since, until) if alert.severity is not Severity.INFO]


def alerts_of(reader: Reader, name: Name, since: str, until: str = "~") -> list[StoredAlert]:
    """The stored alerts about a dataset between two times, by time."""
    ids = [each.alert for each in reader.store.alerts_of(dataset_id(name)) if since <= each.time < until][-MAX_ALERTS:]
    return reader.store.read(ReadRequest(alerts=ids)).alerts.of(ids)
