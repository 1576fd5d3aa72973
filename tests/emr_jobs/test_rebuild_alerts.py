"""A rebuild tells nobody what was told before; the events that come after it are told."""

from pathlib import Path
from typing import Any

import boto3
from moto import mock_aws

from headwater.fold.fold import fold
from headwater.store.aws.dynamodb import REBUILT, DynamoTable
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.outbox import SqliteOutbox
from headwater.store.sqlite.table import SqliteTable
from tests import factory
from tests.alerts.stream import RETENTION, World
from tests.emr_jobs.test_rebuild_into import in_order, write
from tests.fakes import FakeBucket

EVENTS = [
    factory.run_event("COMPLETE", outputs=[factory.dataset("a", schema=factory.schema("id:long"))]),
    factory.run_event("FAIL", run=2, seconds=2),
]
DRIFT = factory.run_event(
    "COMPLETE", run=3, seconds=3, outputs=[factory.dataset("a", schema=factory.schema("id:date"))]
)
MARK = {REBUILT: {"BOOL": True}}
SCHEMA: dict[str, Any] = {
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
    "BillingMode": "PAY_PER_REQUEST",
}


def rebuilt_items() -> MemoryTable:
    table = MemoryTable()
    fold(factory.received(*EVENTS), GraphStore(table, RETENTION))
    return table


def test_a_record_of_a_rebuilt_item_raises_no_alert_and_the_next_change_does() -> None:
    world = World()
    write(world.table, rebuilt_items().items.values())
    records = [*world.table.stream]
    assert world.alerts_of_records(records) != []
    marked = [
        {**record, "dynamodb": {**record["dynamodb"], "NewImage": {**record["dynamodb"]["NewImage"], **MARK}}}
        for record in records
    ]
    assert world.alerts_of_records(marked) == []
    assert [alert["alert"] for alert in world.alerts_of_events(factory.received(DRIFT))] == ["Dataset Schema Changed"]


@mock_aws
def test_a_rebuilt_item_is_marked_beside_its_content_until_a_fold_writes_it() -> None:
    client = boto3.client("dynamodb", region_name="eu-central-1")
    client.create_table(TableName="lineage", **SCHEMA)
    items = in_order(rebuilt_items().items.values())
    rebuild = DynamoTable(client, "lineage", FakeBucket(), is_rebuild=True)
    live = DynamoTable(client, "lineage", FakeBucket())
    rebuild.put(items)
    assert all(item[REBUILT] == {"BOOL": True} for item in client.scan(TableName="lineage")["Items"])
    assert live.read([item.key for item in items]) == {item.key: item for item in items}
    live.put(items[:1])
    assert sum(REBUILT in item for item in client.scan(TableName="lineage")["Items"]) == len(items) - 1


def test_the_outbox_of_a_file_takes_nothing_from_a_rebuild(tmp_path: Path) -> None:
    database = Database(tmp_path / "lineage.db")
    SqliteTable(database).put(in_order(rebuilt_items().items.values()))
    assert SqliteOutbox(database).take() == []
    fold(factory.received(DRIFT), GraphStore(SqliteTable(database, SqliteOutbox(database)), RETENTION))
    assert SqliteOutbox(database).take() != []
    database.close()
