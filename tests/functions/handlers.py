"""The functions' handlers in this process: imported anew, each with the environment of its function."""

import importlib.util
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session

from local.emulator.account import scrubbed
from tests.fakes import LambdaContext

ROOT = Path(__file__).parents[2]

Event = dict[str, Any]


@dataclass(frozen=True)
class Function:
    """A function that is warm: its handler, called with its environment."""

    handler: Callable[[Event, Any], Any]
    environment: Mapping[str, str]

    def __call__(self, event: Event) -> Any:
        with patch.dict(os.environ, self.environment, clear=True):
            return self.handler(event, LambdaContext())


Named = Callable[[str], Function]
"""A function by its name in functions/."""


def function(name: str, endpoint: str, variables: Mapping[str, str]) -> Function:
    """Imports functions/NAME/app.py as a cold start does, with AWS at `endpoint`."""
    environment = scrubbed(os.environ) | {"AWS_ENDPOINT_URL": endpoint} | dict(variables)
    specification = importlib.util.spec_from_file_location(f"{name}_app", ROOT / "functions" / name / "app.py")
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    with patch.dict(os.environ, environment, clear=True):
        specification.loader.exec_module(module)
    return Function(module.handler, environment)


@dataclass
class Calls:
    """The requests that went to AWS from this process, retries included: `SendMessageBatch`, `PUT /bucket/key`."""

    made: list[str] = field(default_factory=list)


@contextmanager
def recorded_calls() -> Iterator[Calls]:
    """Writes down every request of any AWS client, made before or within the `with` block."""
    calls = Calls()
    send = URLLib3Session.send

    def recording(session: URLLib3Session, request: AWSPreparedRequest) -> AWSResponse:
        target = request.headers.get("X-Amz-Target", "")
        name = target.decode() if isinstance(target, bytes) else target
        calls.made.append(name.rpartition(".")[2] or f"{request.method} {urlsplit(request.url).path}")
        return send(session, request)

    with patch.object(URLLib3Session, "send", recording):
        yield calls
