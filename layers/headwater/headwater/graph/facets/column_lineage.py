"""Reads a columnLineage facet: flows between columns, and indirect flows that bear on a whole dataset."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from headwater.graph.facets.curation import ALL_COLUMNS
from headwater.graph.facets.register import is_deletion
from headwater.graph.facets.schema_diff import ColumnSources
from headwater.openlineage import exact_json
from headwater.openlineage.event import Facets, Name

Steps = list[dict[str, Any]]
ORIGINS = "headwater_columns"
"""An output facet sent beside Spark's listener: the columns that a columnLineage facet cannot fully describe.

    kind                   the column is
    constant, generated    made of nothing
    opaque                 made by code that nobody looks into, of any of the columns `mayComeOf`, or of any at all
    partly                 made so, too, besides what the columnLineage facet says of it

The facet becomes a member of columnLineage, and is stored with it.
"""


class Column(NamedTuple):
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
    """The flows in a columnLineage facet of the present form or the deprecated one; entries without names are
    skipped."""
    fields = facet.get("fields") if isinstance(facet, dict) else None
    for field, column in fields.items() if isinstance(fields, dict) else ():
        if isinstance(column, dict):
            for source, entry in _sources(column.get("inputFields")):
                yield ColumnFlow(Column(output, field), source, _steps(entry, column))


def column_sources(facet: Any) -> ColumnSources:
    """The sources of each output column. `*` may be any column of its dataset (some are hidden from the caller): two
    columns that are made of it are not the same."""
    sources: dict[str, set[tuple[Any, Any]]] = {}
    for flow in column_flows(Name("", ""), facet):
        field = flow.source.field
        made_of = [field, flow.output.field] if field == ALL_COLUMNS else field
        transformation = exact_json.dumps([made_of, flow.steps])
        sources.setdefault(flow.output.field, set()).add((flow.source.dataset, transformation))
    return {field: frozenset(of_field) for field, of_field in sources.items()}


def indirect_flows(output: Name, facet: Any) -> Iterator[IndirectFlow]:
    """The indirect flows in a columnLineage facet."""
    for source, entry in _sources(facet.get("dataset") if isinstance(facet, dict) else None):
        yield IndirectFlow(output, source, _steps(entry, {}))


def told_columns(facet: Any) -> frozenset[str]:
    """The output columns whose origin a columnLineage facet gives, even if that is nothing, in lower case.
    `address.zip` gives both `address.zip` and `address`: a nested field says something about its column, and a column
    may have a dot in its name."""
    fields = facet.get("fields") if isinstance(facet, dict) else None
    names = [name.lower() for name in (fields if isinstance(fields, dict) else ())]
    told = frozenset(names) | {name.partition(".")[0] for name in names}
    return told.difference(candidates_in(facet))


def candidates_in(facet: Any) -> dict[str, frozenset[str]]:
    """The output columns that opaque code makes, each with the input columns that it may be made of, or none if it may
    be made of any. All in lower case."""
    origins = facet.get(ORIGINS) if isinstance(facet, dict) else None
    entries = origins.items() if isinstance(origins, dict) else ()
    return {
        name.lower(): frozenset(column.lower() for column in entry.get("mayComeOf") or ())
        for name, entry in entries
        if entry["kind"] in _OPAQUE
    }


_OPAQUE = ("opaque", "partly")
_OF_NOTHING = ("constant", "generated")


def with_origins(facets: Facets, io_facets: Facets) -> Facets:
    """The facets of an output, with `headwater_columns` merged into its columnLineage facet."""
    sent = facets.get("columnLineage")
    origins = dict(_origins(io_facets.get(ORIGINS)))
    if not origins or not isinstance(sent, dict | None) or is_deletion(sent):
        return facets
    facet = sent or {member: io_facets[ORIGINS].get(member) for member in ("_producer", "_schemaURL")}
    fields = sent_fields if isinstance(sent_fields := facet.get("fields"), dict) else {}
    told = {name: column for name, column in fields.items() if origins.get(name, {}).get("kind") != "opaque"}
    nothing: Facets = {name: {"inputFields": []} for name, entry in origins.items() if entry["kind"] in _OF_NOTHING}
    return {**facets, "columnLineage": {**facet, "fields": {**nothing, **told}, ORIGINS: origins}}


def _origins(facet: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The entries of a known kind, without members of other forms."""
    columns = facet.get("columns") if isinstance(facet, dict) else None
    for name, column in columns.items() if isinstance(columns, dict) else ():
        match column:
            case {"kind": str(kind), **members} if kind in _OPAQUE + _OF_NOTHING:
                names = members.get("mayComeOf")
                may = [each for each in names if isinstance(each, str)] if isinstance(names, list) else []
                by = {"by": by} if isinstance(by := members.get("by"), str) else {}
                yield name, {"kind": kind, **by, **({"mayComeOf": sorted(may)} if may else {})}


def _sources(entries: Any) -> Iterator[tuple[Column, dict[str, Any]]]:
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict):
            namespace, name, field = entry.get("namespace"), entry.get("name"), entry.get("field")
            if isinstance(namespace, str) and isinstance(name, str) and isinstance(field, str):
                yield Column(Name(namespace, name), field), entry


def transformation(steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The step that says most, as the two members that Marquez has for a transformation: a direct one before a filter,
    a join or a grouping."""
    first = next((step for step in steps if step.get("type") == "DIRECT"), steps[0]) if steps else {}
    return {
        "transformationDescription": first.get("description"),
        "transformationType": first.get("subtype") or first.get("type"),
    }


def _steps(entry: Mapping[str, Any], output: Mapping[str, Any]) -> Steps:
    """The transformations from an input column to an output column. The deprecated form of the facet has one for the
    output column, with other members."""
    steps = entry.get("transformations")
    if isinstance(steps, list) and steps:
        return [_step(step) for step in steps if isinstance(step, dict)]
    kind, description = output.get("transformationType"), output.get("transformationDescription")
    if kind is None and description is None:
        return []
    return [_step({"type": "DIRECT", "subtype": kind, "description": description, "masking": kind == "MASKED"})]


def _step(sent: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a transformation; those of a wrong type become null."""
    kinds = {"type": str, "subtype": str, "description": str, "masking": bool}
    return {name: value if isinstance(value := sent.get(name), kind) else None for name, kind in kinds.items()}
