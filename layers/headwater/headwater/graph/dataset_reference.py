"""What is said of a dataset: its facets and, for a run, those of that input or output.

Two facets can be very long and hardly ever change: the schema and the column lineage (of 215 KB in a real event of a
500-column join, 177 KB were column lineage, repeated in each of the run's six events). States hold their digests;
the documents themselves are kept once each. The Spark listener shuffles the arrays in a column lineage facet from run
to run, so it is kept with its arrays sorted: their order says nothing, and no run is to write it anew.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from headwater.graph.identity import NodeId, dataset_id
from headwater.graph.register import (
    Register,
    Registers,
    Stamp,
    deletable,
    is_deletion,
    join_registers,
    said,
    time_of,
    values,
)
from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent, DatasetEvent, DatasetReference, Facets, Name
from headwater.openlineage.instant import Instant

SCHEMA = "schema"
COLUMN_LINEAGE = "columnLineage"
SYMLINKS = "symlinks"
DATA_SOURCE = "dataSource"
SOURCES = "headwater_sources"
"""On an output, the datasets that its producer says it is made of: `[[namespace, name], ...]`."""
BY_DIGEST = frozenset({SCHEMA, COLUMN_LINEAGE})
ASSERTIONS = "dataQualityAssertions"
QUALITY = frozenset({ASSERTIONS, "dataQualityMetrics"})
"""What was found out about the data of an input or output: new with every run, and a history of its own."""


@dataclass(frozen=True, slots=True)
class DatasetUse:
    """A dataset as a run reads or writes it; `first` is the earliest event time that names it there."""

    name: Name
    first: Instant
    facets: Registers
    io_facets: Registers

    def join(self, other: "DatasetUse | None") -> "DatasetUse":
        if other is None:
            return self
        facets = join_registers(self.facets, other.facets)
        first, name = min((self.first, self.name), (other.first, other.name))
        return DatasetUse(name, first, facets, join_registers(self.io_facets, other.io_facets))

    @property
    def sources(self) -> tuple[NodeId, ...] | None:
        """The datasets it is made of, where the producer says so; else it is made of all inputs."""
        said = values(self.facets).get(SOURCES)
        return None if said is None else tuple(sorted({dataset_id(Name(*each)) for each in said}))

    @property
    def quality(self) -> Registers:
        """What the run found out about the data."""
        found = join_registers(self.facets, self.io_facets)
        return {name: found[name] for name in QUALITY & found.keys()}


Uses = Mapping[NodeId, DatasetUse]


class Document(NamedTuple):
    """A facet kept by its digest: `facet` is SCHEMA or COLUMN_LINEAGE, `value` is the facet as it was sent."""

    dataset: NodeId
    facet: str
    digest: str
    value: Any
    time: Instant


def dataset_facets(facets: Facets, at: Stamp) -> Registers:
    """Dataset facets as one event says them, the long ones by digest."""
    return deletable({name: _in_state(name, facet) for name, facet in facets.items()}, at)


def uses(references: Iterable[DatasetReference], at: Stamp) -> Uses:
    """The datasets of one side of one event. A producer may name one twice (a self-join): what is said is united."""
    found: dict[NodeId, DatasetUse] = {}
    for reference in references:
        facets = dataset_facets(reference.facets, at)
        use = DatasetUse(reference.name, time_of(at), facets, said(reference.io_facets, at))
        node = dataset_id(reference.name)
        found[node] = use.join(found.get(node))
    return found


def join_uses(left: Uses, right: Uses) -> Uses:
    """A run's datasets are the union over its events; an empty array removes nothing."""
    return {**left, **{node: use.join(left.get(node)) for node, use in right.items()}}


def schema_said(facets: Registers) -> Register | None:
    """The digest of the schema among the facets of a dataset, and when it was said."""
    register = facets.get(SCHEMA)
    return register if register and register.value is not None else None


def dataset_references(event: AnyEvent) -> tuple[DatasetReference, ...]:
    """Every dataset an event names; that of a DatasetEvent comes first, what it is made of follows."""
    if not isinstance(event, DatasetEvent):
        return event.inputs + event.outputs
    return event.dataset, *(DatasetReference(Name(*name), {}, {}) for name in event.dataset.facets.get(SOURCES) or ())


def documents(event: AnyEvent) -> Iterator[Document]:
    """The long facets of an event."""
    for reference in dataset_references(event):
        for facet in sorted(BY_DIGEST & reference.facets.keys()):
            value = reference.facets[facet]
            if not is_deletion(value):
                kept = _normal(facet, value)
                yield Document(dataset_id(reference.name), facet, exact_json.digest(kept), kept, event.time)


def symlinks(facet: Any) -> list[Name]:
    """The other names of a dataset, where its symlinks facet names them rightly."""
    entries = facet.get("identifiers") if isinstance(facet, dict) else None
    return [name for entry in (entries if isinstance(entries, list) else []) if (name := named(entry))]


def sources_of(facet: Any) -> Iterator[Name]:
    """The datasets that a columnLineage facet names as sources."""
    of_columns = facet.get("fields") if isinstance(facet, dict) else None
    columns = list(of_columns.values()) if isinstance(of_columns, dict) else []
    for holder, member in [(facet, "dataset"), *((column, "inputFields") for column in columns)]:
        entries = holder.get(member) if isinstance(holder, dict) else None
        yield from (name for entry in (entries if isinstance(entries, list) else ()) if (name := named(entry)))


def named(entry: Any) -> Name | None:
    """The name in an object of `namespace` and `name`, if it has both."""
    match entry:
        case {"namespace": str(namespace), "name": str(name)} if namespace and name:
            return Name(namespace, name)
    return None


def _in_state(name: str, facet: Any) -> Any:
    if name not in BY_DIGEST or is_deletion(facet):
        return facet
    return exact_json.digest(_normal(name, facet))


def _normal(name: str, facet: Any) -> Any:
    return _sorted(facet) if name == COLUMN_LINEAGE else facet


def _sorted(value: Any) -> Any:
    """A document with all its arrays sorted by their entries' spelling."""
    if isinstance(value, dict):
        return {name: _sorted(member) for name, member in value.items()}
    if isinstance(value, list):
        return sorted(map(_sorted, value), key=exact_json.dumps)
    return value
