"""API keys: stored as hashes, each with an id, scopes, namespaces and an expiry."""

import hashlib
import hmac
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import simplejson

from headwater import metrics
from headwater.access.principal import Principal, Scope
from headwater.store.errors import StorageError

REFRESH_SECONDS = 60.0
"""How long keys are cached: a removed key works for another minute."""
IMPATIENT_REFRESH_SECONDS = 5.0
"""An unknown key causes a new read of the secret, at most this often: a new key works within seconds."""

STALE_SECONDS = 900.0
"""How long cached keys stay valid while the secret cannot be read. Otherwise every event would be refused."""


class Secret(Protocol):
    def read(self) -> str:
        """The secret's text: `{"keys": [{"id", "sha256", "scopes", "namespaces", "expires"}, ...]}`. An entry may also
        have `read` and `write`, which are further namespaces, and `seal`, a random text."""


class BadKeys(Exception):
    """The secret, or an entry of it, has a wrong form. The message names the entry, but none of its content."""


def _raised(wrong: BadKeys) -> None:
    raise wrong


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key, known only by its SHA-256, with its principal."""

    sha256: bytes
    expires: datetime | None
    principal: Principal

    def is_valid(self, now: datetime) -> bool:
        return self.expires is None or now < self.expires


class KeyRing:
    """The keys in the secret, cached for a minute. A rotation of keys needs no deployment.

    A wrong entry is refused by itself. While the whole secret cannot be understood, the last keys stay valid. Each read
    reports both to `failed`, and the metric KeysRefused counts them.
    """

    def __init__(
        self,
        secret: Secret,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        failed: Callable[[str, BaseException], None] = lambda _message, _error: None,
    ) -> None:
        self._secret = secret
        self._clock = clock
        self._failed = failed
        self._keys: tuple[ApiKey, ...] = ()
        self._read_at: datetime | None = None
        self._bad: BadKeys | None = None

    def find(self, presented: str) -> Principal | None:
        """The principal of a key, or None for an unknown or expired key. Takes the same time for every key.

        Raises StorageError if the secret cannot be read and the key is unknown, because the key may be new; likewise
        BadKeys if it cannot be understood.
        """
        return self._found(lambda: self._match(presented))

    def named(self, key_id: str) -> Principal | None:
        """The principal of the key with an id, likewise. The caller has to know who may use the id."""
        return self._found(lambda: self._by_id(key_id))

    def _found(self, look: Callable[[], Principal | None]) -> Principal | None:
        try:
            self._refresh(REFRESH_SECONDS)
        except StorageError:
            if self._age() > STALE_SECONDS:
                raise
        principal = look()
        if principal is None:
            self._refresh(IMPATIENT_REFRESH_SECONDS)
            principal = look()
        if principal is None and self._bad:
            raise self._bad
        return principal

    def _by_id(self, key_id: str) -> Principal | None:
        now = self._clock()
        return next((key.principal for key in self._keys if key.principal.key_id == key_id and key.is_valid(now)), None)

    def _match(self, presented: str) -> Principal | None:
        digest = hashlib.sha256(presented.encode("utf-8", "surrogatepass")).hexdigest().encode()
        now = self._clock()
        principal: Principal | None = None
        for key in self._keys:
            if hmac.compare_digest(key.sha256, digest) and key.is_valid(now):
                principal = key.principal
        return principal

    def _refresh(self, after_seconds: float) -> None:
        if self._age() >= after_seconds:
            text, wrong = self._secret.read(), list[BadKeys]()
            self._read_at, self._bad = self._clock(), None
            try:
                self._keys = read_keys(text, wrong.append)
            except BadKeys as bad:
                self._bad = bad
                wrong.append(bad)
            metrics.count(KeysRefused=len(wrong))
            for each in wrong:
                self._failed("a key is refused", each)

    def _age(self) -> float:
        """Seconds since the keys were read; infinity if they were never read."""
        return (self._clock() - self._read_at).total_seconds() if self._read_at else math.inf


def read_keys(secret: str, on_wrong: Callable[[BadKeys], None] = _raised) -> tuple[ApiKey, ...]:
    """The keys in the text of a secret. Raises BadKeys for a text without a list of entries. `on_wrong` gets each wrong
    entry, and may raise it; the others are keys."""
    try:
        entries = list(simplejson.loads(secret)["keys"])
    except (ValueError, TypeError, KeyError):
        raise BadKeys('the secret is not a JSON object with a member "keys"') from None
    keys = []
    for index, entry in enumerate(entries):
        try:
            keys.append(_key(entry, entries))
        except (ValueError, TypeError, KeyError, AttributeError):
            on_wrong(BadKeys(f"keys[{index}] needs id, sha256 (64 hex digits), scopes, namespaces and expires"))
    return tuple(keys)


def _key(entry: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> ApiKey:
    if len(bytes.fromhex(entry["sha256"])) != hashlib.sha256().digest_size:
        raise ValueError("not a SHA-256")
    expires = entry.get("expires")
    scopes = frozenset(Scope(scope) for scope in entry["scopes"])
    patterns = (entry["namespaces"], entry.get("read") or (), entry.get("write") or ())
    if not all(isinstance(of_kind, Sequence) and not isinstance(of_kind, str) for of_kind in patterns):
        raise TypeError("a text is no list of patterns: that of team-* would have the pattern *")
    namespaces, reads, writes = (tuple(str(pattern) for pattern in of_kind) for of_kind in patterns)
    until = datetime.fromisoformat(expires).astimezone(UTC) if expires else None
    seal = str(entry.get("seal") or _seal_of(entry, entries))
    principal = Principal(str(entry["id"]), scopes, namespaces, reads, writes, seal)
    return ApiKey(entry["sha256"].lower().encode(), until, principal)


def _seal_of(entry: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]) -> str:
    """The seal of a key whose entry has none, another for each key. A client that knows one key does not know the
    hashes of the others."""
    hashes = [entry["sha256"], *sorted(str(other.get("sha256")) for other in entries if isinstance(other, Mapping))]
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def presented_key(headers: Mapping[str, str]) -> str | None:
    """The key in the headers of a request: `Authorization: Bearer KEY`, as OpenLineage clients send it, or `x-api-key:
    KEY`."""
    named = {name.lower(): value for name, value in headers.items()}
    scheme, _, credentials = named.get("authorization", "").strip().partition(" ")
    if scheme.lower() == "bearer" and credentials.strip():
        return credentials.strip()
    return named.get("x-api-key", "").strip() or None
