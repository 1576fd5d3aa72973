"""The scope and the namespace that each route of curate requires, and the responses to unknown paths and methods."""

import pytest

from headwater.access.principal import Principal
from tests import factory
from tests.curate.conftest import LAKE, Api

ORDERS = f"namespaces/{LAKE}/datasets/orders"


def caller(*scopes: str, namespaces: tuple[str, ...] = ("*",)) -> Principal:
    return Principal("caller", frozenset(scopes), namespaces)


@pytest.mark.parametrize("path", [ORDERS, "namespaces/demo/jobs/load", "namespaces/demo"])
def test_deleting_takes_a_key_for_everything(api: Api, path: str) -> None:
    api.caller = caller("ingest", "read")
    refused = api.delete(path)
    assert (refused.status, refused.body["message"]) == (403, "key: lacks the scope admin; send a key with this scope")
    assert api.queue.sent == []
    api.caller = caller("admin")
    assert api.delete(path).status == 200


def test_all_else_takes_a_key_for_ingest(api: Api) -> None:
    api.caller = caller("read")
    assert api.post(f"{ORDERS}/tags/gold").status == 403
    api.caller = caller("ingest")
    assert api.post(f"{ORDERS}/tags/gold").status == 200
    assert api.delete(f"{ORDERS}/tags/gold").status == 200


def test_a_tag_of_nothing_is_not_found_and_not_forbidden(api: Api) -> None:
    api.caller = caller("ingest")
    assert api.delete(f"namespaces/{LAKE}/datasets/nothing/tags/gold").status == 404


def test_a_key_writes_to_its_own_namespaces_alone(api: Api) -> None:
    api.caller = caller("admin", namespaces=("team-*",))
    for method, path in [
        ("DELETE", ORDERS),
        ("DELETE", "namespaces/demo"),
        ("DELETE", "namespaces/demo/jobs/load"),
        ("POST", "namespaces/demo/jobs/load/tags/gold"),
        ("POST", "namespaces/demo/jobs/load/runs"),
        ("PUT", f"{ORDERS}/new"),
    ]:
        refused = api.write(method, path, "{}")
        message = "namespace: is not a namespace of this key; send a key for this namespace"
        assert (refused.status, refused.body["message"]) == (403, message)
    assert api.write("POST", f"jobs/runs/{factory.run_id(1)}/complete", "{}").status == 404
    assert api.queue.sent == []


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "tags/PII", 405),
        ("POST", "jobs", 405),
        ("POST", "namespaces", 405),
        ("POST", "namespaces/demo", 405),
        ("DELETE", "namespaces", 405),
        ("PUT", "lineage", 405),
        ("DELETE", "lineage", 405),
        ("PUT", f"jobs/runs/{factory.run_id(1)}/start", 405),
        ("POST", "events", 404),
        ("PUT", "nothing", 404),
        ("DELETE", "tags", 405),
        ("POST", "lineage/events", 404),
        ("POST", "../v2/lineage", 404),
    ],
)
def test_a_wrong_method_is_405_and_a_wrong_path_404(api: Api, method: str, path: str, status: int) -> None:
    answer = api.write(method, path, {})
    message = {404: "HTTP 404 Not Found", 405: "HTTP 405 Method Not Allowed"}[status]
    assert answer == (status, {"code": status, "message": message, "details": "", "faults": []})


def test_the_prefix_may_be_left_out(api: Api) -> None:
    api.prefix = "/"
    assert api.post(f"{ORDERS}/tags/gold").body["tags"] == ["gold"]
    assert api.put("tags/gold", {}).status == 200
    assert api.delete(ORDERS).status == 200
