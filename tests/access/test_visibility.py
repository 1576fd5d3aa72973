"""What a caller sees: its own namespaces, and of others the names that its own jobs used."""

import base64

import pytest

from headwater.access.principal import Principal
from tests import factory
from tests.access.teams import (
    A_ADMIN,
    A_LAKE,
    A_RUN,
    B_LAKE,
    B_RUN,
    ORDERS_PATH,
    PLATFORM,
    ROOT,
    SECRETS,
    A,
    Answer,
    B,
    Stack,
    claim_of_a,
    event,
    posted,
    seen_by_b,
)

GRAPHS = ("lineage", "export", "rootcause")


def claim_to_read(stack: Stack) -> Answer:
    return stack.post(A, claim_of_a())


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
    assert stack.get(B, "impact", nodeId=f"dataset:{B_LAKE}:orders").body["hiddenCount"] == 1
    assert stack.get(B, "lineage", nodeId=f"dataset:{B_LAKE}:orders", direction="downstream").body["graph"] == graph
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


def test_a_cursor_is_of_the_key_that_got_it(stack: Stack) -> None:
    cursor = stack.get(A, f"namespaces/{A_LAKE}/datasets", limit="1").body["cursor"]
    assert stack.get(A, f"namespaces/{A_LAKE}/datasets", limit="1", cursor=cursor).status == 200
    other = Principal("other", A.scopes, A.namespaces, seal="another seal")
    assert stack.get(other, f"namespaces/{A_LAKE}/datasets", limit="1", cursor=cursor).status == 400
    forged = base64.urlsafe_b64encode(b'{"after": "s3://b-lake", "total": 9}').decode()
    assert stack.get(A, f"namespaces/{A_LAKE}/datasets", limit="1", cursor=forged).status == 400


def test_counts_of_events_are_of_the_namespaces_of_the_key(stack: Stack) -> None:
    def count(caller: Principal) -> int:
        return sum(hour["complete"] for hour in stack.get(caller, "stats/lineage-events", period="DAY").body)

    assert (count(A), count(B), count(ROOT)) == (1, 2, 3)


def test_whether_a_dataset_of_another_team_exists_is_not_told(stack: Stack) -> None:
    for name in ("orders", "no-such-dataset"):
        assert stack.get(A, f"namespaces/{B_LAKE}/datasets/{name}").status == 403
        assert stack.get(A, "lineage", nodeId=f"dataset:{B_LAKE}:{name}").status == 403
        assert stack.get(A, "column-lineage", nodeId=f"datasetField:{B_LAKE}:{name}:id").status == 403


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


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "jobs/runs/RUN"),
        ("GET", "jobs/runs/RUN/facets?type=run"),
        ("GET", "jobs/runs/RUN/children"),
        ("GET", "jobs/runs/RUN/events"),
        ("GET", "runlineage/upstream?runId=RUN"),
        ("POST", "jobs/runs/RUN/complete"),
        ("PUT", "jobs/runs/RUN/good"),
        ("DELETE", "jobs/runs/RUN/good"),
    ],
)
def test_an_answer_does_not_tell_that_a_run_of_another_team_exists(stack: Stack, method: str, path: str) -> None:
    """The id of a run of Airflow or dbt can be computed."""
    caller = Principal("a", frozenset({"ingest", "read"}), ("team-a",), seal="a")
    answers = []
    for run in (B_RUN, factory.run_id(999)):
        plain, _, query = path.replace("RUN", run).partition("?")
        asked = dict(pair.split("=") for pair in query.split("&") if pair)
        answer = stack.get(caller, plain, **asked) if method == "GET" else stack.write(caller, method, plain)
        answers.append((answer.status, str(answer.body).replace(run, "RUN")))
    assert answers[0] == answers[1]
    assert answers[0][0] == 404


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
    listed = {known["name"] for known in stack.get(A, "namespaces").body["namespaces"]}
    assert [name for name in listed if "a-lake" in name] == [A_LAKE]
    assert stack.get(A, "search", q="spelled").body["totalCount"] == 1
    assert len(stack.get(A, "events/lineage", eventKinds="DatasetEvent").body["events"]) == 1
    assert stack.get(B, f"namespaces/{sent}/datasets/spelled").status == 403


@pytest.mark.parametrize("pattern", ["*a*", "head*", "headwater:*", "?eadwater:tags"])
def test_a_pattern_is_for_no_reserved_namespace(stack: Stack, pattern: str) -> None:
    caller = Principal("wide", frozenset({"admin"}), (pattern,), seal="seal")
    for reserved in ("namespaces", "tags", "sources"):
        assert stack.get(caller, f"namespaces/headwater:{reserved}/datasets").status == 403
        assert stack.get(caller, "search", q="e", namespace=f"headwater:{reserved}").status == 403


def test_a_hidden_job_that_only_may_use_a_dataset_does_not_read_it_for_certain(stack: Stack) -> None:
    read = factory.dataset("seen", A_LAKE)
    posted(stack, outputs=[read])
    doubt = {"headwater_inputs": factory.facet(areCandidates=True)}
    stack.post(PLATFORM, event("COMPLETE", factory.run_id(72), "team-b", "model", inputs=[read], run_facets=doubt))
    graph = stack.get(A, "lineage", nodeId=f"dataset:{A_LAKE}:seen", direction="downstream").body["graph"]
    (edge,) = (edge for node in graph for edge in node["inEdges"] if edge["origin"].endswith(":seen"))
    assert edge["candidate"]
    assert "model" not in edge["destination"]


def test_a_column_of_a_linked_dataset_of_another_team_is_not_found(stack: Stack) -> None:
    """The platform says that a dataset of A and orders of B are one. A tags its own name of it."""
    linked = factory.dataset("glued", A_LAKE, symlinks=factory.symlinks("orders", namespace=B_LAKE))
    stack.post(PLATFORM, event("COMPLETE", factory.run_id(71), "team-a", "linker", outputs=[linked]))
    before = seen_by_b(stack)
    answers = [
        stack.write(A, method, f"namespaces/{A_LAKE}/datasets/glued/fields/{column}/tags/PII")
        for method in ("POST", "DELETE")
        for column in ("ssn", "nothing")
    ]
    assert [answer.status for answer in answers] == [404] * 4
    assert B_LAKE not in str(answers)
    assert stack.write(A, "POST", f"namespaces/{A_LAKE}/datasets/glued/tags/PII").status == 200
    assert stack.write(A_ADMIN, "DELETE", f"namespaces/{A_LAKE}/datasets/glued").status == 403
    assert seen_by_b(stack) == before
