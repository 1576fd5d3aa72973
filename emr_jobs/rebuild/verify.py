"""Compares the rebuilt items with those of a table, and writes nothing."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

from pyspark import RDD, SparkContext

from emr_jobs.rebuild.target import Target
from headwater.store.bulk import OPEN_IN, Item, Key, is_of_events

EXAMPLES = 3
Fingerprint = Mapping[str, str]
"""The hash of each attribute of an item."""


class Difference(NamedTuple):
    """Items of a kind that are missing in the table, extra, or different; `examples` are keys, with the attributes that
    differ."""

    kind: str
    what: str
    number: int
    examples: tuple[str, ...]

    def join(self, other: "Difference") -> "Difference":
        examples = tuple(sorted({*self.examples, *other.examples})[:EXAMPLES])
        return Difference(self.kind, self.what, self.number + other.number, examples)


def differences(rebuilt: RDD[Item], stored: RDD[Item]) -> list[Difference]:
    pairs = rebuilt.map(_fingerprint).fullOuterJoin(stored.map(_fingerprint))
    found = pairs.flatMap(lambda pair: _compared(*pair))
    joined = found.keyBy(lambda difference: difference[:2]).reduceByKey(Difference.join).values()
    return sorted(joined.collect())  # as many as there are kinds


def items_in(context: SparkContext, target: Target, now: float) -> RDD[Item]:
    """The items of a table that have not expired."""
    segments = context.defaultParallelism * 4
    parts = context.parallelize(range(segments), segments)
    items = parts.flatMap(lambda segment: target.items(segment, segments))
    return items.filter(lambda item: is_of_events(item) and (item.expires_at or now + 1) > now)


def _fingerprint(item: Item) -> tuple[Key, Fingerprint]:
    expiry = {} if item.expires_at is None else {"expires_at": str(item.expires_at)}
    parts = {name: sha256(part).hexdigest()[:16] for name, part in item.parts.items()}
    return item.key, {**item.labels, **expiry, **parts}


def _compared(key: Key, pair: tuple[Fingerprint | None, Fingerprint | None]) -> Iterator[Difference]:
    rebuilt, stored = pair
    kind = (rebuilt or stored or {}).get("kind", "unknown")
    if rebuilt is None or stored is None:
        yield Difference(kind, "extra" if rebuilt is None else "missing", 1, (f"{key[0]} {key[1]}",))
        return
    names = {name for name in {*rebuilt, *stored} if rebuilt.get(name) != stored.get(name)}
    if names - _given_up(rebuilt, stored):
        yield Difference(kind, "different", 1, (f"{key[0]} {key[1]}: {', '.join(sorted(names))}",))


def _given_up(rebuilt: Fingerprint, stored: Fingerprint) -> set[str]:
    """A run that was given up as abandoned has left the index of open runs, which no event says."""
    return {OPEN_IN} if OPEN_IN in rebuilt and OPEN_IN not in stored else set()
