"""A tag is in the next lookup of its dataset, field or job; a removed tag is not."""

from typing import Any

import pytest

from headwater.access.principal import Principal
from tests import factory
from tests.curate.conftest import LAKE, Api

ORDERS, REPORT = f"namespaces/{LAKE}/datasets/orders", "namespaces/demo/jobs/report"


def fields(body: Any) -> dict[str, list[str]]:
    return {field["name"]: field["tags"] for field in body["fields"]}


def known(api: Api) -> set[str]:
    return {tag["name"] for tag in api.get("tags").body["tags"]}


def test_a_dataset_is_tagged_and_untagged(api: Api) -> None:
    put = api.post(f"{ORDERS}/tags/gold")
    assert (put.status, put.body["tags"]) == (200, ["gold"])
    assert put == api.get(ORDERS)
    taken = api.delete(f"{ORDERS}/tags/gold")
    assert (taken.status, taken.body["tags"]) == (200, [])
    assert taken == api.get(ORDERS)


def test_a_tag_does_not_show_among_the_facets(api: Api) -> None:
    assert api.post(f"{ORDERS}/tags/gold").body["facets"].keys() == api.get(ORDERS).body["facets"].keys() == {"schema"}


def test_a_field_is_tagged_in_capitals(api: Api) -> None:
    put = api.post(f"{ORDERS}/fields/who/tags/pii")
    assert (put.status, fields(put.body), put.body["tags"]) == (200, {"id": [], "who": ["PII"]}, [])
    assert fields(api.delete(f"{ORDERS}/fields/who/tags/Pii").body) == {"id": [], "who": []}


def test_a_job_is_tagged_and_untagged_although_it_has_a_parent(api: Api) -> None:
    assert api.get(REPORT).body["parentJobName"] == "nightly"
    assert api.post(f"{REPORT}/tags/gold").body["tags"] == ["gold"]
    assert api.get(REPORT).body["tags"] == ["gold"]
    assert api.delete(f"{REPORT}/tags/gold").body["tags"] == []


def test_a_tag_may_be_put_twice_and_taken_off_although_it_is_not_there(api: Api) -> None:
    for _ in range(2):
        assert api.post(f"{ORDERS}/tags/gold").body["tags"] == ["gold"]
    for _ in range(2):
        assert api.delete(f"{ORDERS}/tags/gold").body["tags"] == []
    assert api.post(f"{ORDERS}/tags/gold").body["tags"] == ["gold"]


def test_an_unknown_tag_is_known_from_then_on(api: Api) -> None:
    before = known(api)
    api.post(f"{ORDERS}/tags/gold")
    api.post(f"{ORDERS}/fields/id/tags/key")
    api.post(f"{REPORT}/tags/slow")
    assert known(api) - before == {"gold", "KEY", "slow"}


def test_a_tag_that_has_a_description_keeps_it(api: Api) -> None:
    api.put("tags/gold", {"description": "the best"})
    api.post(f"{ORDERS}/tags/gold")
    assert {"name": "gold", "description": "the best"} in api.get("tags").body["tags"]


@pytest.mark.parametrize("field", ["nothing", "id.x", "ID"])
def test_an_unknown_field_is_not_found(api: Api, field: str) -> None:
    message = f"Field '{field}' not found in dataset 'orders'."
    for method in ("POST", "DELETE"):
        answer = api.write(method, f"{ORDERS}/fields/{field}/tags/PII")
        assert (answer.status, answer.body["message"]) == (404, message)
    assert api.queue.sent == []


@pytest.mark.parametrize("path", [f"namespaces/{LAKE}/datasets/nothing", "namespaces/demo/jobs/nothing"])
def test_an_unknown_node_cannot_be_tagged(api: Api, path: str) -> None:
    assert api.post(f"{path}/tags/gold").status == 404
    assert api.delete(f"{path}/tags/gold").status == 404
    assert api.queue.sent == []


def test_a_deleted_node_cannot_be_tagged(api: Api) -> None:
    api.delete(ORDERS)
    assert api.post(f"{ORDERS}/tags/gold").status == 404


def test_a_tag_of_a_deleted_node_comes_back_with_the_node(api: Api) -> None:
    api.post(f"{ORDERS}/tags/gold")
    api.delete(ORDERS)
    api.fold_events(factory.run_event("COMPLETE", seconds=60, run=8, job="load", outputs=[factory.dataset("orders")]))
    assert api.get(ORDERS).body["tags"] == ["gold"]


TAGS = ["a:b", "very important", "v1/final", "100%", "ünïcödé", "a%2Fb", "tags", "0"]


@pytest.mark.parametrize("tag", TAGS)
def test_a_tag_may_have_any_name(api: Api, tag: str) -> None:
    sent = tag.replace("%", "%25")  # as API Gateway hands over a path that was percent-encoded
    assert api.post(f"{ORDERS}/tags/{sent}").body["tags"] == [tag]
    assert fields(api.post(f"{ORDERS}/fields/id/tags/{sent}").body)["id"] == [tag.upper()]
    assert api.post(f"{REPORT}/tags/{sent}").body["tags"] == [tag]
    assert api.delete(f"{ORDERS}/tags/{sent}").body["tags"] == []
    assert fields(api.delete(f"{ORDERS}/fields/id/tags/{sent}").body)["id"] == []
    assert api.delete(f"{REPORT}/tags/{sent}").body["tags"] == []


