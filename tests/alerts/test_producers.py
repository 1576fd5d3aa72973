"""The alerts that a person expects of the events of real producers, and no other: a false alarm is worse than none.

Each folder of tests/fixtures/producers has a page with what ran.
"""

from datetime import datetime, timedelta

import pytest

from headwater.alerts.abandoned_runs import Sweeper
from headwater.graph.names.identity import dataset_id
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.states.run import RunState
from headwater.openlineage.event import Name
from headwater.openlineage.instant import instant_of, parse_instant
from headwater.read.reader import Reader
from tests import factory
from tests.alerts.stream import Detail, World
from tests.factory import Document
from tests.producer_records import recorded, scenarios

PAID_ORDERS_FAILED = "Run Failed: model.shop.paid_orders failed"
COUNTRY_FAILED = "Data Quality Assertion Failed: shop.main.paid_orders: 1 assertion failed: accepted_values of country"
CITY_WARNED = "Data Quality Assertion Failed: ward.main.dim_patient: 1 assertion failed: accepted_values of city"
REFERENCE_FAILED = (
    "Data Quality Assertion Failed: ward.main.stg_patients: 1 assertion failed: "
    "relationships_fct_stays_patient_id__patient_id__ref_stg…"
)
TONNES_MISSING = "Data Quality Assertion Failed: port.main.stg_calls: 1 assertion failed: not_null of tonnes"
EXPECTED = {
    ("dbt", "harbour_skipped_ephemeral"): [TONNES_MISSING],
    ("dbt", "hospital_failing_model"): [CITY_WARNED, "Run Failed: model.hospital.fct_stays failed"],
    ("dbt", "hospital_failing_relationship"): [CITY_WARNED, REFERENCE_FAILED],
    ("dbt", "run_failing_model"): [PAID_ORDERS_FAILED],
    ("dbt", "build_failing_model"): [PAID_ORDERS_FAILED],
    ("dbt", "structured_logs_run_failing_model"): [f"{PAID_ORDERS_FAILED} while writing shop.main.paid_orders"],
    ("dbt", "test_failing"): [COUNTRY_FAILED],
    ("dbt", "build_failing_test"): [COUNTRY_FAILED],
    ("dbt", "structured_logs_build_failing_test"): [COUNTRY_FAILED],
    ("flink", "datastream_failed"): ["Run Failed: clear_payments failed"],
    ("flink", "datastream_fails_at_once"): ["Run Failed: clear_payments failed"],
    ("flink", "datastream_restarts_and_fails"): ["Run Failed: clear_payments failed"],
    ("trino", "fails_while_running"): ["Run Failed: insert memory.shop.revenue 315cae16 failed"],
    ("trino", "create_table_as_fails_while_running"): ["Run Failed: create lake.shop.broken 2dec2ce6 failed"],
    ("trino", "fails_in_analysis"): ["Run Failed: insert lake.shop.audit 5e9f1a4d failed"],
    ("presto", "fails"): ["Run Failed: create lake.shop.broken 422b7f1a failed"],
    ("presto", "fails_while_running"): ["Run Failed: insert lake.shop.revenue 88002a1c failed"],
    ("hive", "fails"): ["Run Failed: query.shop.large f8e1076f failed"],
}
TRINO_IN_ORDER = (
    *("create_schema", "create_table", "create_table_as", "create_view", "insert", "insert_with_columns"),
    *("insert_values", "same_insert_three_times", "update", "delete", "merge"),
)
PRESTO_IN_ORDER = ("create_table_as", "create_view", "insert_of_three_days", "update", "delete", "select", "cancelled")
ALL = [(engine, scenario) for engine in ("dbt", "flink", "hive", "presto", "trino") for scenario in scenarios(engine)]


def told(alerts: list[Detail]) -> list[str]:
    return [f"{alert['alert']}: {alert['title']}" for alert in alerts]


