"""What a text is shown on: how wide it is, how much of a graph it shows, and how it paints."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from headwater.lookup.text.inert import inert, width_of, wrapped


class Role(StrEnum):
    """What a piece of text is, for a caller that paints."""

    HEADING = "heading"
    JOB = "job"
    DATASET = "dataset"
    COLUMN = "column"
    DETAIL = "detail"
    GOOD = "good"
    BAD = "bad"
    OPEN = "open"


class Span(NamedTuple):
    """A piece of a line."""

    text: str
    role: Role | None = None


Line = tuple[Span, ...]
Paint = Callable[[Role, str], str]
"""Paints a piece of text. The width of the text stays."""


def plain(_role: Role, text: str) -> str:
    """Paints nothing, as HTTP and pipes need."""
    return text


@dataclass(frozen=True, slots=True)
class Display:
    """How a caller shows a text.

    width           columns of a line; names are shortened to fit
    most_nodes      nodes of a tree, the nearest ones; None: all
    most_entries    entries below one node, owner or heading; None: all
    """

    width: int = 80
    most_nodes: int | None = None
    most_entries: int | None = None
    paint: Paint = plain

    def text(self, lines: Iterable[Line]) -> str:
        """The lines, painted, without spaces at their ends."""
        return "".join(f"{self._painted(line)}\n" for line in lines)

    def _painted(self, line: Line) -> str:
        return "".join(self.paint(span.role, span.text) if span.role else span.text for span in line).rstrip(" ")

    def shown(self, count: int) -> int:
        """How many of so many entries are shown. Showing one more takes no more room than saying so."""
        most = self.most_entries
        return count if most is None or count <= most + 1 else most


BLANK: Line = ()


def width_of_line(line: Line) -> int:
    return sum(width_of(span.text) for span in line)


def detail(text: str) -> Line:
    """A line, or the end of a line, that is read last."""
    return (Span(text, Role.DETAIL),)


def sentence(text: str, display: Display) -> Iterator[Line]:
    """A sentence of an answer, on as many lines as it needs."""
    return map(detail, wrapped(inert(text), display.width))


def frontier(answer: Mapping[str, Any], display: Display) -> Iterator[Line]:
    """What the answer cannot see, after an empty line; nothing if it saw everything."""
    if told := (answer.get("frontier") or {}).get("sentence"):
        yield BLANK
        yield from sentence(told, display)
