"""The law of the fold on DynamoDB and SQLite: concurrent writers leave the items that one writer leaves, byte for byte.

test_law.py and test_races.py interleave two writers at chosen calls, in memory. Here the writers are threads with
clients of their own, with DynamoDB's own conditions, in any interleaving.
"""

import random
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from headwater.fold.fold import fold
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.store.aws.dynamodb import DynamoTable
from headwater.store.errors import StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.table import Item, Table
from tests import factory, strategies
from tests.dynamodb_local import dynamodb_local
from tests.factory import RETENTION, Document
from tests.fakes import FakeBucket
from tests.lookup.requests import table_after
from tests.store.conftest import new_table
from tests.store.files import table_with

WRITERS = 4
LONGEST_BATCH = 4
DELIVERIES = 20

Attributes = dict[str, Any]
Batches = list[list[NormalisedEvent]]


@pytest.fixture(scope="module")
def clients(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    with dynamodb_local(pytestconfig, tmp_path_factory.mktemp("concurrent")) as account:
        yield [account.client("dynamodb") for _ in range(WRITERS)]


# What the writers do to each other does not happen twice, so there is nothing to shrink.
@given(st.lists(strategies.events, min_size=6, max_size=16), st.integers(0, 2**32))
@settings(max_examples=15, derandomize=True, phases=[Phase.generate])
def test_concurrent_writers_leave_what_one_leaves(clients: list[Any], documents: list[Document], seed: int) -> None:
    chance, bucket, name = random.Random(seed), FakeBucket(), new_table(clients[0])
    tables = [DynamoTable(client, name, bucket) for client in clients]
    fold_at_once(tables, dealt(factory.received(*documents), chance))
    assert items(clients[0], name) == as_stored(clients[0], folded_by_one(documents))


@given(st.lists(strategies.events, min_size=6, max_size=16), st.integers(0, 2**32))
@settings(max_examples=40, derandomize=True, phases=[Phase.generate])
def test_concurrent_writers_of_a_file_leave_what_one_leaves(documents: list[Document], seed: int) -> None:
    table = table_with()
    fold_at_once([table] * WRITERS, dealt(factory.received(*documents), random.Random(seed)))
    assert table.items == {item.key: item for item in folded_by_one(documents)}


def dealt(received: Sequence[NormalisedEvent], chance: random.Random) -> list[Batches]:
    """The events, some of them twice, shuffled, dealt out to the writers and cut into batches."""
    shuffled = [*received, *chance.choices(received, k=len(received) // 3)]
    chance.shuffle(shuffled)
    return [list(cut(shuffled[writer::WRITERS], chance)) for writer in range(WRITERS)]


def cut(received: list[NormalisedEvent], chance: random.Random) -> Iterator[list[NormalisedEvent]]:
    while received:
        length = chance.randint(1, LONGEST_BATCH)
        yield received[:length]
        received = received[length:]


def fold_at_once(tables: Sequence[Table], hands: Sequence[Batches]) -> None:
    together = threading.Barrier(WRITERS)

    def write(table: Table, batches: Batches) -> None:
        together.wait()
        for batch in batches:
            deliver(batch, table)

    with ThreadPoolExecutor(WRITERS) as writers:
        list(writers.map(write, tables, hands))


def deliver(batch: Sequence[NormalisedEvent], table: Table) -> None:
    """Fold a batch; where the others were faster too often it comes again, as from the queue."""
    for _ in range(DELIVERIES):
        with suppress(StorageError):
            fold(batch, GraphStore(table, RETENTION))
            return
    raise AssertionError(f"a batch was not folded in {DELIVERIES} deliveries")


def folded_by_one(documents: Sequence[Document]) -> Iterable[Item]:
    return table_after(*documents, one_by_one=True).items.values()


def as_stored(client: Any, wanted: Iterable[Item]) -> dict[tuple[str, str], Attributes]:
    """Items with every attribute that they have once they are put into a table of their own."""
    table = DynamoTable(client, new_table(client), FakeBucket())
    table.put(wanted)
    return items(client, table._name)


def items(client: Any, name: str) -> dict[tuple[str, str], Attributes]:
    """Every attribute of every item of a table, the versions among them."""
    pages = client.get_paginator("scan").paginate(TableName=name, ConsistentRead=True)
    return {(item["PK"]["S"], item["SK"]["S"]): item for page in pages for item in page["Items"]}
