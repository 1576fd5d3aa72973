"""The lineage of a model that scores a topic: its training data, its code, its parameters and its metrics."""

import json

import pytest
from kafka import KafkaConsumer  # type: ignore[import-untyped]

from tests.emr_jobs.pipelines.cluster import PROGRAMS, Cluster, drawing, run_python

pytestmark = [pytest.mark.spark, pytest.mark.emulator, pytest.mark.engine]

CHURN = PROGRAMS / "churn"


def test_a_scored_topic_leads_back_to_the_data_and_the_training_of_its_model(
    cluster: Cluster, with_jar: Cluster, broker: str
) -> None:
    lake: dict[str, object] = {"table": "lake.crm.customers", "warehouse": cluster.path("lake")}
    run_python(CHURN / "generate_customers.py", "--output", cluster.path("raw"))
    cluster.spark().run(CHURN / "load_customers.py", raw=cluster.path("raw"), **lake)
    code: dict[str, object] = {"code": "https://example.com/churn", "code-version": "4f2a91c", "iterations": 4}
    cluster.spark().run(CHURN / "train_churn.py", model=cluster.path("models/churn"), **lake, **code)
    to_topic = ("--bootstrap", broker, "--topic", "customers", "--count", 1, "--seed", 31)  # one who leaves
    run_python(CHURN / "generate_customers.py", *to_topic)
    kafka = {"bootstrap": broker, "checkpoint": cluster.path("checkpoint"), "model": cluster.path("models/churn")}
    topics = {"customers": "customers", "scores": "churn-scores"}
    with_jar.spark().run(CHURN / "score_customers.py", once=True, **kafka, **topics)

    assert read_one(broker, "churn-scores") == {"customer_id": "C00001", "leaves": True}
    assert cluster.drawn(f"dataset:kafka://{broker}:churn-scores", rollup="parent", direction="upstream") == drawing(
        "raw -> load_customers -> lake/crm/customers -> train_churn -> models/churn -> score_customers -> churn-scores",
        "customers -> score_customers",
    )
    stream = cluster.job("score_customers.kafka")
    assert [[each["name"] for each in stream[side]] for side in ("inputs", "outputs")] == [
        ["customers"],
        ["churn-scores"],
    ]
    model = cluster.answer("namespaces", "file", "datasets", str(cluster.path("models/churn")))
    assert (model["type"], model["facets"]["datasetType"]["datasetType"]) == ("DB_TABLE", "MODEL")
    (scoring,) = cluster.runs("score_customers")
    runs = cluster.answer("runlineage", "upstream", runId=scoring["id"])["runs"]
    training = {run["job"]["name"]: run for run in runs}["train_churn"]
    (data,) = training["inputs"]
    assert data["producedByRunId"] in {run["run"]["id"] for run in runs if "load_customers." in run["job"]["name"]}
    run = cluster.answer("jobs", "runs", training["run"]["id"])
    assert run["state"] == "COMPLETED"
    parameters = {
        parameter["key"]: parameter["value"] for parameter in run["facets"]["executionParameters"]["parameters"]
    }
    assert parameters == {"regularisation": "0.01", "iterations": "4"}
    assert 0.5 < run["facets"]["modelMetrics"]["metrics"]["areaUnderROC"] <= 1
    job = cluster.answer("jobs", "runs", training["run"]["id"], "facets", type="job")["facets"]
    assert job["sourceCodeLocation"]["version"] == "4f2a91c"


def read_one(broker: str, topic: str) -> dict[str, object]:
    options = {"auto_offset_reset": "earliest", "consumer_timeout_ms": 20_000}
    consumer = KafkaConsumer(topic, bootstrap_servers=broker, **options)
    try:
        message: dict[str, object] = json.loads(next(consumer).value)
        return message
    finally:
        consumer.close()
