"""Parts a batch of events where two of them say different schemas of one dataset, so that each is folded by itself.

What the table holds in the end does not depend on it; but whoever follows the table is to see every change of a schema
and not only what a batch of ten made of it: a schema that goes from A to B and back within a second has changed twice.
"""

from collections.abc import Iterator, Sequence

from headwater.graph.identity import NodeId
from headwater.graph.mention import SCHEMA, documents
from headwater.graph.received import Received


def told_apart(events: Sequence[Received]) -> Iterator[list[Received]]:
    """The events in their order, in as few groups as say of each dataset one thing alone."""
    group: list[Received] = []
    said: dict[NodeId, set[str]] = {}
    for each in events:
        schemas = _schemas(each)
        if any(said.get(dataset, of_dataset) != of_dataset for dataset, of_dataset in schemas.items()):
            yield group
            group, said = [], {}
        group.append(each)
        said |= schemas
    if group:
        yield group


def _schemas(received: Received) -> dict[NodeId, set[str]]:
    """The digests of the schemas that one event says of each dataset; a MERGE says two of one table."""
    found: dict[NodeId, set[str]] = {}
    for document in documents(received.event):
        if document.facet == SCHEMA:
            found.setdefault(document.dataset, set()).add(document.digest)
    return found
