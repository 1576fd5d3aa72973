"""Archives in tests: events as they were received, the items that the fold leaves, and those that Spark makes."""

import gzip
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path

from pyspark import SparkContext

from emr_jobs.archive.events import Bounds, read_archive
from emr_jobs.rebuild.settings import RebuildSettings
from emr_jobs.rebuild.table import RebuiltTable, rebuilt
from headwater.fold.fold import fold
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage import exact_json
from headwater.openlineage.instant import parse_instant
from headwater.store.archive_location import Location
from headwater.store.graph_store import GraphStore
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.messages import ReceivedMessage
from headwater.store.table import Item, Retention
from tests import factory
from tests.factory import Document

RETENTION = Retention(runs=timedelta(days=90), events=timedelta(days=30))
SETTINGS = RebuildSettings({}, RETENTION, Thresholds(10_000, {}), now=0)
ALL = Bounds()


def received(documents: Iterable[Document], lags: Sequence[float] = (1, 20, 2)) -> list[ReceivedMessage]:
    """Events as they were received: each some seconds after it happened."""
    messages = []
    for number, document in enumerate(documents):
        time = parse_instant(document["eventTime"])
        at = parse_instant((factory.EPOCH + timedelta(seconds=lags[number % len(lags)] + number / 1000)).isoformat())
        messages.append(ReceivedMessage(exact_json.dumps(document), max(at, time)))
    return messages


def normalised(messages: Iterable[ReceivedMessage]) -> list[NormalisedEvent]:
    return [normalise_event(message.canonical, Naming(), message.received_at) for message in messages]


def folded(messages: Sequence[ReceivedMessage], at_once: int = 7) -> dict[Key, Item]:
    table = MemoryTable()
    events = sorted(normalised(messages), key=lambda event: event.at)
    for start in range(0, len(events), at_once):
        fold(events[start : start + at_once], GraphStore(table, RETENTION), SETTINGS.thresholds)
    return table.items


def archive(folder: Path, lines: Sequence[bytes], files: int = 3) -> Location:
    """An archive with lines in some gzipped files of two days."""
    for number in range(files):
        file = folder / "events" / f"date=2026-11-{20 + number % 2}" / f"{number}.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(b"".join(lines[number::files])))
    return Location(str(folder))


def from_archive(context: SparkContext, archive: Location, span: Bounds = ALL) -> RebuiltTable:
    return rebuilt(read_archive(context, archive, span), SETTINGS)


def items_of(table: RebuiltTable) -> dict[Key, Item]:
    made = [*table.items.values()]
    items = made[0].context.union(made).collect()
    assert len({item.key for item in items}) == len(items)
    return {item.key: item for item in items}


def assert_same(items: dict[Key, Item], expected: dict[Key, Item]) -> None:
    assert items.keys() ^ expected.keys() == set()
    for key, item in expected.items():
        assert items[key] == item, key
