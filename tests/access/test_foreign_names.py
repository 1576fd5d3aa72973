"""What a name of another team's dataset leaves as it was: its schema, owners, names and times, and its deletion."""

from collections.abc import Callable
from typing import Any

import pytest

from tests import factory
from tests.access.teams import (
    A_ADMIN,
    A_LAKE,
    A_RUN,
    B_ADMIN,
    B_LAKE,
    B_RUN,
    HARMLESS,
    ORDERS_NAME,
    ORDERS_NODE,
    ORDERS_PATH,
    OWNED,
    PLATFORM,
    ROOT,
    A,
    B,
    Stack,
    event,
    merged,
    posted,
    seen_by_b,
)


def test_a_claim_to_write_changes_nothing_of_the_dataset(stack: Stack) -> None:
    before = seen_by_b(stack, f"namespaces/{B_LAKE}")
    forged = factory.dataset(
        "orders",
        B_LAKE,
        schema=factory.schema("id:string"),
        ownership=OWNED,
        documentation=HARMLESS,
        tags=factory.facet(tags=[{"key": "public", "value": "yes", "source": "USER"}]),
        columnLineage=factory.columns(id=(A_LAKE, "in", "id")),
        lifecycleStateChange=factory.facet(lifecycleStateChange="DROP"),
    )
    forged["outputFacets"] = {"outputStatistics": factory.facet(rowCount=0)}
    answer = stack.post(A, event("COMPLETE", A_RUN, "team-a", "forger", seconds=900, outputs=[forged]))
    assert answer.body["setAside"] == ["outputs[0].facets", "outputs[0].outputFacets"]
    assert seen_by_b(stack, f"namespaces/{B_LAKE}") == before
    assert stack.get(B, "column-lineage", nodeId=f"dataset:{B_LAKE}:orders").secrets(("a-lake",)) == []
    cause = stack.get(B, "rootcause", nodeId=f"dataset:{B_LAKE}:orders").body
    assert cause["suspect"]["id"] == B_RUN
    (foreign,) = cause["foreignEdges"]
    assert foreign["origin"].startswith("job:headwater:hidden:")
    assert foreign["destination"] == f"dataset:{B_LAKE}:orders"


EARLY = -9_999


@pytest.mark.parametrize("namespace", [B_LAKE, "s3a://b-lake", "s3n://b-lake/"])
@pytest.mark.parametrize("name", ["orders", "orders/day=1", "/orders/", "orders/_delta_log"])
@pytest.mark.parametrize("side", ["inputs", "outputs"])
def test_a_name_of_another_team_changes_no_time_and_no_name(stack: Stack, namespace: str, name: str, side: str) -> None:
    before = seen_by_b(stack)
    members: dict[str, Any] = {side: [factory.dataset(name, namespace)]}
    assert posted(stack, seconds=EARLY, **members).status == 201
    assert seen_by_b(stack) == before


@pytest.mark.parametrize("is_late", [False, True])
def test_the_owner_names_its_dataset_whoever_named_it_first(is_late: bool) -> None:
    """The state is the same in both orders."""
    stack = Stack()
    named = event("START", A_RUN, "team-a", "feed", seconds=EARLY, inputs=[factory.dataset("orders", "s3n://b-lake")])
    own = event("START", B_RUN, "team-b", "ingest_orders", outputs=[factory.dataset("orders", "s3a://b-lake")])
    events = [(A, named), (B, own)]
    for caller, document in reversed(events) if is_late else events:
        stack.post(caller, document)
    dataset = stack.get(ROOT, ORDERS_PATH).body
    assert (dataset["namespace"], dataset["createdAt"]) == (B_LAKE, factory.at(0))


def test_a_deleted_dataset_stays_deleted_though_another_team_names_it(stack: Stack) -> None:
    assert stack.write(B_ADMIN, "DELETE", ORDERS_PATH).status == 200
    for seconds, side in ((500_000, "inputs"), (600_000, "outputs")):
        members: dict[str, Any] = {side: [ORDERS_NAME]}
        posted(stack, number=seconds, seconds=seconds, **members)
        assert stack.get(B, ORDERS_PATH).status == 404
    stack.post(B, event("START", B_RUN, "team-b", "ingest_orders", seconds=700_000, outputs=[ORDERS_NAME]))
    assert stack.get(B, ORDERS_PATH).status == 200


