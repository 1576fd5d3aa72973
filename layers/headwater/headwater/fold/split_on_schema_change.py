"""Parts a batch of events where two of them say different schemas of one dataset, so that each is folded by itself.

What the table holds in the end does not depend on it; but whoever follows the table is to see every change of a schema
and not only what a batch of ten made of it: a schema that goes from A to B and back within a second has changed twice.
"""

from collections.abc import Iterator, Sequence

from headwater.graph.dataset_reference import SCHEMA
from headwater.graph.identity import NodeId, dataset_id
from headwater.graph.normalised_event import NormalisedEvent
from headwater.openlineage import exact_json
from headwater.openlineage.event import DatasetEvent

TELLING = frozenset({SCHEMA, "lifecycleStateChange"})
Said = set[tuple[int, str]]
"""What an event says of a dataset's schema: on which side, the schema, and whether it came or went."""


def split_on_schema_change(events: Sequence[NormalisedEvent]) -> Iterator[list[NormalisedEvent]]:
    """The events in their order, in as few groups as say of each dataset one thing alone."""
    group: list[NormalisedEvent] = []
    said: dict[NodeId, Said] = {}
    for each in events:
        schemas = _schemas(each)
        if any(said.get(dataset, of_dataset) != of_dataset for dataset, of_dataset in schemas.items()):
            yield group
            group, said = [], {}
        group.append(each)
        said |= schemas
    if group:
        yield group


def _schemas(normalised: NormalisedEvent) -> dict[NodeId, Said]:
    """The schemas that one event says of each dataset, as an input or output; a MERGE says two of one table."""
    found: dict[NodeId, Said] = {}
    event = normalised.event
    sides = [[event.dataset]] if isinstance(event, DatasetEvent) else [event.inputs, event.outputs]
    for side, references in enumerate(sides):
        for reference in references:
            facets = {name: reference.facets[name] for name in TELLING & reference.facets.keys()}
            if facets:
                found.setdefault(dataset_id(reference.name), set()).add((side, exact_json.dumps(facets)))
    return found
