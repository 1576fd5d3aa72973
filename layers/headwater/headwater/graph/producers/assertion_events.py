"""Corrects what dbt's integration says of a run, each by recorded events.

What is sent, and what is made of it:

    an ephemeral model as an input               left out: it is a part of the SQL of its readers, and no table. Column
                                                 lineage names the tables that it reads
    ..._dbt_test__audit.unique_id as an output   left out: a table for failed rows, which mostly is not made
    FAIL of tests that dbt skipped               ABORT, as with structured logs; COMPLETE if the others passed
    OTHER of a node                              ABORT: with structured logs the last event of an ephemeral model that
                                                 dbt skipped, and of the models that it skipped for that
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from headwater.graph.facets.assertions import Assertion, is_skipped
from headwater.graph.facets.dataset_reference import ASSERTIONS, sources_of
from headwater.graph.facets.long_facet import COLUMN_LINEAGE
from headwater.graph.facets.members import assertions_of, facet_text
from headwater.openlineage.event import DatasetReference, EventType, JobEvent, RunEvent

_AUDIT = re.compile(r"_dbt_test__audit\.[^.]+\Z")
"""The end of the name of a table for failed rows: its schema, and the name of the test."""


def with_corrections(event: RunEvent | JobEvent) -> RunEvent | JobEvent:
    """An event of dbt with the datasets that exist, and the end that its run had.

    Structured logs have no column lineage. There an ephemeral model has a run, and stays between its tables and its
    readers. The FAIL of a model in default mode has inputs alone: its START names the tables.
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


def _has_undeclared_sources(event: RunEvent | JobEvent) -> bool:
    """Whether column lineage names a table that is no input: a seed, or a table that an ephemeral model reads."""
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
    skipped = [check for check in checks if is_skipped(check)]
    failed = [check for check in checks if check.get("success") is False and check not in skipped]
    if event.type is not EventType.FAIL or failed or not skipped:
        return event.type
    return EventType.COMPLETE if len(skipped) < len(checks) else EventType.ABORT


def _checks(event: RunEvent) -> Iterator[Assertion]:
    """The tests of a run as assertions: those on its inputs, and in the run facet of a singular test."""
    for read in event.inputs:
        yield from assertions_of(dict(read.io_facets if ASSERTIONS in read.io_facets else read.facets))
    match event.run_facets.get("test"):
        case {"tests": [*tests]}:
            for test in tests:
                if isinstance(test, dict):
                    yield {**test, "success": test.get("status") != "fail"}
