"""API keys: stored as hashes, with scopes, namespaces and an expiry."""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headwater.access.keys import BadKeys, KeyRing, presented_key, read_keys
from headwater.access.principal import UNAVAILABLE, Principal, Scope, principal_of
from headwater.openlineage.faults import InvalidRequest
from headwater.store.errors import StorageError

START = datetime(2026, 11, 20, 8, tzinfo=UTC)


def entry(key: str, **changes: Any) -> dict[str, Any]:
    digest = hashlib.sha256(key.encode()).hexdigest()
    return {"id": key, "sha256": digest, "scopes": ["ingest"], "namespaces": ["*"], "expires": None, **changes}


def secret(*entries: dict[str, Any]) -> str:
    return json.dumps({"keys": entries})


class FakeSecret:
    def __init__(self, *entries: dict[str, Any]) -> None:
        self.text = secret(*entries)
        self.reads = 0
        self.away = False

    def read(self) -> str:
        self.reads += 1
        if self.away:
            raise StorageError("the secret is away")
        return self.text


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def test_a_key_is_known_with_its_scopes_and_namespaces() -> None:
    ring = KeyRing(FakeSecret(entry("a"), entry("b", scopes=["read"], namespaces=["team-*"])), Clock())
    assert ring.find("b") == Principal("b", frozenset({"read"}), ("team-*",))
    assert ring.find("c") is None
    assert ring.find("") is None


def test_a_key_is_known_by_its_id_until_it_expires() -> None:
    clock, key = Clock(), entry("b", id="etl", scopes=["read"], expires="2026-11-20T09:00:00Z")
    ring = KeyRing(FakeSecret(entry("a"), key), clock)
    assert ring.named("etl") == Principal("etl", frozenset({"read"}), ("*",))
    assert ring.named("b") is None
    clock.forward(3600)
    assert ring.named("etl") is None


def test_a_key_works_until_it_expires() -> None:
    clock = Clock()
    ring = KeyRing(FakeSecret(entry("a", expires="2026-11-20T09:00:00Z")), clock)
    assert ring.find("a")
    clock.forward(3600)
    assert ring.find("a") is None


def test_keys_are_remembered_for_a_minute() -> None:
    kept, clock = FakeSecret(entry("a")), Clock()
    ring = KeyRing(kept, clock)
    for _ in range(50):
        ring.find("a")
        clock.forward(1)
    assert kept.reads == 1
    clock.forward(15)
    ring.find("a")
    assert kept.reads == 2


def test_a_new_key_works_within_seconds_and_an_old_one_no_longer_within_a_minute() -> None:
    kept, clock = FakeSecret(entry("old")), Clock()
    ring = KeyRing(kept, clock)
    assert ring.find("old")
    kept.text = secret(entry("new"))
    clock.forward(6)
    assert ring.find("new")
    assert ring.find("old") is None


def test_while_the_secret_is_away_known_keys_work_for_a_quarter_of_an_hour() -> None:
    kept, clock = FakeSecret(entry("a")), Clock()
    ring = KeyRing(kept, clock)
    ring.find("a")
    kept.away = True
    clock.forward(14 * 60)
    assert ring.find("a")
    with pytest.raises(StorageError):
        ring.find("b")
    clock.forward(2 * 60)
    with pytest.raises(StorageError):
        ring.find("a")


def test_without_a_read_secret_no_key_is_accepted() -> None:
    kept = FakeSecret(entry("a"))
    kept.away = True
    with pytest.raises(StorageError):
        KeyRing(kept, Clock()).find("a")


def test_unknown_keys_cannot_make_the_secret_be_read_again_and_again() -> None:
    kept = FakeSecret(entry("a"))
    ring = KeyRing(kept, Clock())
    for number in range(100):
        ring.find(f"guess {number}")
    assert kept.reads == 1


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", 'member "keys"'),
        ("[]", 'member "keys"'),
        (secret(entry("a"), entry("b", sha256="12")), r"keys\[1\]"),
        (secret(entry("a", scopes=["root"])), r"keys\[0\]"),
        (secret(entry("a", expires="soon")), r"keys\[0\]"),
        (secret({"id": "a"}), r"keys\[0\]"),
    ],
)
def test_the_error_of_a_bad_secret_names_the_place_and_shows_no_content(text: str, place: str) -> None:
    with pytest.raises(BadKeys, match=place) as bad:
        read_keys(text)
    assert hashlib.sha256(b"a").hexdigest() not in str(bad.value)


