"""Splits a batch of events where two events have different schemas of one dataset. Each part is folded by itself.

The split does not affect the final states. But the table's stream must show every schema change: a schema that goes
from A to B and back to A within one batch has changed twice. A name that one rename takes away and another gives back
has had the schemas of two tables, which is not a change.
"""

from collections.abc import Iterator, Sequence

from headwater.graph.facets.long_facet import SCHEMA, digest_of
from headwater.graph.facets.renaming import is_of_rename
from headwater.graph.facets.schema import ARE_ALL, PARTIAL, fields_of
from headwater.graph.names.identity import DatasetId, dataset_id
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage import exact_json
from headwater.openlineage.event import DatasetEvent, Facets

SCHEMA_FACETS = (SCHEMA, "lifecycleStateChange")
Schemas = set[tuple[int, tuple[str | None, ...]]]
"""The schemas of a dataset in an event: the side (0: input, 1: output), the digest of each facet that it has, and the
columns of a partial schema that has all."""


def split_on_schema_change(events: Sequence[NormalisedEvent]) -> Iterator[list[NormalisedEvent]]:
    """The events in their order, in groups: each group has for each dataset one set of schemas."""
    group: list[NormalisedEvent] = []
    in_group: dict[DatasetId, Schemas] = {}
    for event in events:
        in_event = _schemas(event)
        if any(in_group.get(dataset, schemas) != schemas for dataset, schemas in in_event.items()):
            yield group
            group, in_group = [], {}
        group.append(event)
        in_group |= in_event
    if group:
        yield group


def _schemas(normalised: NormalisedEvent) -> dict[DatasetId, Schemas]:
    """The schemas of each dataset in an event. A MERGE has two schemas of its target: as an input and as an output."""
    schemas: dict[DatasetId, Schemas] = {}
    event = normalised.event
    sides = [[event.dataset]] if isinstance(event, DatasetEvent) else [event.inputs, event.outputs]
    for side, references in enumerate(sides):
        for reference in references:
            names = (*SCHEMA_FACETS, *sorted(filter(is_of_rename, reference.facets)))
            digests = tuple(
                digest_of(name, reference.facets[name]) if name in reference.facets else None for name in names
            )
            digests = (*digests, _all_columns(reference.facets))
            if any(digests):
                schemas.setdefault(dataset_id(reference.name), set()).add((side, digests))
    return schemas


def _all_columns(facets: Facets) -> str | None:
    """A text of the names of the columns of a partial schema, if it has all columns of its job."""
    schema = facets.get(PARTIAL) or {}
    return exact_json.dumps(sorted(field["name"] for field in fields_of(schema))) if ARE_ALL in schema else None
