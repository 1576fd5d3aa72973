"""States on their way from one step to the next: joined by their keys, and many in one record of Spark.

A record costs Spark's Python more than joining a state does. So a task joins what it has of each key, and packs the
states that go to one task of the next step into one packet. Only that task unpacks them: keeping, moving and filtering
packets costs no more than copying their bytes.
"""

import copyreg
import pickle
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from pyspark import RDD
from pyspark.rdd import portable_hash

from headwater.graph.facets.dataset_reference import IoDataset
from headwater.graph.facets.register import Register
from headwater.graph.states.dataset import DatasetFacts, DatasetHead
from headwater.graph.states.dataset_claims import DatasetClaims
from headwater.graph.states.edges import DatasetUsage
from headwater.graph.states.job import JobFacts, JobHead
from headwater.graph.states.neighbours import NeighbourPage
from headwater.graph.states.run import Run

MOST_STATES = 30_000
"""States and records that a task keeps before it packs them: some 200 MB of runs."""
MOST_RECORDS, MOST_BYTES = 200, 1024 * 1024
"""A packet has at most so many records, and a packet of several records at most so many bytes. Java keeps sixteen
packets or more at once, and has one array for each."""
Key = Hashable
"""A text, or a tuple of texts or of such tuples: their hashes are the same in all workers."""
State = TypeVar("State")


class Packet(NamedTuple):
    """Records of a kind for one task of the next step: states with their keys, or whatever a step adds."""

    kind: str
    task: int
    content: bytes

    @classmethod
    def all_of(cls, kind: str, task: int, records: Sequence[Any]) -> "Iterator[Packet]":
        """As many packets as records take."""
        for start in range(0, len(records), MOST_RECORDS):
            part = records[start : start + MOST_RECORDS]
            content = pickle.dumps(part, pickle.HIGHEST_PROTOCOL)
            if len(content) <= MOST_BYTES or len(part) == 1:
                yield cls(kind, task, content)
            else:
                half = len(part) // 2
                yield from cls.all_of(kind, task, part[:half])
                yield from cls.all_of(kind, task, part[half:])

    @property
    def records(self) -> list[Any]:
        records: list[Any] = pickle.loads(self.content)  # noqa: S301 - another task of this program has packed them
        return records


class Joins:
    """States joined by their keys.

    The states of a key are joined as a balanced tree, two of a size at a time: a dataset with 20,000 writers, one state
    each, is copied 15 times, and not 20,000 times. Example: after seven states, a key has the joins of the first four,
    of the next two, and the last.
    """

    def __init__(self) -> None:
        self._waiting: dict[Key, list[Any]] = {}
        self._numbers: dict[Key, int] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, key: Key, state: Any) -> None:
        number = self._numbers[key] = self._numbers.get(key, 0) + 1
        waiting = self._waiting.setdefault(key, [])
        while number % 2 == 0:
            state = waiting.pop().join(state)
            number //= 2
        waiting.append(state)

    def take(self) -> Iterator[tuple[Any, Any]]:
        """Yield each key with its joined state, and forget them."""
        waiting, self._waiting, self._numbers = self._waiting, {}, {}
        while waiting:
            key, states = waiting.popitem()
            joined = states.pop()
            while states:
                joined = states.pop().join(joined)
            yield key, joined


class Packer:
    """Packs what a task has for the tasks of the next step."""

    def __init__(self, tasks: int) -> None:
        portable_hash("")  # raises if the workers do not hash texts alike
        self._tasks = tasks
        self._joins = Joins()
        self._records: dict[tuple[str, int], list[Any]] = {}
        self._number = 0

    @property
    def is_full(self) -> bool:
        return self._number + len(self._joins) >= MOST_STATES

    def join(self, kind: str, key: Key, state: Any) -> None:
        """Join a state with those of its kind and key."""
        self._joins.add((kind, key), state)

    def add(self, kind: str, key: Key, record: Any) -> None:
        """Add a record for the task of a key, which is a text or a tuple of texts."""
        self._add(kind, hash(key) % self._tasks, record)

    def packets(self) -> Iterator[Packet]:
        """Pack everything; the packer is empty then."""
        for (kind, key), state in self._joins.take():
            self.add(kind, key, (key, state))
        records, self._records, self._number = self._records, {}, 0
        while records:
            (kind, task), of_task = records.popitem()
            yield from Packet.all_of(kind, task, of_task)

    def _add(self, kind: str, task: int, record: Any) -> None:
        self._records.setdefault((kind, task), []).append(record)
        self._number += 1


def sent(packets: RDD[Packet], tasks: int) -> RDD[Packet]:
    """The packets at their tasks."""
    return packets.keyBy(lambda packet: packet.task).partitionBy(tasks, lambda task: task).values()


def of_kinds(packets: RDD[Packet], *kinds: str) -> RDD[Packet]:
    return packets.filter(lambda packet: packet.kind in kinds)


def records_of(packets: RDD[Packet], *kinds: str) -> RDD[Any]:
    """The records in the packets of some kinds."""
    return of_kinds(packets, *kinds).flatMap(lambda packet: packet.records)


def _reduced(state: type) -> Callable[[Any], tuple[Any, ...]]:
    members = attrgetter(*(each.name for each in fields(state)))
    return lambda each: (state, members(each))


for _state in (
    *(DatasetClaims, DatasetFacts, DatasetHead, DatasetUsage, IoDataset, JobFacts, JobHead, NeighbourPage, Register),
    Run,
):
    copyreg.pickle(_state, _reduced(_state))
    # Without this, Python asks each object for the list of its fields: a third of the time of pickling.
