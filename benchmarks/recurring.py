"""Recorded events of a real Spark, as another day's run of the same programs sends them: other run ids, later times."""

import re
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

RECORDED = Path(__file__).parents[1] / "tests" / "fixtures" / "spark-3.5" / "orders.jsonl"
BETWEEN_RUNS = timedelta(hours=6)

_RUN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_APPLICATION = re.compile(r"local-\d{13}")
_TIME = re.compile(r'"eventTime":"([^"]+)Z"')


def recurring(run: int, recorded: Path = RECORDED) -> Iterator[str]:
    """The events of the run with a number, in the order in which they were sent."""
    for line in recorded.read_text(encoding="utf-8").splitlines():
        later = _TIME.sub(lambda time: f'"eventTime":"{_later(time[1], run)}Z"', line)
        later = _APPLICATION.sub(lambda found: f"local-{int(found[0][6:]) + run * 21_600_123}", later)
        yield _RUN.sub(lambda found: _other(found[0], run), later)


def _later(time: str, run: int) -> str:
    return (datetime.fromisoformat(time) + run * BETWEEN_RUNS).isoformat(timespec="milliseconds")


def _other(run_id: str, run: int) -> str:
    """Another id of the same form: the first half is a time in an id of version 7, the rest is random."""
    random = uuid.uuid5(uuid.UUID(run_id), str(run)).hex
    head = f"{int(run_id[:8], 16) + run * 330:08x}"
    return f"{head}-{random[:4]}-7{random[4:7]}-8{random[7:10]}-{random[10:22]}"
