"""The transition of a dataset's schema between two heads, one after the other in the table's stream.

A head holds the newest facts by event time, so an older event that comes late causes no transition. Each transition is
in exactly one record of the stream, even if a function dies before or after it writes the record.
"""

from typing import NamedTuple

from headwater.graph.facets.curation import RESERVED
from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.facets.members import is_drop
from headwater.graph.facets.schema import ONLY_DOCUMENTED, fields_of, is_registered
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.neighbours import Side


class SchemaTransition(NamedTuple):
    """The transition from one schema of a dataset to another.

    before    the digest of the schema before
    after     the digest of the schema after, if one is known
    side      whether the dataset was written or read with the schema after
    is_drop   the dataset was dropped, or its name ended by a rename
    repeats   how often the same transition comes again in the same batch of the stream
    alert     the id of the alert about it
    """

    before: str
    after: str | None
    side: Side
    is_drop: bool = False
    repeats: int = 0
    alert: str = ""


def schema_transition(old: DatasetHead, new: DatasetHead) -> SchemaTransition | None:
    """The transition between two heads, if there is one. A dataset's first schema is not a transition, nor is that of
    another dataset under an old name, nor a registry's first schema: the topic already had it, whatever jobs said.

    A written schema takes precedence over one that a reader reports. A reader that reports the schema of the last write
    causes no transition. Nor does the first known write if it is older than what a reader reported: its events came
    late.
    """
    is_gone = new.is_deleted and new.renamed == old.renamed
    if is_gone or new.facts.name.namespace in RESERVED or _is_first_of_registry(old, new):
        return None
    before = old.written or old.schema_digest
    if before is None or old.renamed or SCHEMA in old.said_before:
        return None
    is_empty_anew = new.written != old.written and _is_empty(new)
    if new.renamed or (is_drop(new.facets) and (is_empty_anew or not is_drop(old.facets))):
        return SchemaTransition(before, new.written, Side.WRITES, is_drop=True)
    is_late = old.written is None and new.schema_digest != new.written
    if new.written is not None and new.written != old.written and not is_late:
        return SchemaTransition(before, new.written, Side.WRITES)
    after = new.schema_digest
    if after is None or after in (old.schema_digest, new.written):
        return None
    return SchemaTransition(new.written or before, after, Side.READS)


def columns_gone(old: DatasetHead, new: DatasetHead) -> tuple[str, ...]:
    """The columns of partial schemas that went between two heads. Another spelling of a column is no other column."""
    is_whole = old.schema_digest is not None or new.schema_digest is not None
    if is_whole or new.is_deleted or old.renamed or new.facts.name.namespace in RESERVED:
        return ()
    before = {field["name"] for field in fields_of(old.schema) if ONLY_DOCUMENTED not in field}
    after = {field["name"] for field in fields_of(new.schema)}
    spelled = {name.lower() for name in after}
    return tuple(name for name in new.gone if name in before and name.lower() not in spelled)


def _is_first_of_registry(old: DatasetHead, new: DatasetHead) -> bool:
    return is_registered(new.facets) and not is_registered(old.facets)


def _is_empty(head: DatasetHead) -> bool:
    return not fields_of(head.schema)
