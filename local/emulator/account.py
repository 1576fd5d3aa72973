"""The AWS account in the emulator: its clients, and an environment without the user's own AWS settings.

local/ must never reach real AWS. Every client has an explicit endpoint and made-up credentials, and the profiles, keys,
regions and endpoints of the user's environment are removed for this process and for its children.
"""

import os
import ssl
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import botocore.session
from botocore.client import BaseClient
from botocore.config import Config

from headwater.cli.machine.environment import without_aws_account

if TYPE_CHECKING:
    from mypy_boto3_cloudformation import CloudFormationClient
    from mypy_boto3_logs import CloudWatchLogsClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient

ACCOUNT_ID = "000000000000"
SECRET_KEY = "local"  # noqa: S105 - the emulator checks the signatures of roles, never those of the account's owner
REGION = "us-east-1"
CONFIG = Config(connect_timeout=5, read_timeout=60, retries={"total_max_attempts": 3}, proxies={})


def scrubbed(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with the emulator's credentials in place of the user's AWS settings."""
    return without_aws_account(environment) | {
        "AWS_ACCESS_KEY_ID": ACCOUNT_ID,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
    }


def scrub_this_process() -> None:
    """Replace this process's environment by its scrubbed form."""
    clean = scrubbed(os.environ)
    os.environ.clear()
    os.environ.update(clean)


class Account:
    """The account at `endpoint`. For an https endpoint, `certificate` is the trusted certificate."""

    def __init__(self, endpoint: str, certificate: Path | None = None) -> None:
        self.endpoint = endpoint
        self.certificate = certificate
        self.opened: list[BaseClient] = []

    @property
    def trust(self) -> ssl.SSLContext | None:
        return ssl.create_default_context(cafile=self.certificate) if self.certificate else None

    @cached_property
    def cloudformation(self) -> "CloudFormationClient":
        return cast("CloudFormationClient", self.client("cloudformation"))

    @cached_property
    def events(self) -> Any:
        return self.client("events")

    @cached_property
    def iam(self) -> Any:
        return self.client("iam")

    @cached_property
    def logs(self) -> "CloudWatchLogsClient":
        return cast("CloudWatchLogsClient", self.client("logs"))

    @cached_property
    def s3(self) -> "S3Client":
        return cast("S3Client", self.client("s3"))

    @cached_property
    def secretsmanager(self) -> "SecretsManagerClient":
        return cast("SecretsManagerClient", self.client("secretsmanager"))

    @cached_property
    def sns(self) -> Any:
        return self.client("sns")

    @cached_property
    def sqs(self) -> Any:
        return self.client("sqs")

    def client(self, service: str) -> BaseClient:
        """Return a client of a service; `close` closes its connections."""
        session = botocore.session.get_session()
        client = session.create_client(
            service,
            region_name=REGION,
            endpoint_url=self.endpoint,
            verify=str(self.certificate) if self.certificate else None,
            aws_access_key_id=ACCOUNT_ID,
            aws_secret_access_key=SECRET_KEY,
            config=CONFIG,
        )
        self.opened.append(client)
        return client

    def close(self) -> None:
        """Close the connections of all clients. Workaround: open-connections."""
        for client in self.opened:
            client.close()
