"""The authoriser of both APIs: finds the principal of a request's API key. API Gateway calls it before every
request."""

from typing import Any

import headwater.start
from headwater.access.keys import BadKeys, KeyRing, presented_key
from headwater.access.principal import UNAVAILABLE
from headwater.bootstrap import Root
from headwater.config import AuthoriseSettings, from_environment
from headwater.http.private_api import policy
from headwater.store.errors import StorageError

root = Root(from_environment(AuthoriseSettings))
log = root.log()
keys = KeyRing(root.secret(), failed=log)
headwater.start.end()


@log.handler
def handler(request: dict[str, Any], context: Any) -> dict[str, Any]:
    """Returns the principal of a request, or none: then the other functions answer 401."""
    context = _context(request)
    return (
        policy(request["methodArn"], context) if "methodArn" in request else {"isAuthorized": True, "context": context}
    )


def _context(request: dict[str, Any]) -> dict[str, str]:
    remembered = request.get("identitySource")  # with KeyCacheSeconds, what API Gateway remembers the answer for
    headers = request.get("headers") or {}
    if isinstance(remembered, list) and remembered:
        headers = {"Authorization": remembered[0]}
    presented = presented_key(headers)
    try:
        principal = keys.find(presented) if presented else None
    except (StorageError, BadKeys) as error:
        log("the keys could not be read", error)
        return {UNAVAILABLE: "true"}
    return principal.to_context() if principal else {}
