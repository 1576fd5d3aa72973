"""A SQLite file, and DynamoDB of the emulator and DynamoDB Local with tables as in template.yaml."""

import uuid
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from headwater.cli.machine.ports import free_port
from headwater.store.aws.dynamodb import DynamoTable
from headwater.store.home import Home
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.home import SqliteHome
from local.deploy.template import read_template
from local.emulator.ministack import run_emulator
from local.emulator.options import EmulatorOptions
from tests.dynamodb_local import dynamodb_local as running_dynamodb_local
from tests.fakes import FakeBucket

TEMPLATE = Path(__file__).parents[2] / "template.yaml"
SHAPE = ("AttributeDefinitions", "KeySchema", "LocalSecondaryIndexes", "GlobalSecondaryIndexes", "BillingMode")
SERVICES = {"ministack": "dynamodb", "dynamodb-local": "dynamodb_local"}
"""The stand-ins for DynamoDB, and the fixtures that are clients of them."""
HOMES = {"sqlite": SqliteHome}
"""The homes by name, each made of the path of a file."""


@pytest.fixture(scope="module")
def dynamodb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with run_emulator(EmulatorOptions(tmp_path_factory.mktemp("dynamodb"), free_port())) as running:
        yield running.account.client("dynamodb")


@pytest.fixture(scope="session")
def dynamodb_local(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with running_dynamodb_local(pytestconfig, tmp_path_factory.mktemp("dynamodb-local")) as account:
        yield account.client("dynamodb")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(tmp_path / "lineage.db")) as database:
        yield database


@pytest.fixture(params=HOMES)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    with closing(HOMES[request.param](tmp_path / "home.db")) as home:
        yield home


@pytest.fixture
def objects() -> FakeBucket:
    return FakeBucket()


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(SERVICES[request.param])


@pytest.fixture
def dynamo(service: Any, objects: FakeBucket) -> DynamoTable:
    return dynamo_table(service, objects)


def dynamo_table(client: Any, objects: FakeBucket) -> DynamoTable:
    """An empty table with the keys and indexes of template.yaml."""
    return DynamoTable(client, new_table(client), objects)


def new_table(client: Any) -> str:
    """The name of an empty table with the keys and indexes of template.yaml."""
    name = f"table-{uuid.uuid4()}"
    client.create_table(TableName=name, **shape())
    return name


@cache
def shape() -> dict[str, Any]:
    """What template.yaml says of the table's keys and indexes."""
    properties = read_template(TEMPLATE)["Resources"]["LineageTable"]["Properties"]
    return {name: properties[name] for name in SHAPE if name in properties}
