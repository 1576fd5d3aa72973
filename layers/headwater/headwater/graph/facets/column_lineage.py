"""Reads a columnLineage facet: flows between columns, and indirect flows that bear on a whole dataset."""

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


class ColumnFlow(NamedTuple):
    """A flow from an input column (`source`) to an output column; `steps` are the transformations between them."""

    output: Column
    source: Column
    steps: Steps


class IndirectFlow(NamedTuple):
    """A flow from an input column to a whole output dataset: a filter, a join, a grouping."""

    output: Name
    source: Column
    steps: Steps


def column_flows(output: Name, facet: Any) -> Iterator[ColumnFlow]:
    """The flows in a columnLineage facet of the present form or the deprecated one; entries without names are passed
    over."""
    fields = facet.get("fields") if isinstance(facet, dict) else None
    for field, column in fields.items() if isinstance(fields, dict) else ():
        if isinstance(column, dict):
            for source, entry in _sources(column.get("inputFields")):
                yield ColumnFlow(Column(output, field), source, _steps(entry, column))


def indirect_flows(output: Name, facet: Any) -> Iterator[IndirectFlow]:
    """The indirect flows in a columnLineage facet."""
    for source, entry in _sources(facet.get("dataset") if isinstance(facet, dict) else None):
        yield IndirectFlow(output, source, _steps(entry, {}))


def told_columns(facet: Any) -> frozenset[str]:
    """The output columns of which a columnLineage facet says what they are made of, if of nothing, in lower case.
    Of `address.zip` both `address.zip` and `address`: a nested field tells of its column, and a column may have a dot
    in its name."""
    fields = facet.get("fields") if isinstance(facet, dict) else None
    names = [name.lower() for name in (fields if isinstance(fields, dict) else ())]
    return frozenset(names) | {name.partition(".")[0] for name in names}


def _sources(entries: Any) -> Iterator[tuple[Column, dict[str, Any]]]:
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            namespace, name, field = entry.get("namespace"), entry.get("name"), entry.get("field")
            if isinstance(namespace, str) and isinstance(name, str) and isinstance(field, str):
                yield Column(Name(namespace, name), field), entry


def transformation(steps: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The step that says most, as the two members that Marquez has for a transformation: a direct one before a filter,
    a join or a grouping."""
    first = min(steps, key=lambda step: step.get("type") != "DIRECT", default={})
    return {
        "transformationDescription": first.get("description"),
        "transformationType": first.get("subtype") or first.get("type"),
    }


def _steps(entry: Mapping[str, Any], output: Mapping[str, Any]) -> Steps:
    """The transformations from an input column to an output column. The deprecated form of the facet has one for the
    output column, with other members."""
    steps = entry.get("transformations")
    if isinstance(steps, list) and steps:
        members = ("type", "subtype", "description", "masking")
        return [{member: step.get(member) for member in members} for step in steps if isinstance(step, dict)]
    kind, description = output.get("transformationType"), output.get("transformationDescription")
    if kind is None and description is None:
        return []
    return [{"type": "DIRECT", "subtype": kind, "description": description, "masking": kind == "MASKED"}]
