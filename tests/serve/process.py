"""`headwater serve` as a process of its own, and requests to it."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

ROOT = Path(__file__).parents[2]
SECONDS = 30
"""How long to wait for something that happens at once on an idle machine."""
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "HEADWATER_"))},
    "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "layers" / "headwater"))),
    "PYTHONUNBUFFERED": "1",
}
SERVE = [sys.executable, "-m", "headwater.cli", "serve", "--port", "0", "--data"]


class Reply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.content)


class ServeProcess:
    """A server, for the length of a `with` block. `output` has what it has printed once it has ended."""

    def __init__(self, data: Path, *options: str) -> None:
        self.data = data
        self._options = options
        self.key = ""
        self.output = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        self._log = (self.data.parent / "serve.log").open("a")
        self._process = subprocess.Popen(  # noqa: S603
            [*SERVE, str(self.data), *self._options],
            env={**ENVIRONMENT, "XDG_STATE_HOME": str(self.data.parent)},  # where no command of another test looks
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            cwd=self.data.parent,
        )
        assert self._process.stdout is not None
        greeting = self._process.stdout.readline()
        found = re.search(r"http://\S+", greeting)
        if not found:
            self.kill()
            raise AssertionError((greeting, (self.data.parent / "serve.log").read_text()))
        self.url = found[0]

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """Ends it as `kill -9` does, if it is still there."""
        if self._process.poll() is None:
            self._process.kill()
        self._end()

    def stop(self) -> int:
        """Ends it as `kill` does, and returns its exit code."""
        self._process.terminate()
        return self._end()

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Sends a request. Raises OSError if there is no answer."""
        key = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        request = urllib.request.Request(self.url + path, body, {**key, **(headers or {})}, method=method)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
                return Reply(answer.status, {k.lower(): v for k, v in answer.headers.items()}, answer.read())
        except urllib.error.HTTPError as error:
            return Reply(error.code, {k.lower(): v for k, v in error.headers.items()}, error.read())

    def get(self, path: str) -> Any:
        reply = self.request("GET", path)
        assert reply.status == 200, reply
        return reply.body

    def post(self, document: Any) -> Reply:
        return self.request("POST", "/api/v1/lineage", json.dumps(document).encode())

    def post_all(self, documents: Sequence[Any]) -> None:
        for document in documents:
            assert self.post(document).status == 201

    def metric(self, name: str) -> float:
        found = re.search(rf"^{name} (\S+)$", self.request("GET", "/metrics").content.decode(), re.MULTILINE)
        return float(found[1]) if found else 0

    def wait_until_folded(self) -> None:
        wait_for(lambda: self.metric("headwater_inbox_events") == 0)

    def _end(self) -> int:
        assert self._process.stdout is not None
        if not self._process.stdout.closed:
            self.output += self._process.stdout.read()
            self._process.stdout.close()
            self._log.close()
        return self._process.wait(SECONDS)


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.002)
