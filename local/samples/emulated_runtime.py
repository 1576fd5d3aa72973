"""Functions in AWS's runtime interface emulator: the runtime API and the runtime client of Lambda, without a container.

The emulator is a program in the wheel of the SAM CLI. It starts `python -m awslambdaric app.handler` on the first
invocation, as Lambda does, and ends it after the timeout of the function.
"""

import json
import os
import platform
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.cli.machine.failure import Failure
from headwater.cli.machine.ports import free_port
from local.emulator.account import scrubbed
from local.layout import Layout

START_SECONDS = 10
PROGRAMS = {"x86_64": "aws-lambda-rie-x86_64", "aarch64": "aws-lambda-rie-arm64"}
PATH = "/2015-03-31/functions/function/invocations"


@dataclass(frozen=True)
class EmulatedFunction:
    """A function: its folder in functions/, its variables, and its timeout in seconds."""

    name: str
    variables: Mapping[str, str]
    timeout: int


def program(layout: Layout) -> Path:
    """The runtime interface emulator for this machine. Raises Failure."""
    name = PROGRAMS.get(platform.machine()) if platform.system() == "Linux" else None
    found = list((layout.state / "sam").glob(f"lib/python*/site-packages/samcli/local/rapid/{name}"))
    if not found:
        raise Failure("the runtime interface emulator is not here", "on Linux, run `make rie`, which installs it")
    return found[0]


@contextmanager
def emulated(layout: Layout, function: EmulatedFunction, endpoint: str, log: Path) -> Iterator[str]:
    """Run a function's runtime for the length of a `with` block, and yield the URL of its invocations."""
    port, runtime_port = free_port(), free_port()
    python = layout.state / "rie" / "bin" / "python"
    addresses = ["--runtime-interface-emulator-address", f"127.0.0.1:{port}"]
    addresses += ["--runtime-api-address", f"127.0.0.1:{runtime_port}"]
    command = [str(program(layout)), *addresses, str(python), "-m", "awslambdaric", "app.handler"]
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            cwd=layout.root / "functions" / function.name,
            env=environment(layout, function, endpoint),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            wait_until_listening(port)
            yield f"http://127.0.0.1:{port}{PATH}"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, 9)  # the runtime, too, which has no work of its own
            process.wait()


def environment(layout: Layout, function: EmulatedFunction, endpoint: str) -> dict[str, str]:
    """The variables of the function and of Lambda, with AWS at the endpoint and credentials that no account has."""
    path = os.pathsep.join([str(layout.root / "functions" / function.name), str(layout.root / "layers" / "headwater")])
    return {
        **scrubbed(os.environ),
        **function.variables,
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_TIMEOUT": str(function.timeout),
        "AWS_LAMBDA_LOG_FORMAT": "JSON",
        "LAMBDA_TASK_ROOT": str(layout.root / "functions" / function.name),
        "PYTHONPATH": path,
    }


def invoke(url: str, event: bytes, seconds: int) -> Any:
    """The response to an event. An error of the function is a response with `errorType`."""
    request = urllib.request.Request(url, event)  # noqa: S310 - of this machine
    try:
        with urllib.request.urlopen(request, timeout=seconds) as response:  # noqa: S310
            return json.loads(response.read())
    except (urllib.error.URLError, ValueError, TimeoutError) as error:
        return {"errorType": type(error).__name__, "errorMessage": str(error)}


def wait_until_listening(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            if time.monotonic() > deadline:
                raise Failure(
                    "the runtime interface emulator did not start", "read its log in .local/rie-run"
                ) from None
            time.sleep(0.05)
