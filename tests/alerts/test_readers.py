"""The schema of a reader raises an alert if that reader had another schema before and no alert had the change."""

from typing import Any

import pytest

from tests import factory
from tests.alerts.stream import World, changes
from tests.factory import Document

OLD, NEW = factory.schema("id:long"), factory.schema("id:long", "x:int")


def event(seconds: float, job: str, run: int, kind: str = "COMPLETE", **sides: Any) -> Document:
    return factory.run_event(kind, seconds=seconds, run=run, job=job, **sides)


def reads(seconds: float, schema: Document, *, job: str = "report", run: int, kind: str = "COMPLETE") -> Document:
    return event(seconds, job, run, kind, inputs=[factory.dataset("a", schema=schema)])


def writes(seconds: float, schema: Document, *, run: int, job: str = "load", kind: str = "COMPLETE") -> Document:
    return event(seconds, job, run, kind, outputs=[factory.dataset("a", schema=schema)])


def test_a_topic_without_a_known_writer_changes_with_the_schema_of_its_reader() -> None:
    alerts = World().alerts_one_by_one(
        [reads(0, OLD, run=1), reads(1, NEW, run=2), reads(2, NEW, run=3), reads(3, OLD, run=4)]
    )
    assert changes(alerts) == ["a +x", "a -x"]
    assert {alert["seenAs"] for alert in alerts} == {"input"}


def test_a_written_change_raises_no_second_alert_when_it_is_read() -> None:
    alerts = World().alerts_one_by_one(
        [writes(0, OLD, run=1), reads(1, OLD, run=2), writes(2, NEW, run=3), reads(3, NEW, run=4)]
    )
    assert [(alert["seenAs"], alert["job"]["name"]) for alert in alerts] == [("output", "load")]


def test_a_reader_that_started_before_a_change_and_ends_after_it_changes_nothing() -> None:
    alerts = World().alerts_one_by_one(
        [
            writes(0, OLD, run=1),
            reads(1, OLD, run=2, kind="START"),
            writes(2, NEW, run=3),
            reads(3, OLD, run=2),
            reads(4, NEW, run=4),
        ]
    )
    assert changes(alerts) == ["a +x"]


def test_a_stream_that_keeps_the_schema_it_started_with_does_not_flap() -> None:
    world = World()
    world.alerts_one_by_one([writes(0, OLD, run=1), reads(1, OLD, job="stream", run=2)])
    alerts = world.alerts_one_by_one(
        document
        for number in range(3, 13, 2)
        for document in (writes(number, NEW, run=number), reads(number + 1, OLD, job="stream", run=number + 1))
    )
    assert changes(alerts) == ["a +x"]


def test_two_readers_with_schemas_of_their_own_raise_one_alert_with_a_doubt() -> None:
    alerts = World().alerts_one_by_one(
        reads(number, schema, job=job, run=number)
        for number, (schema, job) in enumerate([(OLD, "one"), (NEW, "other")] * 4, start=1)
    )
    assert changes(alerts) == ["a +x"]
    assert any("never read the dataset before" in line for line in alerts[0]["lines"])


def test_a_reader_with_an_earlier_schema_raises_an_alert_without_a_doubt() -> None:
    alerts = World().alerts_one_by_one([reads(0, NEW, run=1), reads(1, OLD, run=2)])
    assert not any("never read the dataset before" in line for line in alerts[0]["lines"])


def test_of_several_readers_the_first_to_see_a_change_tells_it() -> None:
    world = World()
    world.alerts_one_by_one(reads(number, OLD, job=f"job {number}", run=number) for number in range(1, 4))
    alerts = world.alerts_one_by_one(
        reads(number, NEW, job=f"job {number % 3 + 1}", run=number) for number in range(4, 10)
    )
    assert [(alert["job"]["name"], changes([alert])[0]) for alert in alerts] == [("job 2", "a +x")]


def test_of_several_readers_in_one_batch_the_first_to_see_a_change_tells_it() -> None:
    world = World()
    world.alerts_one_by_one(reads(number, OLD, job=f"job {number}", run=number) for number in range(1, 4))
    later = [reads(number, NEW, job=f"job {number % 3 + 1}", run=number) for number in range(4, 10)]
    alerts = world.alerts_of_batch(*later)
    assert [(alert["job"]["name"], alert["run"]["runId"]) for alert in alerts] == [("job 2", factory.run_id(4))]


