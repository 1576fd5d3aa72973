"""The datasets that events name, with their facets.

Two facets can be very long and hardly ever change: schema and column lineage (177 of 215 KB of a real event of a
500-column join were column lineage, repeated in each of the run's six events). States hold the digests of these facets;
the documents are stored once each. The Spark listener shuffles the arrays of a column lineage facet from run to run.
Their order means nothing, so the document is stored with sorted arrays, and runs need not write it again (long_facet).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from headwater.graph.facets.curation import FOREIGN, FOREIGN_SOURCES
from headwater.graph.facets.long_facet import LONG_FACETS, SCHEMA, LongFacet, digest_of
from headwater.graph.facets.register import (
    Register,
    Registers,
    Stamp,
    deletable_registers,
    is_deletion,
    join_registers,
    registers_of,
    time_of,
    values,
)
from headwater.graph.facets.schema import PARTIAL
from headwater.graph.names.identity import ColumnLineageId, DatasetId, SchemaId, dataset_id
from headwater.graph.names.naming import catalog_name
from headwater.openlineage.event import AnyEvent, DatasetEvent, DatasetReference, Facets, JobEvent, Name, RunEvent
from headwater.openlineage.instant import Instant

SYMLINKS = "symlinks"
DATA_SOURCE = "dataSource"
SOURCES = "headwater_sources"
"""On an output, the datasets that the output is made of, by the producer: `[[namespace, name], ...]`."""
JobEventOrRunEvent = TypeVar("JobEventOrRunEvent", JobEvent, RunEvent)
ASSERTIONS = "dataQualityAssertions"
INPUT_STATISTICS, OUTPUT_STATISTICS = "inputStatistics", "outputStatistics"
QUALITY = frozenset({ASSERTIONS, "dataQualityMetrics"})
"""Facets about the data of an input or output. They change with every run and have their own history."""


@dataclass(frozen=True, slots=True)
class IoDataset:
    """An input or output of a run, joined over the run's events; `first` is the earliest event time that names it.

    OpenLineage's InputDataset or OutputDataset; `io_facets` are its inputFacets or outputFacets.
    """

    name: Name
    first: Instant
    facets: Registers
    io_facets: Registers

    def join(self, other: "IoDataset | None") -> "IoDataset":
        if other is None:
            return self
        facets = join_registers(self.facets, other.facets)
        first, name = min((self.first, self.name), (other.first, other.name))
        return IoDataset(name, first, facets, join_registers(self.io_facets, other.io_facets))

    @property
    def sources(self) -> tuple[DatasetId, ...] | None:
        """The datasets that this output is made of, by the producer; None if it is made of all inputs of its run."""
        sources = values(self.facets).get(SOURCES)
        return None if sources is None else tuple(sorted({dataset_id(Name(*source)) for source in sources}))

    @property
    def is_foreign(self) -> bool:
        """Whether a producer of the run only names the dataset, because it may not write the dataset's namespace."""
        return FOREIGN in self.facets

    @property
    def quality(self) -> Registers:
        """The assertions and metrics that the run sent for the data."""
        if QUALITY.isdisjoint(self.facets) and QUALITY.isdisjoint(self.io_facets):
            return {}
        facets = join_registers(self.facets, self.io_facets)
        return {name: facets[name] for name in QUALITY & facets.keys()}


IoDatasets = Mapping[DatasetId, IoDataset]


class Document(NamedTuple):
    """A facet stored under its digest: `facet` is SCHEMA or COLUMN_LINEAGE, `value` is the facet as it was sent."""

    dataset: DatasetId
    facet: str
    digest: str
    value: Any
    time: Instant

    @property
    def id(self) -> SchemaId | ColumnLineageId:
        return (SchemaId if self.facet == SCHEMA else ColumnLineageId)(self.dataset, self.digest)

    def join(self, other: "Document | None") -> "Document":
        """The document with the earliest event time that has it."""
        return min(self, other, key=lambda document: document.time) if other else self


def is_foreign(reference: DatasetReference) -> bool:
    """Whether the producer only names the dataset, because it may not write the dataset's namespace."""
    return FOREIGN in reference.facets


def without_foreign_outputs(event: JobEventOrRunEvent) -> JobEventOrRunEvent:
    """The event without the outputs that its producer may not write: naming a dataset does not make a version of it."""
    if not any(map(is_foreign, event.outputs)):
        return event
    return replace(event, outputs=tuple(output for output in event.outputs if not is_foreign(output)))


def dataset_facets(facets: Facets, at: Stamp) -> Registers:
    """The dataset facets of an event as registers, without a partial schema; a long facet is replaced by its
    digest."""
    return deletable_registers({name: _in_state(name, facet) for name, facet in facets.items() if name != PARTIAL}, at)


