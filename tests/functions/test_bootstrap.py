"""The composition root makes each part once, on first use, and uses the parts of a test instead."""

import base64
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.session import Session

from headwater import config
from headwater.bootstrap import Root
from headwater.graph.names.identity import job_id
from headwater.openlineage.event import Name
from headwater.store.aws.client import SERVICES, ClientOnRequest, client, new_session
from headwater.store.aws.s3 import Bucket
from headwater.store.memory import MemoryTable
from headwater.store.snapshot import ReadRequest
from tests import factory
from tests.fakes import FakeBucket, FakeQueue
from tests.functions.environment import ROOT, environment
from tests.lookup.requests import RETENTION, table_after

SET = {"QUEUE_URL": "https://queue", "MAX_BODY_BYTES": "1000", "RUN_RETENTION_DAYS": "90", "EVENT_RETENTION_DAYS": "30"}
VARIABLES = environment("lookup", ROOT) | SET


class CountingSession(Session):
    """A session that notes the services that clients are made for."""

    def __init__(self) -> None:
        super().__init__()
        self.services: list[str] = []

    def create_client(self, service_name: str, *arguments: Any, **more: Any) -> Any:
        self.services.append(service_name)
        return super().create_client(service_name, *arguments, **more)


@pytest.fixture(autouse=True)
def region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


def settings(variables: Mapping[str, str] = VARIABLES) -> config.CurateSettings:
    return config.from_environment(config.CurateSettings, variables)


def test_no_part_is_made_before_its_first_use() -> None:
    session = CountingSession()
    Root(settings(), session=session).naming()
    assert session.services == []


def test_clients_are_made_once_in_one_session() -> None:
    session = CountingSession()
    root = Root(settings(), session=session)
    assert root.store() is root.store()
    assert root.graph() is root.graph()
    assert root.queue() is root.queue()
    assert sorted(session.services) == ["dynamodb", "sqs"]


def test_a_client_that_few_invocations_need_is_made_with_its_first_call() -> None:
    session = CountingSession()
    bucket = Root(settings(), session=session).bucket()
    assert session.services == []
    assert isinstance(bucket, Bucket)
    assert bucket._client.put_object.__name__ == bucket._client.put_object.__name__ == "put_object"
    assert session.services == ["s3"]


def test_threads_share_the_client_that_the_first_call_makes() -> None:
    made: list[Path] = []

    def make() -> Path:
        sleep(0.01)
        made.append(Path("/archive"))
        return made[-1]

    client = ClientOnRequest(make)
    with ThreadPoolExecutor() as threads:
        assert set(threads.map(lambda _: client.name, range(8))) == {"archive"}
    assert len(made) == 1


def test_a_session_makes_a_client_of_each_service_that_has_one() -> None:
    session = new_session()
    assert [client(session, service).meta.service_model.service_name for service in SERVICES] == SERVICES


VALUES = {
    "text": {"S": "orders"},
    "number": {"N": "1.50"},
    "bytes": {"B": b"\0\xff"},
    "flag": {"BOOL": True},
    "nothing": {"NULL": True},
    "texts": {"SS": ["a", "b"]},
    "parts": {"BS": [b"a", b"\0"]},
    "outside": {"M": {"s3": {"S": "items/1"}, "deep": {"L": [{"B": b"x"}, {"M": {}}]}}},
    "empty": {"B": b""},
}


def answered_by(session: Session, operation: str, document: dict[str, Any], **request: Any) -> dict[str, Any]:
    """The answer of a client of DynamoDB to whose request a document is sent."""
    sent = json.dumps(document, default=lambda content: base64.b64encode(content).decode()).encode()
    raw = SimpleNamespace(stream=lambda *_given, **_named: iter([sent]))
    dynamodb = session.create_client(
        "dynamodb", region_name="eu-west-1", aws_access_key_id="a", aws_secret_access_key="b"
    )
    response = AWSResponse("https://dynamodb", 200, HTTPHeaders(), raw)
    events: Any = dynamodb.meta.events
    events.register("before-send.dynamodb.*", lambda **_: response)
    answer: dict[str, Any] = getattr(dynamodb, operation)(**request)
    del answer["ResponseMetadata"]
    return answer


@pytest.mark.parametrize(
    ("operation", "document", "request_members"),
    [
        ("query", {"Items": [VALUES, {}], "Count": 2, "LastEvaluatedKey": {"PK": {"S": "x"}}}, {"TableName": "t"}),
        ("query", {"Count": 7}, {"TableName": "t"}),
        ("batch_get_item", {"Responses": {"t": [VALUES]}, "UnprocessedKeys": {}}, {"RequestItems": {}}),
    ],
)
def test_a_session_reads_items_as_botocore_does(
    operation: str, document: dict[str, Any], request_members: dict[str, Any]
) -> None:
    ours, botocores = new_session(), Session()
    answers = [answered_by(each, operation, document, **request_members) for each in (ours, botocores)]
    assert answers[0] == answers[1]
    assert answers[0].get("Items", [{}])[0] == (VALUES if "Items" in document else {})


def test_a_session_finds_the_models_of_a_folder_of_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_DATA_PATH", str(tmp_path))
    assert str(tmp_path) in new_session().get_component("data_loader").search_paths


def test_ingest_makes_no_client_of_the_table() -> None:
    session = CountingSession()
    root = Root(config.from_environment(config.IngestSettings, VARIABLES), session=session)
    root.queue()
    root.bucket()
    root.audit()
    assert session.services == ["sqs"]


def test_ingest_with_an_audit_makes_a_client_of_the_table() -> None:
    session = CountingSession()
    Root(config.from_environment(config.IngestSettings, VARIABLES | {"AUDIT": "ON"}), session=session).audit()
    assert "dynamodb" in session.services


def test_a_test_passes_its_own_parts() -> None:
    session, queue, bucket = CountingSession(), FakeQueue(), FakeBucket()
    table = table_after(factory.run_event("COMPLETE", job="load"))
    root = Root(settings(), session=session, table=table, queue=queue, bucket=bucket)
    load = job_id(Name("demo", "load"))
    assert root.store().read(ReadRequest(jobs=[load])).jobs.get(load)
    assert (root.queue(), root.bucket()) == (queue, bucket)
    assert session.services == []


def test_the_retention_is_that_of_the_settings() -> None:
    table = MemoryTable()
    kept = Root(settings(), table=table).store()._retention
    assert (kept.runs, kept.events) == (RETENTION.runs, RETENTION.events)


@pytest.mark.parametrize(("text", "is_former"), [("new", False), ("1", True), ("2", False), ("7", False)])
def test_items_are_written_in_the_forms_of_the_settings(
    text: str, is_former: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Root(settings(VARIABLES | {"ITEM_FORMS": text}), table=MemoryTable()).store()
    monkeypatch.setattr("headwater.store.table.FORMS", 2)
    assert store._retention.keeps_former_forms == is_former


def test_every_variable_that_is_missing_is_named() -> None:
    with pytest.raises(config.BadEnvironment) as error:
        settings({**VARIABLES, "RUN_RETENTION_DAYS": "0", "TABLE_NAME": ""})
    assert "TABLE_NAME is not set" in str(error.value)
    assert "RUN_RETENTION_DAYS is '0', expected a whole number above 0" in str(error.value)
