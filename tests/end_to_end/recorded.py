"""The recorded events of tests/fixtures, and the items that they leave in the table."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from headwater.fold.fold import fold
from headwater.openlineage import exact_json
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.table import Retention
from tests import factory
from tests.caches import CheckedCache
from tests.embedded import Items

FOLDER = Path(__file__).parents[1] / "fixtures" / "spark-3.5"

Versions = dict[tuple[str, str], str]
"""The version of each item by its key. It is a hash of all that the item holds."""


@cache
def recorded() -> tuple[bytes, ...]:
    """Every event as the listener sent it, file by file, in the order of its arrival."""
    return tuple(line for file in sorted(FOLDER.glob("*.jsonl")) for line in file.read_bytes().splitlines())


@cache
def recorded_documents() -> tuple[Any, ...]:
    return tuple(exact_json.loads(line.decode()) for line in recorded())


def folded_without_aws(documents: Iterable[Any], retention: Retention) -> Versions:
    """The items after all these events are folded at once, in memory."""
    table = MemoryTable()
    fold(factory.received(*documents), GraphStore(table, retention, CheckedCache()))
    return {(key.pk, key.sk): item.version for key, item in table.items.items()}


def versions(items: Items) -> Versions:
    return {key: item["v"]["S"] for key, item in items.items()}
