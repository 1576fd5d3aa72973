"""Producer profiles: what the word of each producer is worth.

Producers send the same facets and mean different things by them. Each line of PROFILES was learnt from events of the
real producer, which are in tests/fixtures/producers:

    spark     A schema has all columns of the dataset. Column lineage has filters, joins and groupings.
    flink     A schema is the table's definition: all columns. There is no column lineage.
    airflow   A schema is read from the database: all columns. Column lineage is parsed from SQL: direct flows alone.
    trino     A schema has the columns that the query touches; `UPDATE t SET price = 1` names `price` alone. Only an
              output of CREATE TABLE AS or CREATE VIEW is named with all columns; with none, if IF NOT EXISTS found the
              table (from Trino's StatementAnalyzer; not recorded). Column lineage lists each column that the query
              scans as an indirect input of the whole output.
    dbt       A schema has the columns that schema.yml documents, or all columns as of an earlier `dbt docs generate`;
              the event does not tell which. Column lineage has direct flows alone.

The poll of schema registries (sources/registry/) sends DatasetEvents, whose schema is complete, and counts before all
of these (registered_schema).

A producer without a profile counts as one with complete schemas, unless the event contradicts itself: a schema lacks
columns that the column lineage of the same event names.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from headwater.graph.facets.column_lineage import column_flows, indirect_flows
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, SCHEMA
from headwater.graph.facets.schema_diff import columns_of
from headwater.graph.producers.sql_text import statement_of
from headwater.openlineage.event import AnyEvent, DatasetEvent, DatasetReference, Facets, Name


class Strength(StrEnum):
    """Which columns of a dataset a schema facet has.

    COMPLETE   all
    CREATED    all, if the statement of the job creates the dataset, else some
    PARTIAL    some: those that a query touches, or that somebody documented
    UNKNOWN    all, as far as the rest of the event does not contradict
    """

    COMPLETE = "COMPLETE"
    CREATED = "CREATED"
    PARTIAL = "PARTIAL"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Profile:
    """What the word of a producer is worth.

    inputs, outputs   which columns of an input or output a schema facet has
    tells_indirect    whether column lineage has indirect flows (filters, joins, groupings). If not, their absence says
                      nothing: any column of an input may bear on the output
    parses_sql        whether column lineage is parsed from SQL, and sent before the database has seen the SQL
    """

    inputs: Strength
    outputs: Strength
    tells_indirect: bool
    parses_sql: bool = False


PROFILES: Mapping[str, Profile] = {
    "spark": Profile(Strength.COMPLETE, Strength.COMPLETE, tells_indirect=True),
    "flink": Profile(Strength.COMPLETE, Strength.COMPLETE, tells_indirect=False),
    "airflow": Profile(Strength.COMPLETE, Strength.COMPLETE, tells_indirect=False, parses_sql=True),
    "trino": Profile(Strength.PARTIAL, Strength.CREATED, tells_indirect=True),
    "dbt": Profile(Strength.PARTIAL, Strength.PARTIAL, tells_indirect=False, parses_sql=True),
}
_NO_PROFILE = Profile(Strength.UNKNOWN, Strength.UNKNOWN, tells_indirect=True)

_WORD = re.compile(r"[a-z]+")


def integration_of(job_facets: Facets, producer: str = "") -> str:
    """The integration that sent an event, by the job's jobType facet, else by the producer's URL; empty if unknown.

    `https://github.com/OpenLineage/OpenLineage/tree/1.54.0/integration/dbt` is `dbt`.
    """
    match job_facets.get("jobType"):
        case {"integration": str(integration)} if integration.lower() in PROFILES:
            return integration.lower()
    words = reversed(_WORD.findall(producer[-_MOST:].lower()))
    return next((word for word in words if word in PROFILES), "")


_MOST = 500
"""Characters at the end of a producer's URL that are looked at."""


def profile_of(job_facets: Facets, producer: str = "") -> Profile:
    """The profile of the producer of an event."""
    return PROFILES.get(integration_of(job_facets, producer), _NO_PROFILE)


def has_partial_schema(event: AnyEvent, reference: DatasetReference, *, is_read: bool) -> bool:
    """Whether the schema that an event has for one of its inputs or outputs lacks columns of the dataset."""
    if isinstance(event, DatasetEvent) or SCHEMA not in reference.facets:
        return False
    profile = profile_of(event.job.facets, event.producer)
    match profile.inputs if is_read else profile.outputs:
        case Strength.PARTIAL:
            return True
        case Strength.CREATED:
            return not (columns_of(reference.facets[SCHEMA]) and _creates(event.job.facets))
        case Strength.UNKNOWN:
            named = _columns_read(event.outputs, reference.name) if is_read else _columns_written(reference)
            return _lacks(columns_of(reference.facets[SCHEMA]), named)
    return False


def _creates(job_facets: Facets) -> bool:
    match job_facets.get("sql"):
        case {"query": str(query)}:
            statement = statement_of(query)
            return statement is not None and statement.creates_data
    return False


def _columns_written(output: DatasetReference) -> Iterator[str]:
    """The columns that the column lineage of an output makes."""
    return (flow.output.field for flow in column_flows(output.name, output.facets.get(COLUMN_LINEAGE)))


def _columns_read(outputs: Iterable[DatasetReference], source: Name) -> Iterator[str]:
    """The columns of a dataset that the column lineage of outputs uses."""
    for output in outputs:
        facet = output.facets.get(COLUMN_LINEAGE)
        direct = (flow.source for flow in column_flows(output.name, facet))
        indirect = (flow.source for flow in indirect_flows(output.name, facet))
        yield from (column.field for column in (*direct, *indirect) if column.dataset == source)


def _lacks(columns: Mapping[str, Any], named: Iterable[str]) -> bool:
    """Whether a schema has none of the columns that a name may mean: `address.zip` may be a column of that name, or
    nested in `address`."""
    known = {spelling.replace("[]", "").lower() for spelling in columns}
    return any(column.lower() not in known and column.partition(".")[0].lower() not in known for column in named)
