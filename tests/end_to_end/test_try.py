"""`headwater try`: a real engine reports its pipeline, and the terminal shows its lineage and its alerts.

Trino is left out, since its server is a download of 0.8 GB: its recorded events are in tests/fixtures/producers.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.cli.jvm.java import java_home
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.state import state_folder

pytestmark = pytest.mark.engine
ROOT = Path(__file__).parents[2]
SECONDS = 540
JOB = re.compile(r"job (\S+)  ([A-Z]+)")
ALERT = re.compile(r"^(?:CRITICAL|WARNING|INFO): (.*)$", re.MULTILINE)


def tried(engine: str) -> str:
    """The output of the command, which must succeed."""
    variables = os.environ | {"PYTHONPATH": f"{ROOT / 'layers' / 'headwater'}:{ROOT}"}
    command = [sys.executable, "-m", "headwater.cli", "try", engine]
    done = subprocess.run(  # noqa: S603 - the command is that of this test
        command, capture_output=True, text=True, cwd=ROOT, env=variables, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def test_dbt_runs_a_project_and_one_test_fails() -> None:
    output = tried("dbt")
    assert set(JOB.findall(output)) == {
        (f"model.shop.{model}", "COMPLETED")
        for model in ("revenue_by_country", "paid_orders", "stg_customers", "stg_orders")
    }
    assert ALERT.findall(output) == ["shop.main.paid_orders: 1 assertion failed: accepted_values of country"]


def test_airflow_runs_two_dags_and_a_task_fails() -> None:
    output = tried("airflow")
    assert {("shop.revenue", "COMPLETED"), ("shop.paid_orders", "COMPLETED")} <= set(JOB.findall(output))
    assert set(ALERT.findall(output)) == {"shop_python.price_orders failed"}


def tried_with_java(engine: str) -> str:
    try:
        java_home(state_folder())
    except Failure as failure:
        pytest.skip(str(failure))
    return tried(engine)


def test_flink_runs_jobs_on_kafka_and_one_fails() -> None:
    output = tried_with_java("flink")
    assert ("clear_payments", "FAILED") in JOB.findall(output)
    assert "orders  stream" in output
    assert ALERT.findall(output) == ["clear_payments failed"]


def test_kafka_connect_runs_connectors_and_one_fails() -> None:
    output = tried_with_java("connect")
    assert set(JOB.findall(output)) == {("bill_orders", "RUNNING"), ("take_orders", "RUNNING")}
    assert "shop-orders" in output
    assert ALERT.findall(output) == ["archive_orders failed"]
