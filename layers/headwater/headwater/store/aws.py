"""Clients of AWS services, and their errors as ours.

botocore alone: `import boto3` loads its resource layer too, which nothing here uses and every cold start would pay for.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from headwater.store.table import Conflict, Rejected, StorageError

_CONFIG = Config(
    parameter_validation=False,  # a quarter of a call's CPU; the services check again
    connect_timeout=2,
    read_timeout=10,
    retries={"mode": "standard", "max_attempts": 3},
    max_pool_connections=32,
)
_NEVER_TAKEN = {"ValidationException", "InvalidParameterValue", "ItemCollectionSizeLimitExceededException"}


def client(service: str) -> Any:
    """A botocore client; endpoint, region and credentials come from the environment, as everywhere on AWS."""
    return botocore.session.get_session().create_client(service, config=_CONFIG)


@contextmanager
def translated_errors() -> Iterator[None]:
    """Errors of AWS as StorageError (try again), Conflict (read again) or Rejected (never)."""
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code == "ConditionalCheckFailedException":
            raise Conflict(str(error)) from error
        if code in _NEVER_TAKEN:
            raise Rejected(str(error)) from error
        raise StorageError(str(error)) from error
    except BotoCoreError as error:
        raise StorageError(str(error)) from error
