"""Further attempts of a team to read and to change what is another team's, most of them through odd events."""

from collections.abc import Callable
from typing import Any

import pytest

from headwater.access.principal import Principal
from tests import factory
from tests.access.teams import (
    A_ADMIN,
    A_LAKE,
    A_RUN,
    B_LAKE,
    B_RUN,
    ROOT,
    SECRETS,
    A,
    Answer,
    B,
    Stack,
    event,
    two_teams,
)

ORDERS_PATH = f"namespaces/{B_LAKE}/datasets/orders"
ORDERS_NODE = f"dataset:{B_LAKE}:orders"
PLATFORM = Principal("platform", frozenset({"ingest"}), ("*",))
"""A producer of all namespaces, which posts events about the jobs of any team."""
B_ADMIN = Principal("b-admin", frozenset({"admin"}), B.namespaces, seal="seal of an administrator of b")
ORDERS_NAME = factory.dataset("orders", B_LAKE)


@pytest.fixture
def stack() -> Stack:
    return two_teams()


def of_b(stack: Stack) -> list[Answer]:
    """What B sees of its own."""
    paths = [ORDERS_PATH, f"{ORDERS_PATH}/versions", f"namespaces/{B_LAKE}/datasets", f"jobs/runs/{B_RUN}", "jobs"]
    return [*(stack.get(B, path) for path in paths), stack.get(B, "aliases", nodeId=ORDERS_NODE)]


def posted(stack: Stack, number: int = 21, seconds: float = 50, **members: Any) -> Answer:
    """The answer to an event of A about its job `feed`."""
    return stack.post(A, event("COMPLETE", factory.run_id(number), "team-a", "feed", seconds=seconds, **members))


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
    own = factory.dataset("out", A_LAKE)
    assert posted(stack, job_facets=facets, outputs=[own]).status == 201
    assert of_b(stack) == before
    outputs = stack.get(A, "namespaces/team-a/jobs/feed").body["outputs"]
    assert [output["name"] for output in outputs] == ["out"]


@pytest.mark.parametrize("args", ["abc", [1], 5])
def test_arguments_of_another_form_break_no_list_of_jobs(stack: Stack, args: Any) -> None:
    posted(stack, run_facets={"headwater_run": {"args": args}})
    assert stack.get(ROOT, "jobs").status == 200


EARLY = -9_999


@pytest.mark.parametrize("namespace", [B_LAKE, "s3a://b-lake", "s3n://b-lake/"])
@pytest.mark.parametrize("name", ["orders", "orders/day=1", "/orders/", "orders/_delta_log"])
@pytest.mark.parametrize("side", ["inputs", "outputs"])
def test_a_name_of_another_team_changes_no_time_and_no_name(stack: Stack, namespace: str, name: str, side: str) -> None:
    before = of_b(stack)
    members: dict[str, Any] = {side: [factory.dataset(name, namespace)]}
    answer = posted(stack, seconds=EARLY, **members)
    assert answer.status == 201
    assert of_b(stack) == before


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
    assert (dataset["namespace"], dataset["createdAt"]) == ("s3a://b-lake", factory.at(0))


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
    before = of_b(stack)
    for number in range(10):
        claim = event("COMPLETE", factory.run_id(100 + number), "team-a", f"forger {number}", outputs=[ORDERS_NAME])
        stack.post(A, {**claim, "eventTime": factory.at(900)})
    assert of_b(stack) == before
    found = stack.get(ROOT, "search", q="orders", filter="dataset", sort="update_at").body["results"]
    assert [match["updatedAt"] for match in found] == [factory.at(160)]


def merged(seconds: float, *sources: tuple[str, str]) -> factory.Document:
    """A MERGE into a dataset of A: its column lineage alone names the sources."""
    columns = factory.columns(**{f"x{at}": (*source, "id") for at, source in enumerate(sources)})
    target = factory.dataset("target", A_LAKE, columnLineage=columns)
    out = [factory.dataset("target", A_LAKE)], [target]
    return event("COMPLETE", factory.run_id(40), "team-a", "merge", seconds=seconds, inputs=out[0], outputs=out[1])


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
    before = of_b(stack)
    stack.post(A, made_of_orders(EARLY)[kind])
    assert of_b(stack) == before
    for caller in (A, ROOT):
        graph = stack.get(caller, "lineage", nodeId=reader, direction="upstream", depth="1").body["graph"]
        edges = [edge for node in graph for edge in node["inEdges"] if edge["origin"] == ORDERS_NODE]
        assert [edge.get("foreign") for edge in edges] == [True]
        own = {edge["origin"] for node in graph for edge in node["inEdges"] if not edge.get("foreign")}
        assert (f"dataset:{A_LAKE}:in" in own) == (kind == 1)
    assert stack.write(B_ADMIN, "DELETE", ORDERS_PATH).status == 200
    stack.post(A, made_of_orders(500_000)[kind])
    assert stack.get(B, ORDERS_PATH).status == 404


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


