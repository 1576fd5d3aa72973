"""The container image of the Containerfile: `make image` builds it, and runs this. No container here has a network."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.serve.process import SECONDS

IMAGE = "headwater"
EVENT = {
    "eventType": "COMPLETE",
    "eventTime": "2026-03-01T00:00:00Z",
    "producer": "https://example.com/etl",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "run": {"runId": "0195bca5-0000-7000-8000-000000000001"},
    "job": {"namespace": "prod", "name": "load_orders"},
    "outputs": [{"namespace": "s3://lake", "name": "orders"}],
}

pytestmark = pytest.mark.skipif("CONTAINERS" not in os.environ, reason="make image builds it")


def engine(*arguments: str, text: str = "") -> str:
    command = [os.environ["CONTAINERS"], *arguments]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)  # noqa: S603
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


class Container:
    def __init__(self, volume: str) -> None:
        options = ("--detach", "--network", "none", "--read-only", "--tmpfs", "/tmp", "--volume", f"{volume}:/data")  # noqa: S108
        self.name = engine("run", *options, IMAGE)

    def headwater(self, *arguments: str, key: str = "", text: str = "") -> str:
        return engine(
            "exec", "--interactive", "--env", f"HEADWATER_API_KEY={key}", self.name, "headwater", *arguments, text=text
        )

    def wait_until_healthy(self) -> None:
        check = json.loads(engine("inspect", "--format", "{{json .Config.Healthcheck.Test}}", self.name))
        end = time.monotonic() + SECONDS
        while subprocess.run([os.environ["CONTAINERS"], "exec", self.name, *check[1:]], capture_output=True).returncode:  # noqa: S603, PLW1510
            assert time.monotonic() < end, engine("logs", self.name)
            time.sleep(0.2)

    def stop(self) -> Any:
        engine("stop", "--time", str(SECONDS), self.name)
        return json.loads(engine("inspect", "--format", "{{json .State}}", self.name))


@pytest.fixture
def volume() -> Iterator[str]:
    name = engine("volume", "create")
    yield name
    engine("volume", "rm", "--force", name)  # and the containers that have it


def test_an_event_outlives_its_container_which_needs_no_root(volume: str) -> None:
    first = Container(volume)
    first.wait_until_healthy()
    assert engine("exec", first.name, "python", "-c", "import os; print(os.getuid(), os.getgid())") == "10001 10001"
    key = first.headwater("key", "add", "spark", "--data", "/data/lineage.db").splitlines()[-1]
    first.headwater("load", "/dev/stdin", key=key, text=json.dumps(EVENT))
    assert first.stop()["ExitCode"] == 0
    second = Container(volume)
    second.wait_until_healthy()
    assert "load_orders" in second.headwater("lineage", "orders", key=key)
    second.stop()
