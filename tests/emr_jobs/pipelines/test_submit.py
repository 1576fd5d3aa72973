"""`headwater submit` with the real listener, against `headwater serve`: what its last line counts is true."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.cli.machine.state import state_folder
from tests.cli.submit.conftest import Key, make_key, server
from tests.emr_jobs.pipelines.cluster import PROGRAMS, run_python
from tests.serve.process import ENVIRONMENT, ServeProcess

__all__ = ["make_key", "server"]
pytestmark = pytest.mark.spark
SECONDS = 180
ELSEWHERE = """
import sys
from pyspark.sql import SparkSession

builder = SparkSession.builder.appName("stray").config("spark.openlineage.namespace", "elsewhere")
spark = builder.getOrCreate()
spark.range(3).write.parquet(sys.argv[1])
spark.stop()
"""


@pytest.fixture(autouse=True)
def _no_settings_left(server: ServeProcess) -> Iterator[None]:
    """The settings of the test, which have a key, are removed."""
    yield
    for settings in (state_folder() / "submit").glob("*/spark.conf"):
        if f"{server.url}\n" in settings.read_text():
            shutil.rmtree(settings.parent)


def submitted(server: ServeProcess, key: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "headwater.cli", "submit", "--namespace", "shop", *map(str, arguments)]
    environment = {**ENVIRONMENT, "HEADWATER_URL": server.url, "HEADWATER_API_KEY": key}
    return subprocess.run(  # noqa: S603
        command, env=environment, cwd=server.data.parent, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def own_lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stderr.splitlines() if line.startswith("headwater: ")]


def events(server: ServeProcess) -> list[str]:
    found = server.get("/api/v1/events/lineage?limit=1000")["events"]
    return [event["eventType"] for event in found if "spark" in event["producer"]]


def test_a_program_with_a_good_key_has_its_events_counted(server: ServeProcess, tmp_path: Path) -> None:
    run_python(PROGRAMS / "orders" / "generate_orders.py", "--output", tmp_path / "raw")
    program = PROGRAMS / "orders" / "clean_orders.py"
    done = submitted(server, server.key, program, "--raw", tmp_path / "raw", "--clean", tmp_path / "clean")
    assert done.returncode == 0, done.stderr
    count = len(events(server))
    assert count > 0
    assert own_lines(done) == [
        f"headwater: the canary was found in the graph and taken out; clean_orders.py reports to {server.url} in shop",
        f"headwater: events taken: {count}; refused or lost: 0; see `headwater lineage dataset:file:{tmp_path}/clean`",
    ]


def test_refused_events_are_told_by_the_last_line_and_the_exit_status(
    server: ServeProcess, make_key: Key, tmp_path: Path
) -> None:
    """The key is for the namespace shop, in which the canary is posted; the program reports in another."""
    (tmp_path / "stray.py").write_text(ELSEWHERE)
    done = submitted(server, make_key("shop", "--namespace", "shop"), tmp_path / "stray.py", tmp_path / "out")
    assert done.returncode == 3, done.stderr
    line = own_lines(done)[-1]
    refused = re.fullmatch(
        r"headwater: events taken: 0; refused or lost: (\d+) \(403: \1\); ask `headwater doctor --namespace shop`", line
    )
    assert refused, line
    assert int(refused[1]) == done.stderr.count("code: 403") > 0
    assert events(server) == []
    assert (tmp_path / "out" / "_SUCCESS").exists()


def test_a_wrong_key_is_told_before_spark_starts(server: ServeProcess, tmp_path: Path) -> None:
    (program := tmp_path / "job.py").touch()
    done = submitted(server, "wrong", program)
    assert done.returncode == 1
    first, fix, last = done.stderr.splitlines()
    assert first.startswith(f"[the key is to blame] {server.url} did not accept the key (401): ")
    assert fix.startswith("    fix: ")
    assert last == "headwater: job.py was not started"
