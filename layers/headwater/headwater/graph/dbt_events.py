"""Corrects what dbt's integration says of a run, each by recorded events.

an ephemeral model as an input                      it is a part of the SQL of its readers, and no table
..._dbt_test__audit.unique_id as an output          the table for the failed rows of a test, mostly never made
FAIL of tests that dbt skipped (default mode)       ABORT, as with structured logs; COMPLETE if others were checked
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from headwater.graph.assertions import Assertion, is_skipped
from headwater.graph.dataset_reference import ASSERTIONS
from headwater.graph.facets import assertions_of, facet_text
from headwater.openlineage.event import DatasetReference, EventType, JobEvent, RunEvent

_AUDIT = re.compile(r"_dbt_test__audit\.[^.]+\Z")
"""The end of the name of a table for failed rows: its schema, and the name of the test."""


def with_corrections(event: RunEvent | JobEvent) -> RunEvent | JobEvent:
    """An event of dbt with the datasets that exist, and the end that its run had."""
    event = replace(event, inputs=tuple(read for read in event.inputs if not _is_ephemeral(read)))
    if facet_text(event.job.facets, "jobType", "jobType") != "TEST":
        return event
    event = replace(event, outputs=tuple(output for output in event.outputs if not _AUDIT.search(output.name.name)))
    return replace(event, type=_end_of_test(event)) if isinstance(event, RunEvent) else event


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
        yield from assertions_of(read.io_facets if ASSERTIONS in read.io_facets else read.facets)
    match event.run_facets.get("test"):
        case {"tests": [*tests]}:
            for test in tests:
                if isinstance(test, dict):
                    yield {**test, "success": test.get("status") != "fail"}
