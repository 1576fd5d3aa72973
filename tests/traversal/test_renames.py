"""A renamed table is one dataset: under its new name from then on, under the old one before."""

from collections.abc import Iterable
from itertools import islice, permutations
from math import factorial
from urllib.parse import quote

import pytest

from headwater.graph.facets.curation import tag_facet
from headwater.graph.facets.dataset_reference import dataset_references
from tests import factory
from tests.factory import Document
from tests.traversal.lineage import LAKE, Get, after, edges, ran


def renamed(old: str, new: str, *, seconds: float, kind: str = "COMPLETE", spark: bool = False) -> Document:
    """The rename of a table, as Spark's listener sends it: a rename of an application is one job."""
    table = factory.dataset(new, lifecycleStateChange=factory.renamed_from(old))
    facets = {"jobType": factory.facet(integration="SPARK", jobType="SQL_JOB")} if spark else {}
    return factory.run_event(
        kind, job="app.rename", run=int(100 + seconds), seconds=seconds, outputs=[table], job_facets=facets
    )


def flows(events: tuple[Document, ...], start: str, **query: str) -> set[tuple[str, str]]:
    """The edges upstream and downstream of a dataset, but for those of the job that renames."""
    answer = after(*events)("lineage", nodeId=f"dataset:{LAKE}:{start}", direction="both", **query)
    return {edge for edge in edges(answer) if "app.rename" not in edge}


