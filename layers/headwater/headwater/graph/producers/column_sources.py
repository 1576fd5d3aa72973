"""Leaves out scanned columns that are no inputs of an output.

Trino lists each column that a query scans as an indirect input of the whole output. Of a query on a view these are the
columns of the table below the view, though the query reads the view alone; of an UPDATE those of the table itself, with
the column `$row_id`. What is left are the columns of the inputs that the event names.
"""

from collections.abc import Collection
from dataclasses import replace

from headwater.graph.facets.dataset_reference import named
from headwater.graph.facets.long_facet import COLUMN_LINEAGE
from headwater.openlineage.event import DatasetReference, Name


def with_declared_sources(output: DatasetReference, inputs: Collection[Name]) -> DatasetReference:
    """An output of Trino, whose column lineage has indirect inputs of the event's inputs alone."""
    facet = output.facets.get(COLUMN_LINEAGE)
    scanned = facet.get("dataset") if isinstance(facet, dict) else None
    if not isinstance(facet, dict) or not isinstance(scanned, list):
        return output
    kept = [entry for entry in scanned if named(entry) in inputs]
    return replace(output, facets={**output.facets, COLUMN_LINEAGE: {**facet, "dataset": kept}})
