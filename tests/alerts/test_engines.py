"""Two engines that write one table name its types each in their own way, and change nothing."""

import pytest

from headwater.graph.facets.column_type import is_equal_across_engines
from tests import factory
from tests.alerts.stream import World, changes
from tests.factory import Document


def wrote(run: int, job: str, integration: str, *columns: str) -> Document:
    return factory.run_event(
        "COMPLETE",
        run=run,
        seconds=run,
        job=job,
        outputs=[factory.dataset("orders", schema=factory.schema(*columns))],
        job_facets={"jobType": factory.facet(integration=integration, jobType="JOB", processingType="BATCH")},
    )


SPARK = ("id:long", "name:string", "at:timestamp", "price:decimal(10,2)")
POSTGRES = ("id:bigint", "name:character varying(20)", "at:timestamp with time zone", "price:numeric(10,2)")


def test_a_table_that_two_engines_write_in_turn_does_not_change() -> None:
    turns = [(SPARK, "SPARK") if number % 2 else (POSTGRES, "AIRFLOW") for number in range(1, 7)]
    events = [
        wrote(number, f"load by {engine}", engine, *columns) for number, (columns, engine) in enumerate(turns, start=1)
    ]
    assert World().alerts_one_by_one(events) == []
    assert World().alerts_of_batch(*events) == []


def test_a_column_that_another_engine_removes_or_makes_a_number_is_told() -> None:
    events = [
        wrote(1, "spark", "SPARK", *SPARK),
        wrote(2, "dag.load", "AIRFLOW", "id:bigint", "name:integer", "at:timestamp"),
    ]
    assert changes(World().alerts_one_by_one(events)) == ["orders -price ~name(incompatible)"]


def test_one_engine_that_retypes_its_own_column_is_told() -> None:
    events = [wrote(1, "load", "AIRFLOW", "name:varchar(20)"), wrote(2, "load", "AIRFLOW", "name:uuid")]
    assert changes(World().alerts_one_by_one(events)) == ["orders ~name(incompatible)"]


@pytest.mark.parametrize(
    ("one", "other", "is_equal"),
    [
        ("string", "varchar", True),
        ("text", "STRING", True),
        ("long", "bigint", True),
        ("timestamp", "timestamp(6) with time zone", True),
        ("timestamp_ltz(3)", "timestamp", True),
        ("uuid", "string", True),
        ("string", "integer", False),
        ("date", "timestamp", False),
        ("decimal(10,2)", "double", False),
    ],
)
def test_types_that_engines_name_each_in_their_own_way(one: str, other: str, *, is_equal: bool) -> None:
    assert is_equal_across_engines(one, other) is is_equal
    assert is_equal_across_engines(other, one) is is_equal
