"""Namespaces, data sources and tags have the description of the last PUT."""

from typing import Any

import pytest

from headwater.access.principal import Principal
from tests import factory
from tests.curate.conftest import LAKE, Api

SOURCE = {"type": "POSTGRESQL", "connectionUrl": "jdbc:postgresql://h:5432/d", "description": "the shop's"}


def test_a_put_creates_an_unknown_namespace(api: Api) -> None:
    put = api.put("namespaces/new", {"ownerName": "me", "description": "mine"})
    assert (put.status, put.body["ownerName"], put.body["description"]) == (200, "me", "mine")
    assert put == api.get("namespaces/new")
    assert "new" in [namespace["name"] for namespace in api.get("namespaces").body["namespaces"]]
    assert api.get("namespaces/new/jobs").body["jobs"] == []


def test_a_namespace_that_is_known_is_described(api: Api) -> None:
    before = api.get(f"namespaces/{LAKE}").body
    put = api.put(f"namespaces/{LAKE}", {"ownerName": "me"}).body
    assert put == {**before, "ownerName": "me", "updatedAt": put["updatedAt"]}
    assert put["updatedAt"] > before["updatedAt"]


def test_a_put_replaces_the_earlier_description(api: Api) -> None:
    api.put("namespaces/new", {"ownerName": "me", "description": "mine"})
    put = api.put("namespaces/new", {"ownerName": "you", "description": None}).body
    assert (put["ownerName"], put["description"]) == ("you", None)


def test_reserved_namespaces_are_no_namespaces(api: Api) -> None:
    api.put("namespaces/new", {"ownerName": "me"})
    api.put("tags/gold", {})
    api.put("sources/shop", SOURCE)
    names = {namespace["name"] for namespace in api.get("namespaces").body["namespaces"]}
    assert names == {"demo", LAKE, "new"}
    for path in ("namespaces/headwater:tags", "namespaces/headwater:tags/datasets/gold"):
        assert api.delete(path).status in (403, 404)
    assert api.put("namespaces/headwater:tags", {"ownerName": "me"}).status == 403
    assert api.post("namespaces/headwater:tags/datasets/gold/tags/gold").status == 403


@pytest.mark.parametrize("name", ["s3://other/path", "a b", "100%", "ü", "a/b/c", "x:y"])
def test_a_namespace_may_have_any_name(api: Api, name: str) -> None:
    sent = name.replace("%", "%25")
    assert api.put(f"namespaces/{sent}", {"ownerName": "me"}).body["name"] == name
    assert api.get(f"namespaces/{sent}").body["ownerName"] == "me"


def test_a_source_is_described(api: Api) -> None:
    put = api.put("sources/shop", SOURCE)
    assert put.status == 200
    assert put.body.items() >= {"name": "shop", **SOURCE}.items()
    assert put == api.get("sources/shop")
    again = api.put("sources/shop", {**SOURCE, "description": None}).body
    assert (again["description"], again["createdAt"]) == (None, put.body["createdAt"])


def test_the_description_of_a_source_precedes_the_facets_of_datasets(api: Api) -> None:
    source = factory.facet(name="shop", uri="postgres://other")
    for seconds in (0, 900_000):
        api.put("sources/shop", SOURCE)
        api.fold_events(factory.run_event(seconds=seconds, inputs=[factory.dataset("x", dataSource=source)]))
        assert api.get("sources/shop").body["connectionUrl"] == SOURCE["connectionUrl"]


def test_a_tag_is_described(api: Api) -> None:
    assert api.put("tags/gold", {"description": "the best"}) == (200, {"name": "gold", "description": "the best"})
    assert api.put("tags/gold", {"description": "still"}).body == {"name": "gold", "description": "still"}
    assert {"name": "gold", "description": "still"} in api.get("tags").body["tags"]
    assert api.put("tags/gold", {}).body == {"name": "gold", "description": None}


