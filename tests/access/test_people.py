"""People sign in with OpenID Connect: their groups give roles and namespaces."""

import base64
import json
from functools import partial
from typing import Any

import pytest

from headwater import config
from headwater.access.people import AccessRole, People, PutGroups, read_groups
from headwater.access.principal import Principal, Scope, principal_of
from headwater.bootstrap import Root
from headwater.http.gateway import request_of
from headwater.openlineage.faults import InvalidRequest
from headwater.store.memory import MemoryTable
from tests.curate.conftest import Api
from tests.functions.environment import ROOT, environment
from tests.lookup.requests import LookupClient

GROUPS = {
    "team a": {"role": "steward", "namespaces": ["of the team with a space in its name"]},
    "stewards-of-a": {"role": "steward", "namespaces": ["team-a", "s3://a-*"]},
    "producers-of-b": {"role": "producer", "namespaces": ["team-b"]},
    "analysts": {"role": "reader", "namespaces": ["s3://shared-*"]},
    "platform": {"role": "admin", "namespaces": ["*"]},
}
PEOPLE = People("groups", lambda: read_groups(GROUPS), "a secret of the stack")


def person(*groups: str, **claims: Any) -> Principal:
    return PEOPLE.principal({"sub": "123", "groups": f"[{' '.join(groups)}]"} | claims)


def test_a_group_gives_its_role_in_its_namespaces() -> None:
    steward = person("stewards-of-a", "another group")
    assert [scope for scope in Scope if steward.may(scope)] == [Scope.CURATE, Scope.READ]
    assert steward.may_read("team-a")
    assert steward.may_write("s3://a-lake")
    assert not steward.may_read("team-b")


def test_what_a_group_reads_it_does_not_write() -> None:
    both = person("stewards-of-a", "analysts")
    assert (both.may_read("s3://shared-x"), both.may_write("s3://shared-x")) == (True, False)
    assert both.may_write("team-a")


@pytest.mark.parametrize("groups", [("stewards-of-a", "producers-of-b"), ("producers-of-b", "stewards-of-a")])
def test_of_several_roles_that_write_the_one_that_may_least_counts(groups: tuple[str, ...]) -> None:
    assert not person(*groups).may(Scope.INGEST)
    assert person(*groups).may(Scope.CURATE)


def test_an_administrator_of_all_namespaces_sees_all() -> None:
    assert person("platform").writes_everything
    assert person("platform").reads_everything


def test_a_person_in_no_known_group_may_nothing() -> None:
    nobody = person("another")
    assert not any(nobody.may(scope) for scope in Scope)
    with pytest.raises(InvalidRequest) as refused:
        nobody.require(Scope.READ)
    assert refused.value.status == 403
    assert PEOPLE.principal({"sub": "123"}).scopes == frozenset()


@pytest.mark.parametrize(
    "claim", ["[analysts stewards-of-a]", "analysts,stewards-of-a", '["analysts", "stewards-of-a"]']
)
def test_groups_are_read_in_every_form_of_a_claim(claim: str) -> None:
    assert person(groups=claim).may_read("s3://shared-x")
    assert person(groups=claim).may_write("team-a")


@pytest.mark.parametrize("claims", [{}, {"sub": ""}])
def test_a_token_that_does_not_say_who_the_person_is_is_refused(claims: dict[str, str]) -> None:
    with pytest.raises(InvalidRequest, match="token: has no claim `sub`") as refused:
        PEOPLE.principal({"groups": "[platform]", **claims})
    assert refused.value.status == 401


def test_a_person_has_a_name_in_logs_and_a_seal_of_its_own() -> None:
    for verified in (True, "true"):
        assert person(email="ann@example.com", email_verified=verified).key_id == "person ann@example.com"
    for unverified in ({}, {"email_verified": "false"}, {"email_verified": ""}):
        assert person(email="ann@example.com", **unverified).key_id == "person 123"
    assert person().key_id == "person 123"
    assert person().seal != PEOPLE.principal({"sub": "124"}).seal


def token(**claims: Any) -> str:
    parts = ({"alg": "RS256"}, claims, {"signature": 1})
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)


def signed_in(header: str, **passed: str) -> Principal:
    """The person of a request with this header, whose claims API Gateway passes on like this."""
    request = event("/people/api/v1/namespaces", {"jwt": {"claims": {"sub": "123", **passed}}})
    return principal_of({**request, "headers": {"authorization": header}}, person=PEOPLE.principal)


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", ""])
def test_a_list_of_groups_is_read_from_the_token_with_its_spaces(scheme: str) -> None:
    spaced = signed_in(scheme + token(sub="123", groups=["team a", "others"]), groups="[team a others]")
    assert (spaced.may(Scope.CURATE), spaced.namespaces) == (True, tuple(GROUPS["team a"]["namespaces"]))


