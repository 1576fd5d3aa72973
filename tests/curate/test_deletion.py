"""A deleted node is in no response until a newer event of the node arrives."""

from datetime import timedelta
from itertools import permutations

import pytest

from headwater.access.principal import Principal
from headwater.curate.deletion import AT_ONCE
from headwater.graph.names.naming import Naming
from tests import factory
from tests.curate.conftest import LAKE, Api, folded, versions

ORDERS, LOAD = f"namespaces/{LAKE}/datasets/orders", "namespaces/demo/jobs/load"


def reads_orders(seconds: float, job: str = "report") -> factory.Document:
    return factory.run_event("COMPLETE", seconds=seconds, run=70, job=job, inputs=[factory.dataset("orders")])


def test_a_dataset_is_answered_as_it_was_and_then_gone(api: Api) -> None:
    before = api.get(ORDERS)
    assert api.delete(ORDERS) == before
    assert api.get(ORDERS).status == 404
    assert api.datasets() == ["sums"]
    assert api.get("lineage", nodeId=f"dataset:{LAKE}:orders").status == 404
    assert api.graph("job:demo:report") == {"job:demo:report", f"dataset:{LAKE}:sums"}
    assert api.delete(ORDERS).status == 404


def test_a_job_is_answered_as_it_was_and_then_gone(api: Api) -> None:
    before = api.get(LOAD)
    assert api.delete(LOAD) == before
    assert api.get(LOAD).status == 404
    assert "load" not in api.jobs()
    assert "job:demo:load" not in api.graph(f"dataset:{LAKE}:orders")
    assert api.delete(LOAD).status == 404


def test_a_job_with_a_parent_is_deleted_without_it(api: Api) -> None:
    assert api.delete("namespaces/demo/jobs/report").status == 200
    assert sorted(api.jobs()) == ["load", "nightly"]
    assert api.delete("namespaces/demo/jobs/nightly").status == 200
    assert api.jobs() == ["load"]


def test_a_newer_event_revives_a_deleted_node(api: Api) -> None:
    api.delete(ORDERS)
    api.delete("namespaces/demo/jobs/report")
    api.fold_events(reads_orders(seconds=9))
    assert "orders" in api.datasets()
    assert [field["name"] for field in api.get(ORDERS).body["fields"]] == ["id", "who"]
    assert "report" in api.jobs()


def test_an_event_of_its_own_brings_a_dataset_back(api: Api) -> None:
    api.delete(ORDERS)
    api.fold_events(
        factory.dataset_event(factory.dataset("orders", documentation=factory.facet(description="d")), seconds=9)
    )
    assert api.get(ORDERS).body["description"] == "d"


def test_an_older_event_does_not_revive_a_deleted_node(api: Api) -> None:
    api.delete(ORDERS)
    api.fold_events(reads_orders(seconds=4, job="other"))
    assert api.get(ORDERS).status == 404


def test_a_revived_node_can_be_deleted_again(api: Api) -> None:
    for seconds in (10, 20):
        assert api.delete(ORDERS).status == 200
        assert api.get(ORDERS).status == 404
        api.fold_events(reads_orders(seconds))
        assert api.get(ORDERS).status == 200


def test_the_order_of_deletions_and_events_does_not_matter() -> None:
    api = Api()
    api.fold_events(factory.run_event("COMPLETE", seconds=1, job="load", outputs=[factory.dataset("orders")]))
    api.delete(ORDERS)
    api.delete(LOAD)
    api.fold_events(reads_orders(seconds=9))
    events = api.folded_events + api.queued_events()
    assert len(events) == 4
    assert {tuple(sorted(folded(order).items())) for order in permutations(events)} == {
        tuple(sorted(versions(api.table).items()))
    }


def test_a_deleted_jobs_last_use_of_a_dataset_counts_too(api: Api) -> None:
    api.fold_events(reads_orders(seconds=20, job="deleted"))
    api.delete("namespaces/demo/jobs/deleted")
    api.delete(ORDERS)
    assert api.get(ORDERS).status == 404


def test_a_dataset_is_deleted_under_all_its_names(api: Api) -> None:
    table = factory.dataset("sales.orders", "hive://a", symlinks=factory.symlinks("orders"))
    api.fold_events(factory.run_event("COMPLETE", seconds=6, run=3, job="other", inputs=[table]))
    assert api.get(ORDERS).body["aliases"]
    assert api.delete("namespaces/hive://a/datasets/sales.orders").status == 200
    assert api.get(ORDERS).status == 404
    assert api.get("namespaces/hive://a/datasets/sales.orders").status == 404
    assert api.datasets() == ["sums"]


def test_the_deletion_of_a_dataset_requires_the_namespaces_of_all_its_names(api: Api) -> None:
    table = factory.dataset("sales.orders", "hive://a", symlinks=factory.symlinks("orders"))
    api.fold_events(factory.run_event("COMPLETE", seconds=6, run=3, job="other", inputs=[table]))
    api.caller = Principal("team", frozenset({"admin"}), ("hive://*",))
    assert api.delete("namespaces/hive://a/datasets/sales.orders").status == 403
    assert api.queue.sent == []


