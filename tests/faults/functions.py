"""The functions of functions/ over fake_aws.py: each invocation may be killed, and the next one is a cold start."""

import contextlib
import importlib.util
import io
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import ModuleType
from typing import Any
from unittest.mock import patch

import headwater.bootstrap
import headwater.http.request
import headwater.store.aws.dynamodb
from headwater.retry import Deadline
from tests.catalog.conftest import ARN
from tests.catalog.glue_service import GlueService
from tests.fakes import LambdaContext
from tests.faults.fake_aws import FakeDynamoDb, FakeEventBridge, FakeFirehose, FakeS3
from tests.faults.faults import Faults, FaultyClient, Killed
from tests.functions.environment import ROOT, environment

VARIABLES = {
    "CATALOG_ARN": ARN,
    "MAX_BODY_BYTES": "1000000",
    "RUN_RETENTION_DAYS": "400",
    "ITEM_FORMS": "new",
    "EVENT_RETENTION_DAYS": "90",
    "EMISSION_LATENCY_MILLIS": "3600000000",
    "ABANDONED_AFTER_MINUTES": "60",
    "API_URL": "https://lineage.example.com",
    "FORWARD_TO": "url",
    "FORWARD_QUEUE": "forward",
}


class Failed(Exception):
    """An invocation failed, by its end or by an error. `error` is None if it was killed."""

    def __init__(self, error: Exception | None) -> None:
        super().__init__(repr(error))
        self.error = error


class Clock:
    """A clock of the time that an invocation has left: pauses cost no time of ours."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class Functions:
    """The warm functions, and the services that they call."""

    faults: Faults
    send_message_batch: Callable[..., Any]
    stream: Callable[[dict[str, Any]], None]
    log: io.StringIO = field(default_factory=io.StringIO)

    def __post_init__(self) -> None:
        self.clock = Clock()
        self.dynamodb, self.s3 = FakeDynamoDb(self.faults, self.stream), FakeS3()
        self.firehose, self.events, self.glue = FakeFirehose(self.faults), FakeEventBridge(self.faults), GlueService()
        self._warm: dict[str, list[ModuleType]] = {}

    def invoke(self, name: str, event: dict[str, Any]) -> Any:
        """The answer of an invocation. Raises Failed."""
        instances = self._warm.setdefault(name, [])
        try:
            module = instances.pop() if instances else self._started(name)
            answer = module.handler(event, LambdaContext())
        except Killed:
            raise Failed(None) from None
        except Exception as error:
            instances.append(module)
            raise Failed(error) from error
        instances.append(module)
        return answer

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Lets the functions see these services, this clock and this log, for the length of a `with` block."""
        with (
            patch.dict(
                os.environ,
                environment("", ROOT)
                | VARIABLES
                | {"POWERTOOLS_LOG_LEVEL": "CRITICAL", "POWERTOOLS_METRICS_DISABLED": "true"},
            ),
            patch.object(headwater.bootstrap, "new_session", lambda: self),
            patch.object(headwater.bootstrap, "Deadline", lambda: Deadline(self.clock, self.clock.sleep)),
            patch.object(headwater.http.request, "datetime", self._datetime()),
            patch.object(headwater.store.aws.dynamodb, "concurrent_map", self.faults.any_order),
            patch.object(time, "sleep", self.clock.sleep),
            contextlib.redirect_stdout(self.log),
        ):
            yield

    def create_client(self, service: str, **_: Any) -> Any:
        """As a session of botocore."""
        if service == "sqs":
            return FaultyClient(_Sqs(self.send_message_batch), service, self.faults)
        return FaultyClient(getattr(self, service), service, self.faults)

    def _started(self, name: str) -> ModuleType:
        path = ROOT / "functions" / name / "app.py"
        specification = importlib.util.spec_from_file_location(f"{name}_under_faults", path)
        assert specification
        assert specification.loader
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        if hasattr(module, "datetime"):
            vars(module)["datetime"] = self._datetime()
        return module

    def _datetime(self) -> type[datetime]:
        return type("FaultyDatetime", (datetime,), {"now": staticmethod(lambda tz=UTC: self.faults.now(tz))})


@dataclass(frozen=True)
class _Sqs:
    send_message_batch: Callable[..., Any]

    def change_message_visibility_batch(self, **_: Any) -> dict[str, Any]:
        return {}