def orders(events: tuple[Document, ...]) -> Iterable[tuple[Document, ...]]:
    """All orders of few events, and some fifty of the orders of many."""
    return islice(permutations(events), 0, None, factorial(len(events)) // 60 | 1)


def written(job: str, table: str, run: int, seconds: float) -> Document:
    return ran(job, f"raw_{job}", table, run=run, seconds=seconds)


LOADED, READ = written("load", "a", 1, 1), ran("report", "a", "out", run=2, seconds=2)
SIMPLE = (LOADED, READ, renamed("a", "b", seconds=10), ran("report2", "b", "out2", run=3, seconds=20))
CHAIN = (LOADED, READ, renamed("a", "b", seconds=10), renamed("b", "c", seconds=20))
BACK = (
    LOADED,
    renamed("a", "b", seconds=10),
    renamed("b", "a", seconds=20),
    ran("report", "a", "out", run=2, seconds=30),
)
SWAP = (
    LOADED,
    written("other", "b", 2, 2),
    renamed("a", "tmp", seconds=10),
    renamed("b", "a", seconds=20),
    renamed("tmp", "b", seconds=30),
)
REUSED = (
    LOADED,
    READ,
    renamed("a", "b", seconds=10),
    written("anew", "a", 3, 20),
    ran("report2", "a", "out2", run=4, seconds=30),
)


def through(name: str, *jobs: str) -> set[tuple[str, str]]:
    """The edges of a table that these jobs load, and `report` reads into `out` if it is among them."""
    found: set[tuple[str, str]] = set()
    for job in jobs:
        out = {"report": "out", "report2": "out2"}.get(job)
        found |= {(name, job), (job, out)} if out else {(f"raw_{job}", job), (job, name)}
    return found


@pytest.mark.parametrize("start", ["a", "b"])
def test_a_renamed_table_has_the_writers_and_readers_of_both_names(start: str) -> None:
    for events in orders(SIMPLE):
        assert flows(events, start) == through("b", "load", "report", "report2")


@pytest.mark.parametrize("start", ["a", "b"])
def test_as_of_a_time_before_the_rename_the_table_has_its_old_name(start: str) -> None:
    assert flows(SIMPLE, start, asOf=factory.at(5)) == through("a", "load", "report")
    assert flows(SIMPLE, start, asOf=factory.at(15)) == through("b", "load", "report")


@pytest.mark.parametrize("start", ["a", "b", "c"])
def test_a_table_that_was_renamed_twice_has_its_last_name(start: str) -> None:
    for events in orders(CHAIN):
        assert flows(events, start) == through("c", "load", "report")
    for seconds, name in ((5, "a"), (15, "b"), (25, "c")):
        assert flows(CHAIN, start, asOf=factory.at(seconds)) == through(name, "load", "report")


@pytest.mark.parametrize("start", ["a", "b"])
def test_a_table_that_was_renamed_back_has_its_first_name(start: str) -> None:
    for events in orders(BACK):
        assert flows(events, start) == through("a", "load", "report")
    assert flows(BACK, start, asOf=factory.at(15)) == through("b", "load")


def test_tables_that_swap_their_names_keep_their_writers() -> None:
    for events in orders(SWAP):
        assert flows(events, "a") == through("a", "other")
        assert flows(events, "b") == through("b", "load")
        assert flows(events, "tmp") == through("b", "load")
    for start, other in (("a", "load"), ("b", "other")):
        assert flows(SWAP, start, asOf=factory.at(5)) == through(start, other)


def test_a_new_table_under_the_old_name_is_another_one() -> None:
    for events in orders(REUSED):
        assert flows(events, "a") == through("a", "anew", "report2")
        assert flows(events, "b") == through("b", "load", "report")
    assert flows(REUSED, "a", asOf=factory.at(5)) == through("a", "load", "report")


def test_a_straggler_that_read_the_old_name_brings_it_not_back() -> None:
    late = ran("report", "a", "out", run=2, seconds=12)
    assert flows((*SIMPLE, late), "a") == through("b", "load", "report", "report2")


@pytest.mark.parametrize(("name", "jobs"), [("a", {"anew", "report2"}), ("b", {"load", "report"})])
def test_the_impact_tells_the_tables_of_one_name_apart(name: str, jobs: set[str]) -> None:
    answer = after(*REUSED)("impact", nodeId=f"dataset:{LAKE}:{name}")
    found = {item["nodeId"].rpartition(":")[2] for owner in answer["owners"] for item in owner["items"]}
    assert found & {"report", "report2"} == jobs & {"report", "report2"}


@pytest.mark.parametrize(("kind", "spark"), [("START", True), ("FAIL", False)])
def test_a_rename_that_failed_is_none(kind: str, *, spark: bool) -> None:
    """Spark's listener sends no FAIL. It names the new table at START only if the name is taken."""
    failed = tuple(renamed("a", "b", seconds=10, kind=each, spark=spark) for each in (kind, "COMPLETE"))
    for events in orders((LOADED, READ, written("other", "b", 3, 3), *failed)):
        assert flows(events, "a") == through("a", "load", "report")
        assert flows(events, "b") == through("b", "other")


def test_a_rename_that_failed_hides_none_that_did_not() -> None:
    """A job that is run again makes its table anew, and cannot rename it: the new name is taken by now."""
    failed = tuple(renamed("a", "b", seconds=31, kind=kind, spark=True) for kind in ("START", "COMPLETE"))
    for events in orders((LOADED, READ, renamed("a", "b", seconds=10), written("anew", "a", 3, 20), *failed)):
        assert flows(events, "a") == through("a", "anew")
        assert flows(events, "b") == through("b", "load", "report")


def test_a_table_whose_path_stays_has_one_name() -> None:
    assert flows((LOADED, READ, renamed("a", "a", seconds=10)), "a") == through("a", "load", "report")


def test_lists_and_the_search_have_the_new_name_alone_and_the_old_name_is_found() -> None:
    get = after(*CHAIN)
    listed = [dataset["name"] for dataset in get(f"namespaces/{quote(LAKE, safe='')}/datasets")["datasets"]]
    assert listed == ["c", "out", "raw_load"]
    assert [match["name"] for match in get("search", q="a", filter="DATASET")["results"]] == ["raw_load"]
    for name in ("a", "b", "c"):
        assert get(f"namespaces/{quote(LAKE, safe='')}/datasets/{name}")["name"] == "c"
    aliases = get("aliases", nodeId=f"dataset:{LAKE}:a")["aliases"]
    assert [(alias["name"], alias["rules"], alias["evidence"]) for alias in aliases] == [
        ("a", ["rename"], f"it was renamed to {LAKE} b at {factory.at(10)}"),
        ("b", ["rename"], f"it was renamed to {LAKE} c at {factory.at(20)}"),
    ]


def test_columns_owners_tags_and_versions_carry_over() -> None:
    facets: Document = {
        "schema": factory.schema("id:long"),
        "columnLineage": factory.columns(id=(LAKE, "raw", "id")),
        "tags": factory.facet(tags=[{"key": "pii", "value": "true", "source": "USER"}]),
        "ownership": factory.facet(owners=[{"name": "ada"}]),
    }
    get = after(ran("load", "raw", "", run=1, outputs=[factory.dataset("a", **facets)]), renamed("a", "b", seconds=10))
    table = get(f"namespaces/{quote(LAKE, safe='')}/datasets/b")
    assert (table["tags"], table["facets"]["ownership"]["owners"]) == (["pii"], [{"name": "ada"}])
    assert [field["name"] for field in table["fields"]] == ["id"]
    versions = get(f"namespaces/{quote(LAKE, safe='')}/datasets/b/versions")["versions"]
    assert factory.run_id(1) in [version["version"] for version in versions]
    columns = get("column-lineage", nodeId=f"datasetField:{LAKE}:b:id")["graph"]
    assert {node["data"]["dataset"] for node in columns} == {"raw", "b"}


@pytest.mark.parametrize("name", ["a", "b"])
def test_all_edges_that_a_name_ever_had_are_those_of_both_tables(name: str) -> None:
    assert {("load", name), ("anew", name), (name, "report")} <= flows(REUSED, name, view="ever")


@pytest.mark.parametrize(
    "former",
    [{"namespace": "headwater:tags", "name": "pii"}, {"namespace": LAKE, "name": "b" * 20_000}, {"name": "a"}, "a"],
    ids=["a tag", "too long", "without a namespace", "a text"],
)
def test_what_can_be_no_name_of_a_dataset_is_renamed_by_nobody(former: object) -> None:
    facet = factory.facet(lifecycleStateChange="RENAME", previousIdentifier=former)
    event = factory.run_event("COMPLETE", outputs=[factory.dataset("new", lifecycleStateChange=facet)])
    (normalised,) = factory.received(event)
    assert [output.name.name for output in dataset_references(normalised.event)] == ["new"]


def test_the_producer_of_an_input_is_the_run_that_wrote_the_table_under_its_former_name() -> None:
    for events in orders(SIMPLE):
        get = after(*events)
        assert input_versions(get, 3) == [factory.run_id(1)]
        made_of_runs = get("runlineage/upstream", runId=factory.run_id(3))["runs"]
    assert {each["run"]["id"] for each in made_of_runs} == {factory.run_id(3), factory.run_id(1)}
    assert input_versions(after(*CHAIN, ran("report3", "c", "out", run=5, seconds=30)), 5) == [factory.run_id(1)]


@pytest.mark.parametrize(
    ("name", "seconds", "producer"),
    [("a", 30, 3), ("b", 30, 1), ("a", 8, 1), ("b", 40, 1)],
    ids=["the new table", "the renamed one", "before the rename", "later"],
)
def test_the_producer_of_an_input_is_one_of_its_table_not_of_another_with_the_name(
    name: str, seconds: float, producer: int
) -> None:
    read = ran("reader", name, "copy", run=7, seconds=seconds)
    assert input_versions(after(*REUSED, read), 7) == [factory.run_id(producer)]


def test_a_new_table_none_of_whose_writes_went_well_is_not_that_of_before() -> None:
    failed = {**written("anew", "a", 3, 20), "eventType": "FAIL"}
    read = ran("reader", "a", "copy", run=7, seconds=30)
    get = after(LOADED, renamed("a", "b", seconds=10), failed, read)
    assert factory.run_id(1) not in input_versions(get, 7)


def test_a_straggler_read_the_table_that_had_the_name_when_it_began() -> None:
    begun = {**ran("reader", "a", "copy", run=7, seconds=5), "eventType": "START"}
    done = ran("reader", "a", "copy", run=7, seconds=25)
    for events in orders((LOADED, renamed("a", "b", seconds=10), written("anew", "a", 3, 20), begun, done)):
        assert input_versions(after(*events), 7) == [factory.run_id(1)]


def test_a_table_of_which_only_the_rename_is_known_was_made_by_it() -> None:
    read = ran("reader", "b", "copy", run=7, seconds=30)
    assert input_versions(after(renamed("a", "b", seconds=10), read), 7) == [factory.run_id(110)]


def input_versions(get: Get, run: int) -> list[str | None]:
    answer = get(f"jobs/runs/{factory.run_id(run)}")
    return [each.get("datasetVersionId", {}).get("version") for each in answer["inputDatasetVersions"]]


@pytest.mark.parametrize(("name", "versions"), [("a", [3]), ("b", [110, 1])])
def test_the_versions_of_a_name_are_those_of_its_table_alone(name: str, versions: list[int]) -> None:
    for events in orders(REUSED):
        get = after(*events)
        path = f"namespaces/{quote(LAKE, safe='')}/datasets/{name}"
        listed = [each["version"] for each in get(f"{path}/versions")["versions"]]
        assert listed == [factory.run_id(run) for run in versions]
        assert get(path)["currentVersion"] in listed


def derived(job: str, source: str, output: str, *, run: int, seconds: float, **columns: str) -> Document:
    """A run that makes columns of an output of those of its source."""
    lineage = factory.columns(**{name: (LAKE, source, column) for name, column in columns.items()})
    outputs = [factory.dataset(output, columnLineage=lineage)]
    return ran(job, source, "", run=run, seconds=seconds, outputs=outputs)


COLUMNS = (
    derived("load", "raw", "a", run=1, seconds=1, id="id"),
    derived("report", "a", "out", run=2, seconds=2, x="id"),
    renamed("a", "b", seconds=10),
    derived("anew", "new", "a", run=3, seconds=20, id="id"),
    derived("report2", "a", "out2", run=4, seconds=30, x="id"),
)


@pytest.mark.parametrize("query", [{}, {"asOf": factory.at(40)}], ids=["now", "as of a time"])
@pytest.mark.parametrize(
    ("start", "columns"),
    [
        ("a:id", {"new.id", "a.id", "out2.x"}),
        ("b:id", {"raw.id", "b.id", "out.x"}),
        ("out:x", {"raw.id", "b.id", "out.x"}),
        ("out2:x", {"new.id", "a.id", "out2.x"}),
        ("raw:id", {"raw.id", "b.id", "out.x"}),
        ("new:id", {"new.id", "a.id", "out2.x"}),
    ],
)
def test_the_column_lineage_tells_the_tables_of_one_name_apart(
    start: str, columns: set[str], query: dict[str, str]
) -> None:
    for events in orders(COLUMNS):
        answer = after(*events)("column-lineage", nodeId=f"datasetField:{LAKE}:{start}", withDownstream="true", **query)
        assert {f"{node['data']['dataset']}.{node['data']['field']}" for node in answer["graph"]} == columns


@pytest.mark.parametrize("query", [{}, {"asOf": factory.at(40)}], ids=["now", "as of a time"])
@pytest.mark.parametrize(
    ("start", "broken"),
    [("a:id", {"out2:x"}), ("b:id", {"out:x"}), ("raw:id", {"b:id", "out:x"}), ("new:id", {"a:id", "out2:x"})],
)
def test_the_impact_of_a_column_tells_the_tables_of_one_name_apart(
    start: str, broken: set[str], query: dict[str, str]
) -> None:
    for events in orders(COLUMNS):
        answer = after(*events)("impact", nodeId=f"datasetField:{LAKE}:{start}", **query)
        items = [item["nodeId"] for owner in answer["owners"] for item in owner["items"] if not item["possible"]]
        columns = {item.removeprefix(f"datasetField:{LAKE}:") for item in items if item.startswith("datasetField:")}
        assert columns == broken


def looped(job: str, reads: str, writes: str, run: int, seconds: float) -> Document:
    return ran(job, reads, writes, run=run, seconds=seconds, run_facets={"parent": factory.parent(9, "app")})


def test_a_loop_that_renames_its_table_each_time_read_and_wrote_each_of_them() -> None:
    """A run of a generation is read as of its own time, also where a newer run has the same edges."""
    loop = (
        looped("app.append", "x", "a", 11, 1),
        looped("app.append", "x", "a", 12, 11),
        renamed("a", "b", seconds=5),
        renamed("a", "c", seconds=15),
        looped("app.append", "y", "a", 13, 21),
        factory.run_event("COMPLETE", job="app", run=9, seconds=30),
    )
    for events in orders(loop):
        get = after(*events)
        for name in ("b", "c"):
            assert upstream(get, name) == {("x", "app.append"), ("app.append", name)}
        assert upstream(get, "a") == {("y", "app.append"), ("app.append", "a")}


def upstream(get: Get, start: str) -> set[tuple[str, str]]:
    answer = get("lineage", nodeId=f"dataset:{LAKE}:{start}", direction="upstream")
    return {edge for edge in edges(answer) if "app.rename" not in edge}


def told(says: str, table: str, run: int, seconds: float, **changes: str) -> Document:
    """A run that loads a table, and says one word of it."""
    facets: Document = {
        "schema": factory.schema(f"{says}:long"),
        "columnLineage": factory.columns(**{says: (LAKE, f"raw_{says}", "id")}),
        "tags": factory.facet(tags=[{"key": says, "value": "true", "source": "USER"}]),
        "documentation": factory.facet(description=says),
        "ownership": factory.facet(owners=[{"name": says}]),
    }
    inputs, outputs = [factory.dataset(f"raw_{says}")], [factory.dataset(table, **facets)]
    kind, job = changes.get("kind", "COMPLETE"), changes.get("job", says)
    return factory.run_event(kind, job=job, run=run, seconds=seconds, inputs=inputs, outputs=outputs)


def checked(says: str, table: str, run: int, seconds: float) -> Document:
    check = factory.facet(assertions=[{"assertion": says, "success": True}])
    read = {**factory.dataset(table), "inputFacets": {"dataQualityAssertions": check}}
    return factory.run_event("COMPLETE", job=f"check_{says}", run=run, seconds=seconds, inputs=[read])


def untold(document: Document) -> Document:
    """A run that says nothing of what it loads."""
    return {**document, "outputs": [factory.dataset(output["name"]) for output in document["outputs"]]}


X, Y = told("x", "a", 1, 1), told("y", "a", 3, 20)
TOLD_REUSED = (X, checked("x", "a", 8, 3), renamed("a", "b", seconds=10), Y, checked("y", "a", 9, 25))
TOLD_SWAP = (
    X,
    told("y", "b", 2, 2),
    checked("x", "a", 8, 3),
    checked("y", "b", 9, 4),
    renamed("a", "tmp", seconds=10),
    renamed("b", "a", seconds=20),
    renamed("tmp", "b", seconds=30),
)
TOLD_BACK = (X, checked("x", "a", 8, 3), renamed("a", "b", seconds=10), renamed("b", "a", seconds=20))
NIGHTLY = (
    told("x", "a", 1, 1, job="job"),
    renamed("a", "b", seconds=10),
    told("y", "a", 3, 20, job="job"),
    renamed("a", "c", seconds=30),
    told("z", "a", 4, 40, job="job"),
)


def all_that_is_told(get: Get, name: str) -> set[str | None]:
    """What a table's page, the graph and the list say of it: the same word each, of one job."""
    path = f"namespaces/{quote(LAKE, safe='')}/datasets"
    table = get(f"{path}/{name}")
    listed = next(each for each in get(path)["datasets"] if each["name"] == name)
    lineage = get("lineage", nodeId=f"dataset:{LAKE}:{name}", direction="both")["graph"]
    node = next(each["data"] for each in lineage if each["data"]["name"] == name)
    found = {owner["name"] for each in (table, listed) for owner in each["facets"]["ownership"]["owners"]}
    for each in (table, listed, node):
        found |= {*each["tags"], each["description"], *(column["name"] for column in each["fields"])}
    found |= {
        source["dataset"].removeprefix("raw_") for each in table["columnLineage"] for source in each["inputFields"]
    }
    return found | {check["assertion"] for check in assertions(table)} | {*node["owners"]}


def assertions(table: Document) -> list[Document]:
    checks: list[Document] = (table["dataQuality"] or {}).get("dataQualityAssertions", {}).get("assertions", [])
    return checks


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (TOLD_REUSED, {"a": ("y", 3), "b": ("x", 1)}),
        (TOLD_SWAP, {"a": ("y", 2), "b": ("x", 1)}),
        (TOLD_BACK, {"a": ("x", 1)}),
        (NIGHTLY, {"a": ("z", 4), "b": ("x", 1), "c": ("y", 3)}),
    ],
    ids=["reused", "swapped", "renamed back", "renamed each night"],
)
def test_what_is_said_of_a_table_stays_with_the_table(
    events: tuple[Document, ...], expected: dict[str, tuple[str, int]]
) -> None:
    for ordered in islice(orders(events), 0, None, 6):
        get = after(*ordered)
        for name, (says, run) in expected.items():
            assert all_that_is_told(get, name) == {says}, name
            assert get(f"namespaces/{quote(LAKE, safe='')}/datasets/{name}")["currentVersion"] == factory.run_id(run)


