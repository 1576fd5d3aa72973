"""`headwater demo`: what it prints, and what it leaves behind."""

import json
import re
import shlex
import subprocess
import sys
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

from headwater.cli.demo.recording import LAKE, recording
from tests.serve.process import ENVIRONMENT, SECONDS

COMMAND = [sys.executable, "-m", "headwater.cli", "demo"]
NOW = datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_the_demo_tells_lineage_alert_and_impact(tmp_path: Path) -> None:
    environment = {**ENVIRONMENT, "TMPDIR": str(tmp_path), "COLUMNS": "100"}
    run = subprocess.run(COMMAND, env=environment, capture_output=True, text=True, check=False, timeout=2 * SECONDS)  # noqa: S603
    assert (run.returncode, run.stderr) == (0, "")
    assert re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\dZ", "TIME", run.stdout) == (Path(__file__).parent / "demo.txt").read_text()
    assert list(tmp_path.iterdir()) == []


def test_with_a_port_the_server_stays_and_is_asked() -> None:
    command = [*COMMAND, "--port", "0"]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as demo:  # noqa: S603
        try:
            assert demo.stdout is not None
            url = next(line for line in demo.stdout if "export HEADWATER_URL=" in line).strip().partition("=")[2]
            with urllib.request.urlopen(f"{url}/api/v1/jobs", timeout=SECONDS) as answer:  # noqa: S310
                assert "clean_orders" in {job["name"] for job in json.load(answer)["jobs"]}
        finally:
            demo.terminate()
        assert demo.wait(SECONDS) == 0


def test_a_proxy_of_the_environment_is_not_asked() -> None:
    environment = {**ENVIRONMENT, "http_proxy": "http://127.0.0.1:9", "no_proxy": "example.com"}
    run = subprocess.run(COMMAND, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    assert (run.returncode, run.stderr) == (0, "")


def test_a_reader_that_goes_away_ends_the_demo_quietly(tmp_path: Path) -> None:
    line = f"{shlex.join(COMMAND)} | head -1"
    environment = {**ENVIRONMENT, "TMPDIR": str(tmp_path)}
    run = subprocess.run(["/bin/bash", "-c", line], env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    assert (run.stdout, run.stderr) == ("$ headwater lineage revenue_daily --up\n", "")
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_none_is_told() -> None:
    run = subprocess.run([*COMMAND, "--port", "99999"], env=ENVIRONMENT, capture_output=True, text=True, check=False)  # noqa: S603
    assert run.returncode == 1
    assert run.stderr == ("failed: 127.0.0.1:99999 cannot be listened at: a port is 0 to 65535; pass another --port\n")


def test_the_recording_ends_now_and_names_no_machine() -> None:
    before, after = (list(map(json.loads, events)) for events in recording(NOW))
    times = [datetime.fromisoformat(event["eventTime"]) for event in before + after]
    assert max(times) == NOW
    assert max(times) - min(times) < timedelta(minutes=5)
    names = {dataset["name"] for event in before + after for dataset in event["inputs"] + event["outputs"]}
    assert names == {f"{LAKE}/{name}" for name in ("raw/orders", "orders_clean", "revenue_daily")}
    assert {event["job"]["name"] for event in before} == {event["job"]["name"] for event in after}
    assert set(re.findall(r'"userName":\s*"([^"]*)"', json.dumps(before + after))) == {"spark"}
