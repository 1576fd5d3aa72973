"""A system under test: its API, and the CPU time of its processes where they run on this machine."""

import gzip
import http.client
import json
import os
import ssl
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from benchmarks.calls import PREFIX

Document = dict[str, Any]

SECONDS = 60
"""How long an answer, or a run until it is visible, is waited for."""
POLL_SECONDS = 0.002


@dataclass(frozen=True)
class TimedAnswer:
    status: int
    milliseconds: float
    body: bytes

    def document(self) -> Any:
        return json.loads(self.body)


@dataclass
class System:
    """A server of Marquez's API. Each thread has a connection of its own, which stays open."""

    name: str
    url: str
    key: str | None = None
    processes: Sequence[int] = ()
    _connections: threading.local = field(default_factory=threading.local)

    def get(self, target: str) -> TimedAnswer:
        return self._send("GET", target)

    def post(self, event: Document) -> TimedAnswer:
        return self._send("POST", f"{PREFIX}/lineage", json.dumps(event).encode())

    def knows_run(self, namespace: str, job: str, run_id: str) -> bool:
        """Whether the job's newest run is this one, and has ended."""
        answer = self.get(f"{PREFIX}/namespaces/{quote(namespace, safe='')}/jobs/{quote(job, safe='')}")
        if answer.status != 200:
            return False
        latest = answer.document().get("latestRun") or {}
        return latest.get("id") == run_id and latest.get("state") == "COMPLETED"

    def wait_for_run(self, namespace: str, job: str, run_id: str, poll_seconds: float = POLL_SECONDS) -> float:
        """The seconds until a lookup shows a run. Each lookup takes some time from a busy system."""
        started = time.perf_counter()
        while not self.knows_run(namespace, job, run_id):
            if time.perf_counter() - started > SECONDS:
                raise TimeoutError(f"{self.name} does not show the run {run_id} of {job} after {SECONDS} s")
            time.sleep(poll_seconds)
        return time.perf_counter() - started

    def cpu_seconds(self) -> float:
        """The CPU time of the processes and of those that they started, so far."""
        return sum(map(cpu_seconds_of, with_children(self.processes)))

    def peak_megabytes(self) -> float:
        return sum(map(_peak_megabytes, with_children(self.processes)))

    def _send(self, method: str, target: str, body: bytes | None = None) -> TimedAnswer:
        headers = {"Accept-Encoding": "gzip", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        started = time.perf_counter()
        connection = self._connection()
        try:
            connection.request(method, target, body=body, headers=headers)
            response = connection.getresponse()
            content = response.read()
        except (http.client.HTTPException, OSError):
            connection.close()
            raise
        milliseconds = (time.perf_counter() - started) * 1000
        packed = response.getheader("content-encoding") == "gzip"
        return TimedAnswer(response.status, milliseconds, gzip.decompress(content) if packed else content)

    def _connection(self) -> http.client.HTTPConnection:
        if not hasattr(self._connections, "own"):
            parts = urlsplit(self.url)
            if parts.scheme == "https":
                self._connections.own = http.client.HTTPSConnection(
                    parts.netloc, timeout=SECONDS, context=ssl.create_default_context()
                )
            else:
                self._connections.own = http.client.HTTPConnection(parts.netloc, timeout=SECONDS)
        connection: http.client.HTTPConnection = self._connections.own
        return connection


def with_children(processes: Sequence[int]) -> list[int]:
    """The processes, and those that they started."""
    found = list(processes)
    for process in found:
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            found += map(int, task.read_text().split())
    return found


def cpu_seconds_of(process: int) -> float:
    """The CPU time of a process so far, with that of its children that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    user, system, of_children_user, of_children_system = map(int, fields[11:15])
    return (user + system + of_children_user + of_children_system) / os.sysconf("SC_CLK_TCK")


def _peak_megabytes(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))