def test_a_new_table_of_which_nothing_is_said_has_nothing_of_the_former() -> None:
    for events in orders((X, checked("x", "a", 8, 3), renamed("a", "b", seconds=10), untold(Y))):
        get = after(*events)
        table = get(f"namespaces/{quote(LAKE, safe='')}/datasets/a")
        assert (table["tags"], table["description"], table["fields"], table["dataQuality"]) == ([], None, [], None)
        assert "ownership" not in table["facets"]
        assert table["columnLineage"] is None
        assert all_that_is_told(get, "b") == {"x"}


@pytest.mark.parametrize(
    ("former", "later", "doubtful", "sound"),
    [("COMPLETE", "FAIL", "a", "b"), ("FAIL", "COMPLETE", "b", "a")],
    ids=["the new table", "the renamed one"],
)
def test_the_caution_of_a_table_is_of_its_own_writes(former: str, later: str, doubtful: str, sound: str) -> None:
    """A rename makes no data, and a good write of another table none of this one."""
    events = (told("x", "a", 1, 1, kind=former), renamed("a", "b", seconds=10), told("y", "a", 3, 20, kind=later))
    for ordered in orders(events):
        get = after(*ordered)
        for name, expected in ((doubtful, "no write succeeded; may hold partial data"), (sound, None)):
            table = get(f"namespaces/{quote(LAKE, safe='')}/datasets/{name}")
            graph = get("lineage", nodeId=f"dataset:{LAKE}:{name}", direction="both")["graph"]
            node = next(each["data"] for each in graph if each["data"]["name"] == name)
            assert (table.get("caution"), node.get("caution")) == (expected, expected)
            assert (table["lastWrittenAt"] is None) is (expected is not None)
            is_current = table["currentVersion"] in {factory.run_id(1), factory.run_id(3)}
            assert is_current is (expected is None)


def test_tags_that_a_person_put_stay_with_the_table() -> None:
    def tagged(tag: str, seconds: float) -> Document:
        facets = {tag_facet(tag): {**factory.facet(), "tag": tag}}
        return factory.dataset_event({**factory.dataset("a"), "facets": facets}, seconds=seconds)

    for ordered in orders((X, tagged("pii", 5), renamed("a", "b", seconds=10), untold(Y), tagged("public", 25))):
        get = after(*ordered)
        tags = {name: get(f"namespaces/{quote(LAKE, safe='')}/datasets/{name}")["tags"] for name in ("a", "b")}
        assert tags == {"a": ["public"], "b": ["pii", "x"]}


def test_the_suspect_of_a_wrong_number_is_a_run_of_the_table() -> None:
    get = after(*TOLD_REUSED)
    for name, run in (("a", 3), ("b", 1)):
        assert get("rootcause", nodeId=f"dataset:{LAKE}:{name}")["suspect"]["id"] == factory.run_id(run)
