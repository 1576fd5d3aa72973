"""Measures lookups over HTTP, through the whole stack, over one connection that is kept alive."""

import gzip
import http.client
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self
from urllib.parse import urlsplit

from benchmarks.calls import Call, nodes_in, probe_of_direction
from benchmarks.figures import mean, percentile, repeated
from benchmarks.graph import Job

ANSWER_SECONDS = 40


@dataclass(frozen=True)
class Wall:
    """Milliseconds from the request to the last byte of the response, and the size of the response, inflated and as
    sent."""

    p50: float
    p95: float
    nodes: float
    kilobytes: float
    sent_kilobytes: float
    status: int


@dataclass(frozen=True)
class _Answer:
    status: int
    milliseconds: float
    sent: int
    body: bytes


class Client:
    """A client of a stack, with a key, which accepts gzip as most clients do."""

    def __init__(self, url: str, key: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=ANSWER_SECONDS)
        self._headers = {"Authorization": f"Bearer {key}", "Accept-Encoding": "gzip", "Accept": "application/json"}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def knows_direction(self, job: Job) -> bool:
        """Whether the stack refuses a wrong `direction`; a stack without `direction` ignores the parameter."""
        return self.get(probe_of_direction(job)).status == 400

    def get(self, target: str) -> _Answer:
        started = time.perf_counter()
        self._connection.request("GET", target, headers=self._headers)
        answer = self._connection.getresponse()
        sent = answer.read()
        milliseconds = (time.perf_counter() - started) * 1000
        body = gzip.decompress(sent) if answer.getheader("content-encoding") == "gzip" else sent
        return _Answer(answer.status, milliseconds, len(sent), body)


def measure_wall(client: Client, call: Call, starts: Sequence[Job], seconds: float) -> Wall:
    """Sends a lookup for each node, first once without measuring, then repeatedly until the seconds are over."""
    client.get(call.target(starts[0]))
    answers = repeated([partial(client.get, call.target(start)) for start in starts], seconds)
    milliseconds = [answer.milliseconds for answer in answers]
    of_each = answers[: len(starts)]
    return Wall(
        p50=percentile(milliseconds, 50),
        p95=percentile(milliseconds, 95),
        nodes=mean([nodes_in(_document(answer)) for answer in of_each]),
        kilobytes=mean([len(answer.body) for answer in of_each]) / 1000,
        sent_kilobytes=mean([answer.sent for answer in of_each]) / 1000,
        status=max(answer.status for answer in answers),
    )


def _document(answer: _Answer) -> Any:
    return json.loads(answer.body)
