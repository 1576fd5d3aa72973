"""The explicit `lineage` facet (OpenLineage, 2026), in which a producer says which dataset is made of which.

A job's facet has an entry for each target; a dataset's facet describes that dataset. The facet is authoritative: a
target is made of the inputs of its entry and of nothing else (an entry without inputs is a generator), and the entry's
`fields` replace a columnLineage facet. An entry of the type JOB names what the event's job reads, or another job, whose
data is not an input here. This module applies the facet to the datasets of its event, so no other module has to know
two forms: every dataset of an entry becomes an input or output, and each target gets the facet of its sources.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from headwater.graph.facets.dataset_reference import SOURCES, named
from headwater.graph.facets.long_facet import COLUMN_LINEAGE
from headwater.graph.names.identity import dataset_id
from headwater.openlineage.event import AnyEvent, DatasetEvent, DatasetReference, Facets, Name

LINEAGE = "lineage"


def apply_lineage_facet(event: AnyEvent) -> AnyEvent:
    """The event with its `lineage` facet applied to its inputs and outputs."""
    if isinstance(event, DatasetEvent):
        dataset, facet = _plain(event.dataset), event.dataset.facets.get(LINEAGE)
        return replace(event, dataset=_made_of(dataset, facet) if isinstance(facet, dict) else dataset)
    event = replace(event, inputs=tuple(map(_plain, event.inputs)), outputs=tuple(map(_plain, event.outputs)))
    facet = event.job.facets.get(LINEAGE)
    entries = facet.get("entries") if isinstance(facet, dict) else None
    if not isinstance(entries, list):
        return event
    outputs = _with_targets(event.outputs, entries)
    own = [entry for entry in entries if not _other_job(entry, event.job.name)]
    inputs = _with_names(event.inputs, (source for entry in own for source in sources_of_target(entry)))
    return replace(event, inputs=inputs, outputs=outputs)


def jobs_in_lineage(facets: Facets, own: Name) -> dict[str, list[Name]]:
    """The other jobs in the `lineage` facet of a job: those that hand data to it or to its outputs, without a dataset
    between (`upstream`), and those that it names as targets (`downstream`)."""
    facet = facets.get(LINEAGE)
    entries = facet.get("entries") if isinstance(facet, dict) else None
    listed = entries if isinstance(entries, list) else []
    targets = [_other_job(entry, own) for entry in listed]
    sources = [
        _other_job(source, own)
        for entry, to in zip(listed, targets, strict=True)
        if not to
        for source in _sources(entry)
    ]
    sides = {"upstream": sorted(set(filter(None, sources))), "downstream": sorted(set(filter(None, targets)))}
    return sides if any(sides.values()) else {}


def _other_job(entry: Any, own: Name) -> Name | None:
    """The job that an entry, or an input of an entry, names; None for a dataset, and for the event's own job."""
    name = named(entry) if isinstance(entry, dict) and entry.get("type") == "JOB" else None
    return None if name == own else name


def _plain(reference: DatasetReference) -> DatasetReference:
    """The dataset without a sources facet sent by its producer: only `apply_lineage_facet` may set it."""
    if SOURCES not in reference.facets:
        return reference
    return replace(reference, facets={name: facet for name, facet in reference.facets.items() if name != SOURCES})


def _with_targets(outputs: tuple[DatasetReference, ...], entries: Iterable[Any]) -> tuple[DatasetReference, ...]:
    targets = {dataset_id(name): entry for entry in entries if (name := dataset_of(entry))}
    all_outputs = _with_names(outputs, (name for entry in entries if (name := dataset_of(entry))))
    return tuple(
        _made_of(output, targets[dataset_id(output.name)]) if dataset_id(output.name) in targets else output
        for output in all_outputs
    )


def _with_names(references: tuple[DatasetReference, ...], names: Iterable[Name]) -> tuple[DatasetReference, ...]:
    known = {dataset_id(reference.name) for reference in references}
    more = {dataset_id(name): DatasetReference(name, {}, {}) for name in names}
    return references + tuple(reference for node, reference in more.items() if node not in known)


def _made_of(target: DatasetReference, entry: Any) -> DatasetReference:
    facets: dict[str, Any] = {**target.facets, SOURCES: sorted(set(map(tuple, sources_of_target(entry))))}
    facets[SOURCES] = [list(name) for name in facets[SOURCES]]
    columns = _column_lineage(entry)
    if columns:
        facets[COLUMN_LINEAGE] = columns
    return replace(target, facets=facets)


def _column_lineage(entry: Any) -> Facets:
    columns = entry.get("fields")
    fields = {
        field: {"inputFields": inputs}
        for field, column in (columns.items() if isinstance(columns, dict) else ())
        if (inputs := _input_fields(column))
    }
    whole = _input_fields(entry)
    return {"fields": fields, "dataset": whole} if fields or whole else {}


def _input_fields(holder: Any) -> list[dict[str, Any]]:
    return [source for source in _inputs(holder) if isinstance(source.get("field"), str) and dataset_of(source)]


def sources_of_target(entry: Any) -> Iterator[Name]:
    """The datasets that a target is made of, as a whole or in a column."""
    yield from filter(None, map(dataset_of, _sources(entry)))


def _sources(entry: Any) -> list[dict[str, Any]]:
    """The inputs of an entry, and those of its columns."""
    fields = entry.get("fields") if isinstance(entry, dict) else None
    of_fields = [source for field in fields.values() for source in _inputs(field)] if isinstance(fields, dict) else []
    return [*_inputs(entry), *of_fields]


def _inputs(holder: Any) -> list[dict[str, Any]]:
    inputs = holder.get("inputs") if isinstance(holder, dict) else None
    return [source for source in inputs if isinstance(source, dict)] if isinstance(inputs, list) else []


def dataset_of(entry: Any) -> Name | None:
    """The dataset that an entry, or an input of an entry, names."""
    is_dataset = isinstance(entry, dict) and entry.get("type", "DATASET") == "DATASET"
    return named(entry) if is_dataset else None
