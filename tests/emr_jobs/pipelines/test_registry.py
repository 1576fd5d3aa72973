"""A real schema registry, Apicurio: subjects that change, break their promise and are deleted; and it is killed."""

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.cli.machine.state import state_folder
from headwater.cli.registry import main
from tests import factory
from tests.emr_jobs.pipelines.apicurio import RegistryProcess
from tests.serve.process import ServeProcess, wait_for
from tests.sources.registry.conftest import record

pytestmark = pytest.mark.engine
TOPICS = "/api/v1/namespaces/kafka:%2F%2Fbroker-1:9092/datasets"
PROTO = """syntax = "proto3"; package shop;
message Cart { int64 id = 1; repeated Item items = 2; message Item { string sku = 1; } }"""
JSON_SCHEMA = {"title": "Return", "type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}


class Registry:
    """The registry, and a server that hears of its subjects by `headwater registry --once`."""

    def __init__(self, process: RegistryProcess, server: ServeProcess) -> None:
        self.process = process
        self.server = server

    def ask(self, method: str, path: str, document: Any = None) -> Any:
        body = json.dumps(document).encode() if document is not None else None
        headers = {"Content-Type": "application/vnd.schemaregistry.v1+json"}
        request = urllib.request.Request(self.process.url + path, body, headers, method=method)  # noqa: S310 - our own
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return json.loads(answer.read())

    def register(self, subject: str, schema: Any, kind: str = "AVRO", **more: Any) -> None:
        text = schema if isinstance(schema, str) else json.dumps(schema)
        self.ask("POST", f"/subjects/{subject}/versions", {"schema": text, "schemaType": kind, **more})

    def level(self, subject: str, level: str) -> None:
        self.ask("PUT", f"/config/{subject}", {"compatibility": level})

    def poll(self) -> int:
        status = main([self.process.url, "--once", "--url", self.server.url, "--kafka", "broker-1:9092"])
        self.server.wait_until_folded()
        return status

    def topic(self, name: str) -> Any:
        return self.server.get(f"{TOPICS}/{name}")

    def columns(self, topic: str) -> dict[str, str]:
        return {field["name"]: field["type"] for field in self.topic(topic)["fields"]}

    def alerts(self, number: int) -> list[Any]:
        """The alerts, the newest first, once there are so many."""
        wait_for(lambda: len(self.server.get("/api/v1/alerts")["alerts"]) >= number)
        alerts: list[Any] = self.server.get("/api/v1/alerts")["alerts"]
        return alerts


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    process = RegistryProcess(state_folder(), tmp_path)
    process.start()
    try:
        with ServeProcess(tmp_path / "lineage.db", "--open") as server:
            yield Registry(process, server)
    finally:
        process.kill()


def test_subjects_of_a_real_registry(registry: Registry) -> None:
    registry.register("zip", record("code:string", name="Zip"))
    reference = {"name": "com.acme.Zip", "subject": "zip", "version": 1}
    registry.register("orders-value", record("id:long", "email:string?"))
    registry.register("homes-value", record("zip:com.acme.Zip"), references=[reference])
    registry.register("orders-key", '"string"')
    registry.register("carts-value", PROTO, "PROTOBUF")
    registry.register("returns-value", JSON_SCHEMA, "JSON")
    registry.level("orders-value", "BACKWARD")
    assert registry.poll() == 0
    assert registry.columns("orders") == {"_key": "string", "id": "long", "email": "string"}
    assert registry.columns("homes") == {"zip": "struct"}
    assert registry.columns("carts") == {"id": "long", "items": "array"}
    assert registry.columns("returns") == {"id": "long"}
    _breaks_its_promise(registry)
    _is_killed(registry)


def _breaks_its_promise(registry: Registry) -> None:
    """A version is registered while the level is lowered for a moment."""
    report = factory.run_event(
        "COMPLETE",
        job="report",
        inputs=[{"namespace": "kafka://broker-1:9092", "name": "orders", "facets": {}}],
        outputs=[
            factory.dataset(
                "contacts", columnLineage=factory.columns(contact=("kafka://broker-1:9092", "orders", "email"))
            )
        ],
    )
    assert registry.server.post(report).status == 201
    registry.level("orders-value", "NONE")
    registry.register("orders-value", record("id:string"))
    registry.level("orders-value", "BACKWARD")
    registry.register("homes-value", record("zip:string?"))
    assert registry.poll() == 0, "Apicurio gives no verdict beside a version with references"
    alert, *_ = [alert for alert in registry.alerts(2) if alert["name"] == "orders"]
    assert (alert["type"], alert["name"], alert["severity"]) == ("Compatibility Broken", "orders", "critical")
    assert any("not compatible" in reason for reason in alert["details"]["reasons"])
    assert registry.columns("orders") == {"_key": "string", "id": "string"}
    registry.ask("DELETE", "/subjects/carts-value")
    assert registry.poll() == 0
    (subject,) = registry.topic("carts")["facets"]["kafka_schemaRegistry"]["subjects"]
    assert subject["deleted"] is True
    assert registry.columns("carts") == {"id": "long", "items": "array"}


def _is_killed(registry: Registry) -> None:
    registry.process.kill()
    assert registry.poll() == 1
    subjects = registry.topic("orders")["facets"]["kafka_schemaRegistry"]["subjects"]
    assert not any(subject.get("deleted") for subject in subjects)
    assert len(registry.alerts(2)) == 2
