"""Writes the listener's key into the listener's file, for Glue jobs, which have no bootstrap action.

    from glue_key import put_key
    put_key("arn:aws:secretsmanager:...")   # before the SparkContext, which starts the listener
    spark = SparkSession.builder.getOrCreate()

Ship this module with --extra-py-files. The job's role needs secretsmanager:GetSecretValue. A job without a key runs
without lineage, and does not fail.
"""

import logging
import os
import re
from pathlib import Path

import boto3
from botocore.exceptions import BotoCoreError, ClientError

LOG = logging.getLogger("headwater")
FILE = Path(".openlineage") / "openlineage.yml"
"""The listener's default file, below the home directory."""
KEY = re.compile(r"[A-Za-z0-9._~+/=-]+")


def put_key(secret: str, home: Path | None = None) -> bool:
    """Write the key of a secret into the listener's file, and return whether the file was written."""
    file = (home or Path.home()) / FILE
    try:
        key = boto3.client("secretsmanager").get_secret_value(SecretId=secret).get("SecretString", "").strip()
        if not KEY.fullmatch(key):
            LOG.warning("no lineage from this job: the secret is no key; it should hold only the key, as plain text")
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            stream.write(f'transport:\n  type: http\n  auth:\n    type: api_key\n    apiKey: "{key}"\n')
    except (BotoCoreError, ClientError, OSError) as error:
        LOG.warning("no lineage from this job: %s", type(error).__name__)
        return False
    return True
