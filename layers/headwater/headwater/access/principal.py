"""The principal of a request, and its form in the context that authorise passes to the other functions.

The authoriser of an HTTP API can only let a request pass or answer `403 Forbidden`, whatever the fault. Hence authorise
lets every request pass, with the principal of a valid key; the other functions answer 401 without a principal.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.store.errors import StorageError


class Scope(StrEnum):
    """The scopes of a key; ADMIN includes the others."""

    INGEST = "ingest"
    READ = "read"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Principal:
    """The client of a request, by its key. `namespaces` are patterns as in a shell: `prod`, `team-*`."""

    key_id: str
    scopes: frozenset[str]
    namespaces: tuple[str, ...]

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes or Scope.ADMIN in self.scopes

    def may_use(self, namespace: str) -> bool:
        return any(fnmatchcase(namespace, pattern) for pattern in self.namespaces)

    def to_context(self) -> dict[str, str]:
        """The principal as the authoriser's context, in which API Gateway passes on strings alone."""
        return {
            "keyId": self.key_id,
            "scopes": " ".join(sorted(self.scopes)),
            "namespaces": json.dumps(self.namespaces),
        }

    def require(self, scope: Scope) -> None:
        """Raises InvalidRequest (403) if the principal lacks the scope."""
        if not self.may(scope):
            raise InvalidRequest(Fault("key", f"lacks the scope {scope}; send a key with this scope"), status=403)

    def require_namespace(self, namespace: str, path: str) -> None:
        """Raises InvalidRequest (403) if the principal lacks the namespace. `path` is the member in the request that
        names the namespace."""
        if not self.may_use(namespace):
            raise InvalidRequest(
                Fault(path, "is not a namespace of this key; send a key for this namespace"), status=403
            )


UNAVAILABLE = "unavailable"
"""The member of the authoriser's context that says that the keys could not be read."""


def no_key() -> InvalidRequest:
    """The error (401) of a request without a valid key."""
    fault = Fault("key", "missing, unknown or expired; send a key as `Authorization: Bearer KEY` or `x-api-key: KEY`")
    return InvalidRequest(fault, status=401)


def principal_of(request: Mapping[str, Any], iam_scopes: Collection[Scope] = (Scope.READ,)) -> Principal:
    """The principal of a request, by its API key or by IAM. `iam_scopes` are the scopes of a principal of IAM.

    Raises InvalidRequest (401) without a valid key, StorageError if the keys could not be read.
    """
    authorizer = request.get("requestContext", {}).get("authorizer") or {}
    context = authorizer.get("lambda") or {}
    if "iam" in authorizer:
        return Principal("iam", frozenset(iam_scopes), ("*",))
    if UNAVAILABLE in context:
        raise StorageError("the keys could not be read")
    if "keyId" not in context:
        raise no_key()
    return Principal(context["keyId"], frozenset(context["scopes"].split()), tuple(json.loads(context["namespaces"])))
