"""Systems that take events: an endpoint of OpenLineage, and SageMaker Catalog as its documentation describes it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from tests.upstream import Reply, Seen, web_server

DOMAIN = "dzd_a1b2c3"


@dataclass
class Receiver:
    """Takes what is posted to it. `answers` are the statuses of the next answers; then all are 201."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)

    def answer(self, request: Seen) -> Reply:
        self.requests.append((request.path, request.headers, json.loads(request.body)))
        status = self.answers.pop(0) if self.answers else 201
        return status, {"Location": f"{self.url}/elsewhere"}, b""

    @property
    def events(self) -> list[Any]:
        return [event for _, _, event in self.requests]


@dataclass
class CatalogStub(Receiver):
    """PostLineageEvent by https://docs.aws.amazon.com/datazone/latest/APIReference/API_PostLineageEvent.html. A token
    that was seen before posts nothing."""

    posted: dict[str, Any] = field(default_factory=dict)

    def answer(self, request: Seen) -> Reply:
        if self.answers:
            return _refusal(self.answers.pop(0), "ThrottlingException")
        if request.path != f"/v2/domains/{DOMAIN}/lineage/events":
            return _refusal(404, "ResourceNotFoundException")
        token, event = request.headers["client-token"], json.loads(request.body)
        is_run = "run" in event and event.get("eventType") in ("START", "COMPLETE", "FAIL")
        if len(request.body) > 300_000 or not 0 < len(token) <= 128 or not is_run:
            return _refusal(400, "ValidationException")
        self.posted.setdefault(token, event)
        answer = {"domainId": DOMAIN, "id": sha256(token.encode()).hexdigest()[:14]}
        return 200, {"Content-Type": "application/json"}, json.dumps(answer).encode()


def _refusal(status: int, code: str) -> Reply:
    return status, {"x-amzn-ErrorType": code}, json.dumps({"message": "refused"}).encode()


@contextmanager
def receiving(receiver: Receiver) -> Iterator[str]:
    with web_server(receiver.answer) as receiver.url:
        yield receiver.url
