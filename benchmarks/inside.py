"""Runs the handler of functions/lookup in this process, and counts its calls to DynamoDB."""

import copy
import gc
import importlib.util
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from botocore import handlers

from benchmarks.calls import Call
from benchmarks.figures import median, repeated
from benchmarks.graph import Job
from events import envelopes
from headwater.access.principal import Principal, Scope
from local.emulator.account import scrubbed
from local.layout import Layout
from tests.embedded import Deployed

Handler = Callable[[dict[str, Any], Any], dict[str, Any]]

CALLER = Principal("benchmark", frozenset({Scope.READ}), ("*",))


@dataclass(frozen=True)
class Inside:
    """The calls to DynamoDB of one lookup, the items and kilobytes read, and the CPU milliseconds of the handler."""

    calls: float
    items: float
    kilobytes: float
    cpu: float


@dataclass
class _Counts:
    calls: int = 0
    items: int = 0
    bytes: int = 0

    def after_call(self, http_response: Any, parsed: dict[str, Any], **_: Any) -> None:
        """Counts a call; botocore calls this hook after each call, also after retries."""
        self.calls += 1
        self.items += len(parsed.get("Items", [])) + sum(map(len, parsed.get("Responses", {}).values()))
        self.bytes += len(http_response.content)


@dataclass
class Probe:
    """The handler of a stack's lookup function, and the sums over its calls."""

    handler: Handler
    counts: _Counts = field(default_factory=_Counts)

    def measure(self, call: Call, starts: Sequence[Job], seconds: float) -> Inside:
        requests = [_request(call.target(start)) for start in starts]
        self.handler(requests[0], envelopes.LambdaContext())
        before = (self.counts.calls, self.counts.items, self.counts.bytes)
        milliseconds = repeated([partial(self._cpu, request) for request in requests], seconds)
        after = (self.counts.calls, self.counts.items, self.counts.bytes)
        calls, items, size = ((now - then) / len(milliseconds) for now, then in zip(after, before, strict=True))
        return Inside(calls, items, size / 1000, median(milliseconds))

    def _cpu(self, request: dict[str, Any]) -> float:
        request = copy.deepcopy(request)
        before = time.process_time()
        self.handler(request, envelopes.LambdaContext())
        return (time.process_time() - before) * 1000


@contextmanager
def probe(stack: Deployed) -> Iterator[Probe]:
    """The handler in this process, with the environment of the stack's function."""
    counts = _Counts()
    hook = ("after-call.dynamodb", counts.after_call)
    kept = dict(os.environ)
    handlers.BUILTIN_HANDLERS.append(hook)
    os.environ.update(scrubbed(kept) | stack.environment("lookup") | {"AWS_ENDPOINT_URL": stack.account.endpoint})
    gc.collect()
    gc.freeze()  # in its Lambda the handler has no benchmark graph in memory that the collector would walk
    try:
        yield Probe(_handler(), counts)
    finally:
        gc.unfreeze()
        handlers.BUILTIN_HANDLERS.remove(hook)
        os.environ.clear()
        os.environ.update(kept)


def _handler() -> Handler:
    source = Layout.here().root / "functions" / "lookup" / "app.py"
    spec = importlib.util.spec_from_file_location("benchmarked_lookup", source)
    if spec is None or spec.loader is None:
        raise ImportError(str(source))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    handler: Handler = module.handler
    return handler


def _request(target: str) -> dict[str, Any]:
    request = envelopes.get(target)
    request["requestContext"]["authorizer"] = {"lambda": CALLER.to_context()}
    request["headers"]["accept-encoding"] = "gzip"
    return request
