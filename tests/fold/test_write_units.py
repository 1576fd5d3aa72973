"""The write units of steady-state events of Spark: of recorded programs that run again, other runs at later times."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from benchmarks.capacity import MeteredTable
from benchmarks.recurring import recurring
from headwater.fold.fold import fold
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage import exact_json
from headwater.store.aws.dynamodb import DynamoTable
from headwater.store.graph_store import GraphStore
from headwater.store.table import Table
from tests.dynamodb_local import dynamodb_local
from tests.factory import RETENTION
from tests.fakes import FakeBucket
from tests.store.conftest import new_table

KNOWN, MEASURED = range(3), range(3, 9)
"""The runs that are folded first, and those that are measured."""


class MeteredClient:
    """A client of DynamoDB that sums the units which each answer reports, by table and index."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.units: Counter[str] = Counter()

    def __getattr__(self, operation: str) -> Any:
        def call(**arguments: Any) -> Any:
            if operation not in ("put_item", "batch_write_item"):
                return getattr(self._client, operation)(**arguments)
            answer = getattr(self._client, operation)(**arguments, ReturnConsumedCapacity="INDEXES")
            consumed = answer["ConsumedCapacity"]
            for each in consumed if isinstance(consumed, list) else [consumed]:
                self._add(each)
            return answer

        return call

    def _add(self, consumed: dict[str, Any]) -> None:
        self.units["table"] += int(consumed["Table"]["CapacityUnits"])
        for indexes in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
            for name, units in consumed.get(indexes, {}).items():
                self.units[name] += int(units["CapacityUnits"])


@pytest.fixture(scope="module")
def client(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with dynamodb_local(pytestconfig, tmp_path_factory.mktemp("units")) as account:
        yield account.client("dynamodb")


def events(runs: range) -> list[NormalisedEvent]:
    return [
        normalise_event(exact_json.dumps(exact_json.loads(line)), Naming()) for run in runs for line in recurring(run)
    ]


def fold_in_batches(table: Table, folded: Sequence[NormalisedEvent], size: int) -> None:
    store = GraphStore(table, RETENTION)
    for start in range(0, len(folded), size):
        fold(folded[start : start + size], store)


def units_an_event(size: int) -> tuple[float, float]:
    """The write units and the stored bytes of an event, folded in batches of a size."""
    table = MeteredTable(FakeBucket())
    fold_in_batches(table, events(KNOWN), size)
    before, measured = table.bytes_by_kind().total(), events(MEASURED)
    table.forget()
    fold_in_batches(table, measured, size)
    return table.write_units / len(measured), (table.bytes_by_kind().total() - before) / len(measured)


def test_an_event_folded_alone_takes_less_than_eight_write_units() -> None:
    units, _ = units_an_event(1)
    assert units < 8  # 7.7 before rhythms; 8.2 before, when the end of a run moved its job; 11.4 without the dictionary


def test_an_event_in_a_batch_of_seven_takes_some_five_write_units() -> None:
    units, _ = units_an_event(7)
    assert units < 5.65  # 5.35 before rhythms; 5.5 and 6.7 before


def test_an_event_leaves_less_than_two_kilobytes() -> None:
    _, stored = units_an_event(7)
    assert stored < 1_900  # 2,600 before


def test_dynamodb_counts_the_same_units(client: Any) -> None:
    metered, mirror = MeteredClient(client), MeteredTable(FakeBucket())
    for one in (DynamoTable(metered, new_table(client), FakeBucket()), mirror):
        fold_in_batches(one, events(range(2)), 1)
    counted: Counter[str] = Counter()
    for (_, place), units in mirror.writes.items():
        counted[place] += units
    assert metered.units == counted
