"""A team with a key of its own tries to read and to change what is another team's."""

import base64
from typing import Any

import pytest

from headwater.access.principal import Principal
from headwater.graph.naming import Naming
from headwater.store.messages import read_message
from tests import factory
from tests.access.teams import (
    A_ADMIN,
    A_LAKE,
    A_RUN,
    B_LAKE,
    B_RUN,
    ORDERS,
    ROOT,
    A,
    Answer,
    B,
    Stack,
    claim_of_a,
    event,
    of_a,
    two_teams,
)

ORDERS_PATH = f"namespaces/{B_LAKE}/datasets/orders"
GRAPHS = ("lineage", "export", "rootcause")


@pytest.fixture
def stack() -> Stack:
    return two_teams()


def of_b(stack: Stack) -> list[Answer]:
    """What B sees of its own."""
    paths = [
        ORDERS_PATH,
        f"{ORDERS_PATH}/versions",
        f"namespaces/{B_LAKE}/datasets",
        "namespaces/team-b/jobs",
        "namespaces/team-b/jobs/ingest_orders",
        "namespaces/team-b/jobs/ingest_orders/runs",
        f"jobs/runs/{B_RUN}",
        f"namespaces/{B_LAKE}",
        "sources",
        "tags",
    ]
    return [stack.get(B, path) for path in paths]


def claim_to_read(stack: Stack) -> Answer:
    return stack.post(A, claim_of_a())


def test_a_run_id_of_another_team_shows_nothing_and_ends_nothing(stack: Stack) -> None:
    before = of_b(stack)
    assert stack.post(A, event("FAIL", B_RUN, "team-a", "forger", seconds=900)).status == 201
    requests: dict[str, dict[str, str]] = {f"jobs/runs/{B_RUN}": {}, f"jobs/runs/{B_RUN}/facets": {"type": "run"}}
    for path, query in requests.items():
        answer = stack.get(A, path, **query)
        assert answer.status == 200
        assert answer.secrets(("ssn", "hunter2", "b-raw", "ingest_orders", "bea")) == []
    assert stack.get(A, f"jobs/runs/{B_RUN}").body["state"] == "FAILED"
    assert of_b(stack) == before
    assert stack.get(ROOT, f"jobs/runs/{B_RUN}").body["state"] == "COMPLETED"


def test_a_run_of_another_team_cannot_be_ended_through_the_api(stack: Stack) -> None:
    before = of_b(stack)
    assert stack.write(A, "POST", f"jobs/runs/{B_RUN}/fail").status == 403
    assert of_b(stack) == before


def test_an_administrator_of_one_team_deletes_nothing_of_another(stack: Stack) -> None:
    before = of_b(stack)
    deleted = factory.dataset("orders", B_LAKE, headwater_deleted={"through": factory.at(10_000)})
    answer = stack.post(A_ADMIN, event("COMPLETE", A_RUN, "team-a", "feed", seconds=40, outputs=[deleted]))
    assert answer.body["setAside"] == ["outputs[0].facets"]
    assert of_b(stack)[1:] == before[1:]
    assert stack.get(B, ORDERS_PATH).status == 200


EVERY_PRODUCER = Principal("producer", frozenset({"ingest"}), ("*",))
OWNED = factory.facet(owners=[{"name": "a"}])
HARMLESS = factory.facet(description="harmless")
TAG = {"namespace": "headwater:tags", "name": "PII", "type": "DATASET"}
RESERVED: list[dict[str, Any]] = [
    {"outputs": [factory.dataset("team-b", "headwater:namespaces", ownership=OWNED)]},
    {"outputs": [factory.dataset("b-db", "headwater:sources", dataSource=factory.facet(name="b-db", uri="evil://"))]},
    {"inputs": [factory.dataset("PII", "headwater:tags", documentation=HARMLESS)]},
    {"job_facets": {"lineage": factory.facet(entries=[{**TAG, "inputs": []}])}},
    {"job_facets": {"lineage": factory.facet(entries=[{**factory.made_of("out", namespace=A_LAKE), "inputs": [TAG]}])}},
    {"run_facets": {"parent": factory.facet(run={"runId": B_RUN}, job={"namespace": "headwater:tags", "name": "PII"})}},
]


