"""The recorded events of the demo: the pipeline before and after the schema of the raw orders changed."""

import gzip
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent / "orders.jsonl.gz"
"""Written by local/demo/record.py, from a run of the real jobs."""
LAKE = "/data/lake"
"""The folder of the datasets in the recording."""
FIRST_JOB = "clean_orders"
"""The application with which each run of the pipeline begins."""
_TIME = re.compile(r'(?<="eventTime":")[^"]+')


class Recording(NamedTuple):
    """The events as JSON texts, in the order in which they were sent."""

    before: Sequence[str]
    after: Sequence[str]


def recording(now: datetime) -> Recording:
    """The events, at times that end now: an old event would be late, and in the end expired."""
    texts = gzip.decompress(FILE.read_bytes()).decode().splitlines()
    events = [json.loads(text) for text in texts]
    later = now - max(datetime.fromisoformat(event["eventTime"]) for event in events)

    def moved(text: str) -> str:
        return _TIME.sub(lambda time: _spelt(datetime.fromisoformat(time[0]) + later), text, count=1)

    begins = [
        at for at, event in enumerate(events) if (event["job"]["name"], event["eventType"]) == (FIRST_JOB, "START")
    ]
    return Recording([moved(text) for text in texts[: begins[1]]], [moved(text) for text in texts[begins[1] :]])


def _spelt(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
