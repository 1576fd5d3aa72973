"""People, who sign in with OpenID Connect: API Gateway checks the token, and the groups in it give roles.

The parameter `PeopleGroups` maps groups of the identity provider to roles and namespaces:

    {"data-team-a": {"role": "steward", "namespaces": ["team-a", "s3://a-*"]},
     "analysts":    {"role": "reader",  "namespaces": ["s3://shared-*"]}}

A person in both groups reads `s3://shared-*`, and curates `team-a` and `s3://a-*`. If the groups of a person have
several roles that write, the role that may least counts for all of them: no group gives a right in the namespaces of
another.
"""

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from headwater.access.principal import Principal, Scope
from headwater.openlineage.faults import Fault, InvalidRequest


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


class BadGroups(Exception):
    """The groups have a wrong form. The message names the wrong group."""


@dataclass(frozen=True, slots=True)
class Group:
    """The role of a group, and the namespaces that it is for."""

    role: AccessRole
    namespaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class People:
    """The people of an identity provider.

    claim    the claim of a token that lists the groups of a person
    groups   the groups by name
    seal     a secret that no person knows
    """

    claim: str
    groups: Mapping[str, Group]
    seal: str

    def principal(self, claims: Mapping[str, Any]) -> Principal:
        """The principal of a person, by the claims of the token. A person in no known group has no scope. An address
        that the provider has not verified is not a name: a person may have typed somebody else's. Raises InvalidRequest
        (401) if nothing says who the person is."""
        if not claims.get("sub"):
            raise InvalidRequest(Fault("token", "has no claim `sub`; have the identity provider add it"), status=401)
        mine = [self.groups[name] for name in _names(claims.get(self.claim, "")) if name in self.groups]
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


def read_people(claim: str, groups: Mapping[str, Any], seal: str) -> People:
    """The people of a deployment. Raises BadGroups, which names the wrong group."""
    return People(claim, {name: _group(name, entry) for name, entry in groups.items()}, seal)


def _group(name: str, entry: Any) -> Group:
    match entry:
        case {"role": str(role), "namespaces": [*namespaces]} if role in set(AccessRole):
            return Group(AccessRole(role), tuple(map(str, namespaces)))
    roles = ", ".join(AccessRole)
    raise BadGroups(f'the group {name} needs "role" (one of {roles}) and "namespaces" (an array of patterns)')


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
