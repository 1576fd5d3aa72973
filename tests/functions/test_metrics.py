"""The lines of the log that CloudWatch turns into metrics: few metrics, by producer, with the job as a member."""

import json
from typing import Any

import pytest

from headwater import metrics
from headwater.graph.producers import PRODUCERS, producer_name
from headwater.metrics import Durations
from headwater.openlineage.event import Name

SPARK = "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Headwater/test")
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "normalise")


def emitted(capsys: pytest.CaptureFixture[str], *durations: Durations) -> list[dict[str, Any]]:
    capsys.readouterr()
    metrics.durations(durations, producer_name)
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def dimensions(line: dict[str, Any]) -> set[tuple[tuple[str, str], ...]]:
    sets = [dimensions for directive in line["_aws"]["CloudWatchMetrics"] for dimensions in directive["Dimensions"]]
    return {tuple(sorted((name, line[name]) for name in names)) for names in sets}


def test_an_event_is_measured_by_service_and_producer_with_its_job_beside(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = emitted(capsys, Durations(SPARK, Name("prod", "load"), 40, 1_200))
    assert dimensions(line) == {(("service", "normalise"),), (("producer", "spark"), ("service", "normalise"))}
    assert (line["EmissionLatency"], line["NormaliseLatency"]) == ([1_200.0], [40.0])
    assert (line["jobNamespace"], line["job"]) == ("prod", "load")
    units = {metric["Name"]: metric["Unit"] for metric in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]}
    assert units == {"EmissionLatency": "Milliseconds", "NormaliseLatency": "Milliseconds"}


def test_a_replayed_event_has_no_emission_latency(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = emitted(capsys, Durations(SPARK, Name("prod", "load"), 40, None))
    assert "EmissionLatency" not in line


def test_an_event_without_a_job_is_measured_too(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = emitted(capsys, Durations("", None, 40, 5))
    assert "job" not in line
    assert line["producer"] == "other"


def test_however_many_jobs_and_producers_there_are_the_metrics_are_few(capsys: pytest.CaptureFixture[str]) -> None:
    lines = emitted(
        capsys,
        *(Durations(f"https://{number}.example.com/x{number}", Name("n", str(number)), 1, 1) for number in range(500)),
    )
    assert len(lines) == 500
    assert len(set.union(*map(dimensions, lines))) == 2
    assert len(PRODUCERS) < 20


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (SPARK, "spark"),
        ("https://github.com/OpenLineage/OpenLineage/tree/1.40.0/integration/dbt", "dbt"),
        ("https://github.com/apache/airflow/tree/providers-openlineage/2.7.3", "airflow"),
        ("https://github.com/trinodb/trino/plugin/trino-openlineage", "trino"),
        ("https://github.com/OpenLineage/OpenLineage/tree/1.40.0/integration/flink/", "flink"),
        ("https://github.com/great-expectations/great_expectations", "expectations"),
        ("urn:my-own-tool", "other"),
        ("x" * 100_000, "other"),
    ],
)
def test_a_producer_goes_by_its_tool(url: str, name: str) -> None:
    assert producer_name(url) == name


def test_corrupt_items_are_one_metric_of_the_whole_stack(capsys: pytest.CaptureFixture[str]) -> None:
    metrics.corrupt_items(0)
    metrics.corrupt_items(2)
    (line,) = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert dimensions(line) == {(("service", "headwater"),)}
    assert line["CorruptItems"] == [2.0]
