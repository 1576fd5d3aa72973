"""A stream from Kafka into Iceberg and the report on it are one path, while it runs and after it was stopped. The job
has no line for lineage: the jar beside the listener reports the stream."""

import os
import signal

import pytest

from tests.emr_jobs.pipelines.cluster import PROGRAMS, Cluster, drawing, run_python, started, wait_until

pytestmark = [pytest.mark.spark, pytest.mark.emulator, pytest.mark.engine]

STREAMING = PROGRAMS / "streaming"
STOP_SECONDS = 30
STREAM = "orders_stream.orders"
MICRO_BATCHES = "orders_stream.write_to_data_source_v2"


def test_a_stream_is_one_job_on_a_path_from_topic_to_report(with_jar: Cluster, broker: str) -> None:
    cluster, topic = with_jar, "shop-orders"
    node = f"dataset:kafka://{broker}:{topic}"
    lake: dict[str, object] = {"table": "lake.shop.orders", "warehouse": cluster.path("lake")}
    stream = {"bootstrap": broker, "topic": topic, "checkpoint": cluster.path("checkpoint"), "every": "1 second"}
    generate = STREAMING / "generate_orders.py"
    run_python(generate, "--bootstrap", broker, "--topic", topic, "--count", 20)
    with started(cluster.spark(), STREAMING / "orders_stream.py", **lake, **stream) as process:
        wait_until(lambda: len(micro_batches(cluster)) >= 2)
        run_python(generate, "--bootstrap", broker, "--topic", topic, "--count", 5, "--start", 21)
        wait_until(lambda: len(micro_batches(cluster)) >= 4)
        assert cluster.job("orders_stream")["latestRun"]["state"] == "RUNNING"
        live = cluster.job(STREAM)
        assert (live["type"], live["latestRun"]["state"]) == ("STREAM", "RUNNING")
        assert drawing(f"{topic} -> {STREAM} -> lake/shop/orders") <= cluster.drawn(node)
        os.kill(process.pid, signal.SIGTERM)
        process.wait(STOP_SECONDS)
    cluster.spark().run(STREAMING / "orders_report.py", **lake, report=cluster.path("by_product"))

    assert cluster.drawn(node, rollup="parent", direction="downstream") == drawing(
        f"{topic} -> orders_stream -> lake/shop/orders -> orders_report -> by_product"
    )
    assert {edge for edge in cluster.drawn(node) if "orders_stream" in edge} == drawing(
        f"{topic} -> {STREAM} -> lake/shop/orders",
        f"{topic} -> {MICRO_BATCHES}",
        "orders_stream.create_table.shop_orders -> lake/shop/orders",
    ), "the queries of the application are beside the stream; the listener names no output of its micro-batches"
    (report,) = (
        job
        for job in cluster.answer("namespaces", cluster.namespace, "jobs")["jobs"]
        if [output["name"] for output in job["outputs"]] == [str(cluster.path("by_product"))]
    )
    _, read = cluster.answer("runlineage", "upstream", runId=report["latestRun"]["id"])["runs"]
    assert read["job"]["name"] == STREAM, "which names no snapshot, but nobody else wrote that one"
    (run,) = cluster.runs(STREAM)
    assert run["state"] == "ABORTED", "since its driver was ended by SIGTERM; what it wrote before counts"
    (application,) = cluster.runs("orders_stream")
    assert application["state"] == "ABORTED", "so was the application"
    states = [run["state"] for run in micro_batches(cluster)]
    assert set(states[2:]) == {"COMPLETED"}, "each has two runs; those of the last may have been cut off"


def micro_batches(cluster: Cluster) -> list[dict[str, str]]:
    response = cluster.api.get("namespaces", cluster.namespace, "jobs", MICRO_BATCHES, "runs")
    return list(response.json["runs"]) if response.status == 200 else []
