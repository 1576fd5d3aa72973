"""What a producer may say: of the namespaces of others the names alone, and nothing of the reserved ones."""

from typing import Any

import pytest

from headwater.access.principal import Principal
from headwater.graph.names.naming import Naming
from headwater.store.messages import read_message
from tests import factory
from tests.access.teams import (
    A_ADMIN,
    A_LAKE,
    A_RUN,
    B_LAKE,
    B_RUN,
    HARMLESS,
    ORDERS,
    ORDERS_PATH,
    OWNED,
    PLATFORM,
    ROOT,
    A,
    Answer,
    B,
    Stack,
    claim_of_a,
    event,
    merged,
    of_a,
    posted,
    seen_by_b,
)


def of_b(stack: Stack) -> list[Answer]:
    return seen_by_b(stack, f"namespaces/{B_LAKE}")


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
    assert stack.write(A, "POST", f"jobs/runs/{B_RUN}/fail").status == 404
    assert of_b(stack) == before


def test_an_administrator_of_one_team_deletes_nothing_of_another(stack: Stack) -> None:
    before = of_b(stack)
    deleted = factory.dataset("orders", B_LAKE, headwater_deleted={"through": factory.at(10_000)})
    answer = stack.post(A_ADMIN, event("COMPLETE", A_RUN, "team-a", "feed", seconds=40, outputs=[deleted]))
    assert answer.body["setAside"] == ["outputs[0].facets"]
    assert of_b(stack)[1:] == before[1:]
    assert stack.get(B, ORDERS_PATH).status == 200


EVERY_PRODUCER = Principal("producer", frozenset({"ingest"}), ("*",))
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


@pytest.mark.parametrize("namespace", ["headwater:tags", "headwater:sources", "headwater:namespaces"])
@pytest.mark.parametrize("others", [[], [(B_LAKE, "orders")]])
def test_a_merge_describes_no_reserved_namespace(stack: Stack, namespace: str, others: list[tuple[str, str]]) -> None:
    paths = ("tags", "sources", "namespaces")
    stack.post(A, merged(10, (A_LAKE, "in")))
    before = [stack.get(ROOT, path) for path in paths]
    for caller in (A, PLATFORM):
        stack.post(caller, merged(20, (namespace, "made up"), *others))
    assert [stack.get(ROOT, path) for path in paths] == before


@pytest.mark.parametrize("caller", [A, PLATFORM, ROOT])
@pytest.mark.parametrize("side", ["inputs", "outputs"])
def test_a_declared_job_uses_no_reserved_namespace(stack: Stack, caller: Principal, side: str) -> None:
    body = {"type": "BATCH", side: [{"namespace": "headwater:tags", "name": "made up"}]}
    before = stack.get(ROOT, "tags")
    assert stack.write(caller, "PUT", "namespaces/team-a/jobs/feed", body).status == 403
    assert stack.get(ROOT, "tags") == before


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
    for linking in (
        event("COMPLETE", A_RUN, "team-a", "feed", seconds=50, outputs=[linked]),
        factory.dataset_event(linked),
    ):
        answer = stack.post(A, linking)
        assert [path.partition(".facets.")[2] for path in answer.body["setAside"]] == ["symlinks.identifiers[0]"]
    assert of_b(stack) == before
    for path in (f"namespaces/{A_LAKE}/datasets/decoy", f"column-lineage?nodeId=dataset:{A_LAKE}:decoy"):
        assert stack.get(A, path.partition("?")[0], nodeId=f"dataset:{A_LAKE}:decoy").secrets() == []
    assert stack.get(A, ORDERS_PATH).status == 403


def test_a_table_of_another_team_is_not_renamed(stack: Stack) -> None:
    before = of_b(stack)
    renamed = factory.dataset("decoy", A_LAKE, lifecycleStateChange=factory.renamed_from("orders", B_LAKE))
    answer = stack.post(A, event("COMPLETE", A_RUN, "team-a", "feed", seconds=90, outputs=[renamed]))
    assert answer.body["setAside"] == ["outputs[0].facets.lifecycleStateChange.previousIdentifier"]
    assert of_b(stack) == before


@pytest.mark.parametrize("name", ["parent", "parentRun"])
def test_a_child_and_a_ghost_parent_of_another_team_leave_its_jobs_alone(stack: Stack, name: str) -> None:
    before = of_b(stack)
    child = factory.facet(run={"runId": B_RUN}, job={"namespace": "team-b", "name": "ingest_orders"})
    ghost = factory.facet(run={"runId": factory.run_id(99)}, job={"namespace": "team-b", "name": "ghost"})
    own = factory.facet(
        run={"runId": factory.run_id(98)}, job={"namespace": "team-a", "name": "dag"}, root={**child, **ghost}
    )
    for parent, path in ((child, name), (ghost, name), (own, f"{name}.root")):
        failed = event("FAIL", factory.run_id(40), "team-a", "child", seconds=70, run_facets={name: parent})
        assert stack.post(A, failed).body["setAside"] == [f"run.facets.{path}"]
    assert of_b(stack) == before


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


@pytest.mark.parametrize(
    "members", [{"dataset": {"facets": [1]}}, {"run": {"runId": A_RUN, "facets": {"parent": [1]}}}]
)
def test_members_that_a_run_event_does_not_have_are_left_alone(stack: Stack, members: dict[str, Any]) -> None:
    assert stack.post(A, {**event("START", A_RUN, "team-a", "feed"), **members}).status == 201


@pytest.mark.parametrize("inputs", ["abc", [{"namespace": 5, "name": "x"}], {"a": 1}])
def test_members_that_a_dataset_event_does_not_have_are_left_alone(stack: Stack, inputs: Any) -> None:
    described = factory.dataset_event(factory.dataset("out", A_LAKE), seconds=40)
    assert stack.post(A, {**described, "inputs": inputs}).status == 201


@pytest.mark.parametrize(
    "entry",
    [
        {"namespace": "", "name": "x"},
        {"namespace": B_LAKE, "name": ""},
        {"namespace": B_LAKE, "name": "x" * 20_000},
        {"namespace": "team-b", "name": "ingest_orders", "type": "JOB"},
        {"namespace": B_LAKE, "name": ["orders"]},
        None,
    ],
)
def test_an_entry_of_a_lineage_facet_that_names_no_dataset_refuses_no_event(stack: Stack, entry: Any) -> None:
    facets = {"lineage": factory.facet(entries=[entry])}
    before = of_b(stack)
    assert posted(stack, job_facets=facets, outputs=[factory.dataset("out", A_LAKE)]).status == 201
    assert of_b(stack) == before
    assert [output["name"] for output in stack.get(A, "namespaces/team-a/jobs/feed").body["outputs"]] == ["out"]


@pytest.mark.parametrize("args", ["abc", [1], 5])
def test_arguments_of_another_form_break_no_list_of_jobs(stack: Stack, args: Any) -> None:
    posted(stack, run_facets={"headwater_run": {"args": args}})
    assert stack.get(ROOT, "jobs").status == 200