def io_datasets(references: Iterable[DatasetReference], at: Stamp) -> IoDatasets:
    """The inputs, or the outputs, of an event, in the order in which they are stored. An event may name a dataset twice
    (a self-join): its facets are joined."""
    datasets: dict[DatasetId, IoDataset] = {}
    for reference in references:
        facets = dataset_facets(reference.facets, at)
        io_dataset = IoDataset(reference.name, time_of(at), facets, registers_of(reference.io_facets, at))
        dataset = dataset_id(reference.name)
        datasets[dataset] = io_dataset.join(datasets.get(dataset))
    return dict(sorted(datasets.items()))


def join_io_datasets(left: IoDatasets, right: IoDatasets) -> IoDatasets:
    """The union: an event with an empty array of inputs removes no input of its run."""
    joined = {dataset: io_dataset.join(left.get(dataset)) for dataset, io_dataset in right.items()}
    return dict(sorted({**left, **joined}.items()))


def schema_register(facets: Registers) -> Register | None:
    """The register of the schema's digest among the facets of a dataset."""
    register = facets.get(SCHEMA)
    return register if register and register.value is not None else None


def dataset_references(event: AnyEvent) -> tuple[DatasetReference, ...]:
    """Every dataset that an event names. The dataset of a DatasetEvent comes first, its sources follow."""
    if not isinstance(event, DatasetEvent):
        return event.inputs + event.outputs
    return event.dataset, *sources_of_dataset(event.dataset)


def sources_of_dataset(dataset: DatasetReference) -> list[DatasetReference]:
    """The sources of a DatasetEvent's dataset, without facets except the mark of a foreign one."""
    foreign = {tuple(name) for name in dataset.facets.get(FOREIGN_SOURCES) or ()}
    sources = [Name(*source) for source in dataset.facets.get(SOURCES) or ()]
    return [DatasetReference(name, {FOREIGN: {}} if name in foreign else {}, {}) for name in sources]


def documents(event: AnyEvent) -> Iterator[Document]:
    """The long facets of an event."""
    for reference in dataset_references(event):
        for facet in sorted(LONG_FACETS & reference.facets.keys()):
            value = reference.facets[facet]
            if not is_deletion(value):
                yield Document(dataset_id(reference.name), facet, digest_of(facet, value), value, event.time)


def symlinks(facet: Any) -> list[Name]:
    """The other names of a dataset in a symlinks facet; entries of another form are skipped."""
    entries = facet.get("identifiers") if isinstance(facet, dict) else None
    return [name for entry in (entries if isinstance(entries, list) else []) if (name := named(entry))]


def display_name(name: Name, facets: Facets) -> str | None:
    """The name of a dataset in a catalogue, by its own name or its symlinks facet: what people call it. None if it has
    none."""
    return next(filter(None, map(catalog_name, [name, *symlinks(facets.get(SYMLINKS))])), None)


def names_of(name: Name, facets: Facets) -> list[str]:
    """The names by which a dataset is found: its own, and those in its symlinks facet."""
    own = [each for each in (name.name, catalog_name(name)) if each]
    return [*own, *(catalog_name(other) or other.name for other in symlinks(facets.get(SYMLINKS)))]


def sources_of(facet: Any) -> frozenset[Name]:
    """The datasets that a columnLineage facet names as sources. The sources of a facet with a digest are kept: the runs
    of a job repeat the facet."""
    if not isinstance(facet, LongFacet):
        return frozenset(_sources_in(facet))
    sources = _sources.get(facet.digest)
    if sources is None:
        if len(_sources) >= MAX_KEPT:
            _sources.clear()
        sources = _sources[facet.digest] = frozenset(_sources_in(facet))
    return sources


MAX_KEPT = 10_000
"""Facets whose sources are kept."""
_sources: dict[str, frozenset[Name]] = {}


def _sources_in(facet: Any) -> Iterator[Name]:
    fields = facet.get("fields") if isinstance(facet, dict) else None
    columns = list(fields.values()) if isinstance(fields, dict) else []
    for holder, member in [(facet, "dataset"), *((column, "inputFields") for column in columns)]:
        entries = holder.get(member) if isinstance(holder, dict) else None
        yield from (name for entry in (entries if isinstance(entries, list) else ()) if (name := named(entry)))


def named(entry: Any) -> Name | None:
    """The name in an object with members `namespace` and `name`."""
    match entry:
        case {"namespace": str(namespace), "name": str(name)} if namespace and name:
            return Name(namespace, name)
    return None


def _in_state(name: str, facet: Any) -> Any:
    return facet if name not in LONG_FACETS or is_deletion(facet) else digest_of(name, facet)