WRONG: list[tuple[str, Any, str]] = [
    ("namespaces/new", None, "body: empty"),
    ("namespaces/new", {}, "ownerName: missing"),
    ("namespaces/new", {"ownerName": None}, "ownerName: missing"),
    ("namespaces/new", {"ownerName": 5}, "ownerName: expected a string"),
    ("namespaces/new", {"ownerName": ""}, "ownerName: empty"),
    ("namespaces/new", {"ownerName": "me", "description": []}, "description: expected a string"),
    ("namespaces/new", "[]", "body: expected a JSON object"),
    ("namespaces/new", "{", "body: not JSON"),
    ("namespaces/new", '{"ownerName": "\\u0000"}', "NUL"),
    ("sources/shop", None, "body: empty"),
    ("sources/shop", {}, "type: missing; connectionUrl: missing"),
    ("sources/shop", {**SOURCE, "connectionUrl": 1}, "connectionUrl: expected a string"),
    ("tags/gold", None, "body: empty"),
    ("tags/gold", {"description": 1}, "description: expected a string"),
]


@pytest.mark.parametrize(("path", "body", "message"), WRONG)
def test_each_fault_of_a_body_is_named(api: Api, path: str, body: Any, message: str) -> None:
    answer = api.put(path, body)
    assert answer.status == 400
    assert message in answer.body["message"]
    assert (api.queue.sent, api.logged) == ([], [])


def test_a_key_describes_only_its_own_namespaces(api: Api) -> None:
    api.caller = Principal("team", frozenset({"ingest", "read"}), ("team-*",))
    owner = {"ownerName": "us"}
    assert (api.put("namespaces/team-a", owner).status, api.put("namespaces/demo", owner).status) == (200, 403)
    assert (api.put("sources/team-db", SOURCE).status, api.put("sources/shop", SOURCE).status) == (200, 403)


def test_tags_that_all_share_are_described_by_an_administrator_of_all_namespaces(api: Api) -> None:
    for caller in (
        Principal("team", frozenset({"ingest", "read"}), ("*",)),
        Principal("team", frozenset({"admin"}), ("team-*",)),
    ):
        api.caller = caller
        assert api.put("tags/gold", {}).status == 403
    assert api.queue.sent == []
    api.caller = Principal("all", frozenset({"admin"}), ("*",))
    assert api.put("tags/gold", {}).status == 200


def test_an_administrator_of_all_namespaces_removes_a_tag_from_the_list(api: Api) -> None:
    api.caller = Principal("all", frozenset({"admin"}), ("*",))
    api.put("tags/gold", {"description": "the best"})
    assert api.delete("tags/gold").body == {"name": "gold", "description": "the best"}
    assert "gold" not in [tag["name"] for tag in api.get("tags").body["tags"]]
    assert api.delete("tags/gold").status == 404
    assert api.put("tags/gold", {}).status == 200
    assert "gold" in [tag["name"] for tag in api.get("tags").body["tags"]]


def test_only_administrators_of_all_namespaces_remove_a_tag(api: Api) -> None:
    for scopes, namespaces in (({"ingest", "read"}, ("*",)), ({"admin"}, ("team-*",))):
        api.caller = Principal("team", frozenset(scopes), namespaces)
        assert api.delete("tags/PII").status == 403


def test_a_team_fills_no_list_of_others_with_tags(api: Api) -> None:
    api.caller = Principal("team", frozenset({"ingest", "read"}), ("demo", "s3://*"))
    assert api.write("POST", "namespaces/demo/jobs/load/tags/own", "{}").body["tags"] == ["own"]
    assert "own" not in [tag["name"] for tag in api.get("tags").body["tags"]]
    api.caller = Principal("all", frozenset({"ingest", "read"}), ("*",))
    assert api.write("POST", "namespaces/demo/jobs/load/tags/shared", "{}").status == 200
    assert "shared" in [tag["name"] for tag in api.get("tags").body["tags"]]