PLATFORM_RUN = factory.run_id(200)


def posted_by_platform(stack: Stack) -> None:
    """The platform posts a run of A that reads and writes datasets of B, with all that it knows of them."""
    read = factory.dataset(
        "orders",
        B_LAKE,
        schema=factory.schema("ssn:string"),
        ownership=factory.facet(owners=[{"name": "bea"}]),
        symlinks=factory.symlinks("b_report", namespace="glue"),
    )
    metrics = factory.facet(rowCount=4711, columnMetrics={"ssn": {"nullCount": 0}})
    source = {"namespace": A_LAKE, "name": "in", "field": "id"}
    made = {"transformations": [{"type": "DIRECT", "subtype": "IDENTITY", "description": "hunter2"}]}
    columns = factory.facet(fields={"ssn": {"inputFields": [{**source, **made}]}})
    written = factory.dataset("copy", B_LAKE, schema=factory.schema("ssn:string"), columnLineage=columns)
    stack.post(
        PLATFORM,
        event(
            "COMPLETE",
            PLATFORM_RUN,
            "team-a",
            "copier",
            seconds=300,
            inputs=[{**read, "inputFacets": {"dataQualityMetrics": metrics}}, factory.dataset("in", A_LAKE)],
            outputs=[{**written, "outputFacets": {"outputStatistics": metrics}}],
        ),
    )


@pytest.mark.parametrize(
    ("path", "query"),
    [
        (f"jobs/runs/{PLATFORM_RUN}", {}),
        ("namespaces/team-a/jobs/copier", {}),
        ("namespaces/team-a/jobs/copier/runs", {}),
        ("namespaces/team-a/jobs/copier/versions", {}),
        ("jobs", {}),
        ("events/lineage", {}),
        ("rootcause", {"nodeId": "job:team-a:copier"}),
        ("runlineage/upstream", {"runId": PLATFORM_RUN}),
        ("impact", {"nodeId": f"datasetField:{A_LAKE}:in:id"}),
        ("impact", {"nodeId": f"datasetField:{A_LAKE}:in:id", "asOf": factory.at(400)}),
        ("column-lineage", {"nodeId": "job:team-a:copier", "direction": "both"}),
        ("export", {"nodeId": "job:team-a:copier", "format": "openlineage"}),
    ],
)
def test_what_a_run_of_the_caller_says_of_datasets_of_others_is_not_shown(
    stack: Stack, path: str, query: dict[str, str]
) -> None:
    posted_by_platform(stack)
    answer = stack.get(A, path, **query)
    assert answer.status == 200
    assert answer.secrets((*SECRETS, "4711", "hunter2", "glue")) == []
    assert stack.get(ROOT, path, **query).status == 200
    if path != "column-lineage":
        assert B_LAKE in answer.text


def test_the_version_of_an_input_of_another_team_does_not_follow_from_its_schema() -> None:
    """Otherwise a caller could guess a schema, and compare."""
    stack = Stack()
    posted_by_platform(stack)
    by_caller = [stack.get(who, f"jobs/runs/{PLATFORM_RUN}").body["inputDatasetVersions"] for who in (A, ROOT)]
    versions = {
        version["datasetVersionId"]["version"] for of in by_caller for version in of if "b-lake" in str(version)
    }
    assert len(versions) == 2


@pytest.mark.parametrize(
    ("method", "there", "nowhere"),
    [
        ("GET", "namespaces/team-b", "namespaces/team-c"),
        ("GET", "namespaces/team-b/jobs", "namespaces/team-c/jobs"),
        ("GET", f"namespaces/{B_LAKE}/datasets", "namespaces/s3://c-lake/datasets"),
        ("GET", "sources/s3:%2F%2Fb-lake", "sources/s3:%2F%2Fc-lake"),
        ("DELETE", "namespaces/team-b", "namespaces/team-c"),
        ("DELETE", ORDERS_PATH, f"namespaces/{B_LAKE}/datasets/nothing"),
    ],
)
def test_an_answer_does_not_tell_what_exists(stack: Stack, method: str, there: str, nowhere: str) -> None:
    stack.write(B, "PUT", f"sources/{B_LAKE}", {"type": "S3", "connectionUrl": B_LAKE})
    if method == "GET":
        answers = [stack.get(A, path) for path in (there, nowhere)]
    else:
        answers = [stack.write(A_ADMIN, method, path) for path in (there, nowhere)]
    assert answers[0] == answers[1]
    assert answers[0].status == 403


