"""Normalises an event: names become the datasets that they mean, and a lineage facet is applied to the datasets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from headwater.concurrent import give_way
from headwater.graph.facets.column_lineage import ORIGINS, with_origins
from headwater.graph.facets.curation import FOREIGN_SOURCES, RESERVED
from headwater.graph.facets.dataset_reference import (
    ASSERTIONS,
    SOURCES,
    SYMLINKS,
    dataset_references,
    is_foreign,
    named,
    sources_of,
    symlinks,
)
from headwater.graph.facets.explicit_lineage import apply_lineage_facet
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, LONG_FACETS, LongFacet
from headwater.graph.facets.members import facet_text, tests_of
from headwater.graph.facets.register import is_deletion
from headwater.graph.facets.renaming import with_old_names
from headwater.graph.facets.schema import as_partial
from headwater.graph.names.identity import dataset_id
from headwater.graph.names.naming import FILE_SYSTEMS, IdentifiedName, Naming
from headwater.graph.producers import UNKNOWN, producer_of
from headwater.graph.producers.evidence import has_partial_schema, with_proven_columns
from headwater.graph.producers.great_expectations import with_database, with_standard_assertions
from headwater.graph.producers.producer import Producer
from headwater.graph.producers.table_formats import without_metadata_table_columns
from headwater.graph.states.normalised_event import Alias, NormalisedEvent, SymlinkPair
from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent, DatasetEvent, DatasetReference, Facets, JobEvent, Name, RunEvent
from headwater.openlineage.instant import NEVER, Instant
from headwater.openlineage.wire import read_event


def normalise_event(
    canonical: str, naming: Naming, at: Instant = NEVER, sent: AnyEvent | None = None
) -> NormalisedEvent:
    """The event in a canonical text, received `at`. Raises InvalidRequest if the text is not an event.

    `sent` is the event in the text, for a caller that has read the text.
    """
    event = _corrected(apply_lineage_facet(sent or read_event(exact_json.loads(canonical), canonical=canonical)))
    identified = [(each, _identified(event, each, naming)) for each in dataset_references(event)]
    aliases = _aliases(identified)
    written = _aliases(identified[len(event.inputs) :]) if isinstance(event, RunEvent) else set()
    event = with_proven_columns(_with_undeclared_inputs(_renamed(event, identified, naming), naming), naming)
    if isinstance(event, RunEvent):
        event = with_old_names(event, naming, looks_outputs_up=_producer(event).looks_outputs_up)
    links = {link for reference in dataset_references(event) for link in _links(reference, naming)}
    named = tuple(sorted(aliases)), tuple(sorted(links)), tuple(sorted(written))
    return NormalisedEvent(event, canonical, *named, at)


def _producer(event: AnyEvent) -> Producer:
    return UNKNOWN if isinstance(event, DatasetEvent) else producer_of(event.job.facets, event.producer)


def _corrected(event: AnyEvent) -> AnyEvent:
    return event if isinstance(event, DatasetEvent) else _producer(event).corrected(_with_origins(_with_tests(event)))


def _with_origins(event: RunEvent | JobEvent) -> RunEvent | JobEvent:
    """The event, with what an output's facet says about the origin of its columns merged into its column lineage."""
    if not any(ORIGINS in output.io_facets for output in event.outputs):
        return event
    return replace(event, outputs=tuple(map(_with_origins_of, event.outputs)))


def _with_origins_of(output: DatasetReference) -> DatasetReference:
    if ORIGINS not in output.io_facets:
        return output
    io_facets = {name: facet for name, facet in output.io_facets.items() if name != ORIGINS}
    return replace(output, facets=with_origins(output.facets, output.io_facets), io_facets=io_facets)


def _with_tests(event: RunEvent | JobEvent) -> RunEvent | JobEvent:
    """The event with the tests of its run facet as assertions about its input, if it has one input and no assertions.
    With several inputs, the facet does not say which one was tested."""
    tests = tests_of(event.run_facets) if isinstance(event, RunEvent) else []
    if not tests or len(event.inputs) != 1:
        return event
    (tested,) = event.inputs
    if ASSERTIONS in tested.facets or ASSERTIONS in tested.io_facets:
        return event
    io_facets = {**tested.io_facets, ASSERTIONS: {"assertions": tests}}
    return replace(event, inputs=(replace(tested, io_facets=io_facets),))


def _aliases(identified: Iterable[tuple[DatasetReference, IdentifiedName]]) -> set[Alias]:
    """The aliases that references use. A producer that may not write a dataset cannot give it another name."""
    return {
        Alias(reference.name, meant.shown, meant.rules)
        for reference, meant in identified
        if meant.rules and not is_foreign(reference)
    }


def _identified(event: AnyEvent, reference: DatasetReference, naming: Naming) -> IdentifiedName:
    give_way()
    identified = naming.identify(reference.name, streams_files=_streams_files(event, reference))
    job_facets = {} if isinstance(event, DatasetEvent) else event.job.facets
    return with_database(_producer(event).dataset(identified, reference, job_facets, naming), reference, naming)


