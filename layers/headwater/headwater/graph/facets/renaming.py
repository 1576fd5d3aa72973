"""Renames of tables: `ALTER TABLE per_day RENAME TO daily`.

Spark's listener names only the new table. Its lifecycleStateChange facet says RENAME, and has the old name as
`previousIdentifier`. This module adds the old name as an output, and gives each of the two a facet that names the
other. If the path stays the same, as for an external table, the two names are one dataset already.

A rename fails if the new name is taken. The listener does not report the failure, and its COMPLETE looks the same. But
it looks up the new name in the catalogue, and START comes before the rename:

                 the rename succeeds      the rename fails
    START        no output                `daily`, RENAME, previousIdentifier `per_day`
    COMPLETE     `daily`, RENAME, ...     `daily`, RENAME, previousIdentifier `per_day`
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from headwater.graph.facets.curation import RESERVED
from headwater.graph.facets.dataset_reference import named
from headwater.graph.facets.members import LIFECYCLE
from headwater.graph.names.identity import DatasetId, dataset_id
from headwater.graph.names.naming import Naming
from headwater.openlineage.event import MAX_NAME_LENGTH, DatasetReference, EventType, Facets, Name, RunEvent
from headwater.openlineage.instant import Instant

_TO, _FROM = "headwater_renamedTo:", "headwater_renamedFrom:"
"""`{"namespace": ..., "name": ..., "at": event time, "run": run id}`: the new name on the old one, and the reverse. The
name of the facet ends with the last digit of the run's id: a dataset keeps up to 16 of its renames, and a failed one
does not hide one that succeeded."""
_NOT = "headwater_notRenamed:"
"""`{"run": run id}` on both names: this run has renamed nothing."""


class Rename(NamedTuple):
    """A rename of a dataset, by the facets of one of its names: the time, and the other name."""

    at: Instant
    other: Name

    @property
    def id(self) -> DatasetId:
        return dataset_id(self.other)


def renames_to(facets: Mapping[str, Any]) -> list[Rename]:
    """The renames that took this name away, the earliest first."""
    return _renames(facets, _TO)


def renames_from(facets: Mapping[str, Any]) -> list[Rename]:
    """The renames that gave this name, the earliest first."""
    return _renames(facets, _FROM)


def is_of_rename(name: str) -> bool:
    """Whether a facet of this name records a rename."""
    return name.startswith((_TO, _FROM, _NOT))


def is_old_name(facets: Mapping[str, Any]) -> bool:
    """The previous name of an output that a run has only because of a rename, which may have failed."""
    return LIFECYCLE not in facets and any(name.startswith((_TO, _NOT)) for name in facets)


def next_rename(facets: Mapping[str, Any], after: Instant) -> Rename | None:
    """The first rename after a time that took this name away."""
    return next((rename for rename in renames_to(facets) if rename.at > after), None)


def _renames(facets: Mapping[str, Any], prefix: str) -> list[Rename]:
    found = [
        _rename(facet, facets.get(_NOT + name.removeprefix(prefix)))
        for name, facet in facets.items()
        if name.startswith(prefix)
    ]
    return sorted(rename for rename in found if rename)


def _rename(facet: Any, failed: Any) -> Rename | None:
    match facet:
        case {"at": str(at), "run": run} if failed != {"run": run} and (other := named(facet)):
            return Rename(Instant(at), other)
    return None


def with_old_names(event: RunEvent, naming: Naming, *, looks_outputs_up: bool) -> RunEvent:
    """The event, with the old name of a renamed output as an output, too. `looks_outputs_up` says that START names an
    output only if it is there already."""
    fails = event.type in (EventType.FAIL, EventType.ABORT) or (looks_outputs_up and event.type is EventType.START)
    if not fails and event.type is not EventType.COMPLETE:
        return event
    if not any(LIFECYCLE in output.facets for output in event.outputs):
        return event
    outputs = tuple(each for output in event.outputs for each in _both_names(event, output, naming, fails=fails))
    return replace(event, outputs=outputs)


def _both_names(
    event: RunEvent, output: DatasetReference, naming: Naming, *, fails: bool
) -> Iterator[DatasetReference]:
    before, digit = _previous(output.facets), event.run_id[-1:].lower()
    old = naming.identify(before).shown if before else output.name
    if dataset_id(old) == dataset_id(output.name):
        yield output
        return
    at = {"at": event.time, "run": event.run_id}
    new_says: Facets = {_FROM + digit: {**old.as_json(), **at}}
    old_says: Facets = {_TO + digit: {**output.name.as_json(), **at}}
    if fails:
        new_says = old_says = {_NOT + digit: {"run": event.run_id}}
    yield replace(output, facets={**output.facets, **new_says})
    yield DatasetReference(old, old_says, {})


def _previous(facets: Facets) -> Name | None:
    """The name before a rename, if it may be one of a dataset."""
    match facets.get(LIFECYCLE):
        case {"lifecycleStateChange": "RENAME", "previousIdentifier": previous}:
            name = named(previous)
            is_name = name and name.namespace not in RESERVED and max(map(len, name)) <= MAX_NAME_LENGTH
            return name if is_name else None
    return None
