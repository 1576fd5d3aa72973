"""What a steady-state event of Spark takes of DynamoDB's partitions and of the archive's stream, measured."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from benchmarks.capacity import TABLE, MeteredTable, PartitionKey
from benchmarks.cost import KNOWN, MEASURED, archive_in_batches, as_event, retention
from benchmarks.recurring import recurring
from benchmarks.stream import MeteredStream
from headwater.fold.fold import fold
from headwater.store.graph_store import GraphStore
from tests.fakes import FakeBucket

NAMESPACE_LIST, JOB = "list of a namespace's jobs", "items of a job"


class Profile(NamedTuple):
    """What a steady-state event of Spark takes, if events are sent, folded and archived in batches of a size: write
    units by kind of key, and bytes and calls of the archive's stream."""

    batch: int
    units: Mapping[str, float]
    stream_bytes: float
    stream_calls: float


def profile(batch: int) -> Profile:
    """Measures events that are folded and archived in batches."""
    table, stream = MeteredTable(FakeBucket()), MeteredStream()
    store = GraphStore(table, retention("prod"))
    _fold(store, [line for run in KNOWN for line in recurring(run)], batch)
    table.forget()
    texts = [line for run in MEASURED for line in recurring(run)]
    _fold(store, texts, batch)
    archive_in_batches(texts, batch, stream)
    units: Counter[str] = Counter()
    for key, amount in table.partitions.items():
        units[kind_of(key)] += amount
    by_event = {kind: amount / len(texts) for kind, amount in units.items()}
    return Profile(batch, by_event, sum(stream.records) / len(texts), stream.calls / len(texts))


def _fold(store: GraphStore, texts: Sequence[str], batch: int) -> None:
    for start in range(0, len(texts), batch):
        fold([as_event(text) for text in texts[start : start + batch]], store)


def kind_of(key: PartitionKey) -> str:
    """The kind of a key: a list that traffic shares, or the items of a single job, dataset or run."""
    shared = {"J": NAMESPACE_LIST, "E": "list of the day's events", "T": "runs by outcome"}
    single = {"J": JOB, "D": "items of a dataset"}
    initial = key.value.partition("#")[0]
    if key.place == "open":
        return "open runs"
    return (shared if key.place == "listed" else single if key.place == TABLE else {}).get(initial, "of a run")