@pytest.mark.parametrize(
    ("group", "passed"),
    [
        ("my platform", "[my platform]"),
        ("platform analysts", "[platform analysts]"),
        ("x,platform", "[x,platform]"),
        ('"platform"', '["platform"]'),
        ('"a","platform"', '["a","platform"]'),
    ],
)
def test_a_group_that_is_named_like_a_list_of_groups_is_one_group(group: str, passed: str) -> None:
    """Where people name groups themselves, such a name would be an administrator's."""
    assert signed_in(f"Bearer {token(sub='123', groups=[group])}", groups=passed).scopes == frozenset()


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer x",
        "Bearer a.b.c",
        "Bearer a.W10.c",  # an array
        f"Bearer {token(sub='124', groups=['platform'])}",
        f"Bearer {token(sub='123', iss='https://another', groups=['platform'])}",
        f"Bearer {token(groups=['platform'])}",
        f"Bearer {token(sub='123', groups=['platform'])}",
        f"Bearer {token(sub='123', iss='https://id', groups=['platform'], jti='of another')}",
        f"Bearer {token(sub=123, iss='https://id', groups=['platform'])}",
        f"Bearer {token(sub='123', groups=['platform'])}, Bearer {token(sub='123', groups=['analysts'])}",
        f"Bearer {token(sub='123', groups={'platform': 1})}",
    ],
)
def test_a_header_that_is_not_of_the_checked_token_gives_no_group(header: str) -> None:
    person = signed_in(header, groups="[analysts]", iss="https://id")
    assert person.scopes == frozenset({Scope.READ})
    assert not person.reads_everything


@pytest.mark.parametrize("passed", ["[x platform]", "[analysts]", "x platform"])
def test_an_array_that_is_not_the_one_that_was_checked_gives_no_group(passed: str) -> None:
    assert signed_in(f"Bearer {token(sub='123', groups=['platform', 'x'])}", groups=passed).scopes == frozenset()


OBJECTS = ["map[x:y platform z]", "map[roles:[x platform y]]", '{"roles": ["x platform y"]}', '{"x":"y\\nplatform z"}']


@pytest.mark.parametrize("passed", OBJECTS)
def test_what_an_object_holds_is_no_group(passed: str) -> None:
    """Keycloak's claim `realm_access` is an object."""
    header = f"Bearer {token(sub='123', groups={'roles': ['x platform y']})}"
    assert signed_in(header, groups=passed).scopes == frozenset()


@pytest.mark.parametrize(
    "passed", [*OBJECTS, "[x platform]", "[x, platform]", "[x\tplatform\ty]", "[x\xa0platform\ny]"]
)
def test_an_array_or_object_without_its_token_is_never_split(passed: str) -> None:
    assert signed_in("", groups=passed).scopes == frozenset()
    assert signed_in("", groups="[analysts]").scopes == frozenset({Scope.READ})


def test_a_text_that_is_no_json_array_though_it_begins_like_one_has_no_group() -> None:
    with pytest.raises(InvalidRequest, match="person: is in no group with the scope read"):
        person(groups='["platform"').require(Scope.READ)


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"role": "reader"},
        {"role": "king", "namespaces": []},
        {"role": "reader", "namespaces": "team-a"},
        {"role": "reader", "namespaces": [], "note": ""},
    ],
)
def test_a_wrong_group_is_named(entry: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest, match=r"groups\.analysts: expected role \(reader, .*\) and namespaces"):
        read_groups({"analysts": entry})


def test_groups_that_were_put_replace_those_of_the_deployment_within_a_minute() -> None:
    settings, now = dict[str, Any](), [0.0]
    groups = PutGroups(read_groups(GROUPS), lambda: settings, lambda: now[0])
    assert groups() == read_groups(GROUPS)
    settings, now[0] = {"groups": {"analysts": GROUPS["analysts"], "later": {"role": "auditor", "namespaces": []}}}, 59
    assert groups() == read_groups(GROUPS)
    now[0] = 60
    assert [*groups()] == ["analysts"]


def test_every_role_is_documented_by_its_name() -> None:
    assert [role.value for role in AccessRole] == ["reader", "steward", "producer", "admin"]


def event(path: str, authorizer: dict[str, Any]) -> dict[str, Any]:
    http = {"requestContext": {"http": {"method": "GET"}, "authorizer": authorizer}}
    return {"rawPath": path, "rawQueryString": "", **http}


CLAIMS = {"claims": {"sub": "123", "groups": "[analysts]"}, "scopes": None}
"""The context of a JWT authoriser, as API Gateway passes it to a function."""


def test_a_request_below_people_is_of_the_person_who_signed_in() -> None:
    request = request_of(
        event("/people/api/v1/namespaces", {"jwt": CLAIMS}), partial(principal_of, person=PEOPLE.principal)
    )
    assert (request.path, request.principal.key_id) == ("/api/v1/namespaces", "person 123")
    assert LookupClient(MemoryTable(), principal=request.principal)("namespaces")["namespaces"] == []


def test_without_people_no_token_counts() -> None:
    with pytest.raises(InvalidRequest) as refused:
        request_of(event("/people/api/v1/namespaces", {"jwt": CLAIMS}))
    assert refused.value.status == 401


def test_the_settings_of_a_stack_say_what_people_may_do() -> None:
    api, variables = Api(), environment("lookup", ROOT) | {"PEOPLE_CLAIM": "groups"}
    for text, scopes in (("{}", set()), ("groups: {analysts: {role: reader, namespaces: [a]}}", {"read"})):
        assert api.put("settings", text).status == 200
        people = Root(config.from_environment(config.LookupSettings, variables), table=api.table).people()
        assert people.principal({"sub": "1", "groups": "[analysts]"}).scopes == scopes
