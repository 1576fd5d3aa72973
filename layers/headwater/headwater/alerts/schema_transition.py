"""The change of schema between two heads of a dataset, one after the other in the table's stream.

A head holds what is newest by event time, so an older event that comes late changes nothing; and each transition is in
one record of the stream alone, whoever dies before or after it.
"""

from typing import NamedTuple

from headwater.graph.curation import RESERVED
from headwater.graph.dataset import DatasetHead
from headwater.graph.facets import facet_text, fields_of
from headwater.graph.neighbours import Side
from headwater.openlineage.event import Facets


class SchemaTransition(NamedTuple):
    """From one schema to another, by their digests, as somebody wrote or read the dataset; or, if `is_drop`, from there
    to nothing. `later_transitions` counts the transitions that are known to have followed."""

    before: str
    after: str | None
    side: Side
    is_drop: bool = False
    later_transitions: int = 0


def schema_transition(old: DatasetHead, new: DatasetHead) -> SchemaTransition | None:
    """What turned, if anything did that may be a change of the schema. The first that is known is no change.

    What a dataset was written with counts before what somebody reads in it; and a reader who says what was written last
    says nothing new.
    """
    if new.is_deleted or new.facts.name.namespace in RESERVED:
        return None
    before = old.written or old.schema_digest
    if before is None:
        return None
    if is_drop(new.facets) and (not is_drop(old.facets) or (new.written != old.written and _is_empty(new))):
        return SchemaTransition(before, new.written, Side.WRITES, is_drop=True)
    if new.written is not None and new.written != old.written:
        return SchemaTransition(before, new.written, Side.WRITES)
    seen = new.schema_digest
    if seen is None or seen in (old.schema_digest, new.written):
        return None
    return SchemaTransition(new.written or before, seen, Side.READS)


def is_drop(facets: Facets) -> bool:
    """Whether facets say that the dataset was dropped."""
    return facet_text(facets, "lifecycleStateChange", "lifecycleStateChange") == "DROP"


def _is_empty(head: DatasetHead) -> bool:
    return not fields_of(head.schema)