@pytest.mark.parametrize("members", RESERVED)
@pytest.mark.parametrize("caller", [A, EVERY_PRODUCER], ids=["team", "all"])
def test_reserved_namespaces_are_not_for_producers(stack: Stack, caller: Principal, members: dict[str, Any]) -> None:
    paths = ("tags", "sources", "namespaces/team-b", "namespaces", "namespaces/headwater:tags/jobs")
    before = [stack.get(ROOT, path) for path in paths]
    answer = stack.post(caller, event("COMPLETE", A_RUN, "team-a", "feed", seconds=50, **members))
    assert (answer.status, len(answer.body["setAside"])) == (201, 1)
    assert [stack.get(ROOT, path) for path in paths] == before


@pytest.mark.parametrize("caller", [A, EVERY_PRODUCER, A_ADMIN])
def test_no_event_is_about_a_reserved_namespace(stack: Stack, caller: Principal) -> None:
    described = factory.dataset("PII", "headwater:tags", documentation=HARMLESS)
    assert stack.post(caller, factory.dataset_event(described)).status == 403
    assert stack.post(caller, event("START", A_RUN, "headwater:tags", "PII")).status == 403
    assert stack.write(caller, "PUT", "tags/PII", {"description": "harmless"}).status == 403


def test_the_source_of_another_team_keeps_its_url(stack: Stack) -> None:
    def of(url: str) -> factory.Document:
        return factory.dataset("out", A_LAKE, dataSource=factory.facet(name="s3://b-lake", uri=url))

    ours = factory.dataset("orders", B_LAKE, dataSource=factory.facet(name="s3://b-lake", uri="a://true"))
    stack.post(B, event("COMPLETE", B_RUN, "team-b", "ingest_orders", seconds=61, outputs=[ours]))
    for url in ("evil://a", "z://evil"):
        answer = stack.post(A, event("COMPLETE", A_RUN, "team-a", "feed", seconds=50, outputs=[of(url)]))
        assert answer.body["setAside"] == ["outputs[0].facets.dataSource"]
    assert [source["connectionUrl"] for source in stack.get(B, "sources").body["sources"]] == ["a://true"]


def test_a_symlink_to_a_dataset_of_another_team_links_nothing(stack: Stack) -> None:
    before = of_b(stack)
    linked = factory.dataset("decoy", A_LAKE, symlinks=factory.symlinks("orders", namespace=B_LAKE))
    for posted in (
        event("COMPLETE", A_RUN, "team-a", "feed", seconds=50, outputs=[linked]),
        factory.dataset_event(linked),
    ):
        answer = stack.post(A, posted)
        assert [path.partition(".facets.")[2] for path in answer.body["setAside"]] == ["symlinks.identifiers[0]"]
    assert of_b(stack) == before
    for path in (f"namespaces/{A_LAKE}/datasets/decoy", f"column-lineage?nodeId=dataset:{A_LAKE}:decoy"):
        assert stack.get(A, path.partition("?")[0], nodeId=f"dataset:{A_LAKE}:decoy").secrets() == []
    assert stack.get(A, ORDERS_PATH).status == 403


def test_a_claim_to_read_shows_the_name_that_the_caller_used_and_nothing_else(stack: Stack) -> None:
    assert claim_to_read(stack).body["setAside"] == ["inputs[0].facets"]
    for node in (f"dataset:{A_LAKE}:stolen", "job:team-a:thief"):
        for path in GRAPHS:
            for direction in ("upstream", "downstream", "both", ""):
                query = {"direction": direction} if direction and path != "rootcause" else {}
                answer = stack.get(A, path, nodeId=node, depth="100", **query)
                assert (answer.status, answer.secrets()) == (200, [])
    graph = stack.get(A, "lineage", nodeId=f"dataset:{A_LAKE}:stolen").body["graph"]
    assert {node["id"]: node["data"].get("foreign", False) for node in graph} == {
        f"dataset:{A_LAKE}:stolen": False,
        "job:team-a:thief": False,
        f"dataset:{B_LAKE}:orders": True,
    }
    assert stack.get(A, "runlineage/upstream", runId=factory.run_id(30), depth="100").secrets() == []
    columns = stack.get(A, "column-lineage", nodeId=f"dataset:{A_LAKE}:stolen", depth="100")
    assert columns.secrets() == []
    assert {node["id"] for node in columns.body["graph"]} == {
        f"datasetField:{A_LAKE}:stolen:x",
        f"datasetField:{B_LAKE}:orders:*",
    }


