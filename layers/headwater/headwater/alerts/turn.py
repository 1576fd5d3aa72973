"""What turned between two heads of a dataset, one after the other in the table's stream.

A head holds what is newest by event time, so an older event that comes late turns nothing; and each turn is in one
record of the stream alone, whoever dies before or after it.
"""

from typing import NamedTuple

from headwater.graph.curation import RESERVED
from headwater.graph.dataset import DatasetHead
from headwater.graph.neighbours import Side
from headwater.lookup import shapes
from headwater.openlineage.event import Facets


class Turn(NamedTuple):
    """From one schema to another, by their digests, as somebody wrote or read the dataset; or, if `is_drop`, from there
    to nothing. `behind` counts the turns that are known to have followed it."""

    before: str
    after: str | None
    side: Side
    is_drop: bool = False
    behind: int = 0


def turn_of(old: DatasetHead, new: DatasetHead) -> Turn | None:
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
        return Turn(before, new.written, Side.WRITES, is_drop=True)
    if new.written is not None and new.written != old.written:
        return Turn(before, new.written, Side.WRITES)
    seen = new.schema_digest
    if seen is None or seen in (old.schema_digest, new.written):
        return None
    return Turn(new.written or before, seen, Side.READS)


def is_drop(facets: Facets) -> bool:
    """Whether facets say that the dataset was dropped."""
    return shapes.text(facets, "lifecycleStateChange", "lifecycleStateChange") == "DROP"


def _is_empty(head: DatasetHead) -> bool:
    return not shapes.fields_of(head.schema)
