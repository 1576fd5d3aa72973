"""What of the stack breaks first as events a second grow: `python -m benchmarks.simulation --help`.

Recorded programs give the write units that an event takes of each kind of partition key, and the bytes that it takes of
the archive's stream. A seeded minute of traffic spreads these over keys and over the invocations of normalise. The load
of a part is its busiest second, as a share of its limit. Limits are AWS's
default quotas (limits.py) and samconfig's prod.
"""

import argparse
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import limits
from benchmarks.cost import INGEST_MILLISECONDS
from benchmarks.event_profile import JOB, NAMESPACE_LIST, Profile, profile
from benchmarks.message_groups import folding_time, full_rate

RATES = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 11_600, 20_000)
"""Events a second; 11,600 are a thousand million a day."""
RESULTS = Path(__file__).with_name("results")
SECONDS = 10
REQUESTS, CONCURRENCY = 2_000, 50
"""RequestsPerSecond and MaximumConcurrency of samconfig's prod."""
NAMESPACES, RUN_EVENTS, RUN_SECONDS = 20, 14, 60
"""Assumed: the namespace of rank n has 1/n of the largest one's traffic; a run sends 14 events in a minute."""

SHARDED = {"list of the day's events": 16, "open runs": 16, "runs by outcome": 4}
"""The kinds of keys that a whole stack shares, and their shards."""
NAMESPACE_SHARDS = 2


class Part(NamedTuple):
    """A part of the stack: its load at a rate of events, as a share of its limit."""

    name: str
    load: Callable[[float], float]


def parts(measured: Profile, seed: int) -> list[Part]:
    """The parts of the stack, under events with a profile. The rate of the last two is that of one run or one job."""
    return [*_front(measured), *_folds(measured, seed), *_stream(measured), *_single(measured)]


def _front(measured: Profile) -> list[Part]:
    size = measured.batch
    return [
        Part("API: RequestsPerSecond of prod", lambda rate: rate / size / REQUESTS),
        Part("API: quota of the account", lambda rate: rate / size / limits.API_REQUESTS.value),
        Part("SQS: calls, large regions", lambda rate: rate / size / limits.FIFO_CALLS_LARGE_REGION.value),
        Part("SQS: calls, Ohio and Frankfurt", lambda rate: rate / size / limits.FIFO_CALLS_MIDDLE_REGION.value),
        Part("Lambda: quota of the account", lambda rate: _executions(rate) / limits.CONCURRENT_EXECUTIONS.value),
    ]


def _folds(measured: Profile, seed: int) -> list[Part]:
    def partition(kind: str, shares: Sequence[float], name: str) -> Part:
        units = measured.units[kind] / limits.PARTITION_WRITE_UNITS.value
        return Part(f"DynamoDB: {name}", lambda rate: busiest(rate, shares, seed) * units)

    all_units = sum(measured.units.values())
    return [
        Part("normalise: MaximumConcurrency of prod", lambda rate: _folding(rate, seed)),
        Part("DynamoDB: quota of the table", lambda rate: rate * all_units / limits.TABLE_WRITE_UNITS.value),
        Part("DynamoDB: a new table", lambda rate: rate * all_units / limits.NEW_TABLE_WRITE_UNITS.value),
        partition(NAMESPACE_LIST, [1 / NAMESPACE_SHARDS] * NAMESPACE_SHARDS, f"{NAMESPACE_LIST}, all in one"),
        partition(NAMESPACE_LIST, namespace_shares(), f"{NAMESPACE_LIST}, the largest of {NAMESPACES}"),
        *(partition(kind, [1 / shards] * shards, kind) for kind, shards in SHARDED.items()),
    ]


def _stream(measured: Profile) -> list[Part]:
    mebibytes, calls = measured.stream_bytes / 2**20, measured.stream_calls
    return [
        Part(
            "Firehose: MiB, large regions", lambda rate: rate * mebibytes / limits.FIREHOSE_MEBIBYTES_LARGE_REGION.value
        ),
        Part(
            "Firehose: MiB, other regions", lambda rate: rate * mebibytes / limits.FIREHOSE_MEBIBYTES_OTHER_REGION.value
        ),
        Part("Firehose: calls, large regions", lambda rate: rate * calls / limits.FIREHOSE_CALLS_LARGE_REGION.value),
        Part("Firehose: calls, other regions", lambda rate: rate * calls / limits.FIREHOSE_CALLS_OTHER_REGION.value),
        Part("S3: objects, while Firehose takes none", lambda rate: rate * calls / limits.S3_PUTS.value),
    ]


def _single(measured: Profile) -> list[Part]:
    units = measured.units[JOB] / limits.PARTITION_WRITE_UNITS.value
    return [
        Part("DynamoDB: items of a job (rate of one job)", lambda rate: rate * units),
        Part("SQS: batches of a run (rate of one run)", lambda rate: rate / full_rate(1)),
    ]


def namespace_shares() -> list[float]:
    """The shares of the shards of all namespaces."""
    weights = [1 / rank for rank in range(1, NAMESPACES + 1) for _ in range(NAMESPACE_SHARDS)]
    return [weight / sum(weights) for weight in weights]


def busiest(rate: float, shares: Sequence[float], seed: int) -> float:
    """The events of the busiest key in its busiest second, if each event chooses its key by the shares."""
    chance = random.Random(seed)  # noqa: S311 - a simulation
    bounds, keys = list(accumulate(shares)), range(len(shares))
    seconds = (Counter(chance.choices(keys, cum_weights=bounds, k=round(rate))) for _ in range(SECONDS))
    return max(second.most_common(1)[0][1] for second in seconds)


def _folding(rate: float, seed: int) -> float:
    return folding_time(round(rate * SECONDS), _runs(rate), CONCURRENCY, seed) / SECONDS


def _runs(rate: float) -> int:
    return max(1, round(rate * RUN_SECONDS / RUN_EVENTS))


def _executions(rate: float) -> float:
    """The concurrent executions of ingest and normalise."""
    return rate * INGEST_MILLISECONDS / 1000 + CONCURRENCY


def breaks_at(part: Part, highest: float = 30_000) -> float | None:
    """The rate from which a part has more than it takes, to 0.2 percent; None if it takes the highest rate."""
    low, high = 1.0, highest
    if part.load(high) <= 1:
        return None
    while high / low > 1.002:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if part.load(middle) <= 1 else (low, middle)
    return low


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    document = {"seed": options.seed, "profiles": [_simulated(profile(size), options.seed) for size in (1, 7)]}
    path = RESULTS / f"{datetime.now(UTC):%Y-%m-%d}-simulation.json"
    path.write_text(json.dumps(document, indent=2) + "\n")
    print(f"written: {path}")


def _simulated(measured: Profile, seed: int) -> dict[str, Any]:
    """The profile, and its parts with their loads: those that break first are first."""
    rows = [
        (breaks_at(part), part.name, {str(rate): part.load(rate) for rate in RATES}) for part in parts(measured, seed)
    ]
    rows.sort(key=lambda row: row[0] or math.inf)
    print(f"\nin batches of {measured.batch}")
    for rate, name, _ in rows:
        print(f"  {name:<60}{rate or math.inf:>10,.0f} events/s")
    found = [{"part": name, "breaks_at": rate, "load": loads} for rate, name, loads in rows]
    return {"profile": measured._asdict(), "parts": found}


if __name__ == "__main__":
    main()
