"""A web server with the REST API of Confluent's schema registry, as documented, and the faults that a test names."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from headwater.sources.registry.confluent import ConfluentRegistry, RegistryUrl
from tests.upstream import Reply, Seen, web_server

AUTHORIZATION = "Basic cmVhZGVyOmh1bnRlcjI="
Answer = tuple[int, Any]


@dataclass
class FakeRegistry:
    """A registry. `faults` are raw answers in place of its own, by path: a status and a body. `incompatible` are the
    reasons that its check gives, by subject. `asked` are the paths of all requests."""

    url: str = ""
    level: str = "BACKWARD"
    subjects: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)
    levels: dict[str, str] = field(default_factory=dict)
    incompatible: dict[str, list[str]] = field(default_factory=dict)
    faults: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    headers: list[str | None] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    ids: int = 0

    def source(self, *more: str, seconds: float = 30) -> ConfluentRegistry:
        return ConfluentRegistry([RegistryUrl.of(url) for url in (*more, self.url)], seconds)

    def register(self, subject: str, schema: Any, kind: str = "AVRO", references: Any = ()) -> int:
        """Registers a version, as a producer does; no check is made."""
        versions = self.subjects.setdefault(subject, {})
        self.ids += 1
        number = max(versions, default=0) + 1
        text = schema if isinstance(schema, str) else json.dumps(schema)
        versions[number] = {"subject": subject, "version": number, "id": self.ids, "schema": text}
        versions[number] |= {} if kind == "AVRO" else {"schemaType": kind}
        versions[number] |= {"references": list(references)} if references else {}
        return number

    def answer(self, request: Seen) -> Reply:
        self.headers.append(request.headers.get("authorization"))
        self.asked.append(f"{request.method} {request.path}")
        if request.path in self.faults:
            status, content = self.faults[request.path]
        else:
            status, document = self._answer(request.method, unquote(request.path.partition("?")[0]), request.body)
            content = json.dumps(document).encode()
        return status, {"Content-Type": "application/vnd.schemaregistry.v1+json"}, content

    def _answer(self, method: str, path: str, body: bytes) -> Answer:
        routes: dict[str, Callable[..., Answer]] = {
            r"GET /subjects": lambda: (200, sorted(self.subjects)),
            r"GET /config": lambda: (200, {"compatibilityLevel": self.level}),
            r"GET /config/(.+)": self._level,
            r"GET /subjects/(.+)/versions": self._versions,
            r"GET /subjects/(.+)/versions/(latest|\d+)": self._version,
            r"POST /compatibility/subjects/(.+)/versions/(\d+)": lambda name, number: self._compatibility(
                name, number, json.loads(body)
            ),
        }
        for pattern, answer in routes.items():
            if found := re.fullmatch(pattern, f"{method} {path}"):
                return answer(*found.groups())
        return 404, {"error_code": 404, "message": "HTTP 404 Not Found"}

    def _level(self, subject: str) -> Answer:
        if subject in self.levels:
            return 200, {"compatibilityLevel": self.levels[subject]}
        message = f"Subject '{subject}' does not have subject-level compatibility configured"
        return 404, {"error_code": 40408, "message": message}

    def _versions(self, subject: str) -> Answer:
        if subject not in self.subjects:
            return 404, {"error_code": 40401, "message": f"Subject '{subject}' not found."}
        return 200, sorted(self.subjects[subject])

    def _version(self, subject: str, version: str) -> Answer:
        status, versions = self._versions(subject)
        if status != 200:
            return status, versions
        number = max(versions) if version == "latest" else int(version)
        known = self.subjects[subject].get(number)
        return (200, known) if known else (404, {"error_code": 40402, "message": f"Version {version} not found."})

    def _compatibility(self, subject: str, version: str, body: dict[str, Any]) -> Answer:
        status, answer = self._version(subject, version)
        if status != 200:
            return status, answer
        assert body["schemaType"] in ("AVRO", "JSON", "PROTOBUF")
        assert isinstance(body["schema"], str)
        reasons = self.incompatible.get(subject, [])
        return 200, {"is_compatible": False, "messages": reasons} if reasons else {"is_compatible": True}


@contextmanager
def run_registry() -> Iterator[FakeRegistry]:
    registry = FakeRegistry()

    with web_server(registry.answer) as registry.url:
        yield registry
