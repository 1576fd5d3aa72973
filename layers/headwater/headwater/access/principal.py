"""The principal of a request, and its form in the context that authorise passes to the other functions.

The authoriser of an HTTP API can only let a request pass or answer `403 Forbidden`, whatever the fault. So authorise
lets every request pass, with the principal of a valid key; the other functions answer 401 without a principal.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from headwater.access.token import claims_of
from headwater.graph.facets.curation import RESERVED
from headwater.graph.names.naming import plain_namespace
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.store.errors import StorageError


class Scope(StrEnum):
    """The scopes of a key; INGEST includes CURATE, ADMIN includes the others."""

    INGEST = "ingest"
    CURATE = "curate"
    READ = "read"
    ADMIN = "admin"


ALL = "*"
"""The pattern of all namespaces."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The client of a request, by its key. Namespaces are patterns as in a shell: `prod`, `team-*`.

    namespaces   the namespaces whose jobs and datasets the principal reads and writes
    reads        further namespaces that it reads
    writes       further namespaces that it writes
    seal         a secret of the principal, which it does not know: names of hidden nodes and signatures of cursors are
                 made with it
    subject      of a person the `sub` of the token, of IAM the ARN; a key has none
    """

    key_id: str
    scopes: frozenset[str]
    namespaces: tuple[str, ...]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    seal: str = field(default="", compare=False, repr=False)
    subject: str = ""

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes or Scope.ADMIN in self.scopes or (scope is Scope.CURATE and self.may(Scope.INGEST))

    @property
    def reads_everything(self) -> bool:
        return ALL in self.namespaces + self.reads

    @property
    def writes_all_namespaces(self) -> bool:
        """Whether the principal writes every namespace; the reserved ones only as an administrator."""
        return ALL in self.namespaces + self.writes

    @property
    def writes_everything(self) -> bool:
        return self.writes_all_namespaces and self.may(Scope.ADMIN)

    @property
    def administers_everything(self) -> bool:
        return self.writes_everything and self.reads_everything

    @property
    def cursor_seal(self) -> str:
        """The secret that cursors are signed with; empty for a principal that reads every namespace, whose cursors have
        nothing to hide or to reach."""
        return "" if self.reads_everything else self.seal

    def may_read(self, namespace: str) -> bool:
        """Whether the principal reads a namespace. The reserved ones are for those who read everything: they list what
        all teams have."""
        is_readable = self.reads_everything or namespace not in RESERVED
        return is_readable and _matches(namespace, self.namespaces + self.reads)

    def may_write(self, namespace: str) -> bool:
        return _matches(namespace, self.namespaces + self.writes) and self.may_name(namespace)

    def may_name(self, namespace: str) -> bool:
        """Whether an event of the principal may name a dataset of a namespace: a reserved one is for administrators of
        all namespaces."""
        return namespace not in RESERVED or self.writes_everything

    @property
    def shown(self) -> str:
        """Who the principal is, for people: the id of the key, `person` with an address, or `iam` with an ARN."""
        return f"{self.key_id} {self.subject}" if self.key_id == "iam" and self.subject else self.key_id

    def to_context(self) -> dict[str, str]:
        """The principal as the authoriser's context, in which API Gateway only passes on strings."""
        return {
            "keyId": self.key_id,
            "scopes": " ".join(sorted(self.scopes)),
            "namespaces": json.dumps(self.namespaces),
            "reads": json.dumps(self.reads),
            "writes": json.dumps(self.writes),
            "seal": self.seal,
        }

    @classmethod
    def of_context(cls, context: Mapping[str, str]) -> "Principal":
        """The principal in an authoriser's context. A context that an earlier release made has two lists less."""
        patterns = [context["namespaces"], context.get("reads", "[]"), context.get("writes", "[]")]
        namespaces, reads, writes = (tuple(json.loads(text)) for text in patterns)
        scopes = frozenset(context["scopes"].split())
        return cls(context["keyId"], scopes, namespaces, reads, writes, seal=context.get("seal", ""))

    def require(self, scope: Scope) -> None:
        """Raises InvalidRequest (403) if the principal lacks the scope."""
        if not self.may(scope):
            needed = f"{Scope.INGEST} or {scope}" if scope is Scope.CURATE else scope
            key = Fault("key", f"lacks the scope {needed}; send a key with this scope")
            person = Fault("person", f"is in no group with the scope {needed}; groups of headwater.yml give it")
            raise InvalidRequest(person if self.subject else key, status=403)

    def require_namespace(self, namespace: str, path: str, scope: Scope) -> None:
        """Raises InvalidRequest (403) if the principal may not read the namespace (READ) or not write it (other
        scopes). `path` is the member in the request that names the namespace."""
        if scope is Scope.READ and not self.may_read(namespace):
            raise other_namespace(path)
        if scope is not Scope.READ:
            self.require_writing(namespace, path)

    def require_writing(self, namespace: str, path: str) -> None:
        """Raises InvalidRequest (403) if the principal may not write the namespace."""
        if not self.may_write(namespace):
            raise other_namespace(path)


@lru_cache(maxsize=1_000)
def _matches(namespace: str, patterns: tuple[str, ...]) -> bool:
    """Whether a namespace in its plain spelling fits a pattern: `s3a://a-lake` fits `s3://a-*`, and nothing fits
    `s3a://*`. A graph asks it of each of its nodes."""
    plain = plain_namespace(namespace)
    return any(fnmatchcase(plain, pattern) for pattern in patterns)


def other_namespace(path: str) -> InvalidRequest:
    """The error (403) of a request for a namespace that is not the caller's. `path` is the member that names it."""
    return InvalidRequest(Fault(path, "is not a namespace of this key; send a key for this namespace"), status=403)


UNAVAILABLE = "unavailable"
"""The member of the authoriser's context that says that the keys could not be read."""


def no_key() -> InvalidRequest:
    """The error (401) of a request without a valid key."""
    fault = Fault("key", "missing, unknown or expired; send a key as `Authorization: Bearer KEY` or `x-api-key: KEY`")
    return InvalidRequest(fault, status=401)


def principal_of(
    request: Mapping[str, Any],
    iam_scopes: Collection[Scope] = (Scope.READ,),
    person: Callable[[Mapping[str, Any]], Principal] | None = None,
) -> Principal:
    """The principal of a request, by its API key, by IAM, or by the token of a person. `iam_scopes` are the scopes of a
    principal of IAM; `person` returns the principal of a person, by the claims of a token that API Gateway has checked.

    Raises InvalidRequest (401) without a valid key, StorageError if the keys could not be read.
    """
    authorizer = request.get("requestContext", {}).get("authorizer") or {}
    context = authorizer.get("lambda") or {}
    if "iam" in authorizer:
        arn = (authorizer["iam"] or {}).get("userArn") or ""
        return Principal("iam", frozenset(iam_scopes), (ALL,), subject=arn)
    if person and "jwt" in authorizer:
        return person(claims_of(request))
    if UNAVAILABLE in context:
        raise StorageError("the keys could not be read")
    if "keyId" not in context:
        raise no_key()
    return Principal.of_context(context)