@pytest.mark.parametrize(
    "wrong",
    [
        entry("b", scopes=["raed"]),
        entry("b", sha256="12"),
        entry("b", namespaces="team-*"),
        entry("b", read="team-*"),
        entry("b", expires="soon"),
        {"id": "b"},
        "b",
        None,
    ],
)
def test_a_wrong_entry_is_refused_alone_and_told(wrong: Any) -> None:
    told: list[str] = []
    ring = KeyRing(FakeSecret(entry("a"), wrong, entry("c")), Clock(), lambda _, error: told.append(str(error)))
    assert (ring.find("a"), ring.find("b"), ring.find("c")) != (None, None, None)
    assert ring.find("b") is None
    assert told == ["keys[1] needs id, sha256 (64 hex digits), scopes, namespaces and expires"]


def test_an_entry_that_was_right_does_not_outlive_its_mistake() -> None:
    kept, clock = FakeSecret(entry("a"), entry("b")), Clock()
    ring = KeyRing(kept, clock)
    assert ring.find("b")
    kept.text = secret(entry("a"), entry("b", scopes=["raed"]))
    clock.forward(60)
    assert ring.find("a")
    assert ring.find("b") is None


def test_the_last_good_keys_serve_while_the_secret_is_no_json() -> None:
    kept, clock = FakeSecret(entry("a")), Clock()
    ring = KeyRing(kept, clock)
    assert ring.find("a")
    kept.text = '{"keys": [,]}'
    for _ in range(30):
        clock.forward(60)
        assert ring.find("a")
    reads = kept.reads
    for _ in range(10):
        with pytest.raises(BadKeys, match='member "keys"'):
            ring.find("new")
    assert kept.reads <= reads + 1, "a broken secret is not read for each request"
    kept.text = secret(entry("new"))
    clock.forward(60)
    assert ring.find("new")
    assert ring.find("a") is None


@pytest.mark.parametrize(
    ("headers", "key"),
    [
        ({"authorization": "Bearer K"}, "K"),
        ({"Authorization": "bearer  K "}, "K"),
        ({"x-api-key": "K"}, "K"),
        ({"authorization": "Bearer K", "x-api-key": "other"}, "K"),
        ({"authorization": "Basic abc", "x-api-key": "K"}, "K"),
        ({"authorization": "Bearer "}, None),
        ({"authorization": "K"}, None),
        ({}, None),
    ],
)
def test_a_key_is_sent_in_either_of_two_headers(headers: dict[str, str], key: str | None) -> None:
    assert presented_key(headers) == key


def request(**authorizer: Any) -> dict[str, Any]:
    return {"requestContext": {"authorizer": authorizer}}


def test_the_caller_survives_the_way_through_the_gateway() -> None:
    principal = Principal("a", frozenset({"ingest", "read"}), ("team-*", "ünïcode, with a comma"))
    assert principal_of(request(**{"lambda": principal.to_context()})) == principal


@pytest.mark.parametrize(
    "event", [{}, {"requestContext": {}}, request(), request(**{"lambda": {}}), request(**{"lambda": None})]
)
def test_without_a_key_there_is_no_principal(event: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest) as refused:
        principal_of(event)
    assert refused.value.status == 401


def test_keys_that_cannot_be_read_are_our_fault() -> None:
    with pytest.raises(StorageError):
        principal_of(request(**{"lambda": {UNAVAILABLE: "true"}}))


def test_a_caller_by_iam_may_read() -> None:
    caller = principal_of(request(iam={"userArn": "arn:aws:iam::1:user/a"}))
    assert caller.may(Scope.READ)
    assert not caller.may(Scope.INGEST)


def test_a_principal_of_iam_has_the_scopes_of_the_function() -> None:
    assert principal_of(request(iam={"userArn": "arn:aws:iam::1:user/a"}), iam_scopes=(Scope.ADMIN,)).may(Scope.ADMIN)


def test_admin_includes_the_other_scopes() -> None:
    admin = Principal("a", frozenset({"admin"}), ("*",))
    assert all(admin.may(scope) for scope in Scope)
    with pytest.raises(InvalidRequest, match="lacks the scope admin"):
        Principal("b", frozenset({"read"}), ("*",)).require(Scope.ADMIN)


def test_keys_without_a_seal_have_different_seals() -> None:
    """Otherwise the cursors and hidden names of two teams would be the same."""
    seals = [key.principal.seal for key in read_keys(secret(entry("a"), entry("b"), entry("c", seal="own")))]
    assert len(set(seals)) == 3
    assert seals[2] == "own"