@pytest.mark.parametrize(("engine", "scenario"), ALL)
def test_a_pipeline_raises_the_alerts_that_a_person_expects(engine: str, scenario: str) -> None:
    events, expected = recorded(engine, scenario), EXPECTED.get((engine, scenario), [])
    assert told(World().alerts_one_by_one(events)) == expected
    assert sorted(told(World().alerts_of_batch(*events))) == sorted(expected)
    assert told(World().alerts_one_by_one([event for event in events for _ in range(2)])) == expected


@pytest.mark.parametrize("scenario", scenarios("dbt"))
def test_no_mode_of_dbt_changes_a_schema_after_another(scenario: str) -> None:
    world = World()
    for before in ("run_with_catalog", "run", "structured_logs_build"):
        assert world.alerts_one_by_one(recorded("dbt", before)) == []
    assert told(world.alerts_one_by_one(recorded("dbt", scenario))) == EXPECTED.get(("dbt", scenario), [])


@pytest.mark.parametrize(
    "scenario",
    [
        *("run_failing_model", "build_failing_model", "structured_logs_run_failing_model"),
        *("test_failing", "build_failing_test", "structured_logs_build_failing_test"),
    ],
)
def test_a_failure_whose_events_come_in_reverse_is_told_once(scenario: str) -> None:
    """The wrapper's failure comes first, and is told; its cause, a model or an assertion, is not told beside it."""
    world = World.storing()
    assert told(world.alerts_one_by_one(recorded("dbt", scenario)[::-1])) == ["Run Failed: dbt-run-shop failed"]


def sweep(world: World, events: list[Document], after: timedelta, allowed: int = 60) -> int:
    """Sweeps that long after the last event, and returns the number of open runs."""
    last = max(datetime.fromisoformat(event["eventTime"]) for event in events)
    sweeper = Sweeper(world.store, world.bus, Naming(), Thresholds(allowed, {}), lambda *_, **__: None)
    return sweeper.sweep(instant_of(last + after)).open_runs


def test_a_model_that_dbt_skipped_is_never_abandoned() -> None:
    world, events = World(), recorded("dbt", "harbour_skipped_ephemeral")
    world.alerts_one_by_one(events)
    told_before = len(world.bus.sent)
    assert sweep(world, events, timedelta(hours=2)) == 0
    assert world.bus.sent[told_before:] == []


@pytest.mark.parametrize(
    ("engine", "before", "scenario", "removed", "broken"),
    [
        (
            "trino",
            TRINO_IN_ORDER,
            "create_or_replace_drops_a_column",
            "customers segment",
            "memory.shop.revenue:segment",
        ),
        ("presto", PRESTO_IN_ORDER, "create_table_drops_a_column", "orders totalprice", "lake.shop.revenue:revenue"),
    ],
)
def test_of_all_statements_one_changes_a_schema(
    engine: str, before: tuple[str, ...], scenario: str, removed: str, broken: str
) -> None:
    world = World()
    for other in before:
        assert told(world.alerts_one_by_one(recorded(engine, other))) == [], other
    (alert,) = world.alerts_one_by_one(recorded(engine, scenario))
    assert [alert["name"], *(column["field"] for column in alert["removed"])] == f"lake.shop.{removed}".split()
    at_risk = {node["nodeId"] for node in alert["breaks"]["items"]}
    assert f"datasetField:{engine}://{engine}.shop:8080:{broken}" in at_risk


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        ("select", []),
        ("insert_of_three_days", ["insert lake.shop.orders 7115bc9e"]),
        ("create_view", ["create lake.shop.open_orders bb252284"]),
    ],
)
def test_a_query_of_presto_that_only_reads_need_not_end(scenario: str, expected: list[str]) -> None:
    """Its listener sends a START of each query, and an end of those that write."""
    world = World()
    events = [event for event in recorded("presto", scenario) if event["eventType"] == "START"][-1:]
    world.fold(factory.received(*events))
    sweep(world, events, timedelta(minutes=90))
    assert [alert.name.name for alert in world.bus.sent] == expected


