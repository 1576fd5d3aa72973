"""What an event proves of the columns of datasets, by the strength of its producer.

Producers send the same facets and mean different things by them. A schema may have some of the columns; from an unknown
producer, it has all of them, unless the event contradicts itself: a schema lacks columns that the column lineage of the
same event names. The poll of schema registries (sources/registry/) sends DatasetEvents, whose schema is complete, and
counts before all others (`is_registered` in facets/schema.py).

A producer that parses SQL does so before the database has seen it, and sends column lineage even at START, or at the
FAIL of a statement that the database refused. Only a COMPLETE shows that the columns exist:

    SELECT gramz / n AS average ...     START: average is made of gramz     FAIL: there is no column gramz

Where a schema of such a producer has some of the columns, the column lineage of a COMPLETE names more of them. If the
SQL that makes the table names each column (`Producer.columns_made`), and the column lineage no other, these are all.

Spark and dbt send the schema of an output at START, and again at COMPLETE. START has what the write is to make or drop,
or, for an ALTER TABLE, the table as it was before:

    overwrite of stats, total as string     START: total is a string     FAIL: the table still has its integers

Of 277 recorded writes whose START had a schema, COMPLETE had one for all but one.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from headwater.graph.facets.column_lineage import Column, column_flows, indirect_flows
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, SCHEMA
from headwater.graph.facets.members import LIFECYCLE, facet_text, is_drop
from headwater.graph.facets.schema import ARE_ALL, ONLY_DOCUMENTED, PARTIAL, fields_of
from headwater.graph.facets.schema_diff import columns_of
from headwater.graph.names.naming import Naming
from headwater.graph.producers import producer_of
from headwater.graph.producers.producer import Strength
from headwater.openlineage.event import AnyEvent, DatasetEvent, DatasetReference, EventType, RunEvent

_ALL = "*"


def has_partial_schema(event: AnyEvent, reference: DatasetReference, *, is_read: bool) -> bool:
    """Whether the schema that an event has for one of its inputs or outputs lacks columns of the dataset."""
    if isinstance(event, DatasetEvent) or SCHEMA not in reference.facets:
        return False
    producer = producer_of(event.job.facets, event.producer)
    strength = (
        producer.strength_of_input(reference.name, reference.facets)
        if is_read
        else producer.strength_of_output(reference, event.job.facets)
    )
    if strength is not Strength.UNKNOWN:
        return strength is Strength.PARTIAL
    named = _columns_read(event.outputs) if is_read else _columns_written(reference)
    fields = (column.field for column in named if column.dataset == reference.name)
    return _lacks(columns_of(reference.facets[SCHEMA]), fields)


def with_proven_columns(event: AnyEvent, naming: Naming) -> AnyEvent:
    """The event without what it says of columns that may never come to be: column lineage that the database may refuse,
    and the schema of a write that its producer sends again when the write has ended. A COMPLETE with partial schemas
    gets the columns that its column lineage names."""
    if not isinstance(event, RunEvent):
        return event
    producer = producer_of(event.job.facets, event.producer)
    if event.type is not EventType.COMPLETE:
        unproven = {COLUMN_LINEAGE} if producer.parses_sql else set()
        if producer.repeats_schemas and facet_text(event.job.facets, "jobType", "processingType") != "STREAMING":
            unproven |= {SCHEMA, PARTIAL}
        return replace(event, outputs=tuple(_without(unproven, output) for output in event.outputs))
    if not producer.parses_sql or producer.outputs is not Strength.PARTIAL:
        return event
    read = [Column(naming.identify(column.dataset).shown, column.field) for column in _columns_read(event.outputs)]
    made = [producer.columns_made(output, event.job.facets) for output in event.outputs]
    return replace(
        event,
        inputs=tuple(_with_columns(reference, read) for reference in event.inputs),
        outputs=tuple(map(_with_columns_made, event.outputs, made)),
    )


def _with_columns_made(output: DatasetReference, made: Iterable[str] | None) -> DatasetReference:
    """The output with a partial schema that has the columns of its column lineage, and those that were made. A column
    that somebody describes stays, too; one without a description is of a catalogue that is older than the table."""
    output = _with_columns(output, _columns_written(output))
    if made is None or SCHEMA in output.facets:
        return output
    order = {name.lower(): number for number, name in enumerate(made)}
    written = {column.field.lower() for column in _columns_written(output)}
    if not written <= order.keys():
        return output  # the SQL was not understood, here or by the producer
    named = [Column(output.name, name) for name in made]
    fields = fields_of(_with_columns(output, named).facets.get(PARTIAL))
    others = ({**field, ONLY_DOCUMENTED: True} for field in fields if "description" in field)
    fields = [field for field in fields if field["name"].lower() in order]
    fields += [field for field in others if field["name"].lower() not in order]
    fields.sort(key=lambda field: order.get(field["name"].lower(), len(order)))
    return replace(output, facets={**output.facets, PARTIAL: {"fields": fields, ARE_ALL: True}})


def _without(facets: Container[str], output: DatasetReference) -> DatasetReference:
    """The output without these facets; if they have the schema, without the drop of the dataset, too."""
    of_drop = LIFECYCLE if SCHEMA in facets and is_drop(output.facets) else None
    kept = {name: facet for name, facet in output.facets.items() if name not in facets and name != of_drop}
    return output if len(kept) == len(output.facets) else replace(output, facets=kept)


def _columns_read(outputs: Iterable[DatasetReference]) -> Iterator[Column]:
    """The columns that the column lineage of outputs uses."""
    for output in outputs:
        facet = output.facets.get(COLUMN_LINEAGE)
        yield from (flow.source for flow in column_flows(output.name, facet))
        yield from (flow.source for flow in indirect_flows(output.name, facet))


def _columns_written(output: DatasetReference) -> list[Column]:
    return [flow.output for flow in column_flows(output.name, output.facets.get(COLUMN_LINEAGE))]


def _with_columns(reference: DatasetReference, named: Iterable[Column]) -> DatasetReference:
    """The reference with a partial schema that has these columns, too. SQL may spell a column otherwise than the
    schema does."""
    if SCHEMA in reference.facets:
        return reference
    known = fields_of(reference.facets.get(PARTIAL))
    spelled = {field["name"].lower() for field in known}
    names = {column.field for column in named if column.dataset == reference.name and column.field != _ALL}
    more = [{"name": name} for name in sorted(names) if name.lower() not in spelled]
    return replace(reference, facets={**reference.facets, PARTIAL: {"fields": [*known, *more]}}) if more else reference


def _lacks(columns: Mapping[str, Any], named: Iterable[str]) -> bool:
    """Whether a schema has none of the columns that a name may mean: `address.zip` may be a column of that name, or
    nested in `address`."""
    known = {spelling.replace("[]", "").lower() for spelling in columns}
    return any(column.lower() not in known and column.partition(".")[0].lower() not in known for column in named)
