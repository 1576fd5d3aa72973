"""dbt: a schema has the columns that schema.yml documents, or all columns as of an earlier `dbt docs generate`; the
event does not say which. Column lineage has only direct flows, parsed from SQL.

What is sent, and what is made of it, each by recorded events:

    the job shop.main.shop.orders, or            model.shop.orders, the unique id: one job in each mode
    shop.main.shop.orders.build.run
    shop.main.shop.orders.test, ...build.test    model.shop.orders.test
    an ephemeral model as an input               left out: it is a part of the SQL of its readers, and no table. Column
                                                 lineage names the tables that it reads
    ..._dbt_test__audit.unique_id as an output   left out: a table for failed rows, which usually is not made
    FAIL of tests that dbt skipped               ABORT, as with structured logs; COMPLETE if the others passed
    OTHER of a node                              ABORT: with structured logs the last event of an ephemeral model that
                                                 dbt skipped, and of the models that it skipped for that
    assertions of skipped tests, as failed:      left out
    without an actual value, or with the
    expected one
    `relationships_stays_patient_id__...` at     called by the test's full name, without a column: in default mode a
    `patients`, which has no such fault          `relationships` test of two tables is reported at one of them, which
                                                 may be the table that is referred to. Which schema the tested table is
                                                 in, the event does not say
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from headwater.graph.facets.dataset_reference import ASSERTIONS, sources_of
from headwater.graph.facets.long_facet import COLUMN_LINEAGE
from headwater.graph.facets.members import SQL, assertions_in, assertions_of, facet_text, tests_of
from headwater.graph.producers.producer import Producer, Strength
from headwater.openlineage.event import DatasetReference, EventType, Facets, JobEvent, JobReference, RunEvent

RELATIONSHIPS = "relationships"
"""The test that each value of a column is a value of another table's column."""
_AUDIT = re.compile(r"_dbt_test__audit\.[^.]+\Z")
"""The end of the name of a table for failed rows: its schema, and the name of the test."""

Assertion = dict[str, Any]


class Dbt(Producer):
    def is_query(self, kind: str | None) -> bool:
        """A model with structured logs runs its SQL as jobs of their own."""
        return kind == "SQL"

    def is_part(self, kind: str | None) -> bool:
        """A node of the wrapper."""
        return kind != "JOB"

    def tells_only_that_it_failed(self, message: str) -> bool:
        """The message of the wrapper with structured logs: "Command `dbt run` failed at 19:21:56 after 1 seconds"."""
        return message.startswith("Command `dbt ")

    def stable_name(self, job: JobReference) -> str:
        match job.facets:
            case {"jobType": {"integration": "DBT", **kind}, "dbt_node": {"unique_id": str(node)}} if node:
                is_test_of_node = kind.get("jobType") == "TEST" and not node.startswith("test.")
                return f"{node}.test" if is_test_of_node else node
        return job.name.name

    def columns_made(self, output: DatasetReference, job_facets: Facets) -> tuple[str, ...] | None:
        """The columns of a model's SELECT, where dbt makes the table of it: an incremental model keeps a column that
        its SQL lacks, unless it is configured to drop it."""
        match output.facets.get("dbt_model"):
            case {"config": {"materialized": "table" | "view"}} | {
                "config": {"incremental": {"on_schema_change": "sync_all_columns"}}
            }:
                from headwater.graph.producers.query_columns import columns_of_query  # noqa: PLC0415 - not at start

                return columns_of_query(facet_text(job_facets, SQL, "query") or "")
        return None

    def facets(self, facets: Facets, dataset: str) -> Facets:
        checks = assertions_in(facets.get(ASSERTIONS))
        if checks is None:
            return facets
        table = dataset.rpartition(".")[2]
        checked = [_of_its_table(check, table) for check in checks if not _is_skipped(check)]
        others = {name: other for name, other in facets.items() if name != ASSERTIONS}
        return {**others, ASSERTIONS: {**facets[ASSERTIONS], "assertions": checked}} if checked else others

    def corrected(self, event: RunEvent | JobEvent) -> RunEvent | JobEvent:
        """The event with the datasets that exist, and the end that its run had.

        Structured logs have no column lineage. There an ephemeral model has a run, and stays between its tables and its
        readers. The FAIL of a model in default mode has only inputs, but its START names the tables.
        """
        if not event.outputs or _has_undeclared_sources(event):
            event = replace(event, inputs=tuple(read for read in event.inputs if not _is_ephemeral(read)))
        kind = facet_text(event.job.facets, "jobType", "jobType")
        if isinstance(event, RunEvent) and event.type is EventType.OTHER and kind != "JOB":
            event = replace(event, type=EventType.ABORT)
        if kind != "TEST":
            return event
        event = replace(event, outputs=tuple(output for output in event.outputs if not _AUDIT.search(output.name.name)))
        return replace(event, type=_end_of_test(event)) if isinstance(event, RunEvent) else event


DBT = Dbt(
    "dbt",
    inputs=Strength.PARTIAL,
    outputs=Strength.PARTIAL,
    reports_indirect=False,
    parses_sql=True,
    repeats_schemas=True,
)


def _has_undeclared_sources(event: RunEvent | JobEvent) -> bool:
    """Whether column lineage names a table that is not an input: a seed, or a table that an ephemeral model reads."""
    declared = {dataset.name for dataset in event.inputs}
    return any(not declared.issuperset(sources_of(output.facets.get(COLUMN_LINEAGE))) for output in event.outputs)


def _is_ephemeral(read: DatasetReference) -> bool:
    match read.facets.get("dbt_model"):
        case {"config": {"materialized": "ephemeral"}}:
            return True
    return False


def _end_of_test(event: RunEvent) -> EventType:
    """The end of a run of tests. Skipped tests do not fail the run."""
    checks = list(_checks(event))
    skipped = [check for check in checks if _is_skipped(check)]
    failed = [check for check in checks if check.get("success") is False and check not in skipped]
    if event.type is not EventType.FAIL or failed or not skipped:
        return event.type
    return EventType.COMPLETE if len(skipped) < len(checks) else EventType.ABORT


def _checks(event: RunEvent) -> Iterator[Assertion]:
    """The tests of a run as assertions: those on its inputs, and in the run facet of a singular test."""
    for read in event.inputs:
        yield from assertions_of(dict(read.io_facets if ASSERTIONS in read.io_facets else read.facets))
    yield from tests_of(event.run_facets)


def _of_its_table(check: Assertion, table: str) -> Assertion:
    """An assertion; one about another table has the name of its test."""
    name = check.get("name")
    if check.get("assertion") != RELATIONSHIPS or not isinstance(name, str):
        return check
    if not name.startswith(f"{RELATIONSHIPS}_") or name.startswith(f"{RELATIONSHIPS}_{table}_"):
        return check
    return {**{member: value for member, value in check.items() if member != "column"}, "assertion": name}


def _is_skipped(check: Assertion) -> bool:
    """Whether an assertion is that of a test that was skipped."""
    return check.get("success") is False and check.get("actual") in (None, check.get("expected"))
