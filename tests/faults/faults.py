"""Faults of calls to AWS, drawn from a seed: the end of a process, errors before and after the call took effect, calls
that the client repeats, batches that are taken in part, stale reads, another invocation between two calls, and a clock
that goes back."""

import random
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from botocore.exceptions import ReadTimeoutError

from tests.faults.fake_aws import failure

Argument = TypeVar("Argument")
Result = TypeVar("Result")

THROTTLES = {"s3": "SlowDown", "firehose": "ServiceUnavailableException"}
INTERNAL = {"s3": "InternalError", "glue": "InternalServiceException"}
NOW = datetime(2026, 11, 20, 14, tzinfo=UTC)
"""Six hours after the first event (tests/factory.py)."""


class Killed(BaseException):
    """The end of a process: nothing catches it."""


class Faults:
    """The faults of one scene. While not `is_on`, nothing fails. `injected` counts the faults by their names."""

    def __init__(self, seed: int, rate: float) -> None:
        self.chance = random.Random(seed)
        self.rate = rate
        self.is_on = rate > 0
        self.injected: dict[str, int] = {}
        self.rival: Callable[[], None] = lambda: None
        self.fixed: datetime | None = None
        self._elapsed = timedelta()

    def call(self, service: str, effect: Callable[[], Result]) -> Result:
        """Makes a call, or not, or twice."""
        self._elapsed += timedelta(milliseconds=5)
        if not self._occurs():
            return effect()
        fault = self.chance.choice([_kill, _kill, _throttle, _error, _timeout, _repeat, _rival, _rival])
        self._count(f"{fault.__name__.strip('_')} {service}")
        answer: Result = fault(self, service, effect)
        return answer

    def taken(self, entries: int) -> int:
        if entries < 2 or not self._occurs():
            return entries
        self._count("batch in part")
        return self.chance.randint(1, entries - 1)

    def lag(self, versions: int) -> int:
        """A moment passes before an index shows a write; here it is long."""
        if not self.is_on or self.chance.random() > 10 * self.rate:
            return 0
        self._count("stale read")
        return self.chance.randrange(versions)

    def now(self, tz: Any = UTC) -> datetime:
        """The time; each look may see a clock that was put back, or forward, unless it is `fixed`."""
        if self.fixed:
            return self.fixed.astimezone(tz)
        jump = timedelta(seconds=self.chance.uniform(-3000, 3000) if self.is_on else 0)
        return (NOW + self._elapsed + jump).astimezone(tz)

    def any_order(self, function: Callable[[Argument], Result], arguments: Iterable[Argument]) -> list[Result]:
        """`concurrent_map` with calls in any order: after the first that fails, some of the others still take place."""
        calls = list(enumerate(arguments))
        if self.is_on:
            self.chance.shuffle(calls)
        results: dict[int, Result] = {}
        for index, argument in calls:
            try:
                results[index] = function(argument)
            except Exception:
                for _, other in calls[len(results) + 1 :]:
                    if self.chance.random() < 0.5:
                        self._in_vain(function, other)
                raise
        return [results[index] for index in range(len(calls))]

    def _in_vain(self, function: Callable[[Argument], Any], argument: Argument) -> None:
        try:
            function(argument)
        except Exception:  # noqa: BLE001 - the first error is what the caller sees
            self._count("second error")

    def _occurs(self) -> bool:
        return self.is_on and self.chance.random() < self.rate

    def _count(self, name: str) -> None:
        self.injected[name] = self.injected.get(name, 0) + 1


class FaultyClient:
    def __init__(self, client: Any, service: str, faults: Faults) -> None:
        self._client = client
        self._service = service
        self._faults = faults

    def __getattr__(self, operation: str) -> Any:
        method = getattr(self._client, operation)
        if operation == "get_paginator" or not callable(method):
            return method
        return lambda **request: self._faults.call(self._service, lambda: method(**request))


def _kill(faults: Faults, _service: str, effect: Callable[[], Any]) -> Any:
    if faults.chance.random() < 0.5:
        effect()
    raise Killed


def _throttle(_faults: Faults, service: str, _effect: Callable[[], Any]) -> Any:
    raise failure(THROTTLES.get(service, "ThrottlingException"))


def _error(faults: Faults, service: str, effect: Callable[[], Any]) -> Any:
    if faults.chance.random() < 0.5:
        effect()
    raise failure(INTERNAL.get(service, "InternalServerError"))


def _timeout(faults: Faults, service: str, effect: Callable[[], Any]) -> Any:
    if faults.chance.random() < 0.5:
        effect()
    raise ReadTimeoutError(endpoint_url=service)


def _repeat(_faults: Faults, _service: str, effect: Callable[[], Any]) -> Any:
    """The answer is lost, and the client makes the call again."""
    effect()
    return effect()


def _rival(faults: Faults, _service: str, effect: Callable[[], Any]) -> Any:
    """Another invocation comes between."""
    faults.rival()
    return effect()