def test_a_slow_reader_with_the_old_schema_raises_no_second_alert() -> None:
    world = World()
    world.alerts_one_by_one([reads(0, OLD, job="one", run=1), reads(1, OLD, job="other", run=2)])
    alerts = world.alerts_one_by_one(
        [
            reads(2, OLD, job="other", run=3, kind="START"),
            reads(3, NEW, job="one", run=4),
            reads(4, OLD, job="other", run=3),
            reads(5, NEW, job="other", run=5),
        ]
    )
    assert changes(alerts) == ["a +x"]


def test_the_first_schema_of_a_dataset_is_no_change() -> None:
    assert World().alerts_one_by_one([writes(0, OLD, run=1), reads(1, OLD, run=2)]) == []
    assert World().alerts_of_batch(event(0, "load", 1, outputs=[factory.dataset("a")]), writes(1, OLD, run=2)) == []


def test_a_dataset_that_was_only_read_and_is_written_otherwise_has_changed() -> None:
    alerts = World().alerts_one_by_one([reads(0, OLD, run=1), writes(1, NEW, run=2)])
    assert [(changes([alert])[0], alert["seenAs"]) for alert in alerts] == [("a +x", "output")]


def test_a_schema_that_an_event_of_the_dataset_itself_gives_counts_as_written() -> None:
    described = factory.dataset_event(factory.dataset("a", schema=NEW), seconds=5)
    alerts = World().alerts_one_by_one([writes(0, OLD, run=1), described])
    assert [(changes([alert])[0], alert["job"]) for alert in alerts] == [("a +x", None)]


def test_two_jobs_that_write_a_table_in_turn_change_it_each_time() -> None:
    alerts = World().alerts_one_by_one(
        [writes(0, OLD, run=1), writes(1, NEW, job="other", run=2), writes(2, OLD, run=3)]
    )
    assert changes(alerts) == ["a +x", "a -x"]


@pytest.mark.parametrize("schema", [factory.facet(fields=[]), factory.facet(), factory.facet(fields=None)])
def test_a_schema_without_columns_raises_no_alert(schema: Document) -> None:
    assert World().alerts_one_by_one([writes(0, OLD, run=1), writes(1, schema, run=2), writes(2, OLD, run=3)]) == []


def test_a_table_dropped_and_created_again_is_a_drop_and_then_a_schema_diff() -> None:
    drop = factory.dataset(
        "a", schema=factory.facet(fields=[]), lifecycleStateChange=factory.facet(lifecycleStateChange="DROP")
    )
    alerts = World().alerts_one_by_one(
        [
            writes(0, factory.schema(*(f"c{number}:int" for number in range(1000))), run=1),
            event(1, "drop", 2, outputs=[drop]),
            event(2, "drop", 3, outputs=[drop]),
            writes(3, factory.schema(*(f"c{number}:int" for number in range(999))), run=4),
        ]
    )
    assert changes(alerts) == ["a dropped", "a -c999"]
    assert (alerts[0]["removed"], alerts[0]["verdict"]) == ([], "BREAKING")


def test_the_drop_of_an_unknown_dataset_raises_no_alert() -> None:
    drop = factory.dataset(
        "a", schema=factory.facet(fields=[]), lifecycleStateChange=factory.facet(lifecycleStateChange="DROP")
    )
    assert World().alerts_one_by_one([event(0, "drop", 1, outputs=[drop]), writes(1, OLD, run=2)]) == []


def test_a_change_with_an_alert_raises_no_second_alert_under_the_symlink() -> None:
    def written(seconds: float, schema: Document, run: int) -> Document:
        output = factory.dataset("a", schema=schema, symlinks=factory.symlinks("db.a", namespace="hive://meta"))
        return event(seconds, "load", run, outputs=[output])

    def read(seconds: float, schema: Document, run: int) -> Document:
        return event(seconds, "trino", run, inputs=[factory.dataset("db.a", "hive://meta", schema=schema)])

    alerts = World().alerts_one_by_one([written(0, OLD, 1), read(1, OLD, 2), written(2, NEW, 3), read(3, NEW, 4)])
    assert [(changes([alert])[0], alert["name"]) for alert in alerts] == [("a +x", "a")]
