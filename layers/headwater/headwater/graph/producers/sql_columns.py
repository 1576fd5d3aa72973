"""The columns in column lineage that a producer parses from SQL.

dbt and Airflow parse a statement before the database has seen it, and send the column lineage at START already, or at
the FAIL of a statement that the database refused. Only a COMPLETE shows that the columns exist:

    SELECT gramz / n AS average ...     START: average is made of gramz     FAIL: there is no column gramz

Where a schema of dbt has some of the columns, the column lineage of a COMPLETE names more of them.
"""

from collections.abc import Iterable
from dataclasses import replace

from headwater.graph.facets.column_lineage import Column, column_flows, indirect_flows
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, SCHEMA
from headwater.graph.facets.schema import PARTIAL, fields_of
from headwater.graph.names.naming import Naming
from headwater.graph.producers.producer_profile import Strength, profile_of
from headwater.openlineage.event import AnyEvent, DatasetReference, EventType, RunEvent

_ALL = "*"


def with_proven_columns(event: AnyEvent, naming: Naming) -> AnyEvent:
    """The event without column lineage that the database may refuse; of a COMPLETE of dbt, with the columns that the
    column lineage names."""
    if not isinstance(event, RunEvent):
        return event
    profile = profile_of(event.job.facets, event.producer)
    if not profile.parses_sql:
        return event
    if event.type is not EventType.COMPLETE:
        return replace(event, outputs=tuple(map(_without_column_lineage, event.outputs)))
    if profile.outputs is not Strength.PARTIAL:
        return event
    read = [column for output in event.outputs for column in _columns_read(output, naming)]
    return replace(
        event,
        inputs=tuple(_with_columns(reference, read) for reference in event.inputs),
        outputs=tuple(_with_columns(reference, _columns_written(reference)) for reference in event.outputs),
    )


def _without_column_lineage(output: DatasetReference) -> DatasetReference:
    return replace(output, facets={name: facet for name, facet in output.facets.items() if name != COLUMN_LINEAGE})


def _columns_read(output: DatasetReference, naming: Naming) -> list[Column]:
    facet = output.facets.get(COLUMN_LINEAGE)
    sources = [flow.source for flow in column_flows(output.name, facet)]
    sources += [flow.source for flow in indirect_flows(output.name, facet)]
    return [Column(naming.identify(source.dataset).shown, source.field) for source in sources]


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
