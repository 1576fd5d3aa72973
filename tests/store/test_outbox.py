"""The outbox keeps the changes that template.yaml lets through to the function alerts until they are announced."""

import json
from functools import cache
from itertools import product
from typing import Any

import pytest

from headwater.store.keys import Key
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.outbox import ItemChange, SqliteOutbox
from headwater.store.sqlite.table import SqliteTable
from headwater.store.table import ConditionalPut, Item
from local.deploy.template import read_template
from tests.store.conftest import TEMPLATE

KINDS = ("dataset", "run", "quality", "latency", "job", "event", "write", "alias")


def item(kind: str, state: str = "RUNNING", text: bytes = b"{}") -> Item:
    return Item(Key(f"J#{kind}", "META"), {"kind": kind, "schema": "2", "state": state}, {"doc": text, "seen": b"x"}, 7)


def fits(pattern: Any, record: Any) -> bool:
    if isinstance(pattern, list):
        return record in pattern
    return isinstance(record, dict) and all(fits(value, record.get(name)) for name, value in pattern.items())


@cache
def patterns() -> list[Any]:
    resources = read_template(TEMPLATE)["Resources"].values()
    sources = [
        resource["Properties"] for resource in resources if resource["Type"] == "AWS::Lambda::EventSourceMapping"
    ]
    filters = [source["FilterCriteria"]["Filters"] for source in sources if "FilterCriteria" in source]
    of_alerts = [found for found in filters if "latency" in json.dumps(found)]
    return [json.loads(alert_filter["Pattern"]) for alert_filter in of_alerts[0]]


@pytest.fixture
def outbox(database: Database) -> SqliteOutbox:
    return SqliteOutbox(database)


def add(database: Database, *changes: ItemChange) -> None:
    with database.writing() as connection:
        SqliteOutbox.add(connection, changes)


@pytest.mark.parametrize(("kind", "state", "is_new"), [*product(KINDS, ("RUNNING", "FAILED"), (False, True))])
def test_the_outbox_takes_what_the_stream_of_the_template_lets_through(
    database: Database, outbox: SqliteOutbox, kind: str, state: str, is_new: bool
) -> None:
    after = item(kind, state)
    add(database, ItemChange(None if is_new else item(kind, text=b"before"), after))
    record = {
        "eventName": "INSERT" if is_new else "MODIFY",
        "dynamodb": {"NewImage": {"kind": {"S": kind}, "state": {"S": state}}},
    }
    assert bool(outbox.take()) == any(fits(pattern, record) for pattern in patterns())


def test_records_are_taken_in_their_order_until_they_are_removed(database: Database, outbox: SqliteOutbox) -> None:
    add(database, *(ItemChange(None, item("quality", text=text)) for text in (b"1", b"2", b"3")))
    taken = outbox.take()
    assert [record["dynamodb"]["NewImage"]["doc"] for record in taken] == [{"B": "MQ=="}, {"B": "Mg=="}, {"B": "Mw=="}]
    outbox.remove_before(taken[1]["dynamodb"]["SequenceNumber"], taken)
    assert outbox.take() == taken[1:]
    outbox.remove_before(None, taken)
    assert outbox.take() == []


def test_a_change_of_a_table_and_its_record_are_of_one_transaction(database: Database, outbox: SqliteOutbox) -> None:
    table = SqliteTable(database, outbox)
    first, second = item("dataset"), item("dataset", text=b"second")
    table.put([first])
    table.change([ConditionalPut(second, first)])
    (record,) = outbox.take()
    assert (record["eventName"], record["dynamodb"]["OldImage"]["v"]) == ("MODIFY", {"S": first.version})
    assert record["dynamodb"]["NewImage"]["v"] == {"S": second.version}
    assert "seen" not in record["dynamodb"]["NewImage"], "a part that alerts do not read"
