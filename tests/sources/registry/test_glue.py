"""Glue's schema registry, by the models of its API in botocore: each request and each answer has its form."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import pytest
from botocore import xform_name
from botocore.exceptions import ClientError
from botocore.session import Session
from botocore.validate import ParamValidator

from headwater.graph.names.naming import Naming
from headwater.read.reader import Reader
from headwater.rest import Unreachable
from headwater.retry import Deadline
from headwater.sources import poller
from headwater.sources.poller import PollResult
from headwater.sources.registry.glue import GlueRegistry
from headwater.sources.registry.registries import FollowedRegistry
from headwater.sources.scheduled import StoredGraph
from tests.sources.registry.conftest import KAFKA, World, record
from tests.sources.registry.fake_registry import FakeRegistry

PAGE = 2


@dataclass
class FakeGlue:
    """The calls of Glue that the registry makes, over the subjects of a `FakeRegistry`. `faults` are codes of errors,
    by operation; `failed` are versions that did not pass Glue's check."""

    subjects: FakeRegistry
    client: Any
    faults: dict[str, str] = field(default_factory=dict)
    failed: set[tuple[str, int]] = field(default_factory=set)

    def call(self, operation: str, parameters: dict[str, Any]) -> Any:
        model = self.client.meta.service_model.operation_model(operation)
        assert not _faults(parameters, model.input_shape)
        if operation in self.faults:
            raise _error(self.faults[operation])
        answer = getattr(self, xform_name(operation))(parameters)
        assert not _faults(answer, model.output_shape)
        return answer

    def list_schemas(self, asked: Any) -> Any:
        assert asked["RegistryId"] == {"RegistryName": "shop"}
        names, start = sorted(self.subjects.subjects), int(asked.get("NextToken", "0"))
        page = [{"SchemaName": name, "SchemaStatus": "AVAILABLE"} for name in names[start : start + PAGE]]
        return {"Schemas": page} | ({"NextToken": str(start + PAGE)} if start + PAGE < len(names) else {})

    def get_schema(self, asked: Any) -> Any:
        self._versions(asked)
        name = asked["SchemaId"]["SchemaName"]
        return {"SchemaName": name, "Compatibility": self.subjects.levels.get(name, self.subjects.level)}

    def get_schema_version(self, asked: Any) -> Any:
        versions = self._versions(asked)
        number = asked["SchemaVersionNumber"].get("VersionNumber") or max(versions)
        if number not in versions:
            raise _error("EntityNotFoundException")
        kind = versions[number].get("schemaType", "AVRO")
        return {
            "SchemaVersionId": f"00000000-0000-0000-0000-{versions[number]['id']:012}",
            "SchemaDefinition": versions[number]["schema"],
            "DataFormat": kind,
            "VersionNumber": number,
            "Status": self._status(asked, number),
        }

    def list_schema_versions(self, asked: Any) -> Any:
        versions = self._versions(asked)
        return {"Schemas": [{"VersionNumber": number, "Status": self._status(asked, number)} for number in versions]}

    def _status(self, asked: Any, number: int) -> str:
        return "FAILURE" if (asked["SchemaId"]["SchemaName"], number) in self.failed else "AVAILABLE"

    def _versions(self, asked: Any) -> dict[int, Any]:
        assert asked["SchemaId"]["RegistryName"] == "shop"
        name = asked["SchemaId"]["SchemaName"]
        if name not in self.subjects.subjects:
            raise _error("EntityNotFoundException")
        return self.subjects.subjects[name]


def _faults(document: Any, shape: Any) -> str:
    report: str = ParamValidator().validate(document, shape).generate_report()
    return report


def _error(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "")


@pytest.fixture
def glue(registry: FakeRegistry) -> Iterator[FakeGlue]:
    client = Session().create_client("glue", "eu-west-1", aws_access_key_id="a", aws_secret_access_key="b")
    fake = FakeGlue(registry, client)
    with patch.object(client, "_make_api_call", fake.call):
        yield fake


def poll(world: World, glue: FakeGlue) -> PollResult:
    def send(events: Any) -> None:
        world.sent = list(events)
        world.alerts = world.graph.alerts_of_batch(*events)

    world.sent, world.alerts = [], []
    world.now = world.now.replace(minute=world.now.minute + 1)
    reader = Reader(world.graph.store.for_one_request(), Naming())
    followed = FollowedRegistry("msk", GlueRegistry(glue.client, "shop"), KAFKA, is_named_after_topic=True)
    return poller.poll(followed, StoredGraph(reader, send), world.now, Deadline())


def test_schemas_of_all_pages_become_those_of_their_topics(world: World, glue: FakeGlue) -> None:
    for name in ("orders", "carts-value", "carts-key", "returns", "com.acme.Order"):
        world.registry.register(name, record("id:long"))
    result = poll(world, glue)
    assert (result.read, result.sent, result.unplaced) == (5, 3, ["com.acme.Order"])
    assert world.columns("carts") == {"_key": "struct", "id": "long"}
    (subject,) = world.told("orders")["subjects"]
    assert (subject["id"], subject["compatibility"]) == ("00000000-0000-0000-0000-000000000001", "BACKWARD")
    assert poll(world, glue).sent == 0


def test_a_version_after_the_level_was_lowered_is_a_breach(world: World, glue: FakeGlue) -> None:
    world.registry.level = "BACKWARD_ALL"
    world.registry.register("orders", record("id:long"))
    poll(world, glue)
    world.registry.levels["orders"] = "DISABLED"
    world.registry.register("orders", record("id:long", "total:double"))
    poll(world, glue)
    assert [(alert["alert"], alert["level"]) for alert in world.alerts] == [("Compatibility Broken", "BACKWARD")]


def test_a_version_that_failed_glues_check_is_no_version(world: World, glue: FakeGlue) -> None:
    world.registry.register("orders", record("id:long"))
    world.registry.register("orders", record("id:string"))
    glue.failed.add(("orders", 2))
    poll(world, glue)
    assert world.columns("orders") == {"id": "long"}
    assert poll(world, glue).sent == 0


@pytest.mark.parametrize("code", ["AccessDeniedException", "ThrottlingException", "InternalServiceException"])
@pytest.mark.parametrize("operation", ["ListSchemas", "GetSchema", "GetSchemaVersion"])
def test_a_call_that_fails_deletes_nothing(world: World, glue: FakeGlue, operation: str, code: str) -> None:
    world.registry.register("orders", record("id:long"))
    poll(world, glue)
    glue.faults[operation] = code
    if operation == "ListSchemas":
        with pytest.raises(Unreachable):
            poll(world, glue)
    else:
        assert list(poll(world, glue).skipped) == ["orders"]
    assert world.sent == []


def test_a_schema_that_was_deleted_is_told(world: World, glue: FakeGlue) -> None:
    world.registry.register("orders", record("id:long"))
    poll(world, glue)
    del world.registry.subjects["orders"]
    assert poll(world, glue).sent == 1
    assert world.told("orders")["subjects"][0]["deleted"] is True
    assert poll(world, glue).sent == 0
