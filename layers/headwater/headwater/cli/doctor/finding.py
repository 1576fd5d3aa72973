"""Findings of the doctor, each with its remedy."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from headwater.cli.endpoint import UnusableKey

SHOWN = 5


class Blame(StrEnum):
    """The part that keeps a graph empty."""

    NETWORK = "the network"
    PATH = "the path"
    KEY = "the key"
    STACK = "the stack"
    COMPRESSION = "the compression"
    LISTENER = "the listener"
    NAMESPACE = "the namespace"


@dataclass(frozen=True)
class DoctorFinding:
    """A finding. `blame` is the part that keeps the graph empty; without `blame`, the finding is only a hint."""

    what: str
    fix: str
    blame: Blame | None = None

    def lines(self) -> list[str]:
        mark = f"[{self.blame} is to blame] " if self.blame else "[look at] "
        return [f"{mark}{self.what}", f"    fix: {self.fix}"]


class Diagnosis(Exception):
    """The finding that ends an examination."""

    def __init__(self, finding: DoctorFinding) -> None:
        super().__init__(finding.what)
        self.finding = finding


def unusable(key: UnusableKey) -> DoctorFinding:
    return DoctorFinding(key.what, key.steps[0], Blame.KEY)


def first_few(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
    return ", ".join(listed[:SHOWN]) + more
