"""The environment of a program that must not reach the user's AWS account."""

import os
from collections.abc import Mapping

LOOPBACK = "127.0.0.1,localhost"


def without_aws_account(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the user's AWS settings, wherever they are kept.

    NO_PROXY names the loopback interface: otherwise HTTP clients would send requests to this machine through the
    user's proxy.
    """
    kept = {name: value for name, value in environment.items() if not name.startswith("AWS_")}
    no_proxy = ",".join(filter(None, (environment.get("NO_PROXY") or environment.get("no_proxy"), LOOPBACK)))
    return kept | {
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "NO_PROXY": no_proxy,
        "no_proxy": no_proxy,
    }