def test_a_failed_assertion_reaches_what_is_made_of_the_data_and_no_other_test() -> None:
    world = World()
    for scenario in ("run", "test", "structured_logs_build"):
        world.alerts_one_by_one(recorded("dbt", scenario))
    (alert,) = world.alerts_one_by_one(recorded("dbt", "test_failing"))
    jobs = {node["nodeId"] for node in alert["reaches"]["items"] if node["type"] == "JOB"}
    assert jobs == {"job:shop:model.shop.revenue_by_country", "job:shop:model.shop.top_customers"}


def test_the_message_of_a_model_is_its_cause_and_not_its_heading() -> None:
    (alert,) = World().alerts_one_by_one(recorded("dbt", "structured_logs_run_failing_model"))
    assert alert["message"] == 'Binder Error: Values list "o" does not have a column named "net_price"'
    assert alert["outputs"] == ["dataset:duckdb:///srv/shop/shop.duckdb:shop.main.paid_orders"]
    assert alert["owners"] == ["orders"]


@pytest.mark.parametrize(
    ("scenarios_in_order", "expected"),
    [
        (["datastream_killed"], ["clear_payments"]),
        (["datastream_killed", "datastream_started_again"], []),
        (["datastream_without_detached_tracking"], []),
        (["sql_without_detached_tracking"], []),
        (["datastream_cancelled"], []),
    ],
)
def test_a_job_of_flink_is_abandoned_if_it_was_killed_and_never_came_back(
    scenarios_in_order: list[str], expected: list[str]
) -> None:
    world = World()
    events = [event for scenario in scenarios_in_order for event in recorded("flink", scenario)]
    world.fold(factory.received(*events))
    sweep(world, events, timedelta(minutes=20), allowed=1440)
    assert [alert.name.name for alert in world.bus.sent] == expected


def test_a_stream_that_was_killed_and_started_again_has_ended() -> None:
    world = World()
    killed, again = recorded("flink", "datastream_killed"), recorded("flink", "datastream_started_again")
    world.fold(factory.received(*killed, *again))
    run = Reader(world.store, Naming()).run(killed[0]["run"]["runId"])
    assert run is not None
    assert (run.state, run.ended_at) == (RunState.ABORTED, parse_instant(again[0]["eventTime"]))


def queries(events: list[Document]) -> set[str]:
    return {event["job"]["name"] for event in events}


def test_a_statement_of_trino_that_failed_made_no_column() -> None:
    world = World()
    world.alerts_one_by_one(recorded("trino", "fails_while_running"))
    reader = Reader(world.store, Naming())
    revenue = dataset_id(Name("trino://trino.shop:8080", "memory.shop.revenue"))
    head = reader.datasets([revenue])[revenue]
    assert (head.schema, head.columns) == (None, {})


def test_one_statement_of_trino_is_one_job_however_often_it_runs() -> None:
    events, world = recorded("trino", "same_insert_three_times"), World()
    world.alerts_one_by_one(events)
    heads = {item.labels["name"] for item in world.table.items.values() if item.labels.get("kind") == "job"}
    assert len(queries(events)) == 3
    assert len(heads) == 1


def spark_write(run: int, total: str, ended: str) -> list[Document]:
    """A query of Spark that overwrites `stats`: each of its events has the schema that the write is to make."""
    facets = {"jobType": factory.facet(integration="SPARK", jobType="SQL_JOB", processingType="BATCH")}
    stats = [factory.dataset("stats", schema=factory.schema("city:string", f"total:{total}"))]
    return [
        factory.run_event(kind, seconds=run * 100 + second, run=run, job="app.stats", outputs=stats, job_facets=facets)
        for second, kind in enumerate(["START", "RUNNING", ended])
    ]


@pytest.mark.parametrize("ended", ["FAIL", "ABORT"])
def test_a_write_that_failed_changed_no_schema(ended: str) -> None:
    world = World()
    world.alerts_one_by_one(spark_write(1, "long", "COMPLETE"))
    failed = told(world.alerts_one_by_one(spark_write(2, "string", ended)))
    assert failed == (["Run Failed: app.stats failed"] if ended == "FAIL" else [])
    assert told(world.alerts_one_by_one(spark_write(3, "long", "COMPLETE"))) == []
    assert told(world.alerts_one_by_one(spark_write(4, "string", "COMPLETE"))) == [
        "Dataset Schema Changed: stats: total is string now, was long (incompatible)"
    ]


