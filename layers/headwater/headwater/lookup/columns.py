"""What a columnLineage facet says: which column flows into which, and what bears on all of them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from headwater.lookup import shapes
from headwater.openlineage.event import Name

Steps = list[dict[str, Any]]


class Column(NamedTuple):
    """A column of a dataset."""

    dataset: Name
    field: str

    @property
    def node(self) -> str:
        return f"{shapes.node_id('datasetField', self.dataset)}:{self.field}"


class Flow(NamedTuple):
    """One output column from one input column, with the steps between them."""

    output: Column
    source: Column
    steps: Steps


class Indirect(NamedTuple):
    """A column that bears on all columns of a dataset: a filter, a join, a grouping."""

    output: Name
    source: Column
    steps: Steps


def flows(output: Name, facet: Any) -> Iterator[Flow]:
    """The mappings in a columnLineage facet, of today's form or of an older one; what has no names is passed over."""
    fields = facet.get("fields") if isinstance(facet, dict) else None
    for field, column in fields.items() if isinstance(fields, dict) else ():
        if isinstance(column, dict):
            for source, entry in _sources(column.get("inputFields")):
                yield Flow(Column(output, field), source, shapes.transformations(entry, column))


def indirects(output: Name, facet: Any) -> Iterator[Indirect]:
    """The inputs in a columnLineage facet that bear on the whole dataset."""
    for source, entry in _sources(facet.get("dataset") if isinstance(facet, dict) else None):
        yield Indirect(output, source, shapes.transformations(entry, {}))


def _sources(entries: Any) -> Iterator[tuple[Column, dict[str, Any]]]:
    for entry in entries if isinstance(entries, list) else ():
        match entry:
            case {"namespace": str(namespace), "name": str(name), "field": str(field)}:
                yield Column(Name(namespace, name), field), entry