def _links(reference: DatasetReference, naming: Naming) -> Iterator[SymlinkPair]:
    for name in symlinks(reference.facets.get(SYMLINKS)):
        symlink = naming.identify(name)
        if symlink.identity != naming.identify(reference.name).identity:
            yield SymlinkPair(reference.name, symlink.shown)


def _renamed(
    event: AnyEvent, references: Sequence[tuple[DatasetReference, IdentifiedName]], naming: Naming
) -> AnyEvent:
    producer = _producer(event)

    def rename(reference: DatasetReference, identified: IdentifiedName, *, is_read: bool = False) -> DatasetReference:
        own = without_metadata_table_columns(reference, identified.rules, is_read=is_read)
        facets = with_standard_assertions(producer.facets(own.facets, own.name.name))
        if has_partial_schema(event, own, is_read=is_read):
            facets = as_partial(facets)
        for member in {SOURCES, FOREIGN_SOURCES} & facets.keys():
            sources = sorted({naming.identify(Name(*source)).shown for source in facets[member]})
            facets = {**facets, member: [list(source) for source in sources]}
        io_facets = with_standard_assertions(producer.facets(reference.io_facets, own.name.name))
        return DatasetReference(identified.shown, _with_long_facets(facets), io_facets)

    if isinstance(event, DatasetEvent):
        return replace(event, dataset=rename(*references[0]))
    job = replace(event.job, name=event.job.name._replace(name=producer.stable_name(event.job)))
    inputs = tuple([rename(*each, is_read=True) for each in references[: len(event.inputs)]])
    outputs = tuple([rename(*each) for each in references[len(event.inputs) :]])
    return replace(event, job=job, inputs=inputs, outputs=outputs)


def _with_long_facets(facets: Facets) -> Facets:
    """Facets, the long ones with their digests."""
    long = {name: facet for name in LONG_FACETS & facets.keys() if isinstance(facet := facets[name], dict)}
    return {**facets, **{name: LongFacet(name, facet) for name, facet in long.items() if not is_deletion(facet)}}


def _streams_files(event: AnyEvent, reference: DatasetReference) -> bool:
    """Whether a dataset is an input of a streaming job that names each file of a source folder."""
    if isinstance(event, DatasetEvent) or facet_text(event.job.facets, "jobType", "processingType") != "STREAMING":
        return False
    return _producer(event).names_files_of_streams and reference in event.inputs


def _with_undeclared_inputs(event: AnyEvent, naming: Naming) -> AnyEvent:
    """The event, with datasets that only its column lineage names as inputs, too.

    A MERGE into a Delta table names only its target, as input and output, and dbt does not name seeds as inputs of a
    model. But a file below a path that the event reads is this path: of `land/*/*.csv` Spark reads `land`, and a column
    comes from `land/2026/1.csv`.
    """
    names = undeclared_inputs(event, naming)
    if not names or isinstance(event, DatasetEvent):
        return event
    paths = [each.name for each in event.inputs if each.name.namespace.partition(":")[0] in FILE_SYSTEMS]
    above = {name: path for name in names if (path := _path_above(name, paths))}
    if above:
        outputs = tuple(_with_sources(output, above, naming) for output in event.outputs)
        event, names = replace(event, outputs=outputs), tuple(name for name in names if name not in above)
    return replace(event, inputs=event.inputs + tuple(DatasetReference(name, {}, {}) for name in names))


def _path_above(file: Name, paths: Iterable[Name]) -> Name | None:
    above = (path for path in paths if path.namespace == file.namespace)
    above = (path for path in above if file.name.startswith(path.name.rstrip("/") + "/"))
    return max(above, key=lambda path: len(path.name), default=None)


def _with_sources(output: DatasetReference, above: Mapping[Name, Name], naming: Naming) -> DatasetReference:
    """An output whose column lineage has other sources: `above` is by the names to show of those that were sent."""
    facet = output.facets.get(COLUMN_LINEAGE)
    moved = {name: path for name in sources_of(facet) if (path := above.get(naming.identify(name).shown))}
    if not moved:
        return output
    lineage = LongFacet(COLUMN_LINEAGE, _moved(facet, moved))
    return replace(output, facets={**output.facets, COLUMN_LINEAGE: lineage})


def _moved(value: Any, to: Mapping[Name, Name]) -> Any:
    """A part of a facet with other names of datasets in place of these."""
    if isinstance(value, list):
        return [_moved(entry, to) for entry in value]
    if not isinstance(value, dict):
        return value
    name = to.get(own) if (own := named(value)) else None
    return {member: _moved(each, to) for member, each in value.items()} | (name.as_json() if name else {})


def undeclared_inputs(event: AnyEvent, naming: Naming) -> tuple[Name, ...]:
    """The datasets that column lineage names as sources, and that the event names neither as inputs nor as outputs."""
    if isinstance(event, DatasetEvent):
        return ()
    facets = [reference.facets[COLUMN_LINEAGE] for reference in event.outputs if COLUMN_LINEAGE in reference.facets]
    sources = {name for facet in facets for name in sources_of(facet) if name.namespace not in RESERVED}
    named = {naming.identify(name).shown for name in sources}
    declared = {dataset_id(naming.identify(reference.name).shown) for reference in event.inputs + event.outputs}
    return tuple(sorted(name for name in named if dataset_id(name) not in declared))
