"""A version is an alert, before a job reads it, if it breaks its subject's compatibility or a reader, and else none."""

from typing import Any

import pytest

from tests import factory
from tests.factory import Document
from tests.sources.registry.conftest import KAFKA, World, record

TOPIC = {"namespace": KAFKA, "name": "orders"}


def report(seconds: float = 1, **facets: Any) -> Document:
    """A job that makes the column `contact` of the topic's column `email`."""
    lineage = factory.columns(contact=(KAFKA, "orders", "email"))
    return factory.run_event(
        "COMPLETE",
        seconds=seconds,
        job="report",
        inputs=[{**TOPIC, "facets": facets}],
        outputs=[factory.dataset("contacts", columnLineage=lineage, schema=factory.schema("contact:string"))],
    )


def publish(world: World, *fields: str) -> None:
    """A new version of the subject, and the poll that finds it."""
    world.registry.register("orders-value", record(*fields))
    world.poll()


@pytest.fixture(autouse=True)
def _told(world: World) -> None:
    publish(world, "id:long", "email:string?")


def test_a_column_that_a_job_uses_is_gone_though_the_registry_lets_it_pass(world: World) -> None:
    world.fold(report())
    publish(world, "id:long")
    (alert,) = world.alerts
    assert (alert["alert"], alert["severity"], alert["verdict"]) == ("Dataset Schema Changed", "critical", "BREAKING")
    assert alert["removed"] == [{"field": "email", "type": "string"}]
    assert [node["nodeId"] for node in alert["breaks"]["items"] if node["nodeId"].startswith("datasetField:")] == [
        "datasetField:s3://lake:contacts:contact"
    ]


def test_a_column_that_no_column_is_made_of_breaks_none(world: World) -> None:
    publish(world, "id:long", "email:string?", "phone:string?")
    world.fold(report())
    publish(world, "id:long", "email:string?")
    (alert,) = world.alerts
    assert (alert["severity"], alert["breaks"]["items"]) == ("warning", [])


def test_a_version_that_was_forced_is_told_with_the_registrys_reasons(world: World) -> None:
    world.fold(report())
    world.registry.register("orders-value", record("id:string", "email:string?"))
    world.registry.incompatible["orders-value"] = ["reader type STRING is not compatible with writer type LONG at id"]
    world.poll()
    (alert,) = world.alerts
    assert alert["alert"] == "Compatibility Broken"
    assert alert["title"] == "orders: version 2 of orders-value breaks BACKWARD compatibility"
    assert (alert["version"], alert["against"], alert["level"]) == (2, 1, "BACKWARD")
    assert alert["reasons"] == ["reader type STRING is not compatible with writer type LONG at id"]
    assert [column["field"] for column in alert["retyped"]] == ["id"]
    world.poll()
    assert world.alerts == []


@pytest.mark.parametrize("is_lowered_before", [True, False])
def test_a_version_after_the_level_was_lowered_breaks_the_level_before(world: World, is_lowered_before: bool) -> None:
    """Whether a poll came between the two or not."""
    world.fold(report())
    world.registry.levels["orders-value"] = "NONE"
    if is_lowered_before:
        world.poll()
    publish(world, "id:long", "email:string?", "total:double")
    (alert,) = world.alerts
    assert (alert["alert"], alert["severity"], alert["level"]) == ("Compatibility Broken", "critical", "BACKWARD")
    assert alert["reasons"] == ["total has no default in the new schema, and old records lack it"]


def test_a_version_that_keeps_the_promise_of_the_level_before_is_no_breach(world: World) -> None:
    world.registry.levels["orders-value"] = "NONE"
    publish(world, "id:long", "email:string?", "phone:string?")
    assert world.types() == ["Dataset Schema Changed"]
    assert world.alerts[0]["severity"] == "info"
    # Nothing is promised of a version that came without a promise.
    publish(world, "id:long", "email:string?", "phone:string?", "total:double")
    assert world.types() == ["Dataset Schema Changed"]


def test_a_promise_may_break_while_all_columns_stay(world: World) -> None:
    world.fold(report())
    world.registry.levels["orders-value"] = "NONE"
    publish(world, "id:long", "email:string")
    (alert,) = world.alerts
    assert (alert["alert"], alert["change"], alert["severity"]) == ("Compatibility Broken", None, "critical")
    assert alert["reasons"] == ["email must not be null in the new schema, and may be null in old records"]
    assert [node["nodeId"] for node in alert["breaks"]["items"] if node["nodeId"].startswith("dataset:")] == [
        "dataset:s3://lake:contacts"
    ]


def test_a_breach_that_nobody_reads_is_a_warning(world: World) -> None:
    world.registry.incompatible["orders-value"] = ["id"]
    publish(world, "id:string", "email:string?")
    (alert,) = world.alerts
    assert (alert["severity"], alert["breaks"]["items"]) == ("warning", [])


def flink(seconds: float, *fields: str, side: str = "outputs") -> Document:
    """A job of Flink with its own definition of the topic."""
    topic = {**TOPIC, "facets": {"schema": factory.schema(*fields)}}
    return factory.run_event(
        "RUNNING",
        seconds=seconds,
        job="enrich",
        job_facets={"jobType": factory.facet(processingType="STREAMING", integration="FLINK", jobType="JOB")},
        inputs=[topic] if side == "inputs" else [],
        outputs=[topic] if side == "outputs" else [],
    )


@pytest.mark.parametrize("side", ["inputs", "outputs"])
def test_what_a_job_takes_the_columns_for_is_no_change_beside_the_registry(world: World, side: str) -> None:
    narrow, wide = ["id:BIGINT"], ["id:STRING", "email:STRING", "extra:INT"]
    assert world.fold(flink(100, *narrow, side=side)) == []
    assert world.fold(flink(200, *wide, side=side)) == []
    publish(world, "id:long", "email:string?", "phone:string?")
    assert [column["field"] for alert in world.alerts for column in alert["added"]] == ["phone"]
    assert world.fold(flink(4000, *narrow, side=side)) == []
    assert world.columns("orders") == {"id": "long", "email": "string", "phone": "string"}


@pytest.mark.parametrize("side", ["inputs", "outputs"])
def test_the_first_schema_of_a_registry_is_no_change_of_what_a_job_told(world: World, side: str) -> None:
    carts = flink(1, "id:STRING", "extra:INT", side=side)
    carts[side][0] |= {"name": "carts"}
    world.fold(carts)
    world.registry.register("carts-value", record("id:long"))
    assert (world.poll().sent, world.alerts) == (1, [])
    assert world.columns("carts") == {"id": "long"}
