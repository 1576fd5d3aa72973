"""The doctor posts its canary plain and compressed, and names the compression if that alone is refused."""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from headwater.cli.api import Api as Client
from headwater.cli.doctor.canary import post_canary
from headwater.cli.doctor.finding import Blame, Diagnosis
from tests.upstream import Reply, Seen, web_server

DAMAGED = {"code": 400, "message": "body: damaged gzip", "details": "", "faults": []}


@dataclass
class Api:
    """An API that answers compressed events with a status of its own, and the events that it accepted."""

    zipped: int = 201
    plain: int = 201
    accepted: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def answer(self, request: Seen) -> Reply:
        self.headers.append(request.headers)
        is_zipped = request.headers.get("content-encoding") == "gzip"
        status = self.zipped if is_zipped else self.plain
        if status == 201:
            body = gzip.decompress(request.body) if is_zipped else request.body
            self.accepted.append(json.loads(body)["eventType"])
        return status, {}, json.dumps(DAMAGED).encode()


@contextmanager
def serving(api: Api) -> Iterator[Client]:
    with web_server(api.answer) as url:
        yield Client(url, "key")


def test_the_canary_starts_plain_and_ends_compressed_as_a_listener_sends_it() -> None:
    api = Api()
    with serving(api) as client:
        _, findings = post_canary(client, "demo")
    assert (api.accepted, findings) == (["START", "COMPLETE"], [])
    plain, zipped = api.headers
    assert "content-encoding" not in plain
    assert (zipped["content-encoding"], zipped["transfer-encoding"]) == ("gzip", "chunked")
    assert "content-length" not in zipped
    assert zipped["content-type"] == plain["content-type"] == "application/json"


def test_an_api_that_refuses_compressed_events_alone_blames_the_compression_with_the_remedy() -> None:
    api = Api(zipped=400)
    with serving(api) as client:
        _, (finding,) = post_canary(client, "demo")
    assert finding.blame is Blame.COMPRESSION
    assert "(400: body: damaged gzip)" in finding.what
    assert "remove spark.openlineage.transport.compression" in finding.fix
    assert api.accepted == ["START", "COMPLETE"], "the run ends, and can be read back"


def test_an_api_that_refuses_plain_events_too_does_not_blame_the_compression() -> None:
    with serving(Api(zipped=503, plain=503)) as client, pytest.raises(Diagnosis) as diagnosis:
        post_canary(client, "demo")
    assert diagnosis.value.finding.blame is Blame.STACK