def test_a_tag_with_a_colon_is_not_taken_for_the_tag_of_a_field(api: Api) -> None:
    api.fold_events(factory.dataset_event(factory.dataset("odd", schema=factory.schema("B:int")), seconds=9))
    odd = f"namespaces/{LAKE}/datasets/odd"
    api.post(f"{odd}/tags/A:B")
    answer = api.post(f"{odd}/fields/B/tags/A").body
    assert (answer["tags"], fields(answer)) == (["A:B"], {"B": ["A"]})


@pytest.mark.parametrize(
    "name", ["a/tags/b", "a/fields/b", "a/fields/b/tags/c", "tags/x", "data/orders/", "x/jobs/y/tags/z"]
)
def test_a_dataset_may_have_any_name(api: Api, name: str) -> None:
    path = f"namespaces/{LAKE}/datasets/{name}"
    api.fold_events(factory.dataset_event(factory.dataset(name, schema=factory.schema("f:int")), seconds=9))
    assert api.post(f"{path}/tags/gold").body["id"]["name"] == name
    assert fields(api.post(f"{path}/fields/f/tags/gold").body) == {"f": ["GOLD"]}
    assert api.delete(path).body["tags"] == ["gold"]
    assert api.get(path).status == 404


def test_a_tag_put_under_one_name_is_taken_off_under_another(api: Api) -> None:
    api.post(f"{ORDERS}/tags/gold")
    table = factory.dataset("sales.orders", "hive://a", symlinks=factory.symlinks("orders"))
    api.fold_events(factory.run_event("COMPLETE", seconds=6, run=3, job="other", inputs=[table]))
    other = "namespaces/hive://a/datasets/sales.orders"
    assert api.get(other).body["tags"] == ["gold"]
    assert api.delete(f"{other}/tags/gold").body["tags"] == []
    assert api.get(ORDERS).body["tags"] == []
    assert api.post(f"{ORDERS}/tags/gold").body["tags"] == ["gold"]
    assert api.get(other).body["tags"] == ["gold"]


def sent_tags(*tags: factory.Document) -> factory.Document:
    return factory.facet(tags=[{"value": "true", "source": "dbt", **tag} for tag in tags])


def test_a_tag_that_a_producer_keeps_sending_is_taken_off_until_it_is_put_again(api: Api) -> None:
    facet = sent_tags({"key": "gold"}, {"key": "silver"}, {"key": "pii", "field": "who"})
    sent = [
        factory.run_event("COMPLETE", seconds=30 + run, run=run, outputs=[factory.dataset("orders", tags=facet)])
        for run in (20, 21)
    ]
    api.fold_events(sent[0])
    assert api.get(ORDERS).body["tags"] == ["gold", "silver"]
    assert fields(api.get(ORDERS).body)["who"] == ["pii"]
    assert api.delete(f"{ORDERS}/tags/gold").body["tags"] == ["silver"]
    assert fields(api.delete(f"{ORDERS}/fields/who/tags/pii").body)["who"] == []
    api.fold_events(sent[1])
    assert api.get(ORDERS).body["tags"] == ["silver"]
    assert api.post(f"{ORDERS}/tags/gold").body["tags"] == ["gold", "silver"]


def test_a_sent_tag_with_a_value_is_taken_off_by_its_text_or_with_its_key(api: Api) -> None:
    entries = [{"key": "use", "value": "ads"}, {"key": "use", "value": "finance"}, {"key": "useful"}]
    facet = sent_tags(*entries, {"key": "classification", "value": "pii", "field": "who"})
    for run in (20, 21):
        orders = factory.dataset("orders", tags=facet)
        api.fold_events(factory.run_event("COMPLETE", seconds=30 + run, run=run, outputs=[orders]))
    assert api.get(ORDERS).body["tags"] == ["use=ads", "use=finance", "useful"]
    assert api.delete(f"{ORDERS}/tags/use=ads").body["tags"] == ["use=finance", "useful"]
    assert api.delete(f"{ORDERS}/tags/use").body["tags"] == ["useful"]
    assert api.post(f"{ORDERS}/tags/use=ads").body["tags"] == ["use=ads", "useful"]
    assert fields(api.get(ORDERS).body)["who"] == ["classification=pii"]
    assert fields(api.delete(f"{ORDERS}/fields/who/tags/classification=pii").body)["who"] == []


def test_a_tag_needs_a_name(api: Api) -> None:
    assert api.post(f"{ORDERS}/tags//").status == 400


def test_a_tag_holds_no_nul(api: Api) -> None:
    answer = api.post(f"{ORDERS}/tags/a\x00b")
    assert answer.status == 400
    assert "NUL" in answer.body["message"]
    assert api.queue.sent == []


def test_removing_a_tag_requires_the_namespace_of_the_name_that_has_the_tag(api: Api) -> None:
    table = factory.dataset("sales.orders", "hive://a", symlinks=factory.symlinks("orders"))
    api.fold_events(factory.run_event("COMPLETE", seconds=6, run=3, job="other", inputs=[table]))
    other = "namespaces/hive://a/datasets/sales.orders"
    api.post(f"{other}/tags/gold")
    api.caller = Principal("lake", frozenset({"ingest"}), (LAKE,))
    assert api.delete(f"{ORDERS}/tags/gold").status == 403
    api.caller = Principal("hive", frozenset({"ingest"}), ("hive://*",))
    assert api.delete(f"{other}/tags/gold").status == 200


def test_adding_a_tag_requires_the_namespace(api: Api) -> None:
    api.caller = Principal("team", frozenset({"ingest"}), ("team-*",))
    assert api.post(f"{ORDERS}/tags/gold").status == 403
    api.caller = Principal("lake", frozenset({"ingest"}), (LAKE,))
    assert api.post(f"{ORDERS}/tags/gold").status == 200