def test_a_node_id_that_begins_with_an_own_namespace_does_not_tell_what_exists(stack: Stack) -> None:
    """`hdfs` is the namespace of a default host, and the beginning of the namespaces of all other hosts."""
    b = Principal("b", B.scopes, ("team-b", "hdfs://b-host:8020"))
    written = factory.dataset("/orders", "hdfs://b-host:8020", schema=factory.schema("ssn:string"))
    stack.post(b, event("COMPLETE", factory.run_id(50), "team-b", "writer", outputs=[written]))
    caller = Principal("a", A.scopes, ("team-a", "hdfs"), seal="seal")
    for path in ("lineage", "impact", "aliases", "column-lineage"):
        answers = [stack.get(caller, path, nodeId=f"dataset:hdfs://b-host:8020:/{name}") for name in ("orders", "none")]
        assert [answer.status for answer in answers] == [404, 404]
    assert stack.get(b, "lineage", nodeId="dataset:hdfs://b-host:8020:/orders").status == 200


@pytest.mark.parametrize("sent", ["s3a://a-lake", "s3n://a-lake/", A_LAKE])
def test_a_namespace_is_the_callers_in_every_spelling(stack: Stack, sent: str) -> None:
    written = factory.dataset("spelled", sent, schema=factory.schema("id:int"))
    answer = posted(stack, outputs=[written])
    stack.post(A, factory.dataset_event(written, seconds=60))
    assert "setAside" not in answer.body
    for spelling in ("s3a://a-lake", A_LAKE):
        dataset = stack.get(A, f"namespaces/{spelling}/datasets/spelled")
        assert (dataset.status, [column["name"] for column in dataset.body["fields"]]) == (200, ["id"])
        graph = stack.get(A, "lineage", nodeId=f"dataset:{spelling}:spelled").body["graph"]
        assert {node["data"].get("foreign", False) for node in graph} == {False}
        assert stack.get(A, f"namespaces/{spelling}/datasets/none").status == 404
    assert sent in {known["name"] for known in stack.get(A, "namespaces").body["namespaces"]}
    assert stack.get(A, "search", q="spelled").body["totalCount"] == 1
    assert len(stack.get(A, "events/lineage", eventKinds="DatasetEvent").body["events"]) == 1
    assert stack.get(B, f"namespaces/{sent}/datasets/spelled").status == 403


@pytest.mark.parametrize("pattern", ["*a*", "head*", "headwater:*", "?eadwater:tags"])
def test_a_pattern_is_for_no_reserved_namespace(stack: Stack, pattern: str) -> None:
    caller = Principal("wide", frozenset({"admin"}), (pattern,), seal="seal")
    for reserved in ("namespaces", "tags", "sources"):
        assert stack.get(caller, f"namespaces/headwater:{reserved}/datasets").status == 403
        assert stack.get(caller, "search", q="e", namespace=f"headwater:{reserved}").status == 403


def test_a_symlink_of_the_platform_to_another_team_leaves_the_own_name(stack: Stack) -> None:
    """A name that is only linked, of an own dataset and of another's, means the own one."""
    for name, namespace, number in (("own", A_LAKE, 60), ("orders", B_LAKE, 61)):
        linked = factory.dataset(name, namespace, symlinks=factory.symlinks("glued", namespace="s3://a-glue"))
        stack.post(PLATFORM, event("COMPLETE", factory.run_id(number), "team-a", "linker", outputs=[linked]))
    answer = stack.get(A, "namespaces/s3://a-glue/datasets/glued")
    assert (answer.status, answer.body["name"], answer.secrets()) == (200, "own", [])


def test_a_namespace_is_deleted_though_jobs_of_others_used_its_datasets_later(stack: Stack) -> None:
    """The platform posts the job of B, so that the use counts."""
    read = factory.dataset("out", A_LAKE)
    stack.post(PLATFORM, event("COMPLETE", factory.run_id(70), "team-b", "reader", seconds=7_000, inputs=[read]))
    assert stack.write(A_ADMIN, "DELETE", f"namespaces/{A_LAKE}", has_time=has_time_for(5)).status == 200
    assert stack.get(A, f"namespaces/{A_LAKE}/datasets").body["datasets"] == []


def has_time_for(steps: int) -> Callable[[], bool]:
    remaining = iter(range(steps))
    return lambda: next(remaining, None) is not None


def test_a_column_of_a_linked_dataset_of_another_team_is_not_found(stack: Stack) -> None:
    """The platform says that a dataset of A and orders of B are one. A tags its own name of it."""
    linked = factory.dataset("glued", A_LAKE, symlinks=factory.symlinks("orders", namespace=B_LAKE))
    stack.post(PLATFORM, event("COMPLETE", factory.run_id(71), "team-a", "linker", outputs=[linked]))
    before = of_b(stack)
    answers = [
        stack.write(A, method, f"namespaces/{A_LAKE}/datasets/glued/fields/{column}/tags/PII")
        for method in ("POST", "DELETE")
        for column in ("ssn", "nothing")
    ]
    assert [answer.status for answer in answers] == [404] * 4
    assert B_LAKE not in str(answers)
    assert stack.write(A, "POST", f"namespaces/{A_LAKE}/datasets/glued/tags/PII").status == 200
    assert stack.write(A_ADMIN, "DELETE", f"namespaces/{A_LAKE}/datasets/glued").status == 403
    assert of_b(stack) == before
