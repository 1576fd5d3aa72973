"""The metrics of the process, in the text format of Prometheus."""

import re
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

from headwater.metrics import COUNT, Measurement

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900)
"""Upper bounds of the buckets of a duration, in seconds."""

Labels = tuple[tuple[str, str], ...]


class _Histogram:
    def __init__(self) -> None:
        self.buckets = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        self.buckets[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds


class Measurements:
    """Sums since the start of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, Labels]] = Counter()
        self._durations: dict[tuple[str, Labels], _Histogram] = {}

    def __call__(self, measurement: Measurement) -> None:
        labels: Labels = (("producer", measurement.producer),) if measurement.producer else ()
        for name, values in measurement.values.items():
            for value in values:
                if measurement.unit == COUNT:
                    self.count(f"headwater_{_snake(name)}_total", int(value), labels)
                else:
                    self.time(f"headwater_{_snake(name)}_seconds", value / 1000, labels)

    def count(self, name: str, number: int = 1, labels: Labels = ()) -> None:
        with self._lock:
            self._counts[name, labels] += number

    def time(self, name: str, seconds: float, labels: Labels = ()) -> None:
        with self._lock:
            self._durations.setdefault((name, labels), _Histogram()).add(seconds)

    def text(self, gauges: Mapping[str, float]) -> str:
        """All metrics, with the gauges as they are now."""
        with self._lock:
            return "".join(f"{line}\n" for line in self._lines(gauges))

    def _lines(self, gauges: Mapping[str, float]) -> Iterator[str]:
        for name, value in gauges.items():
            yield f"# TYPE {name} gauge"
            yield f"{name} {value:g}"
        told = ""
        for (name, labels), number in sorted(self._counts.items()):
            if name != told:
                yield f"# TYPE {name} counter"
            told = name
            yield f"{name}{_braced(labels)} {number}"
        for (name, labels), histogram in sorted(self._durations.items(), key=lambda item: item[0]):
            if name != told:
                yield f"# TYPE {name} histogram"
            told = name
            yield from _histogram_lines(name, labels, histogram)


def _histogram_lines(name: str, labels: Labels, histogram: _Histogram) -> Iterator[str]:
    below = 0
    for bound, number in zip((*map("{:g}".format, BOUNDS), "+Inf"), histogram.buckets, strict=True):
        below += number
        yield f"{name}_bucket{_braced((*labels, ('le', bound)))} {below}"
    yield f"{name}_sum{_braced(labels)} {histogram.sum:.6f}"
    yield f"{name}_count{_braced(labels)} {below}"


def _braced(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""


def _snake(name: str) -> str:
    """Example: `events_received` for `EventsReceived`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
