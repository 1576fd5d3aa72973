"""`Dataset Schema Changed`: the alert for a change of a dataset's schema."""

from collections.abc import Iterator

from headwater.alerts.alert import Alert, DetailType, Record, all_names, called, cut, distinct_owners, id_of, short_name
from headwater.alerts.compatibility_broken import compatibility_broken, new_breach, readers_of
from headwater.alerts.run_ancestors import RunAncestors
from headwater.alerts.schema_cause import alerts_of
from headwater.alerts.schema_change import ReportedSchemaChange, change_of, withdrawal_of
from headwater.alerts.schema_transition import SchemaTransition, schema_transition
from headwater.graph.facets.members import WAS_DROPPED, owners_of
from headwater.graph.facets.schema_diff import Verdict
from headwater.graph.names.identity import NodeKind
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.neighbours import Side
from headwater.graph.states.stored_states import Severity
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import shown
from headwater.read.reader import Reader
from headwater.store.stream_records import StateChange

MAX_COLUMNS = 100
"""Added, removed, retyped and renamed columns that an alert names, of each."""


def schema_changed(record: Record, reader: Reader) -> Iterator[Alert]:
    """The alert for a record of a dataset's head, if the schema changed, or if a registry's new version broke the
    subject's compatibility."""
    head: DatasetHead | None = record.change.after
    change, breach = _change(record, reader), new_breach(record.change)
    if head and breach:
        breaks = change.breaks if change and change.breaks else readers_of(reader, head)
        yield compatibility_broken(reader, record.change, breach, breaks, _schema_details(change))
    elif head and change and not _was_reported(reader, change, record):
        name, dataset = head.facts.name, head.id
        yield Alert(
            type=DetailType.SCHEMA_CHANGED,
            id=id_of(DetailType.SCHEMA_CHANGED, record.change.event_id),
            time=change.at,
            severity=change.severity,
            kind=NodeKind.DATASET,
            name=name,
            owners=distinct_owners(owners_of(head.facets), change.breaks.owners),
            title=f"{called(head)}: {', '.join(_summaries(change))}",
            lines=tuple(_lines(change)),
            group=dataset,
            details={"names": all_names(reader, dataset, head, change.at), **_details(change)},
        )


def _change(record: Record, reader: Reader) -> ReportedSchemaChange | None:
    transition, head = _transition(record.change), record.change.after
    if transition is None:
        return withdrawal_of(reader, record.change.before, head) if record.change.before and head else None
    repeats = sum(_transition(change) == transition for change in record.later)
    alert = id_of(DetailType.SCHEMA_CHANGED, record.change.event_id)
    return change_of(reader, head.id, head, transition._replace(repeats=repeats, alert=alert))


def _transition(change: StateChange) -> SchemaTransition | None:
    return schema_transition(change.before, change.after) if change.before and change.after else None


def _was_reported(reader: Reader, change: ReportedSchemaChange, record: Record) -> bool:
    """Whether another alert reported the change: that of a run which read the dataset with the new schema before the
    events of the write came; or, if this record is read so late that newer reports of the same job hide which one it
    belongs to, that of the same report."""
    transition, attribution, old = change.transition, change.attribution, record.change.before
    if attribution is None:
        return False
    is_late_write = transition.side is Side.WRITES and old.schema_digest == transition.after
    now, own = _details(change), id_of(DetailType.SCHEMA_CHANGED, record.change.event_id)
    for alert in alerts_of(reader, change.head.facts.name, attribution.since if is_late_write else change.at):
        told = alert.document.get("details", {})
        by_reader = is_late_write and told.get("seenAs") == "input" and alert.severity is not Severity.INFO
        is_same = all(told.get(name) == now[name] for name in ("removed", "added", "retyped"))
        if alert.id != own and is_same and (by_reader or alert.time == change.at):
            return True
    return False


def _summaries(change: ReportedSchemaChange) -> list[str]:
    """The changes of columns, the worst first."""
    if change.renamed:
        return [f"the dataset was renamed to {short_name(change.renamed.name)}"]
    if change.transition.is_drop:
        return [WAS_DROPPED]
    return change.diff.sentences


def _lines(change: ReportedSchemaChange) -> Iterator[str]:
    name, attribution = change.head.facts.name, change.attribution
    yield f"{name.name} in {name.namespace}: {cut('; '.join(_summaries(change)), 250)}. Verdict: {change.verdict}."
    if attribution and attribution.job:
        run = (
            f", run {attribution.run.run_id}{change.ancestors.as_text()}"
            if attribution.run and change.ancestors
            else ""
        )
        yield f"Job {attribution.job.facts.name.name} {_reported(change)} at {shown(change.at)}{run}."
    yield from (cause.sentence for cause in change.causes)
    if not change.is_certain:
        yield "The job never read the dataset before: the schema may be the job's own."
    if change.verdict is not Verdict.FULL:
        verbs = ("breaks", "break") if change.verdict is Verdict.BREAKING else ("may affect", "affect")
        yield from change.breaks.lines("The change", *verbs)


def _reported(change: ReportedSchemaChange) -> str:
    """What the job did that reported the schema."""
    transition = change.transition
    if change.renamed:
        return f"renamed the dataset to {change.renamed.name} in {change.renamed.namespace}"
    if transition.is_drop:
        return "dropped the dataset"
    return f"{'wrote' if transition.side is Side.WRITES else 'read'} the dataset with the new schema"


def _details(change: ReportedSchemaChange) -> JsonObject:
    attribution = change.attribution
    job = attribution.job.facts.name.as_json() if attribution and attribution.job else None
    run = (
        {"runId": attribution.run.run_id, "startedAt": shown(attribution.run.started_at)}
        if attribution and attribution.run
        else None
    )
    return {
        **_schema_details(change),
        "seenAs": "output" if change.transition.side is Side.WRITES else "input",
        "job": job,
        "run": run,
        **(change.ancestors.as_json() if change.ancestors else RunAncestors(None, None).as_json()),
        "breaks": change.breaks.as_json(),
        "causes": [cause.as_json() for cause in change.causes],
    }


def _schema_details(change: ReportedSchemaChange | None) -> JsonObject:
    """The members about the columns. A version may break a promise and leave all columns as they are."""
    if change is None:
        return {"change": None, "verdict": None, "added": [], "removed": [], "retyped": [], "renamed": []}
    diff, types = change.diff, change.types
    ended = "RENAMED" if change.renamed else "DROPPED" if change.transition.is_drop else "CHANGED"
    return {
        "change": ended,
        **({"renamedTo": change.renamed.as_json()} if change.renamed else {}),
        "verdict": change.verdict.value,
        "added": [{"field": name, "type": types.get(name)} for name in diff.added[:MAX_COLUMNS]],
        "removed": [{"field": name, "type": types.get(name)} for name in diff.removed[:MAX_COLUMNS]],
        "retyped": [
            {"field": column.name, "before": column.before, "after": column.after, "change": column.change.value}
            for column in diff.retyped[:MAX_COLUMNS]
        ],
        "renamed": [
            {
                "before": rename.before,
                "after": rename.after,
                "type": rename.type,
                "inferred": True,
                "evidence": rename.evidence,
            }
            for rename in diff.renamed[:MAX_COLUMNS]
        ],
    }
