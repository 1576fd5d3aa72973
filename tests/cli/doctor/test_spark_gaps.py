"""What the Spark listener leaves out, by the events of real jobs (tests/fixtures/spark-programs)."""

from typing import Any

import pytest

from headwater.cli.doctor.arrivals import Arrivals
from headwater.cli.doctor.finding import Blame, DoctorFinding
from headwater.cli.doctor.spark_gaps import jar_gaps, spark_gaps
from tests import factory
from tests.producer_records import recorded, recorded_program

LISTENER = "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark"


def gaps(events: list[dict[str, Any]]) -> list[DoctorFinding]:
    return list(spark_gaps(Arrivals(events, [], [], is_cut=False)))


def told(program: str) -> list[str]:
    return [finding.what for finding in gaps(recorded_program(program))]


def test_writes_that_failed_after_a_shuffle_and_came_as_complete_are_named() -> None:
    (failed,) = told("fails")
    assert failed.startswith("writes after a shuffle: the listener (1.37.0) says COMPLETE also if one fails")
    assert failed.endswith("perhaps failed: " + ", ".join(f"fails.adaptive_spark_plan.o_later{n}" for n in ("", 2, 3)))


def test_of_writes_that_count_their_rows_no_failure_is_supposed() -> None:
    (finding,) = gaps(recorded("spark", "segments"))
    assert finding.what == "writes after a shuffle: the listener (1.53.0) says COMPLETE also if one fails"


def test_an_iceberg_catalog_over_jdbc_keeps_the_graph_empty() -> None:
    (finding,) = gaps(recorded_program("iceberg_jdbc"))
    assert finding.blame is Blame.LISTENER
    assert "writes whose table the listener does not name: icejdbc.append_data.ij_db_mart" in finding.what
    both = [*recorded_program("iceberg"), *recorded_program("iceberg_jdbc")]
    assert [finding.blame for finding in gaps(both)] == [None]


@pytest.mark.parametrize(
    ("program", "jobs"),
    [("delta", "delta.drop_table, delta.execute_delete_command"), ("shop", "day.drop_table"), ("iceberg", "")],
)
def test_statements_without_their_table_are_named(program: str, jobs: str) -> None:
    assert told(program) == [f"statements whose table the listener does not name: {jobs}"] * bool(jobs)


@pytest.mark.parametrize(("program", "job"), [("pandas", "pands"), ("streams", "streams"), ("jdbc", "")])
def test_writes_without_column_lineage_are_named(program: str, job: str) -> None:
    assert [what.split(".")[0] for what in told(program)] == [f"writes without column lineage: {job}"] * bool(job)


def stream(*, application: int, writes: bool) -> list[dict[str, Any]]:
    """A stream that names no output, and perhaps the write of a foreachBatch."""
    facets: Any = {"jobType": factory.facet(processingType="STREAMING", integration="SPARK", jobType="SQL_JOB")}
    parent: Any = {"run_facets": {"parent": factory.parent(application, "app")}}
    events = [factory.run_event("COMPLETE", run=application + 1, job="app.scan_csv", job_facets=facets, **parent)]
    if writes:
        outputs = [factory.dataset("out")]
        events += [factory.run_event("COMPLETE", run=application + 2, job="app.write.out", outputs=outputs, **parent)]
    return [{**event, "producer": LISTENER} for event in events]


def test_a_stream_is_silent_unless_its_application_writes() -> None:
    assert [finding.what for finding in gaps(stream(application=10, writes=False))] == [
        "streams that name no output: app.scan_csv"
    ]
    assert gaps(stream(application=20, writes=True)) == []


