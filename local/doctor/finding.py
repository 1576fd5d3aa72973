"""What the doctor finds, each with what to do about it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

SHOWN = 5


class Blame(StrEnum):
    """Which part is at fault; what arrives but looks odd is nobody's."""

    NETWORK = "the network"
    PATH = "the path"
    KEY = "the key"
    STACK = "the stack"
    LISTENER = "the listener"
    NAMESPACE = "the namespace"


@dataclass(frozen=True)
class Finding:
    """Something to look at: `blame` says which part keeps the graph empty, if one does."""

    what: str
    fix: str
    blame: Blame | None = None

    def lines(self) -> list[str]:
        mark = f"[{self.blame} is to blame] " if self.blame else "[look at] "
        return [f"{mark}{self.what}", f"    fix: {self.fix}"]


class Ill(Exception):
    """A finding after which nothing more can be asked."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.what)
        self.finding = finding


def some(names: Iterable[str]) -> str:
    found = list(names)
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return ", ".join(found[:SHOWN]) + more
