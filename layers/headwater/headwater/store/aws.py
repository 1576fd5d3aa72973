"""Clients of AWS services, and their errors as errors of storage.

Only botocore is used: `import boto3` also loads its resource layer, which would make every cold start longer. botocore
is imported on first use: `headwater serve` runs without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headwater.store.errors import Conflict, Rejected, StorageError

if TYPE_CHECKING:
    from botocore.session import Session

TRIES = 2
PROMPT_SECONDS = 3
"""For functions behind the API: two tries end before the function's timeout, and the function can answer 503."""
PATIENT_SECONDS = 10

_NEVER_TAKEN = {"ValidationException", "ItemCollectionSizeLimitExceededException"}


def client(session: Session, service: str, *, seconds: int = PROMPT_SECONDS) -> Any:
    """A botocore client whose calls are given up after `seconds`, and tried twice.

    Endpoint, region and credentials come from the environment, as everywhere on AWS. Clients of one session share what
    botocore has loaded.
    """
    from botocore.config import Config

    config = Config(
        parameter_validation=False,  # a quarter of a call's CPU; the services check again
        connect_timeout=1,
        read_timeout=seconds,
        retries={"mode": "standard", "total_max_attempts": TRIES},
        max_pool_connections=32,
    )
    return session.create_client(service, config=config)


@contextmanager
def translated_errors(*, writing: bool = False) -> Iterator[None]:
    """Raises errors of AWS as StorageError (try again) or Conflict (read again); of a write also as Rejected."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code == "ConditionalCheckFailedException":
            raise Conflict(str(error)) from error
        if writing and code in _NEVER_TAKEN:
            raise Rejected(str(error)) from error
        raise StorageError(str(error)) from error
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