@pytest.mark.parametrize(
    ("version", "namespace", "lacking"),
    [
        ("1.34.0", "s3://lake", "what a DynamicFrame of Glue reads (since 1.42); the Glue name of an Iceberg table"),
        ("1.42.0-amzn-1", "s3a://lake", "the Glue name of an Iceberg table (since 1.46); the name of a table in S3"),
        ("1.47.1", "s3://lake", "the name of a table in S3 Tables (since 1.48)"),
        ("1.48.0", "s3://lake", None),
        ("2.0.0", "s3://lake", None),
        ("main", "s3://lake", None),
        ("1.34.0", "hdfs://nn:8020", None),
    ],
)
def test_what_an_old_listener_does_not_tell_on_aws_is_named(version: str, namespace: str, lacking: str | None) -> None:
    event = factory.run_event("START", inputs=[factory.dataset("orders", namespace)])
    found = [gap.what for gap in gaps([{**event, "producer": LISTENER.replace("1.53.0", version)}])]
    assert [what.startswith(f"the listener {version} is old, and does not report {lacking}") for what in found] == (
        [True] if lacking else []
    )


def test_a_glue_name_of_a_path_elsewhere_is_of_aws_too() -> None:
    glue = {"namespace": "arn:aws:glue:eu-central-1:123456789012", "name": "table/shop/orders", "type": "TABLE"}
    orders = factory.dataset("/orders", "hdfs://nn", symlinks=factory.facet(identifiers=[glue]))
    event = factory.run_event("START", outputs=[orders])
    (finding,) = gaps([{**event, "producer": LISTENER.replace("1.53.0", "1.47.0")}])
    assert "S3 Tables" in finding.what


def test_other_producers_are_not_asked() -> None:
    assert gaps([{**event, "producer": factory.PRODUCER} for event in recorded_program("fails")]) == []


APPLICATION = {"jobType": factory.facet(processingType="NONE", integration="SPARK", jobType="APPLICATION")}
JAR = {"headwater_heartbeat": factory.facet(everySeconds=300)}


def application(number: int, *, of_start: dict[str, Any], of_query: dict[str, Any]) -> list[dict[str, Any]]:
    """An application and a query of it that writes after a shuffle, with facets of their runs."""
    name = f"app{number}"
    query = {**of_query, "parent": factory.parent(number, name)}
    job, out = f"{name}.adaptive_spark_plan.out", [factory.dataset("out")]
    events = [
        factory.run_event("START", run=number, job=name, job_facets=APPLICATION, run_facets=of_start),
        factory.run_event("COMPLETE", run=number + 100, job=job, outputs=out, run_facets=query),
    ]
    return [{**event, "producer": LISTENER} for event in events]


@pytest.mark.parametrize(
    ("of_start", "of_query", "told"),
    [
        ({}, {}, "no jar beside the listener in app1: "),
        (
            {},
            {"headwater_runtime": factory.facet()},
            "an old jar beside the listener, which sends no heartbeats, in app1",
        ),
        (
            {**JAR, "headwater_agent": factory.facet(fault="NoSuchMethodError: x")},
            {},
            "the jar beside the listener failed: No",
        ),
        (JAR, {}, None),
    ],
)
def test_a_jar_that_is_absent_old_or_broken_is_told(
    of_start: dict[str, Any], of_query: dict[str, Any], told: str | None
) -> None:
    arrivals = Arrivals(application(1, of_start=of_start, of_query=of_query), [], [], is_cut=False)
    assert [finding.what.startswith(told or "-") for finding in jar_gaps(arrivals)] == [True] * bool(told)


def test_with_the_jar_no_failure_is_hidden() -> None:
    beside, bare = application(1, of_start=JAR, of_query={}), application(2, of_start={}, of_query={})
    assert gaps(beside) == []
    (finding,) = gaps([*beside, *bare])
    assert finding.what.endswith("perhaps failed: app2.adaptive_spark_plan.out")


def test_of_an_application_that_began_before_the_events_no_jar_is_missed() -> None:
    late = application(1, of_start={}, of_query={})[1:]
    assert list(jar_gaps(Arrivals(late, [], [], is_cut=True))) == []
