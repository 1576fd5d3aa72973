"""The tables of docs/emulator.md: the faults of the emulator, and the files that work around them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def workarounds() -> dict[str, list[str]]:
    """The files of each workaround."""
    return {row[0][0]: row[1] for row in _rows("workaround")}


def gaps() -> list[str]:
    """The faults that no file works around."""
    return [row[0][0] for row in _rows("gap")]


def mended(name: str) -> str:
    """The message of a test that fails because its fault is gone."""
    files = workarounds().get(name)
    remove = f"Remove the workaround {name} from {', '.join(files)}" if files else f"Nothing works around {name}"
    return f"MiniStack no longer has this fault. {remove}; then this test and its row of docs/emulator.md can go."


def _rows(heading: str) -> list[list[list[str]]]:
    """The texts in backticks of each cell, row by row, of the table whose first heading this is."""
    lines = (ROOT / "docs" / "emulator.md").read_text(encoding="utf-8").splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith(f"| {heading} |")) + 2
    rows = lines[start : lines.index("", start) if "" in lines[start:] else None]
    return [[re.findall(r"`([^`]+)`", cell) for cell in row.split("|")[1:-1]] for row in rows]
