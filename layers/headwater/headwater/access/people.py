"""People, who sign in with OpenID Connect: API Gateway checks the token, and the groups in it give roles.

The section `groups` of headwater.yml maps groups of the identity provider to roles and namespaces:

groups:
  data-team-a: {role: steward, namespaces: [team-a, "s3://a-*"]}
  analysts: {role: reader, namespaces: ["s3://shared-*"]}

A person in both groups reads `s3://shared-*`, and curates `team-a` and `s3://a-*`. If the groups of a person have
several roles that write, the role that may least counts for all of them: no group gives a right in the namespaces of
another.
"""

import hmac
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from headwater.access.principal import Principal, Scope
from headwater.openlineage.faults import Fault, InvalidRequest, path_of

MOST_FAULTS = 100
REFRESH_SECONDS = 60.0


class AccessRole(StrEnum):
    """The roles, from the one that may least."""

    READER = "reader"
    STEWARD = "steward"
    PRODUCER = "producer"
    ADMIN = "admin"


SCOPES = {
    AccessRole.READER: frozenset({Scope.READ}),
    AccessRole.STEWARD: frozenset({Scope.READ, Scope.CURATE}),
    AccessRole.PRODUCER: frozenset({Scope.READ, Scope.INGEST}),
    AccessRole.ADMIN: frozenset({Scope.ADMIN}),
}
"""The scopes of a person in a role. Unlike a key for events, a person who may post events may read."""
_RANKS = {role: rank for rank, role in enumerate(AccessRole)}


@dataclass(frozen=True, slots=True)
class Group:
    """The role of a group, and the namespaces that it is for."""

    role: AccessRole
    namespaces: tuple[str, ...]


class PutGroups:
    """The groups of the settings, at most a minute old; `given` while the settings have none."""

    def __init__(
        self,
        given: Mapping[str, Group],
        settings: Callable[[], Mapping[str, Any] | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._given, self._settings, self._clock = given, settings, clock
        self._groups, self._until = given, -math.inf

    def __call__(self) -> Mapping[str, Group]:
        """Raises StorageError. A group that a later release put, and that this one cannot read, gives no right."""
        if (now := self._clock()) >= self._until:
            put = (self._settings() or {}).get("groups")
            if put is None:
                self._groups = self._given
            else:
                self._groups = {name: group for name, entry in put.items() if (group := _group(entry))}
            self._until = now + REFRESH_SECONDS
        return self._groups


@dataclass(frozen=True, slots=True)
class People:
    """The people of an identity provider.

    claim    the claim of a token that lists the groups of a person
    groups   the groups by name, as they are at the time of a request
    seal     a secret that no person knows
    """

    claim: str
    groups: Callable[[], Mapping[str, Group]]
    seal: str

    def principal(self, claims: Mapping[str, Any]) -> Principal:
        """The principal of a person, by the claims of the token. A person in no known group has no scope. An address
        that the provider has not verified is not a name: a person may have typed somebody else's. Raises InvalidRequest
        (401) if nothing says who the person is."""
        if not claims.get("sub"):
            raise InvalidRequest(Fault("token", "has no claim `sub`; have the identity provider add it"), status=401)
        groups = self.groups()
        mine = [groups[name] for name in _names(claims.get(self.claim, "")) if name in groups]
        writing = [group for group in mine if group.role is not AccessRole.READER]
        role = min((group.role for group in writing or mine), key=_RANKS.__getitem__, default=None)
        seal = hmac.digest(self.seal.encode(), claims["sub"].encode(), "sha256").hex()
        address = claims.get("email") if str(claims.get("email_verified")).lower() == "true" else None
        return Principal(
            f"person {address or claims['sub']}",
            SCOPES[role] if role else frozenset(),
            tuple(pattern for group in writing for pattern in group.namespaces),
            reads=tuple(pattern for group in mine if group.role is AccessRole.READER for pattern in group.namespaces),
            subject=claims["sub"],
            seal=seal,
        )


def read_groups(entries: Any) -> dict[str, Group]:
    """Groups by name, of a document. Raises InvalidRequest, which names each fault."""
    if not isinstance(entries, Mapping):
        raise InvalidRequest(Fault("groups", "expected groups by name"))
    groups = {str(name): _group(entry) for name, entry in entries.items()}
    needed = f"expected role ({', '.join(AccessRole)}) and namespaces (a list of patterns)"
    if faults := [Fault(path_of("groups", name), needed) for name, group in groups.items() if group is None]:
        raise InvalidRequest(*faults[:MOST_FAULTS])
    return {name: group for name, group in groups.items() if group}


def _group(entry: Any) -> Group | None:
    match entry:
        case {"role": str(role), "namespaces": [*patterns], **others} if role in set(AccessRole) and not others:
            return Group(AccessRole(role), tuple(map(str, patterns)))
    return None


def _names(claim: Any) -> list[str]:
    """The groups in a claim: an array, the text of a JSON array, names between commas or spaces, or an array as API
    Gateway writes it, `[team-a analysts]`."""
    if isinstance(claim, list):
        return [str(name) for name in claim]
    try:
        return _names(json.loads(claim)) if claim.startswith('["') else _words(claim)
    except ValueError:
        return []


def _words(claim: str) -> list[str]:
    return claim.removeprefix("[").removesuffix("]").replace(",", " ").split()
