"""DynamoDB as the emulator has it, and tables in it with the keys and indexes of template.yaml."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.store.dynamodb import DynamoTable
from local.emulator import EmulatorOptions, emulator
from local.instance import free_port
from local.template import read_template
from tests.fakes import FakeBucket

TEMPLATE = Path(__file__).parents[2] / "template.yaml"


@pytest.fixture(scope="module")
def dynamodb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A client of the emulator's DynamoDB."""
    with emulator(EmulatorOptions(tmp_path_factory.mktemp("dynamodb"), free_port())) as running:
        yield running.account.client("dynamodb")


@pytest.fixture
def objects() -> FakeBucket:
    return FakeBucket()


@pytest.fixture
def dynamo(dynamodb: Any, objects: FakeBucket) -> DynamoTable:
    return dynamo_table(dynamodb, objects)


def dynamo_table(client: Any, objects: FakeBucket) -> DynamoTable:
    """An empty table with the keys and indexes of template.yaml."""
    properties = read_template(TEMPLATE)["Resources"]["LineageTable"]["Properties"]
    name = f"table-{len(client.list_tables()['TableNames'])}"
    taken = ("AttributeDefinitions", "KeySchema", "LocalSecondaryIndexes", "GlobalSecondaryIndexes", "BillingMode")
    client.create_table(TableName=name, **{each: properties[each] for each in taken})
    return DynamoTable(client, name, objects)