def test_the_owner_sees_a_claim_to_read_as_a_foreign_edge_of_a_hidden_job(stack: Stack) -> None:
    claim_to_read(stack)
    graph = stack.get(B, "lineage", nodeId=f"dataset:{B_LAKE}:orders", direction="downstream").body["graph"]
    (reader,) = [node for node in graph if node["type"] == "JOB" and node["data"].get("foreign")]
    assert reader["id"].startswith("job:headwater:hidden:")
    assert "thief" not in str(graph)
    assert reader["inEdges"] == [{"origin": f"dataset:{B_LAKE}:orders", "destination": reader["id"], "foreign": True}]
    assert reader["data"]["latestRun"] is None
    impact = stack.get(B, "impact", nodeId=f"dataset:{B_LAKE}:orders").body
    assert impact["hiddenCount"] == 1
    again = stack.get(B, "lineage", nodeId=f"dataset:{B_LAKE}:orders", direction="downstream").body["graph"]
    assert again == graph
    everything = stack.get(ROOT, "lineage", nodeId=f"dataset:{B_LAKE}:orders", direction="downstream").body["graph"]
    assert "job:team-a:thief" in {node["id"] for node in everything}


def test_texts_name_what_is_hidden(stack: Stack) -> None:
    claim_to_read(stack)
    orders = {"nodeId": f"dataset:{B_LAKE}:orders", "format": "text"}
    lineage = stack.get(B, "lineage", **orders).text
    assert "  (of a namespace that the key may not read)" in lineage
    assert "headwater:hidden" not in lineage
    assert "and 1 more, in namespaces that the key may not read" in stack.get(B, "impact", **orders).text
    forged = factory.dataset("orders", B_LAKE)
    stack.post(A, event("COMPLETE", A_RUN, "team-a", "forger", seconds=900, outputs=[forged]))
    assert "edges of producers that may not write the dataset" in stack.get(B, "rootcause", **orders).text


def test_a_claim_to_write_changes_nothing_of_the_dataset(stack: Stack) -> None:
    before = of_b(stack)
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
    posted = event("COMPLETE", A_RUN, "team-a", "forger", seconds=900, outputs=[forged])
    answer = stack.post(A, posted)
    assert answer.body["setAside"] == ["outputs[0].facets", "outputs[0].outputFacets"]
    after = of_b(stack)
    assert after == before
    assert stack.get(B, "column-lineage", nodeId=f"dataset:{B_LAKE}:orders").secrets(("a-lake",)) == []
    cause = stack.get(B, "rootcause", nodeId=f"dataset:{B_LAKE}:orders").body
    assert cause["suspect"]["id"] == B_RUN
    (foreign,) = cause["foreignEdges"]
    assert foreign["origin"].startswith("job:headwater:hidden:")
    assert foreign["destination"] == f"dataset:{B_LAKE}:orders"


def test_a_child_and_a_ghost_parent_of_another_team_leave_its_jobs_alone(stack: Stack) -> None:
    before = of_b(stack)
    child = factory.facet(run={"runId": B_RUN}, job={"namespace": "team-b", "name": "ingest_orders"})
    ghost = factory.facet(run={"runId": factory.run_id(99)}, job={"namespace": "team-b", "name": "ghost"})
    own = factory.facet(
        run={"runId": factory.run_id(98)}, job={"namespace": "team-a", "name": "dag"}, root={**child, **ghost}
    )
    for parent, path in ((child, "parent"), (ghost, "parent"), (own, "parent.root")):
        failed = event("FAIL", factory.run_id(40), "team-a", "child", seconds=70, run_facets={"parent": parent})
        assert stack.post(A, failed).body["setAside"] == [f"run.facets.{path}"]
    assert of_b(stack) == before


def test_a_forged_child_is_not_counted(stack: Stack) -> None:
    forged = factory.facet(run={"runId": B_RUN}, job={"namespace": "team-a", "name": "dag"})
    child = event("COMPLETE", factory.run_id(41), "team-a", "child", seconds=70, run_facets={"parent": forged})
    assert stack.post(A, child).status == 201
    assert stack.get(B, f"jobs/runs/{B_RUN}/children").body == {"runs": [], "totalCount": 0}


def test_an_explicit_lineage_facet_names_the_datasets_of_others_alone(stack: Stack) -> None:
    before = of_b(stack)
    target = {
        **factory.made_of("orders", "in", namespace=A_LAKE),
        "namespace": B_LAKE,
        "fields": {"ssn": {"inputs": [{"namespace": A_LAKE, "name": "in", "field": "id", "type": "DATASET"}]}},
    }
    facets = {"lineage": factory.facet(entries=[target, factory.made_of("out", "in", namespace=A_LAKE)])}
    answer = stack.post(A, event("COMPLETE", A_RUN, "team-a", "explicit", seconds=300, job_facets=facets))
    assert answer.body["setAside"] == ["job.facets.lineage.entries[0]"]
    assert of_b(stack) == before
    graph = stack.get(A, "lineage", nodeId="job:team-a:explicit").body["graph"]
    assert f"dataset:{B_LAKE}:orders" in {node["id"] for node in graph}


