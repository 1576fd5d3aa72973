"""Keeps what the functions logged after the emulator is gone: one file a log group, beside the emulator's own log."""

from contextlib import suppress
from pathlib import Path, PurePosixPath

from botocore.exceptions import BotoCoreError, ClientError

from local.deployment import Deployment
from local.metrics import log_lines


def save_logs(deployment: Deployment, folder: Path) -> None:
    """Write `ingest.log` and so on. An emulator that is gone already keeps nothing else from being cleaned up."""
    with suppress(BotoCoreError, ClientError):
        for group in deployment.resources["AWS::Logs::LogGroup"]:
            lines = list(log_lines(deployment.account, [group]))
            if lines:
                (folder / f"{PurePosixPath(group).name}.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