def test_many_claims_to_write_leave_the_times_in_the_lists(stack: Stack) -> None:
    posted(stack, outputs=[ORDERS_NAME])
    before = seen_by_b(stack)
    for number in range(10):
        claim = event("COMPLETE", factory.run_id(100 + number), "team-a", f"forger {number}", outputs=[ORDERS_NAME])
        stack.post(A, {**claim, "eventTime": factory.at(900)})
    assert seen_by_b(stack) == before
    found = stack.get(ROOT, "search", q="orders", filter="dataset", sort="update_at").body["results"]
    assert [match["updatedAt"] for match in found] == [factory.at(160)]


def made_of_orders(seconds: float) -> list[factory.Document]:
    """Events whose facets alone name orders: of a job, of a MERGE, and of a dataset."""
    orders = {"namespace": B_LAKE, "name": "orders", "type": "DATASET"}
    entry = {**factory.made_of("explicit", namespace=A_LAKE), "inputs": [orders]}
    facets = {"lineage": factory.facet(entries=[entry])}
    view = factory.dataset("view", A_LAKE, lineage=factory.facet(inputs=[orders]))
    return [
        event("COMPLETE", factory.run_id(41), "team-a", "explicit", seconds=seconds, job_facets=facets),
        merged(seconds, (B_LAKE, "orders"), (A_LAKE, "in")),
        factory.dataset_event(view, seconds=seconds),
    ]


@pytest.mark.parametrize(
    ("kind", "reader"), [(0, "job:team-a:explicit"), (1, "job:team-a:merge"), (2, f"dataset:{A_LAKE}:view")]
)
def test_a_name_in_a_facet_is_as_foreign_as_a_name_alone(stack: Stack, kind: int, reader: str) -> None:
    before = seen_by_b(stack)
    stack.post(A, made_of_orders(EARLY)[kind])
    assert seen_by_b(stack) == before
    for caller in (A, ROOT):
        graph = stack.get(caller, "lineage", nodeId=reader, direction="upstream", depth="1").body["graph"]
        edges = [edge for node in graph for edge in node["inEdges"] if edge["origin"] == ORDERS_NODE]
        assert [edge.get("foreign") for edge in edges] == [True]
        own = {edge["origin"] for node in graph for edge in node["inEdges"] if not edge.get("foreign")}
        assert (f"dataset:{A_LAKE}:in" in own) == (kind == 1)
    assert stack.write(B_ADMIN, "DELETE", ORDERS_PATH).status == 200
    stack.post(A, made_of_orders(500_000)[kind])
    assert stack.get(B, ORDERS_PATH).status == 404


def test_a_symlink_of_the_platform_to_another_team_leaves_the_own_name(stack: Stack) -> None:
    """A name that is only linked, of an own dataset and of another's, means the own one."""
    for name, namespace, number in (("own", A_LAKE, 60), ("orders", B_LAKE, 61)):
        linked = factory.dataset(name, namespace, symlinks=factory.symlinks("glued", namespace="s3://a-glue"))
        stack.post(PLATFORM, event("COMPLETE", factory.run_id(number), "team-a", "linker", outputs=[linked]))
    answer = stack.get(A, "namespaces/s3://a-glue/datasets/glued")
    assert (answer.status, answer.body["name"], answer.secrets()) == (200, "own", [])


def has_time_for(steps: int) -> Callable[[], bool]:
    remaining = iter(range(steps))
    return lambda: next(remaining, None) is not None


def test_a_namespace_is_deleted_though_jobs_of_others_used_its_datasets_later(stack: Stack) -> None:
    """The platform posts the job of B, so that the use counts."""
    read = factory.dataset("out", A_LAKE)
    stack.post(PLATFORM, event("COMPLETE", factory.run_id(70), "team-b", "reader", seconds=7_000, inputs=[read]))
    assert stack.write(A_ADMIN, "DELETE", f"namespaces/{A_LAKE}", has_time=has_time_for(5)).status == 200
    assert stack.get(A, f"namespaces/{A_LAKE}/datasets").body["datasets"] == []
