"""A change of a dataset's schema: what is different, who did it, and what it breaks.

Everything is asked when the change is seen in the stream, which costs a few reads; what changes nothing costs none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import dropwhile, islice
from typing import Any

from headwater.alerts.alert import Severity
from headwater.alerts.attribution import Attribution, attribute_transition
from headwater.alerts.downstream import Downstream, downstream
from headwater.alerts.run_ancestors import RunAncestors, ancestors_of
from headwater.alerts.schema_transition import SchemaTransition
from headwater.alerts.schemas import Schemas
from headwater.alerts.suppression import is_first, should_alert
from headwater.graph.column_lineage import flows
from headwater.graph.dataset import DatasetHead
from headwater.graph.dataset_reference import COLUMN_LINEAGE, schema_said
from headwater.graph.identity import NodeId
from headwater.graph.neighbours import Side
from headwater.graph.register import values
from headwater.graph.run import Run
from headwater.graph.schema_diff import Columns, MadeOf, SchemaDiff, Verdict, columns_diff, holders_of, with_renames
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.store import item_codec, keys

MOST_VERSIONS = 50
"""Versions that are looked through for the last schema before a table was dropped."""


@dataclass(frozen=True, slots=True)
class ReportedSchemaChange:
    """A change, and all that an alert tells of it. A dropped dataset has no difference, since it has no columns."""

    head: DatasetHead
    transition: SchemaTransition
    diff: SchemaDiff
    types: Mapping[str, Any]
    attribution: Attribution | None
    ancestors: RunAncestors | None
    breaks: Downstream
    is_certain: bool
    at: Instant

    @property
    def verdict(self) -> Verdict:
        return Verdict.BREAKING if self.transition.is_drop else self.diff.verdict

    @property
    def severity(self) -> Severity:
        if self.verdict is Verdict.FULL:
            return Severity.INFO
        is_critical = self.verdict is Verdict.BREAKING and self.breaks and self.is_certain
        return Severity.CRITICAL if is_critical else Severity.WARNING


def change_of(
    reader: Reader, dataset: NodeId, head: DatasetHead, transition: SchemaTransition
) -> ReportedSchemaChange | None:
    """The change that a transition is; None if it is none, or not to be told. Raises StorageError."""
    schemas = Schemas(reader, dataset, transition.side)
    attribution = attribute_transition(reader, dataset, transition)
    if transition.is_drop and attribution is None:
        return None  # somebody has written it since, by event time: the drop came late
    before = schemas[transition.before]
    if not before and not transition.is_drop:
        before = _before_it_was_dropped(reader, dataset, schemas)
    after = before if transition.is_drop or transition.after is None else schemas[transition.after]
    diff = columns_diff(before, after)
    if not before or not (transition.is_drop or (diff and after)):
        return None
    is_certain = not (transition.side is Side.READS and attribution and is_first(dataset, attribution))
    if attribution and not should_alert(schemas, transition, attribution):
        return None
    if not is_certain and head.written and not (diff.added or diff.retyped):
        return None  # a job that reads some columns of what is known to have more
    if attribution and attribution.run:
        diff = with_renames(diff, before, after, *_made_of(reader, dataset, attribution.run, attribution.earlier))
    at = attribution.at if attribution else head.facts.created
    touched = None if transition.is_drop else _with_those_around(diff, before)
    breaks = (
        downstream(reader, dataset, touched, attribution.since if attribution else at) if touched != set() else _NOTHING
    )
    ancestors = ancestors_of(reader, attribution.run) if attribution and attribution.run else None
    return ReportedSchemaChange(
        head, transition, diff, {**before, **after}, attribution, ancestors, breaks, is_certain, at
    )


_NOTHING = Downstream((), is_truncated=False)


def _before_it_was_dropped(reader: Reader, dataset: NodeId, schemas: Schemas) -> Columns:
    """The last columns that the dataset was written with: those of a table dropped and made again."""
    newest = list(islice(reader.table.newest(keys.dataset_head(dataset).pk, limit=MOST_VERSIONS), MOST_VERSIONS))
    items = reader.table.read(newest) if newest else {}
    uses = [item_codec.read_write(items[key]) for key in newest if key in items]
    written = [schemas[said.value] for use in uses if (said := schema_said(use.facets))]
    return next((columns for columns in dropwhile(len, written) if columns), {})


def _with_those_around(diff: SchemaDiff, before: Columns) -> set[str]:
    """The columns that are not what their readers know, with those that they are inside of, and those inside of them:
    lineage may name any of these, and spells an array's `items.sku`."""
    touched = set(diff.touched)
    inside = {name for name in before if any(above in touched for above in holders_of(name))}
    holders = {above for name in touched for above in holders_of(name)}
    return {spelled for name in touched | inside | holders for spelled in (name, name.replace("[]", ""))}


def _made_of(reader: Reader, dataset: NodeId, run: Run, earlier: tuple[Run, ...]) -> tuple[MadeOf, MadeOf]:
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


def _sources(facet: Any) -> MadeOf:
    made_of: dict[str, set[tuple[Any, Any]]] = {}
    for flow in flows(Name("", ""), facet):
        how = exact_json.dumps([flow.source.field, flow.steps])
        made_of.setdefault(flow.output.field, set()).add((flow.source.dataset, how))
    return {field: frozenset(sources) for field, sources in made_of.items()}