def test_what_was_set_aside_is_in_no_queue_and_no_archive(stack: Stack) -> None:
    forged = factory.dataset("orders", B_LAKE, documentation=HARMLESS)
    stack.post(A, event("COMPLETE", A_RUN, "team-a", "forger", seconds=900, inputs=[forged]))
    assert "harmless" not in read_message(stack.queue.sent[-1].body, stack.bucket).canonical


def test_a_name_that_means_a_dataset_of_another_team_is_of_that_team() -> None:
    stack = Stack(Naming({"kafka://a-broker": "s3://b-lake"}))
    key = Principal("a", A.scopes, (*A.namespaces, "kafka://a-broker", "s3a://*"))
    for namespace in ("kafka://a-broker", "s3a://b-lake"):
        answer = stack.post(key, event("START", A_RUN, "team-a", "feed", outputs=[{**ORDERS, "namespace": namespace}]))
        assert answer.body["setAside"] == ["outputs[0].facets"], namespace


def test_statistics_list_what_was_set_aside_of_the_own_jobs(stack: Stack) -> None:
    stack.post(A, claim_of_a())
    note = {"lastAt": factory.at(200), "paths": ["inputs[0].facets"], "key": "a"}
    expected = [{"job": {"namespace": "team-a", "name": "thief"}, **note}]
    assert stack.get(A, "stats/set-aside").body["jobs"] == expected
    assert stack.get(ROOT, "stats/set-aside").body["jobs"] == expected
    assert stack.get(B, "stats/set-aside").body["jobs"] == []


def test_a_batch_lists_what_was_set_aside_of_each_event(stack: Stack) -> None:
    forged = event("COMPLETE", A_RUN, "team-a", "forger", seconds=900, outputs=[ORDERS])
    answer = stack.post(A, [of_a()[0], forged, event("START", A_RUN, "team-b", "x")])
    assert answer.body["set_aside"] == [{"index": 1, "paths": ["outputs[0].facets"]}]
    assert [failed["index"] for failed in answer.body["failed_events"]] == [2]


def test_an_answer_lists_twenty_paths_and_counts_the_others(stack: Stack) -> None:
    many = [factory.dataset(f"orders{number}", B_LAKE, documentation=HARMLESS) for number in range(50)]
    answer = stack.post(A, event("COMPLETE", A_RUN, "team-a", "feed", seconds=50, inputs=many))
    assert answer.body["setAside"] == [*(f"inputs[{number}].facets" for number in range(20)), "and 30 more"]


def test_a_cursor_is_of_the_key_that_got_it(stack: Stack) -> None:
    cursor = stack.get(A, f"namespaces/{A_LAKE}/datasets", limit="1").body["cursor"]
    assert stack.get(A, f"namespaces/{A_LAKE}/datasets", limit="1", cursor=cursor).status == 200
    other = Principal("other", A.scopes, A.namespaces, seal="another seal")
    assert stack.get(other, f"namespaces/{A_LAKE}/datasets", limit="1", cursor=cursor).status == 400
    forged = base64.urlsafe_b64encode(b'{"after": "s3://b-lake", "total": 9}').decode()
    assert stack.get(A, f"namespaces/{A_LAKE}/datasets", limit="1", cursor=forged).status == 400


def test_whether_a_dataset_of_another_team_exists_is_not_told(stack: Stack) -> None:
    for name in ("orders", "no-such-dataset"):
        assert stack.get(A, f"namespaces/{B_LAKE}/datasets/{name}").status == 403
        assert stack.get(A, "lineage", nodeId=f"dataset:{B_LAKE}:{name}").status == 403
        assert stack.get(A, "column-lineage", nodeId=f"datasetField:{B_LAKE}:{name}:id").status == 403


def test_counts_of_events_are_of_the_namespaces_of_the_key(stack: Stack) -> None:
    def count(caller: Principal) -> int:
        return sum(hour["complete"] for hour in stack.get(caller, "stats/lineage-events", period="DAY").body)

    assert (count(A), count(B), count(ROOT)) == (1, 2, 3)
