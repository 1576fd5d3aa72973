"""Clients of AWS services, and their errors as errors of storage.

Only botocore is used: `import boto3` would also load its resource layer and lengthen every cold start. botocore is
imported on first use: `headwater serve` runs without it.
"""

from __future__ import annotations

import os
from binascii import a2b_base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from headwater.store.errors import Conflict, Rejected, StorageError, Throttled

if TYPE_CHECKING:
    from botocore.session import Session

TRIES = 2
PROMPT_SECONDS = 3
"""For functions behind the API: two tries end before the function's timeout, and the function can answer 503."""
PATIENT_SECONDS = 10

USER_AGENT = "headwater"
"""botocore rebuilds its user agent for each call, which takes a fifth of the call's CPU."""

SERVICES = ["datazone", "dynamodb", "events", "firehose", "glue", "s3", "secretsmanager", "sns", "sqs"]
"""The services that have clients."""

_THROTTLED = {
    "InternalServerError",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ServiceUnavailable",
    "ServiceUnavailableException",
    "ThrottlingException",
}
_NEVER_TAKEN = {"ValidationException", "ItemCollectionSizeLimitExceededException"}


def new_session() -> Session:
    """A session, for all clients of a process.

    The session knows only SERVICES: searching for all others looks into some nine hundred folders, a tenth of a
    function's start time. It also reads the attributes of DynamoDB's items in a fifth of the time of botocore, which
    consults the service's model for each value.
    """
    from botocore.loaders import Loader
    from botocore.parsers import JSONParser, ResponseParserFactory
    from botocore.session import Session

    class _Models(Loader):
        def list_available_services(self, type_name: str) -> list[str]:  # noqa: ARG002 - each service has each type
            return SERVICES

    class _Parser(JSONParser):
        def _handle_map(self, shape: Any, value: Any) -> Any:
            if shape.value.name != "AttributeValue":
                return super()._handle_map(shape, value)  # type: ignore[misc]
            return {name: sent if "S" in sent else _attribute(sent) for name, sent in value.items()}

    class _Parsers(ResponseParserFactory):
        def create_parser(self, protocol_name: str) -> Any:
            return _Parser() if protocol_name == "json" else super().create_parser(protocol_name)

    session = Session()
    session.register_component("response_parser_factory", _Parsers())
    paths = session.get_config_variable("data_path")
    session.register_component("data_loader", _Models(paths.split(os.pathsep) if paths else None))
    return session


def _attribute(sent: dict[str, Any]) -> dict[str, Any]:
    """An attribute's value as botocore has it: `{"B": "AA=="}` is `{"B": b"\\0"}`."""
    if "B" in sent:
        return {"B": a2b_base64(sent["B"])}
    if "BS" in sent:
        return {"BS": [a2b_base64(content) for content in sent["BS"]]}
    if "M" in sent:
        return {"M": {name: _attribute(member) for name, member in sent["M"].items()}}
    if "L" in sent:
        return {"L": [_attribute(member) for member in sent["L"]]}
    return sent


class ClientOnRequest:
    """A client that is made on its first call, because few invocations need it. Threads may share it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._lock = Lock()
        self._made: Any = None

    def __getattr__(self, operation: str) -> Any:
        with self._lock:
            self._made = self._made or self._make()
        return getattr(self._made, operation)


def client(session: Session, service: str, *, seconds: int = PROMPT_SECONDS) -> Any:
    """A botocore client whose calls time out after `seconds`, and are tried twice.

    Endpoint, region and credentials come from the environment, as everywhere on AWS. Clients of one session share what
    botocore has loaded.
    """
    from botocore.config import Config

    config = Config(
        user_agent=USER_AGENT,
        parameter_validation=False,  # a quarter of a call's CPU; the services check again
        connect_timeout=1,
        read_timeout=seconds,
        retries={"mode": "standard", "total_max_attempts": TRIES},
        max_pool_connections=32,
    )
    return session.create_client(service, config=config)


@contextmanager
def translated_errors(*, writing: bool = False) -> Iterator[None]:
    """Raises errors of AWS as StorageError (try again), such as Throttled, or Conflict (read again); of a write also as
    Rejected."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code == "ConditionalCheckFailedException":
            raise Conflict(str(error)) from error
        if writing and code in _NEVER_TAKEN:
            raise Rejected(str(error)) from error
        raise (Throttled if code in _THROTTLED else StorageError)(str(error)) from error
    except BotoCoreError as error:
        raise StorageError(str(error)) from error


@contextmanager
def errors_as(error_of: Callable[[str, str], Exception]) -> Iterator[None]:
    """Raises errors of AWS as `error_of(code, message)`; the code is empty if no service answered."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        raise error_of(error.response.get("Error", {}).get("Code", ""), str(error)) from error
    except BotoCoreError as error:
        raise error_of("", str(error)) from error
