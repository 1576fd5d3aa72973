"""What a compatibility level promises of a new version, and what of it a version breaks.

    BACKWARD    readers with the new schema read old records     a new column needs a default
    FORWARD     readers with the old schema read new records     a column that goes had a default
    FULL        both
    NONE        nothing (Glue: also DISABLED)

A registry holds new versions to the level of the moment. A version that was registered after somebody lowered the level
breaks what the level before promised to the readers. That is found here, by the columns.
"""

from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum

from headwater.graph.facets.column_type import Retyping, retyping
from headwater.graph.facets.schema_diff import columns_diff
from headwater.sources.registry.columns import RecordColumn, by_path


class CompatibilityDirection(StrEnum):
    """Which readers a level protects."""

    BACKWARD = "BACKWARD"
    FORWARD = "FORWARD"


_NAMES = {frozenset[CompatibilityDirection](): "NONE", frozenset(CompatibilityDirection): "FULL"}
_PROMOTED = {("long", "float"), ("long", "double"), ("int", "float"), ("string", "bytes"), ("bytes", "string")}
"""Types that Avro reads as another, though not each value is the same there."""


def promised(level: str) -> frozenset[CompatibilityDirection]:
    """The directions that a level promises: of `FULL_TRANSITIVE` both."""
    return (
        frozenset(CompatibilityDirection)
        if level.startswith("FULL")
        else frozenset(of for of in CompatibilityDirection if level.startswith(of))
    )


def level_of(directions: Collection[CompatibilityDirection]) -> str:
    """The plain level that promises these directions."""
    return _NAMES.get(frozenset(directions)) or next(iter(directions)).value


def strictest(levels: Iterable[str]) -> str:
    """The plain level that promises all that some levels promise."""
    return level_of(frozenset[CompatibilityDirection]().union(*map(promised, levels)))


def broken(level: str, before: Iterable[RecordColumn], after: Iterable[RecordColumn]) -> list[str]:
    """What breaks the promise of a level between two versions, a sentence for each column; none if nothing does."""
    old, new = dict(by_path(before)), dict(by_path(after))
    reasons = [
        *(
            _unreadable(old, new, "new schema", "old records")
            if CompatibilityDirection.BACKWARD in promised(level)
            else ()
        ),
        *(
            _unreadable(new, old, "old schema", "new records")
            if CompatibilityDirection.FORWARD in promised(level)
            else ()
        ),
    ]
    return list(dict.fromkeys(reasons))


def _unreadable(
    written: dict[str, RecordColumn], read: dict[str, RecordColumn], reader: str, records: str
) -> Iterator[str]:
    """Why a reader with one schema cannot read the records that were written with another."""
    diff = columns_diff(_types(written), _types(read))
    for name in diff.added:
        if not read[name].has_default and not name.endswith("[]"):
            yield f"{name} has no default in the {reader}, and {records} lack it"
    for column in diff.retyped:
        if retyping(column.before, column.after) is not Retyping.WIDENED and not _is_promoted(
            column.before, column.after
        ):
            yield f"{column.name} is {column.after} in the {reader}, and {column.before} in {records}"
    for name in written.keys() & read.keys():
        if written[name].is_nullable and not read[name].is_nullable:
            yield f"{name} must not be null in the {reader}, and may be null in {records}"


def _is_promoted(before: str, after: str) -> bool:
    return (before, after) in _PROMOTED


def _types(columns: dict[str, RecordColumn]) -> dict[str, str]:
    return {name: column.type for name, column in columns.items()}
