"""The recorded events of tests/fixtures, as the listener sent them, one JSON text each."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "fixtures" / "spark-3.5"


@cache
def recorded() -> tuple[bytes, ...]:
    """Every event, file by file, in the order of its arrival."""
    return tuple(line for file in sorted(FOLDER.glob("*.jsonl")) for line in file.read_bytes().splitlines())
