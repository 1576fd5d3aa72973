"""The metrics of the functions, read from their logs.

Workaround: metrics-in-logs. CloudWatch extracts metrics from log lines in the embedded metric format, the emulator does
not.
"""

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

NAMESPACE = "Headwater/"


class Metrics:
    """The values of each metric of the namespace, over all dimensions."""

    def __init__(self, log_lines: Iterable[str]) -> None:
        self.values: dict[str, list[float]] = {}
        for line in log_lines:
            for name, values in metrics_of(line):
                self.values.setdefault(name, []).extend(values)

    def total(self, name: str) -> int:
        return round(sum(self.values.get(name, [])))

    def percentile(self, name: str, share: float) -> float | None:
        """Return the percentile of a metric, by nearest rank: `share` of its values do not exceed it. None if empty."""
        values = sorted(self.values.get(name, []))
        return values[max(0, math.ceil(share * len(values)) - 1)] if values else None


def metrics_of(line: str) -> Iterator[tuple[str, list[float]]]:
    """Yield the metrics of a log line in the embedded metric format. Another line has no metrics."""
    try:
        entry: Any = json.loads(line) if line.startswith("{") else None
    except json.JSONDecodeError:
        return
    if not isinstance(entry, dict) or "_aws" not in entry:
        return
    names = {
        metric["Name"]
        for directive in entry["_aws"]["CloudWatchMetrics"]
        if directive["Namespace"].startswith(NAMESPACE)
        for metric in directive["Metrics"]
    }
    for name in names:
        value = entry[name]
        yield name, value if isinstance(value, list) else [value]
