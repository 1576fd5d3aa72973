"""How many copies of all functions together an AWS account may have: a new account has as few as ten."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from headwater.cli.doctor.finding import DoctorFinding

USUAL = 1_000
"""The concurrent executions of an account (https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html)."""
QUOTA = "L-B99A9384"
API_OF_AWS = re.compile(r"[a-z0-9]+(?:-vpce-[a-z0-9]+)?\.execute-api\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?")


def few_copies(url: str) -> Iterator[DoctorFinding]:
    """Of a stack on AWS under its own address, whether the account of the AWS credentials here has fewer copies than is
    usual. Nothing, if there are no credentials that may read it, or no botocore."""
    on_aws = API_OF_AWS.fullmatch(urlsplit(url).hostname or "")
    limit = _limit_in(on_aws[1]) if on_aws else None
    if on_aws and limit is not None and limit < USUAL:
        yield DoctorFinding(
            f"the account of your AWS credentials has {limit:,} concurrent executions of Lambda in {on_aws[1]}, of "
            f"usually {USUAL:,}: if they are in use, requests are refused, and Spark sends no event twice",
            f"aws service-quotas request-service-quota-increase --region {on_aws[1]} --service-code lambda "
            f"--quota-code {QUOTA} --desired-value {USUAL}",
        )


def _limit_in(region: str) -> int | None:
    try:
        from botocore.config import Config  # noqa: PLC0415 - an extra of the wheel, only for stacks
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415
        from botocore.session import Session  # noqa: PLC0415
    except ModuleNotFoundError:
        return None
    once = Config(connect_timeout=3, read_timeout=5, retries={"total_max_attempts": 1})
    try:
        client: Any = Session().create_client("lambda", region, config=once)
        return int(client.get_account_settings()["AccountLimit"]["ConcurrentExecutions"])
    except (BotoCoreError, ClientError, EOFError, KeyError, ValueError):
        # Also no terminal for the code of an MFA device, a proxy's page for an answer, an endpoint that is no URL.
        return None
