"""Golden items: the items of each released version, after a fold of the events in tests/fixtures/items.

Before its tag a release adds its golden items: `python -m tests.store.golden 0.2.0`. Those of older releases never
change.
"""

import base64
import gzip
import json
import sys
from collections.abc import Collection, Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from headwater.fold.fold import fold
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.graph.states.stored_states import CatalogProgress
from headwater.openlineage import exact_json
from headwater.openlineage.instant import Instant
from headwater.store.graph_store import GraphStore
from headwater.store.keys import Key
from headwater.store.kinds import CODECS
from headwater.store.memory import MemoryTable
from headwater.store.snapshot import Snapshot
from headwater.store.table import Item, Retention

FOLDER = Path(__file__).parents[1] / "fixtures" / "items"
RELEASES = sorted(path.name.removesuffix(".jsonl.gz") for path in FOLDER.glob("[0-9]*.jsonl.gz"))
RETENTION = Retention(timedelta(days=90), timedelta(days=30))


@cache
def events() -> tuple[NormalisedEvent, ...]:
    """The events, each with the time at which it was received, as lines of the archive have it."""
    lines = gzip.decompress((FOLDER / "events.jsonl.gz").read_bytes()).decode().splitlines()
    return tuple(_event(exact_json.loads(line)) for line in lines)


def _event(line: Any) -> NormalisedEvent:
    return normalise_event(exact_json.dumps(line["event"]), Naming(), Instant(line["receivedAt"]))


def table_of(release: str) -> MemoryTable:
    table = MemoryTable()
    table.put(_item(json.loads(line)) for line in _lines(release))
    return table


def states_of(release: str, kinds: Collection[str]) -> list[Any]:
    """The states in the items of some kinds that a release left."""
    items = table_of(release).items.values()
    return [CODECS[item.labels["kind"]].read(item) for item in items if item.labels["kind"] in kinds]


def versions_of(release: str) -> dict[Key, str]:
    """The version of each item as that release wrote it."""
    return {Key(line["pk"], line["sk"]): line["version"] for line in map(json.loads, _lines(release))}


def folded(table: MemoryTable) -> MemoryTable:
    """The table after the events were folded into it, one by one."""
    store = GraphStore(table, RETENTION)
    for event in events():
        fold([event], store, Thresholds(300_000, {}))
    return table


def _lines(release: str) -> list[str]:
    return gzip.decompress((FOLDER / f"{release}.jsonl.gz").read_bytes()).decode().splitlines()


def _item(line: Any) -> Item:
    parts = {name: base64.b64decode(part) for name, part in line["parts"].items()}
    return Item(Key(line["pk"], line["sk"]), line["labels"], parts, line.get("expires_at"))


def _written(table: MemoryTable) -> Iterator[str]:
    for key, item in sorted(table.items.items()):
        parts = {name: base64.b64encode(part).decode() for name, part in item.parts.items()}
        line: dict[str, Any] = {
            "pk": key.pk,
            "sk": key.sk,
            "labels": dict(item.labels),
            "parts": parts,
            "version": item.version,
        }
        if item.expires_at is not None:
            line["expires_at"] = item.expires_at
        yield json.dumps(line, sort_keys=True) + "\n"


def main() -> None:
    table = folded(MemoryTable())
    GraphStore(table, RETENTION).put([CatalogProgress("shop", "token-2")], Snapshot())
    content = "".join(_written(table)).encode()
    (FOLDER / f"{sys.argv[1]}.jsonl.gz").write_bytes(gzip.compress(content, 9, mtime=0))


if __name__ == "__main__":
    main()
