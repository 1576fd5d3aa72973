"""Last-writer-wins registers: a facet is replaced whole by the newest of its name (OpenLineage: runs are accumulative).

A register remembers when its value was said, and a deletion (`_deleted: true`) is a value too, so that an older facet
which arrives later does not come back to life.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NewType

from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent, Facets, RunEvent
from headwater.openlineage.instant import Instant

Stamp = NewType("Stamp", str)
"""Orders what events say: by event time, then START before the rest before the terminal event, then by the event's
digest, then input before output. START and COMPLETE of one run often carry the same time."""


@dataclass(frozen=True, slots=True)
class Register:
    """A value and when it was said; the value None is a deletion."""

    stamp: Stamp
    value: Any

    @property
    def time(self) -> Instant:
        return time_of(self.stamp)

    def join(self, other: "Register | None") -> "Register":
        if other is None or other == self:
            return self
        if self.stamp != other.stamp:
            return max(self, other, key=lambda register: register.stamp)
        return max(self, other, key=lambda register: exact_json.dumps(register.value))


Registers = Mapping[str, Register]


def stamp(event: AnyEvent, role: str = "") -> Stamp:
    """`role` sorts what one event says of one dataset twice: as an input ("i"), then as an output ("o")."""
    phase = "1"
    if isinstance(event, RunEvent):
        phase = "2" if event.type.is_terminal else "0" if event.type == "START" else "1"
    return Stamp(f"{event.time}{phase}{event.digest}{role}")


def time_of(said_at: Stamp) -> Instant:
    """The event time in a stamp."""
    return Instant(said_at[:30])


def join_registers(left: Registers, right: Registers) -> Registers:
    """The union, the newer where both have one."""
    return {**left, **{name: register.join(left.get(name)) for name, register in right.items()}}


def values(registers: Registers) -> dict[str, Any]:
    """What the registers hold now, without what was deleted."""
    return {name: register.value for name, register in sorted(registers.items()) if register.value is not None}


def said(facets: Facets, at: Stamp) -> Registers:
    """Facets as one event says them, kept as they are (run, input and output facets cannot be deleted)."""
    return {name: Register(at, facet) for name, facet in facets.items()}


def deletable(facets: Facets, at: Stamp) -> Registers:
    """Job or dataset facets as one event says them, `_deleted` among them."""
    return {name: Register(at, None if is_deletion(facet) else facet) for name, facet in facets.items()}


def is_deletion(facet: Any) -> bool:
    """Whether a facet says that it is no more; some producers write `"_deleted": null` into every facet."""
    return isinstance(facet, dict) and facet.get("_deleted") is True