def test_a_write_that_is_known_to_have_failed_after_its_complete_changed_no_schema() -> None:
    """The listener reports the first job of a query; the jar beside it says in the COMPLETE that a later one failed."""
    world = World()
    world.alerts_one_by_one(spark_write(1, "long", "COMPLETE"))
    *begun, complete = spark_write(2, "string", "COMPLETE")
    complete["run"]["facets"]["headwater_failed"] = factory.facet(failed=True)
    assert told(world.alerts_one_by_one([*begun, complete])) == ["Run Failed: app.stats failed"]


@pytest.mark.parametrize(
    ("tasks", "most", "bytes_", "line"),
    [
        (200, 41 * 10**9, 43 * 10**9, True),
        (200, 20 * 10**9, 43 * 10**9, False),
        (4, 41 * 10**9, 43 * 10**9, False),
        (200, 41 * 10**6, 43 * 10**6, False),
        (200, 41 * 10**9, None, False),
    ],
)
def test_the_failure_of_a_query_tells_the_task_that_read_most(
    tasks: int, most: int, bytes_: int | None, line: bool
) -> None:
    totals = (
        "executorSeconds",
        "bytesRead",
        "bytesShuffled",
        "bytesSpilled",
        "peakMemoryBytes",
        "tasks",
        "failedTasks",
    )
    stage: Document = {
        "stage": 7,
        "tasks": tasks,
        "medianSeconds": 1,
        "maxSeconds": 9.5,
        "medianBytes": 9,
        "maxBytes": most,
    }
    stages = [stage | ({"bytes": bytes_} if bytes_ else {})]
    events = spark_write(1, "long", "FAIL")
    events[-1]["run"]["facets"]["headwater_runtime"] = factory.facet(**dict.fromkeys(totals, 1), stages=stages)
    (alert,) = World().alerts_one_by_one(events)
    assert ("In stage 7 one task read 41 GB of 43." in alert["lines"]) is line
    stages[0]["operation"] = "join"
    (alert,) = World().alerts_one_by_one(events)
    assert ("In stage 7 (join) one task read 41 GB of 43." in alert["lines"]) is line


LOST = "Job aborted due to stage failure: Task 3 in stage 7.0 failed 4 times: Lost task 3.3: "
KILLED = "ExecutorLostFailure: Container killed by YARN for exceeding physical memory limits. 11.1 GB of 11 GB used."
ACQUIRED = "SparkOutOfMemoryError: Unable to acquire 65536 bytes of memory, got 0"


