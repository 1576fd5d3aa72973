"""Lets the local key into the deployed API, by the same secret that a team manages its keys with."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from local.deployment import Deployment

KEY_ID = "local"
VALID = timedelta(days=365)


def admit(deployment: Deployment, key: str) -> None:
    """Put the key into the secret, hashed, beside any others that were added there."""
    secret = deployment.only("AWS::SecretsManager::Secret")
    secrets = deployment.account.secretsmanager
    present = json.loads(secrets.get_secret_value(SecretId=secret)["SecretString"])["keys"]
    others = [entry for entry in present if entry["id"] != KEY_ID]
    keys = {"keys": [*others, key_entry(key, datetime.now(UTC) + VALID)]}
    secrets.put_secret_value(SecretId=secret, SecretString=json.dumps(keys))


def key_entry(key: str, expires: datetime) -> dict[str, Any]:
    return {
        "id": KEY_ID,
        "sha256": hashlib.sha256(key.encode()).hexdigest(),
        "scopes": ["ingest", "read", "admin"],
        "namespaces": ["*"],
        "expires": expires.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
