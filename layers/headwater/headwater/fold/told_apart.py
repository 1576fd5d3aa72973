"""Parts a batch of events where two of them say different schemas of one dataset, so that each is folded by itself.

What the table holds in the end does not depend on it; but whoever follows the table is to see every change of a schema
and not only what a batch of ten made of it: a schema that goes from A to B and back within a second has changed twice.
"""

from collections.abc import Iterator, Sequence

from headwater.graph.identity import NodeId, dataset_id
from headwater.graph.mention import SCHEMA
from headwater.graph.received import Received
from headwater.openlineage import exact_json
from headwater.openlineage.event import DatasetEvent

TELLING = frozenset({SCHEMA, "lifecycleStateChange"})
Said = set[tuple[int, str]]
"""What an event says of a dataset's schema: on which side, the schema, and whether it came or went."""


def told_apart(events: Sequence[Received]) -> Iterator[list[Received]]:
    """The events in their order, in as few groups as say of each dataset one thing alone."""
    group: list[Received] = []
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


def _schemas(received: Received) -> dict[NodeId, Said]:
    """The schemas that one event says of each dataset, as an input or output; a MERGE says two of one table."""
    found: dict[NodeId, Said] = {}
    event = received.event
    sides = [[event.dataset]] if isinstance(event, DatasetEvent) else [event.inputs, event.outputs]
    for side, mentions in enumerate(sides):
        for mention in mentions:
            facets = {name: mention.facets[name] for name in TELLING & mention.facets.keys()}
            if facets:
                found.setdefault(dataset_id(mention.name), set()).add((side, exact_json.dumps(facets)))
    return found
