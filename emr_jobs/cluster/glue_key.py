"""Puts the listener's key where it finds it, for Glue jobs: these have no bootstrap action, and no file but the script.

    from glue_key import put_key
    put_key("arn:aws:secretsmanager:...")   # before the SparkContext is made: the listener starts with that
    spark = SparkSession.builder.getOrCreate()

Ship it with --extra-py-files. The job's role needs secretsmanager:GetSecretValue. No job fails because of lineage:
without a key it runs all the same.
"""

import logging
import os
import re
from pathlib import Path

import boto3
from botocore.exceptions import BotoCoreError, ClientError

LOG = logging.getLogger("headwater")
FILE = Path(".openlineage") / "openlineage.yml"
"""Below the home directory, where the listener looks by itself."""
KEY = re.compile(r"[A-Za-z0-9._~+/=-]+")


def put_key(secret: str, home: Path | None = None) -> bool:
    """Write the key of a secret into the listener's file, and say whether that could be done."""
    file = (home or Path.home()) / FILE
    try:
        key = boto3.client("secretsmanager").get_secret_value(SecretId=secret).get("SecretString", "").strip()
        if not KEY.fullmatch(key):
            LOG.warning("no lineage from this job: the secret is no key, which should be alone in it, as plain text")
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            stream.write(f'transport:\n  type: http\n  auth:\n    type: api_key\n    apiKey: "{key}"\n')
    except (BotoCoreError, ClientError, OSError) as error:
        LOG.warning("no lineage from this job: %s", type(error).__name__)
        return False
    return True
