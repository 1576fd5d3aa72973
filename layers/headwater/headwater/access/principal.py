"""A caller, as the authoriser describes it to the functions behind it.

An HTTP API's authoriser can only let pass or answer `403 Forbidden`, whatever was wrong. So it lets everyone pass and
says who they are; no function does anything for a request without a `Principal`, and nobody is one without a key.
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
    """What a key is for; ADMIN includes the others."""

    INGEST = "ingest"
    READ = "read"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Principal:
    """`namespaces` are patterns as of a shell: `prod`, `team-*`."""

    key_id: str
    scopes: frozenset[str]
    namespaces: tuple[str, ...]

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes or Scope.ADMIN in self.scopes

    def may_use(self, namespace: str) -> bool:
        return any(fnmatchcase(namespace, pattern) for pattern in self.namespaces)

    def to_context(self) -> dict[str, str]:
        """The authoriser's context; API Gateway hands on strings."""
        return {
            "keyId": self.key_id,
            "scopes": " ".join(sorted(self.scopes)),
            "namespaces": json.dumps(self.namespaces),
        }

    def require(self, scope: Scope) -> None:
        """Raises InvalidRequest (403) if this caller's key is not for that."""
        if not self.may(scope):
            raise InvalidRequest(Fault("key", f"has not the scope {scope}"), status=403)

    def require_namespace(self, namespace: str, path: str) -> None:
        """Raises InvalidRequest (403), naming the path in the request, if the caller's key is not for the namespace."""
        if not self.may_use(namespace):
            raise InvalidRequest(Fault(path, "is not a namespace of this key"), status=403)


UNAVAILABLE = "unavailable"
"""In the authoriser's context: the keys could not be read."""


def principal_of(request: Mapping[str, Any], by_iam: Collection[Scope] = (Scope.READ,)) -> Principal:
    """The caller of a request: by a key, or by IAM, which then says who may call; what they may do there, is `by_iam`.

    Raises InvalidRequest (401) without a known key, StorageError if the keys could not be read.
    """
    authorizer = request.get("requestContext", {}).get("authorizer") or {}
    context = authorizer.get("lambda") or {}
    if "iam" in authorizer:
        return Principal("iam", frozenset(by_iam), ("*",))
    if UNAVAILABLE in context:
        raise StorageError("the keys could not be read")
    if "keyId" not in context:
        fault = Fault("key", "missing, unknown or expired; send it as `Authorization: Bearer KEY` or `x-api-key: KEY`")
        raise InvalidRequest(fault, status=401)
    return Principal(context["keyId"], frozenset(context["scopes"].split()), tuple(json.loads(context["namespaces"])))
