"""A change of a dataset's schema: the difference, the run that caused the change, and the broken nodes downstream.

A transition in the stream costs a few reads; a record without one costs none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Any

from headwater.alerts.attribution import Attribution, attribute_transition, attribute_withdrawal, is_of_another_engine
from headwater.alerts.downstream import Downstream, downstream
from headwater.alerts.run_ancestors import RunAncestors, ancestors_of
from headwater.alerts.schema_cause import SchemaCause, causes_of
from headwater.alerts.schema_transition import SchemaTransition, columns_gone
from headwater.alerts.schemas import Schemas, newest_writes
from headwater.alerts.suppression import is_first, should_alert
from headwater.graph.facets.column_lineage import column_sources
from headwater.graph.facets.dataset_reference import schema_register
from headwater.graph.facets.schema_diff import (
    Columns,
    SchemaDiff,
    Verdict,
    across_engines,
    columns_diff,
    columns_of,
    holders_of,
    with_renames,
)
from headwater.graph.names.identity import DatasetId
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.neighbours import Side
from headwater.graph.states.run import newest_column_lineage
from headwater.graph.states.stored_states import Severity
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader

_NOTHING = Downstream((), is_truncated=False)


@dataclass(frozen=True, slots=True)
class ReportedSchemaChange:
    """A change of a schema, with all members that an alert shows.

    diff        the difference; empty for a dropped dataset, which has no columns
    types       the type of each column, before and after the change
    is_certain  whether a writer, or a reader known from before, reported the change
    at          when the change was reported
    causes      the changes upstream that the change follows from
    """

    head: DatasetHead
    transition: SchemaTransition
    diff: SchemaDiff
    types: Mapping[str, Any]
    attribution: Attribution | None
    at: Instant
    is_certain: bool = True
    ancestors: RunAncestors | None = None
    breaks: Downstream = _NOTHING
    causes: tuple[SchemaCause, ...] = ()

    @property
    def renamed(self) -> Name | None:
        """The new name, if the old name ended by a rename."""
        return self.head.renamed.other if self.transition.is_drop and self.head.renamed else None

    @property
    def follows(self) -> bool:
        """Whether all that breaks readers follows from changes upstream, whose alerts name the readers, too."""
        explained = frozenset[str]().union(*(cause.explains for cause in self.causes))
        return bool(explained) and not self.transition.is_drop and explained.issuperset(self.diff.touched)

    @property
    def verdict(self) -> Verdict:
        return Verdict.BREAKING if self.transition.is_drop else self.diff.verdict

    @property
    def severity(self) -> Severity:
        if self.verdict is Verdict.FULL or self.follows:
            return Severity.INFO
        is_critical = self.verdict is Verdict.BREAKING and self.breaks.is_told and self.is_certain
        return Severity.CRITICAL if is_critical else Severity.WARNING


def change_of(
    reader: Reader, dataset: DatasetId, head: DatasetHead, transition: SchemaTransition
) -> ReportedSchemaChange | None:
    """The change of a transition. None if the columns stay the same, or if the change deserves no alert."""
    if transition.after == transition.before and not transition.is_drop:
        return None  # the first write, with the schema that its readers have
    schemas = Schemas(reader, dataset, transition.side)
    attribution = attribute_transition(schemas, transition)
    if transition.is_drop and attribution is None:
        return None  # the drop came late: by event time, a newer run wrote the dataset
    before = schemas[transition.before]
    if not before and not transition.is_drop:
        before = _columns_before_drop(schemas, attribution)
    after = before if transition.is_drop or transition.after is None else schemas[transition.after]
    diff = columns_diff(before, after)
    if diff.retyped and attribution and is_of_another_engine(reader, dataset, transition, attribution):
        diff = across_engines(diff)
    if not before or not (transition.is_drop or (diff and after)):
        return None
    is_certain = not (transition.side is Side.READS and attribution and is_first(dataset, attribution))
    if attribution and not should_alert(schemas, transition, attribution):
        return None
    if not is_certain and head.written and not (diff.added or diff.retyped):
        return None  # the reader only reads some of the columns
    if attribution and attribution.run:
        pair = [newest_column_lineage(dataset, runs) for runs in (attribution.earlier, [attribution.run])]
        facets: Mapping[Any, Any] = reader.column_lineage([lineage for lineage in pair if lineage])
        sources = [column_sources(facets.get(lineage)) for lineage in pair]
        diff = with_renames(diff, before, after, *sources)
    at = attribution.at if attribution else schemas.first(transition.after or transition.before)
    change = ReportedSchemaChange(head, transition, diff, {**before, **after}, attribution, at, is_certain)
    return _with_consequences(reader, change)


def withdrawal_of(reader: Reader, old: DatasetHead, head: DatasetHead) -> ReportedSchemaChange | None:
    """The change of a partial schema, if columns of it are gone. What came with it may be new only to Headwater."""
    gone = columns_gone(old, head)
    if not gone:
        return None
    diff, attribution = SchemaDiff((), gone, ()), attribute_withdrawal(reader, head.id, gone)
    transition, types = SchemaTransition("", "", Side.WRITES), columns_of(old.schema)
    return _with_consequences(reader, ReportedSchemaChange(head, transition, diff, types, attribution, attribution.at))


def _with_consequences(reader: Reader, change: ReportedSchemaChange) -> ReportedSchemaChange | None:
    """The change with what it breaks and what caused it. None if it only takes away a name that nobody looks for."""
    head, transition, attribution, at = change.head, change.transition, change.attribution, change.at
    touched = None if transition.is_drop else _with_nested(change.diff, change.types)
    since = attribution.since if attribution else at
    is_rename = transition.is_drop and head.renamed is not None
    breaks = downstream(reader, [head.id], touched, since, None if is_rename else at) if touched != set() else _NOTHING
    if is_rename and not breaks:
        return None  # the table still exists, and nobody looks for it under its old name
    ancestors = ancestors_of(reader, attribution.run) if attribution and attribution.run else None
    causes = () if transition.is_drop else causes_of(reader, head.id, change.diff, attribution)
    return replace(change, breaks=breaks, ancestors=ancestors, causes=causes)


def _columns_before_drop(schemas: Schemas, attribution: Attribution | None) -> Columns:
    """The last columns of a table before the table was dropped and created again."""
    writes = newest_writes(schemas.reader, schemas.dataset, attribution.at if attribution else None)
    registers = [schema_register(write.output.facets) for write in writes]
    written = [schemas[register.value] for register in registers if register]
    return next((columns for columns in dropwhile(len, written) if columns), {})


def _with_nested(diff: SchemaDiff, before: Columns) -> set[str]:
    """The changed columns, the fields nested in them, and the columns that they are nested in.

    Column lineage may name any of these, and spells a field of an array `items.sku`.
    """
    touched = set(diff.touched)
    nested = {name for name in before if any(outer in touched for outer in holders_of(name))}
    outers = {outer for name in touched for outer in holders_of(name)}
    return {spelling for name in touched | nested | outers for spelling in (name, name.replace("[]", ""))}
