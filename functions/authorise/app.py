"""Says whose key a request carries. API Gateway asks it before every request."""

from typing import Any

from aws_lambda_powertools import Logger

from headwater.access.keys import BadKeys, KeyRing, presented_key
from headwater.access.principal import UNAVAILABLE
from headwater.access.secret import SecretsManagerSecret
from headwater.config import AuthoriseSettings, from_environment
from headwater.store.aws import client
from headwater.store.table import StorageError

logger = Logger()
settings = from_environment(AuthoriseSettings)
keys = KeyRing(SecretsManagerSecret(client("secretsmanager"), settings.keys_secret))


def handler(request: dict[str, Any], context: Any) -> dict[str, Any]:
    """One request's caller: id, scopes and namespaces of its key, or nothing, which the functions answer with 401."""
    return {"isAuthorized": True, "context": _caller(request)}


def _caller(request: dict[str, Any]) -> dict[str, str]:
    presented = presented_key(request.get("headers") or {})
    try:
        principal = keys.find(presented) if presented else None
    except (StorageError, BadKeys) as error:
        logger.warning("the keys could not be read", reason=str(error))
        return {UNAVAILABLE: "true"}
    return principal.to_context() if principal else {}
