"""API keys: stored as hashes, each with an id, scopes, namespaces and an expiry."""

import hashlib
import hmac
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import simplejson

from headwater.access.principal import Principal, Scope
from headwater.store.errors import StorageError

REFRESH_SECONDS = 60.0
"""How long the keys are remembered: a key that was taken away works for a minute more."""
IMPATIENT_REFRESH_SECONDS = 5.0
"""How soon an unknown key may have the keys read again: a new one works at once."""

STALE_SECONDS = 900.0
"""How long the keys that are known still count while the secret cannot be read: refusing everyone would lose events."""


class Secret(Protocol):
    """Where the keys are kept."""

    def read(self) -> str:
        """The secret's text: `{"keys": [{"id", "sha256", "scopes", "namespaces", "expires"}, ...]}`."""


class BadKeys(Exception):
    """The secret is not what it should be; the message says where, and nothing of its content."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One key, known by its SHA-256 alone."""

    sha256: bytes
    expires: datetime | None
    principal: Principal


class KeyRing:
    """The keys in the secret, remembered for a while, so that rotating them takes no deployment."""

    def __init__(self, secret: Secret, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._secret = secret
        self._clock = clock
        self._keys: tuple[ApiKey, ...] = ()
        self._read_at: datetime | None = None

    def find(self, presented: str) -> Principal | None:
        """Whose key this is; None if it is nobody's, or has expired. Takes as long for every key.

        Raises StorageError if that cannot be told: a key that is not known may be a new one.
        """
        try:
            self._refresh(REFRESH_SECONDS)
        except StorageError:
            if self._age() > STALE_SECONDS:
                raise
        found = self._match(presented)
        if found is None:
            self._refresh(IMPATIENT_REFRESH_SECONDS)
            found = self._match(presented)
        return found

    def _match(self, presented: str) -> Principal | None:
        digest = hashlib.sha256(presented.encode("utf-8", "surrogatepass")).hexdigest().encode()
        now = self._clock()
        found: Principal | None = None
        for key in self._keys:
            if hmac.compare_digest(key.sha256, digest) and (key.expires is None or now < key.expires):
                found = key.principal
        return found

    def _refresh(self, after_seconds: float) -> None:
        if self._age() >= after_seconds:
            self._keys = read_keys(self._secret.read())
            self._read_at = self._clock()

    def _age(self) -> float:
        """Seconds since the keys were read; without end if they never were."""
        return (self._clock() - self._read_at).total_seconds() if self._read_at else math.inf


def read_keys(secret: str) -> tuple[ApiKey, ...]:
    """The keys in a secret's text. Raises BadKeys, naming the place."""
    try:
        entries = simplejson.loads(secret)["keys"]
    except (ValueError, TypeError, KeyError):
        raise BadKeys('the secret is not a JSON object with a member "keys"') from None
    keys = []
    for index, entry in enumerate(entries):
        try:
            keys.append(_key(entry))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise BadKeys(f"keys[{index}] wants id, sha256 (64 hex digits), scopes, namespaces and expires") from None
    return tuple(keys)


def _key(entry: Mapping[str, Any]) -> ApiKey:
    if len(bytes.fromhex(entry["sha256"])) != hashlib.sha256().digest_size:
        raise ValueError("not a SHA-256")
    expires = entry.get("expires")
    scopes = frozenset(Scope(scope) for scope in entry["scopes"])
    namespaces = tuple(str(pattern) for pattern in entry["namespaces"])
    until = datetime.fromisoformat(expires).astimezone(UTC) if expires else None
    return ApiKey(entry["sha256"].lower().encode(), until, Principal(str(entry["id"]), scopes, namespaces))


def presented_key(headers: Mapping[str, str]) -> str | None:
    """The key of a request: `Authorization: Bearer KEY`, as OpenLineage clients send it, or `x-api-key: KEY`."""
    named = {name.lower(): value for name, value in headers.items()}
    scheme, _, credentials = named.get("authorization", "").strip().partition(" ")
    if scheme.lower() == "bearer" and credentials.strip():
        return credentials.strip()
    return named.get("x-api-key", "").strip() or None
