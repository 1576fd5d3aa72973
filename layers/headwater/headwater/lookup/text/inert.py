"""Names as inert text of a known width: no name moves the cursor, ends a line, turns the direction of writing or hides.

Names come from producers, and may hold any characters but NUL.
"""

import re
import unicodedata
from collections.abc import Iterator

from headwater.lookup.export.label import visible

ELLIPSIS = "…"
_JOINERS = "\u200c\u200d"
"""They shape Persian, Indic and emoji. Between ASCII letters they would only hide."""
_MOST_MARKS = 3
"""Combining marks in a row. More climb over other lines."""
_NEEDS_QUOTES = re.compile(r'^$|[\s"()←→]')


def inert(text: str) -> str:
    """The text in one line: control characters as pictures, and what cannot be seen as an escape such as `\\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    shown: list[str] = []
    marks, before = 0, ""
    for character in visible(text):
        is_mark = unicodedata.category(character) in ("Mn", "Me")
        marks = marks + 1 if is_mark else 0
        is_joiner = character in _JOINERS and not before.isascii()
        is_shown = (character.isprintable() and marks <= _MOST_MARKS) or is_joiner
        shown.append(character if is_shown else character.encode("ascii", "backslashreplace").decode())
        before = character
    return "".join(shown)


def quoted(text: str) -> str:
    """A name as inert text, in quotes if it might be taken for something else, such as the name `job x`."""
    shown = inert(text)
    return '"' + shown.replace('"', r"\"") + '"' if _NEEDS_QUOTES.search(shown) else shown


def width_of(text: str) -> int:
    """The columns that inert text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_width, text))


def shortened(text: str, width: int) -> str:
    """Inert text without its middle, if it is wider: paths differ at their ends, and begin with where they are."""
    if width_of(text) <= width:
        return text
    room = max(0, width - 1)
    tail = end(text, room - room * 2 // 5)
    return beginning(text, room - width_of(tail)) + ELLIPSIS + tail


def cut(text: str, width: int) -> str:
    """Inert text without its end, if it is wider: a sentence says the worst first."""
    return text if width_of(text) <= width else beginning(text, max(0, width - 1)) + ELLIPSIS


def beginning(text: str, width: int) -> str:
    """As much of the beginning of inert text as fits."""
    for at, character in enumerate(text):
        width -= _width(character)
        if width < 0:
            return text[:at]
    return text


def end(text: str, width: int) -> str:
    """As much of the end of inert text as fits. It does not begin with a mark, which would change what is before it."""
    for at in range(len(text) - 1, -1, -1):
        width -= _width(text[at])
        if width < 0:
            return text[at + 1 :].lstrip("".join(c for c in text[at + 1 :] if _width(c) == 0))
    return text


def wrapped(text: str, width: int) -> Iterator[str]:
    """Inert text in lines. A word that is wider than a line continues on the next."""
    line = ""
    for word in text.split():
        if line and width_of(line) + 1 + width_of(word) > width:
            yield line
            line = ""
        rest = f"{line} {word}" if line else word
        while width_of(rest) > width:
            part = beginning(rest, width) or rest[:1]
            yield part
            rest = rest[len(part) :]
        line = rest
    if line:
        yield line


def _width(character: str) -> int:
    if character.isascii():
        return 1
    if character in _JOINERS or unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
