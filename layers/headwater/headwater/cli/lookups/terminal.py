"""How a text is shown: in colour, as wide as the terminal and with only the nearest nodes, or complete in a pipe."""

import io
import shutil
import sys
from collections.abc import Callable, Mapping
from typing import TextIO

from headwater.cli.failure import CommandFailure
from headwater.lookup.text.display import Display, Paint, Role, Span, plain
from headwater.lookup.text.inert import inert

MIN_WIDTH = 40
WHOLE = 10_000
"""The width of a pipe: no name is shortened, and a program finds it."""
MOST_NODES, MOST_ENTRIES = 120, 12
_CODES = {
    Role.HEADING: "1",
    Role.JOB: "36",
    Role.DATASET: "1",
    Role.COLUMN: "",
    Role.DETAIL: "2",
    Role.GOOD: "32",
    Role.BAD: "31",
    Role.OPEN: "33",
}
"""Of ANSI's SGR: bold, cyan, faint, green, red, yellow; they can be read on a dark and on a light ground."""


def display_for(stream: TextIO, environment: Mapping[str, str], *, whole: bool, is_list: bool = False) -> Display:
    """How to show a text on a stream; `whole` shows all nodes, as a pipe does unless the answer is a long list."""
    if not stream.isatty():
        columns = environment.get("COLUMNS", "")
        width = max(MIN_WIDTH, int(columns)) if columns.isdecimal() else WHOLE
        return Display(width, most_entries=MOST_ENTRIES) if is_list and not whole else Display(width)
    width = max(MIN_WIDTH, shutil.get_terminal_size().columns)
    paint = paint_for(environment)
    return Display(width, paint=paint) if whole else Display(width, MOST_NODES, MOST_ENTRIES, paint)


def print_anything() -> None:
    """From here on, what a stream's encoding lacks is printed as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def paint_for(environment: Mapping[str, str]) -> Paint:
    """Colours, unless NO_COLOR (https://no-color.org) is set or the terminal knows none."""
    return plain if environment.get("NO_COLOR") or environment.get("TERM") == "dumb" else _coloured


def shown(render: Callable[[Display], str], display: Display, option: str = "--all") -> str:
    """A text, with a last line that says if it only shows the nearest nodes, and which option shows all."""
    text = render(display)
    whole = Display(display.width, paint=display.paint)
    if display == whole or text == render(whole):
        return text
    return text + display.text([(), (Span(f"the nearest are shown; {option} shows all", Role.DETAIL),)])


def told(failure: CommandFailure) -> int:
    """Say on the standard error why there is no answer. Return the exit status."""
    print(*map(inert, failure.lines()), sep="\n", file=sys.stderr)
    return failure.status


def _coloured(role: Role, text: str) -> str:
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if _CODES[role] and text.strip() else text
