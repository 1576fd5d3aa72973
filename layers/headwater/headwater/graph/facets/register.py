"""Last-writer-wins registers: the newest facet of a name replaces the older one whole (OpenLineage: runs are
accumulative).

A register holds a value and the stamp of the event that gave the value. A deletion (`_deleted: true`) is a value too:
an older facet that arrives after it does not come back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NewType

from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent, Facets, RunEvent
from headwater.openlineage.instant import Instant

Stamp = NewType("Stamp", str)
"""The order of values: by event time, then START before other events before the terminal event, then by the event's
digest, then input before output. START and COMPLETE of one run often have the same event time."""


@dataclass(frozen=True, slots=True)
class Register:
    """A value and the stamp of its event; the value None is a deletion."""

    stamp: Stamp
    value: Any

    @property
    def time(self) -> Instant:
        return time_of(self.stamp)

    def join(self, other: "Register | None") -> "Register":
        if other is None:
            return self
        if self.stamp != other.stamp:
            return self if self.stamp > other.stamp else other
        if self.value == other.value:
            return self
        return max(self, other, key=lambda register: exact_json.dumps(register.value))


Registers = Mapping[str, Register]


def stamp(event: AnyEvent, role: str = "") -> Stamp:
    """The stamp of an event. `role` orders the facets of a dataset that is an input ("i") and an output ("o") of the
    event."""
    phase = "1"
    if isinstance(event, RunEvent):
        phase = "2" if event.type.is_terminal else "0" if event.type == "START" else "1"
    return Stamp(f"{event.time}{phase}{event.digest}{role}")


def stamp_of_end(time: Instant, digest: str) -> Stamp:
    """The stamp of the event that ended a run."""
    return Stamp(f"{time}2{digest}")


def time_of(value_stamp: Stamp) -> Instant:
    return Instant(value_stamp[:30])


def join_registers(left: Registers, right: Registers) -> Registers:
    """The union; of two registers of one name, the newer."""
    joined = {**left}
    for name, register in right.items():
        known = joined.get(name)
        joined[name] = register if known is None else register.join(known)
    return joined


def values(registers: Registers) -> dict[str, Any]:
    """The values of registers, without deletions."""
    return {name: register.value for name, register in sorted(registers.items()) if register.value is not None}


def registers_of(facets: Facets, at: Stamp) -> Registers:
    """Run, input or output facets of an event as registers, kept as they are: such facets cannot be deleted."""
    return {name: Register(at, facet) for name, facet in facets.items()}


def deletable_registers(facets: Facets, at: Stamp) -> Registers:
    """Job or dataset facets of an event as registers; a facet may be a deletion."""
    return {name: Register(at, None if is_deletion(facet) else facet) for name, facet in facets.items()}


def is_deletion(facet: Any) -> bool:
    """Whether a facet is a deletion; some producers write `"_deleted": null` into every facet, which does not count."""
    return isinstance(facet, dict) and facet.get("_deleted") is True
