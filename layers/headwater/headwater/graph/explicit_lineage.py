"""The explicit `lineage` facet (OpenLineage, 2026): its producer says which dataset is made of which.

On a job it has an entry for each target, on a dataset it describes that dataset. It is authoritative: where it is sent,
a target is made of what its entry names, and of nothing else (an entry without inputs is a generator), and its `fields`
take the place of a columnLineage facet. Here an event is spelled out, so that nobody else has to know two forms: every
dataset that an entry names is an input or output, and each target carries what it is made of.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from headwater.graph.dataset_reference import COLUMN_LINEAGE, SOURCES, named
from headwater.graph.identity import dataset_id
from headwater.openlineage.event import AnyEvent, DatasetEvent, DatasetReference, Facets, Name

LINEAGE = "lineage"


def apply_lineage_facet(event: AnyEvent) -> AnyEvent:
    """The event with what its `lineage` facet says told of the datasets themselves."""
    if isinstance(event, DatasetEvent):
        dataset, facet = _plain(event.dataset), event.dataset.facets.get(LINEAGE)
        return replace(event, dataset=_made_of(dataset, facet) if isinstance(facet, dict) else dataset)
    event = replace(event, inputs=tuple(map(_plain, event.inputs)), outputs=tuple(map(_plain, event.outputs)))
    facet = event.job.facets.get(LINEAGE)
    entries = facet.get("entries") if isinstance(facet, dict) else None
    if not isinstance(entries, list):
        return event
    outputs = _with_targets(event.outputs, entries)
    inputs = _with_names(event.inputs, (source for entry in entries for source in _sources(entry)))
    return replace(event, inputs=inputs, outputs=outputs)


def _plain(reference: DatasetReference) -> DatasetReference:
    """Nobody else may say it in our words."""
    return replace(reference, facets={name: facet for name, facet in reference.facets.items() if name != SOURCES})


def _with_targets(outputs: tuple[DatasetReference, ...], entries: Iterable[Any]) -> tuple[DatasetReference, ...]:
    targets = {dataset_id(name): entry for entry in entries if (name := _dataset(entry))}
    named_too = _with_names(outputs, (name for entry in entries if (name := _dataset(entry))))
    return tuple(
        _made_of(each, targets[dataset_id(each.name)]) if dataset_id(each.name) in targets else each
        for each in named_too
    )


def _with_names(references: tuple[DatasetReference, ...], names: Iterable[Name]) -> tuple[DatasetReference, ...]:
    known = {dataset_id(each.name) for each in references}
    more = {dataset_id(name): DatasetReference(name, {}, {}) for name in names}
    return references + tuple(reference for node, reference in more.items() if node not in known)


def _made_of(target: DatasetReference, entry: Any) -> DatasetReference:
    facets: dict[str, Any] = {**target.facets, SOURCES: sorted(set(map(tuple, _sources(entry))))}
    facets[SOURCES] = [list(name) for name in facets[SOURCES]]
    columns = _column_lineage(entry)
    if columns:
        facets[COLUMN_LINEAGE] = columns
    return replace(target, facets=facets)


def _column_lineage(entry: Any) -> Facets:
    """What an entry says of columns, as a columnLineage facet."""
    said = entry.get("fields")
    fields = {
        field: {"inputFields": inputs}
        for field, of_field in (said.items() if isinstance(said, dict) else ())
        if (inputs := [each for each in _inputs(of_field) if isinstance(each.get("field"), str) and _dataset(each)])
    }
    whole = [each for each in _inputs(entry) if isinstance(each.get("field"), str) and _dataset(each)]
    return {"fields": fields, "dataset": whole} if fields or whole else {}


def _sources(entry: Any) -> Iterator[Name]:
    """The datasets that a target is made of, as a whole or in a column."""
    fields = entry.get("fields") if isinstance(entry, dict) else None
    of_fields = [each for field in fields.values() for each in _inputs(field)] if isinstance(fields, dict) else []
    for source in [*_inputs(entry), *of_fields]:
        if name := _dataset(source):
            yield name


def _inputs(holder: Any) -> list[dict[str, Any]]:
    inputs = holder.get("inputs") if isinstance(holder, dict) else None
    return [each for each in inputs if isinstance(each, dict)] if isinstance(inputs, list) else []


def _dataset(entry: Any) -> Name | None:
    is_dataset = isinstance(entry, dict) and entry.get("type", "DATASET") == "DATASET"
    return named(entry) if is_dataset else None
