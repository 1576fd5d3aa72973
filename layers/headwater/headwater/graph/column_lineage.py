"""What a columnLineage facet says: which column flows into which, and what bears on all of them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from headwater.openlineage.event import Name

Steps = list[dict[str, Any]]


class Column(NamedTuple):
    """A column of a dataset."""

    dataset: Name
    field: str

    @property
    def node(self) -> str:
        return f"datasetField:{self.dataset.namespace}:{self.dataset.name}:{self.field}"


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
                yield Flow(Column(output, field), source, _steps(entry, column))


def indirects(output: Name, facet: Any) -> Iterator[Indirect]:
    """The inputs in a columnLineage facet that bear on the whole dataset."""
    for source, entry in _sources(facet.get("dataset") if isinstance(facet, dict) else None):
        yield Indirect(output, source, _steps(entry, {}))


def _sources(entries: Any) -> Iterator[tuple[Column, dict[str, Any]]]:
    for entry in entries if isinstance(entries, list) else ():
        match entry:
            case {"namespace": str(namespace), "name": str(name), "field": str(field)}:
                yield Column(Name(namespace, name), field), entry


def transformation(steps: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The two members that Marquez has for steps, from the first one that there is."""
    first = next(iter(steps), {})
    return {
        "transformationDescription": first.get("description"),
        "transformationType": first.get("subtype") or first.get("type"),
    }


def _steps(entry: Mapping[str, Any], output: Mapping[str, Any]) -> Steps:
    """How an input column becomes an output column. The deprecated form says it once for the output, in other terms."""
    steps = entry.get("transformations")
    if isinstance(steps, list) and steps:
        members = ("type", "subtype", "description", "masking")
        return [{each: step.get(each) for each in members} for step in steps if isinstance(step, dict)]
    kind, description = output.get("transformationType"), output.get("transformationDescription")
    if kind is None and description is None:
        return []
    return [{"type": "DIRECT", "subtype": kind, "description": description, "masking": kind == "MASKED"}]
