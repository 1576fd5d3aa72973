"""`make sam-local`: each sample through its function in a container of `sam local`, against a fresh embedded stack."""

import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headwater.cli.machine.failure import Failure
from headwater.cli.machine.ports import free_port
from local.layout import Layout
from local.samples.emulated_runtime import EmulatedFunction
from local.samples.sam_template import sam_template

START_SECONDS = 300
"""The first start builds an image for each set of layers."""
TEMPLATE = "sam-local.json"


@contextmanager
def sam_local(layout: Layout, functions: dict[str, EmulatedFunction], endpoint: str, log: Path) -> Iterator[str]:
    """Run `sam local start-lambda` for the length of a `with` block, and yield its URL."""
    template = write_template(layout, functions, endpoint)
    port = free_port()
    command = [str(layout.state / "sam" / "bin" / "sam"), "local", "start-lambda", "--template", str(template)]
    command += ["--port", str(port), "--warm-containers", "LAZY", "--skip-pull-image"]
    with log.open("ab") as output:
        process = subprocess.Popen(
            command, cwd=layout.root, env={**os.environ, "SAM_CLI_TELEMETRY": "0"}, stdout=output, stderr=output
        )
        try:
            wait_until_listening(process, port, log)
            yield f"http://127.0.0.1:{port}/2015-03-31/functions"
        finally:
            process.terminate()
            process.wait()


def write_template(layout: Layout, functions: dict[str, EmulatedFunction], endpoint: str) -> Path:
    """Write the template for `sam local` into .local. Raises Failure if the layers are not built."""
    template = layout.state / TEMPLATE
    document = sam_template(layout, functions, endpoint)
    layers = [each["Properties"]["ContentUri"] for each in document["Resources"].values() if "Layer" in each["Type"]]
    if not all(Path(layer).is_dir() for layer in layers):
        raise Failure("the layers are not built", "run `make build`")
    template.write_text(json.dumps(document, indent=2), encoding="utf-8")
    return template


def wait_until_listening(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise Failure("sam local did not start", f"read {log}") from None
            time.sleep(0.5)
