"""The logs of the functions: read from CloudWatch Logs, and saved as files before the emulator stops."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from botocore.exceptions import BotoCoreError, ClientError

from local.deploy.deployment import Deployment
from local.emulator.account import Account


def save_logs(deployment: Deployment, folder: Path) -> None:
    """Write the lines of each log group into a file, such as `ingest.log`. If the emulator has ended, write nothing."""
    with suppress(BotoCoreError, ClientError):
        for group in deployment.resources["AWS::Logs::LogGroup"]:
            lines = list(log_lines(deployment.account, [group]))
            if lines:
                (folder / f"{PurePosixPath(group).name}.log").write_text("\n".join(lines) + "\n", encoding="utf-8")


def log_lines(account: Account, groups: Iterable[str]) -> Iterator[str]:
    pages = account.logs.get_paginator("filter_log_events")
    for group in groups:
        for page in pages.paginate(logGroupName=group):
            for event in page["events"]:
                yield from event["message"].splitlines()
