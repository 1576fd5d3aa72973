"""`Dataset Schema Changed`: what is different, who did it, and what it breaks.

Everything is asked when the change is seen in the stream, which costs a few reads; what changes nothing costs none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from headwater.alerts.alert import Alert, Severity, Type, cut, id_of, link_to, short, united
from headwater.alerts.downstream import Downstream, downstream
from headwater.alerts.names import all_names
from headwater.alerts.news import is_first, is_news
from headwater.alerts.record import Record
from headwater.alerts.run_above import Above, above
from headwater.alerts.schemas import Schemas
from headwater.alerts.turn import Turn, turn_of
from headwater.alerts.word import Word, word_of
from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId
from headwater.graph.mention import COLUMN_LINEAGE, schema_said
from headwater.graph.neighbours import Side
from headwater.graph.register import values
from headwater.graph.run import Run
from headwater.graph.schema_diff import SchemaDiff, Verdict, columns_of, schema_diff, with_renames
from headwater.lookup import shapes
from headwater.lookup.columns import flows
from headwater.lookup.names import Kind
from headwater.lookup.reader import Reader
from headwater.lookup.shapes import Shape
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant, shown
from headwater.store import keys, records

MOST_COLUMNS = 100
"""Columns of each kind that an alert names."""
MOST_VERSIONS = 50
"""Versions that are looked through for the last schema before a table was dropped."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A change, and all that an alert tells of it. A dropped dataset has no difference, since it has no columns."""

    head: DatasetHead
    turn: Turn
    diff: SchemaDiff
    types: Mapping[str, Any]
    word: Word | None
    above: Above | None
    breaks: Downstream
    is_certain: bool
    at: Instant

    @property
    def verdict(self) -> Verdict:
        return Verdict.BREAKING if self.turn.is_drop else self.diff.verdict

    @property
    def severity(self) -> Severity:
        if self.verdict is Verdict.FULL:
            return Severity.INFO
        is_critical = self.verdict is Verdict.BREAKING and self.breaks and self.is_certain
        return Severity.CRITICAL if is_critical else Severity.WARNING


def schema_changed(record: Record, reader: Reader) -> Iterator[Alert]:
    """The alert for a record of a dataset's head, if its schema changed. Raises StorageError if it cannot be asked."""
    if record.before is None or record.after is None:
        return
    head, dataset = records.read_dataset(record.after), keys.node_of(record.after.key.pk)
    turn = turn_of(records.read_dataset(record.before), head)
    change = _change(reader, dataset, head, turn) if turn else None
    if change:
        name = change.head.facts.name
        of_dataset = shapes.owners_of(head.facets)
        yield Alert(
            type=Type.SCHEMA_CHANGED,
            id=id_of(Type.SCHEMA_CHANGED, record.id),
            time=change.at,
            severity=change.severity,
            kind=Kind.DATASET,
            name=name,
            owners=united(of_dataset, change.breaks.owners),
            title=f"{short(name.name)}: {', '.join(_told(change))}",
            lines=tuple(_lines(change)),
            group=dataset,
            link=link_to("impact", Kind.DATASET, name),
            details={"names": all_names(reader, dataset, head), **_details(change)},
        )


def _change(reader: Reader, dataset: NodeId, head: DatasetHead, turn: Turn) -> _Change | None:
    schemas = Schemas(reader, dataset)
    before = schemas[turn.before]
    if not columns_of(before) and not turn.is_drop:
        before = _before_it_was_dropped(reader, dataset, schemas)
    if not columns_of(before):
        return None
    after = before if turn.is_drop or turn.after is None else schemas[turn.after]
    diff = schema_diff(before, after)
    if not turn.is_drop and (not diff or not columns_of(after)):
        return None
    word = word_of(reader, dataset, turn)
    if word and not is_news(schemas, turn, word):
        return None
    if word and word.run:
        diff = with_renames(diff, before, after, *_made_of(reader, dataset, word.run, word.earlier))
    at = word.at if word else head.facts.created
    touched = None if turn.is_drop else _with_holders(diff)
    breaks = downstream(reader, dataset, touched, word.since if word else at) if touched != set() else _NOTHING
    run_above = above(reader, word.run) if word and word.run else None
    is_certain = not (turn.side is Side.READS and word and is_first(dataset, word))
    types = {**columns_of(before), **columns_of(after)}
    return _Change(head, turn, diff, types, word, run_above, breaks, is_certain, at)