@pytest.mark.parametrize(
    ("error", "is_killed"),
    [
        (f"{LOST}Container killed on request. Exit code is 137", True),
        (
            f"{LOST}ExecutorLostFailure: Container from a bad node: c_1 on host: ip-1. Exit status: 137. Diagnostics:",
            True,
        ),
        (f"{LOST}The executor with id 3 exited with exit code 137(SIGKILL, possible container OOM).", True),
        (f"{LOST}Command exited with code 137", True),
        (f"{LOST}{KILLED} Exit code is 137", False),
        (f"{LOST}Exit status: 143", False),
        (f"{LOST}no order 137", False),
    ],
)
def test_a_killed_process_may_have_had_too_little_memory(error: str, is_killed: bool) -> None:
    events = spark_write(1, "long", "FAIL")
    events[-1]["run"]["facets"]["errorMessage"] = factory.facet(message=error, programmingLanguage="JAVA")
    (alert,) = World().alerts_one_by_one(events)
    assert is_killed is any("exit code 137). Often" in text for text in alert["lines"])
    assert not (is_killed and any("ran out" in text for text in alert["lines"]))


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (f"{LOST}java.lang.OutOfMemoryError: Java heap space\n\tat a.B.c", "OutOfMemoryError: Java heap space"),
        (f"{LOST}{KILLED}", "exceeding physical memory limits"),
        (f"boom\nCaused by: org.apache.spark.memory.{ACQUIRED}\n\tat a.B.c", ACQUIRED),
        (f'{LOST}Traceback (most recent call last):\n  File "a.py", line 1\nMemoryError\n', "MemoryError"),
        (f"{LOST}Command exited with code 52", "exited with code 52"),
        (
            f"{LOST}exited with code 50\nAn earlier attempt failed: java.lang.OutOfMemoryError: Java heap space",
            "OutOfMemoryError: Java heap space",
        ),
        (f"{LOST}java.lang.OutOfMemoryError: Metaspace", None),
        (f"{LOST}java.lang.OutOfMemoryError: unable to create native thread", None),
        ("MemoryErrors of yesterday: 7", None),
        ("KeyError: MemoryError", None),
        ("The value 'java.lang.OutOfMemoryError: Java heap space' of the type \"STRING\" cannot be cast", None),
        ("Filter (message LIKE %java.lang.OutOfMemoryError: %)", None),
        ("numpy.exceptions._ArrayMemoryError: Unable to allocate 7 GiB", "numpy.exceptions._ArrayMemoryError"),
        ("no column peakMemory", None),
    ],
)
def test_the_failure_of_a_query_that_had_too_little_memory_says_so(error: str, line: str | None) -> None:
    events = spark_write(1, "long", "FAIL")
    events[-1]["run"]["facets"]["errorMessage"] = factory.facet(message=error, programmingLanguage="JAVA")
    (alert,) = World().alerts_one_by_one(events)
    assert [text for text in alert["lines"] if "ran out" in text] == ([f"Memory ran out ({line})."] if line else [])
    totals = ("executorSeconds", "bytesRead", "bytesShuffled", "bytesSpilled", "tasks", "failedTasks")
    events[-1]["run"]["facets"]["headwater_runtime"] = factory.facet(
        **dict.fromkeys(totals, 1), peakMemoryBytes=3_200_000_000, stages=[]
    )
    (alert,) = World().alerts_one_by_one(events)
    assert any(text.endswith(": of the tasks that ended, one used 3.2 GB.") for text in alert["lines"]) is bool(line)


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_queries_of_spark_that_fail_together_are_told_once(order: slice) -> None:
    """As the jar beside the listener says: a CREATE TABLE AS fails with the query inside it."""
    inner, whole = (spark_write(run, "long", "FAIL") for run in (1, 2))
    whole[-1]["run"]["facets"]["headwater_failed"] = factory.facet(failed=True, toldBy=inner[-1]["run"]["runId"])
    assert len(told(World().alerts_one_by_one([*inner, *whole][order]))) == 1
    del whole[-1]["run"]["facets"]["headwater_failed"]["toldBy"]
    assert len(told(World().alerts_one_by_one([*inner, *whole][order]))) == 2


def test_an_alter_table_has_the_columns_that_it_ends_with() -> None:
    """Spark's START of an ALTER TABLE has the columns from before it."""
    started, _, ended = spark_write(1, "string", "COMPLETE")
    world = World()
    world.alerts_one_by_one(spark_write(0, "long", "COMPLETE"))
    before = spark_write(0, "long", "COMPLETE")[0]["outputs"]
    assert told(world.alerts_one_by_one([started | {"outputs": before}])) == []
    assert len(world.alerts_one_by_one([ended])) == 1


def test_the_title_calls_a_table_by_its_name_in_a_catalogue() -> None:
    glue = {"namespace": "arn:aws:glue:eu-central-1:123456789012", "name": "table/mart/customer_ltv", "type": "TABLE"}
    world, symlinks = World(), factory.facet(identifiers=[glue])
    for run, total in enumerate(["long", "string"]):
        (alert,) = told(
            world.alerts_one_by_one(
                [
                    event
                    | {
                        "outputs": [
                            factory.dataset("x/7f3a", schema=factory.schema(f"total:{total}"), symlinks=symlinks)
                        ]
                    }
                    for event in spark_write(run, total, "COMPLETE")
                ]
            )
        ) or [""]
    assert alert == "Dataset Schema Changed: mart.customer_ltv: total is string now, was long (incompatible)"
