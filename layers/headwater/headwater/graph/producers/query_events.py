"""Corrects what Trino's listener says of a query, each by recorded events.

What is sent, and what is made of it:

    FAIL "Query was canceled"                    ABORT: a person or a client ended the query
    the outputs of a query that failed           without schema and column lineage: nothing was written
    each scanned column as an indirect input     the columns of the inputs that the event names (column_sources)
"""

from dataclasses import replace

from headwater.graph.facets.long_facet import LONG_FACETS
from headwater.graph.facets.members import error_message
from headwater.graph.producers.column_sources import with_declared_sources
from headwater.openlineage.event import DatasetReference, EventType, JobEvent, RunEvent

CANCELLED = "Query was canceled"


def with_corrections(event: RunEvent | JobEvent) -> RunEvent | JobEvent:
    """An event of Trino with the end that its query had, and with the columns that the query wrote."""
    if isinstance(event, RunEvent) and event.type is EventType.FAIL:
        is_cancelled = error_message(event.run_facets) == CANCELLED
        end = EventType.ABORT if is_cancelled else EventType.FAIL
        return replace(event, type=end, outputs=tuple(map(_unwritten, event.outputs)))
    declared = {dataset.name for dataset in event.inputs}
    return replace(event, outputs=tuple(with_declared_sources(output, declared) for output in event.outputs))


def _unwritten(output: DatasetReference) -> DatasetReference:
    return replace(output, facets={name: facet for name, facet in output.facets.items() if name not in LONG_FACETS})