_NOTHING = Downstream((), is_truncated=False)


def _before_it_was_dropped(reader: Reader, dataset: NodeId, schemas: Schemas) -> Any:
    """The last schema with columns that the dataset was written with: that of a table dropped and made again."""
    newest = islice(reader.table.newest(keys.dataset_head(dataset).pk, limit=MOST_VERSIONS), MOST_VERSIONS)
    keys_of_writes = list(newest)
    items = reader.table.read(keys_of_writes) if keys_of_writes else {}
    uses = [records.read_write(items[key]) for key in keys_of_writes if key in items]
    digests = [said.value for use in uses if (said := schema_said(use.facets))]
    dropped = next((number for number, digest in enumerate(digests) if not columns_of(schemas[digest])), len(digests))
    return next((schemas[digest] for digest in digests[dropped:] if columns_of(schemas[digest])), None)


def _with_holders(diff: SchemaDiff) -> set[str]:
    """The columns that are not what their readers know, and those that they are nested in: lineage may name either."""
    touched = set(diff.touched)
    return touched | {name.partition(".")[0].partition("[]")[0] for name in touched}


def _made_of(reader: Reader, dataset: NodeId, run: Run, earlier: tuple[Run, ...]) -> tuple[Shape, Shape]:
    """What the run before said that columns are made of, and what this one says."""
    runs = [next((each for each in earlier if _lineage(each, dataset)), None), run]
    digests = [_lineage(each, dataset) if each else None for each in runs]
    facets = reader.column_lineage({(dataset, digest) for digest in digests if digest})
    was, now = (_sources(facets.get((dataset, digest))) if digest else {} for digest in digests)
    return was, now


def _lineage(run: Run, dataset: NodeId) -> str | None:
    use = run.outputs.get(dataset)
    digest = values(use.facets).get(COLUMN_LINEAGE) if use else None
    return digest if isinstance(digest, str) else None


def _sources(facet: Any) -> dict[str, Any]:
    made_of: dict[str, set[str]] = {}
    for flow in flows(Name("", ""), facet):
        made_of.setdefault(flow.output.field, set()).add(exact_json.dumps([flow.source, flow.steps]))
    return made_of


def _told(change: _Change) -> list[str]:
    """What changed, the worst first."""
    if change.turn.is_drop:
        return ["it was dropped"]
    diff = change.diff
    return [
        *(f"{name} was removed" for name in diff.removed),
        *(f"{each.before} seems renamed to {each.after}" for each in diff.renamed),
        *(f"{each.name} is {each.after} now, was {each.before} ({each.change})" for each in diff.retyped),
        *(f"{name} was added" for name in diff.added),
    ]


def _lines(change: _Change) -> Iterator[str]:
    name, word = change.head.facts.name, change.word
    yield f"{name.name} in {name.namespace}: {cut('; '.join(_told(change)), 250)}. Verdict: {change.verdict}."
    did = "Written" if change.turn.side is Side.WRITES else "Seen, as it was read,"
    if word and word.job:
        ran = f", run {word.run.run_id}{change.above.told()}" if word.run and change.above else ""
        yield f"{did} by job {word.job.facts.name.name} at {shown(change.at)}{ran}."
    if not change.is_certain:
        yield "That job never read it before, and may have given it a schema of its own."
    if change.verdict is not Verdict.FULL:
        yield from change.breaks.lines()


def _details(change: _Change) -> Shape:
    diff, types, word = change.diff, change.types, change.word
    job = shapes.name(word.job.facts.name) if word and word.job else None
    run = {"runId": word.run.run_id, "startedAt": shown(word.run.started_at)} if word and word.run else None
    return {
        "change": "DROPPED" if change.turn.is_drop else "CHANGED",
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
        "seenAs": "output" if change.turn.side is Side.WRITES else "input",
        "job": job,
        "run": run,
        **(change.above.shape() if change.above else Above(None, None).shape()),
        "breaks": change.breaks.shape(),
    }
