"""`Dataset Schema Changed`, told: what is different, who did it, and what it breaks."""

from collections.abc import Iterator

from headwater.alerts.alert import Alert, Type, cut, id_of, link_to, short, united
from headwater.alerts.names import all_names
from headwater.alerts.record import Record
from headwater.alerts.run_ancestors import RunAncestors
from headwater.alerts.schema_change import ReportedSchemaChange, change_of
from headwater.alerts.schema_transition import schema_transition
from headwater.graph.facets import owners_of
from headwater.graph.identity import NodeKind
from headwater.graph.neighbours import Side
from headwater.graph.schema_diff import Verdict
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import shown
from headwater.read.reader import Reader
from headwater.store import item_codec, keys

MOST_COLUMNS = 100
"""Columns of each kind that an alert names."""


def schema_changed(record: Record, reader: Reader) -> Iterator[Alert]:
    """The alert for a record of a dataset's head, if its schema changed. Raises StorageError if it cannot be asked."""
    if record.before is None or record.after is None:
        return
    head, dataset = item_codec.read_dataset(record.after), keys.node_of(record.after.key.pk)
    transition = schema_transition(item_codec.read_dataset(record.before), head)
    following = [schema_transition(*map(item_codec.read_dataset, change)) for change in record.following]
    later_transitions = len([each for each in following if each and each.side is Side.WRITES])
    change = (
        change_of(reader, dataset, head, transition._replace(later_transitions=later_transitions))
        if transition
        else None
    )
    if change:
        name = change.head.facts.name
        of_dataset = owners_of(head.facets)
        yield Alert(
            type=Type.SCHEMA_CHANGED,
            id=id_of(Type.SCHEMA_CHANGED, record.id),
            time=change.at,
            severity=change.severity,
            kind=NodeKind.DATASET,
            name=name,
            owners=united(of_dataset, change.breaks.owners),
            title=f"{short(name.name)}: {', '.join(_told(change))}",
            lines=tuple(_lines(change)),
            group=dataset,
            link=link_to("impact", NodeKind.DATASET, name),
            details={"names": all_names(reader, dataset, head), **_details(change)},
        )


def _told(change: ReportedSchemaChange) -> list[str]:
    """What changed, the worst first."""
    if change.transition.is_drop:
        return ["it was dropped"]
    diff = change.diff
    return [
        *(f"{name} was removed" for name in diff.removed),
        *(f"{each.before} seems renamed to {each.after}" for each in diff.renamed),
        *(f"{each.name} is {each.after} now, was {each.before} ({each.change})" for each in diff.retyped),
        *(f"{name} was added" for name in diff.added),
    ]


def _lines(change: ReportedSchemaChange) -> Iterator[str]:
    name, attribution = change.head.facts.name, change.attribution
    yield f"{name.name} in {name.namespace}: {cut('; '.join(_told(change)), 250)}. Verdict: {change.verdict}."
    did = "Written" if change.transition.side is Side.WRITES else "Seen, as it was read,"
    if attribution and attribution.job:
        ran = f", run {attribution.run.run_id}{change.ancestors.told()}" if attribution.run and change.ancestors else ""
        yield f"{did} by job {attribution.job.facts.name.name} at {shown(change.at)}{ran}."
    if not change.is_certain:
        yield "That job never read it before, and may have given it a schema of its own."
    if change.verdict is not Verdict.FULL:
        yield from change.breaks.lines("Breaks" if change.verdict is Verdict.BREAKING else "May affect")


def _details(change: ReportedSchemaChange) -> JsonObject:
    diff, types, attribution = change.diff, change.types, change.attribution
    job = attribution.job.facts.name.as_json() if attribution and attribution.job else None
    run = (
        {"runId": attribution.run.run_id, "startedAt": shown(attribution.run.started_at)}
        if attribution and attribution.run
        else None
    )
    return {
        "change": "DROPPED" if change.transition.is_drop else "CHANGED",
        "verdict": change.verdict.value,
        "added": [{"field": name, "type": types.get(name)} for name in diff.added[:MOST_COLUMNS]],
        "removed": [{"field": name, "type": types.get(name)} for name in diff.removed[:MOST_COLUMNS]],
        "retyped": [
            {"field": each.name, "before": each.before, "after": each.after, "change": each.change.value}
            for each in diff.retyped[:MOST_COLUMNS]
        ],
        "renamed": [
            {"before": each.before, "after": each.after, "type": each.type, "inferred": True, "evidence": each.evidence}
            for each in diff.renamed[:MOST_COLUMNS]
        ],
        "seenAs": "output" if change.transition.side is Side.WRITES else "input",
        "job": job,
        "run": run,
        **(change.ancestors.as_json() if change.ancestors else RunAncestors(None, None).as_json()),
        "breaks": change.breaks.as_json(),
    }