def test_a_name_that_stands_for_a_deleted_dataset_is_gone_too(api: Api) -> None:
    api.fold_events(factory.run_event("COMPLETE", seconds=6, run=3, inputs=[factory.dataset("orders/day=1")]))
    assert api.get(f"{ORDERS}/day=1").status == 200
    api.delete(f"{ORDERS}/day=1")
    assert api.get(f"{ORDERS}/day=1").status == 404
    assert api.get(ORDERS).status == 404


def test_a_dataset_is_deleted_under_its_old_aliases_too(api: Api) -> None:
    """A name that meant another dataset when it was sent, and by the rules of today means itself."""
    api.naming = Naming({"old://*": LAKE})
    api.fold_events(factory.run_event("COMPLETE", seconds=6, run=3, inputs=[factory.dataset("orders", "old://lake")]))
    api.naming = Naming()
    old = "namespaces/old://lake/datasets/orders"
    assert api.get(old).body["name"] == "orders"
    api.delete(ORDERS)
    assert api.get(old).status == 404


def test_runs_of_a_deleted_job_are_still_known(api: Api) -> None:
    api.delete(LOAD)
    assert api.get(f"jobs/runs/{factory.run_id(1)}").status == 200


def test_a_namespace_is_hidden_and_all_in_it_is_gone(api: Api) -> None:
    before = api.get("namespaces/demo")
    assert api.delete("namespaces/demo") == before
    assert before.body["isHidden"] is False
    assert api.get("namespaces/demo").body == {**before.body, "isHidden": True}
    assert api.jobs() == []
    assert {namespace["name"]: namespace["isHidden"] for namespace in api.get("namespaces").body["namespaces"]} == {
        "demo": True,
        LAKE: False,
    }
    assert api.datasets() == ["orders", "sums"]
    api.delete(f"namespaces/{LAKE}")
    assert api.datasets() == []


def test_an_event_shows_a_namespace_again_and_only_what_it_names(api: Api) -> None:
    api.delete("namespaces/demo")
    api.fold_events(factory.run_event(seconds=60, run=5, job="load"))
    assert api.get("namespaces/demo").body["isHidden"] is False
    assert api.jobs() == ["load"]


def test_a_described_namespace_keeps_its_description_when_it_is_deleted(api: Api) -> None:
    api.put("namespaces/demo", {"ownerName": "me", "description": "d"})
    api.delete("namespaces/demo")
    namespace = api.get("namespaces/demo").body
    assert (namespace["ownerName"], namespace["description"], namespace["isHidden"]) == ("me", "d", True)


def test_the_description_of_a_deleted_namespace_shows_the_namespace_again(api: Api) -> None:
    api.delete("namespaces/demo")
    assert api.put("namespaces/demo", {"ownerName": "me"}).body["isHidden"] is False


def test_a_large_namespace_is_deleted_in_several_requests(api: Api) -> None:
    datasets = [factory.dataset(f"d{number}", "s3://large") for number in range(2 * AT_ONCE + 1)]
    api.fold_events(factory.run_event("COMPLETE", seconds=6, run=3, job="other", outputs=datasets))
    first = api.write("DELETE", "namespaces/s3://large", chunks=1)
    assert first.status == 503
    assert "send the request again" in first.body["message"]
    assert len(api.datasets("s3://large")) == AT_ONCE + 1
    assert api.get("namespaces/s3://large").body["isHidden"] is False
    assert api.write("DELETE", "namespaces/s3://large", chunks=1).status == 503
    assert api.write("DELETE", "namespaces/s3://large", chunks=1).status == 200
    assert api.get("namespaces/s3://large").body["isHidden"] is True
    assert api.delete("namespaces/s3://large").status == 200


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (f"namespaces/{LAKE}/datasets/nothing", "Dataset 'nothing' not found."),
        ("namespaces/demo/jobs/nothing", "Job 'nothing' not found."),
        ("namespaces/nothing", "Namespace 'nothing' not found."),
    ],
)
def test_an_unknown_node_cannot_be_deleted(api: Api, path: str, message: str) -> None:
    assert api.delete(path) == (404, {"code": 404, "message": message, "details": "", "faults": []})
    assert api.queue.sent == []


def test_an_event_from_a_clock_that_is_ahead_is_deleted_too(api: Api) -> None:
    api.fold_events(reads_orders(seconds=(api.now + timedelta(minutes=5) - factory.EPOCH).total_seconds()))
    assert api.delete(ORDERS).status == 200
    assert api.get(ORDERS).status == 404


def test_a_deletion_tells_whose_key_it_was(api: Api) -> None:
    api.delete(ORDERS)
    (event,) = api.queued_events()
    assert '"by":"everybody"' in event.canonical
