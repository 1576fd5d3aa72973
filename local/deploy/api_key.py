"""The API key of an embedded stack, in the secret that holds a deployment's keys."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from local.deploy.deployment import Deployment

KEY_ID = "local"
VALID = timedelta(days=365)


def register_api_key(deployment: Deployment, key: str) -> None:
    """Add the hash of the key to the secret, and keep the other keys."""
    secret = deployment.only("AWS::SecretsManager::Secret")
    secrets = deployment.account.secretsmanager
    entries = json.loads(secrets.get_secret_value(SecretId=secret)["SecretString"])["keys"]
    others = [entry for entry in entries if entry["id"] != KEY_ID]
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
