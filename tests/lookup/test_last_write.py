"""When a dataset was last written, and that no write of it succeeded: the same in every answer."""

from typing import Any

import pytest

from headwater.lookup.text import impact as impact_text
from headwater.lookup.text import root_cause as root_cause_text
from headwater.lookup.text.display import Display
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, after
from tests.lookup.test_cost import body_and_calls, table_of
from tests.read.test_good_writes import PARTIAL, QUERY, STREAM, TABLE, read, write

LIST = TABLE.removesuffix("/t")
NODE = f"dataset:{LAKE}:t"


def derive(run: int, end: str, seconds: float, source: str, target: str) -> list[Document]:
    """A run of two events that makes a dataset of another."""
    edges: dict[str, Any] = {"inputs": [factory.dataset(source)], "outputs": [factory.dataset(target)]}
    return [
        factory.run_event(kind, run=run, job=f"make {target}", seconds=seconds + 10 * number, **edges)
        for number, kind in enumerate(("START", end))
    ]


def in_graph(get: LookupClient, name: str, node: str = "t", **query: Any) -> Any:
    answer = get("lineage", nodeId=f"dataset:{LAKE}:{node}", **query)
    found = [each["data"]["lastWrittenAt"] for each in answer["graph"] if each["data"]["name"] == name]
    return found[0] if found else "not there"


def everywhere(get: LookupClient) -> Any:
    """When `t` was last written, by every answer that says so."""
    asked: list[dict[str, Any]] = [
        {},
        {"depth": 0},
        {"direction": "both"},
        {"view": "ever"},
        {"rollup": "parent"},
        {"rollup": "none"},
    ]
    asked += [{"direction": way, "depth": depth} for way in ("upstream", "downstream") for depth in (0, 1, 20)]
    asked += [{"direction": "downstream", "view": "ever", "depth": 0}, {"asOf": factory.at(100_000)}]
    graphs = {in_graph(get, "t", **query) for query in asked} - {"not there"}
    listed = {each["name"]: each for each in get(LIST, withUsage="true")["datasets"]}["t"]
    times = {get(TABLE)["lastWrittenAt"], listed["lastWrittenAt"], *graphs}
    assert len(times) == 1
    return times.pop()


@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize(
    ("writes", "expected"),
    [
        ([*write(1, "COMPLETE")], 70),
        ([*write(1, "COMPLETE"), *write(2, "FAIL")], 70),
        ([*write(1, "COMPLETE"), *write(2, "ABORT", job="other")], 70),
        ([*write(1, "COMPLETE", job="old"), *write(2, "COMPLETE"), *write(3, "FAIL")], 130),
        ([*write(1, "COMPLETE"), *write(2, "COMPLETE"), *write(3, "RUNNING")], 130),
        ([*write(1, "COMPLETE"), *write(2, "FAIL", "COMPLETE")], 70),
        ([*write(1, "COMPLETE"), *write(2, "RUNNING", jobType=STREAM)], 130),
        ([*write(1, "FAIL")], None),
        ([factory.job_event(outputs=[factory.dataset("t")], seconds=5)], None),
    ],
)
def test_the_last_write_is_that_of_the_newest_run_that_went_well(
    writes: list[Document], expected: float | None, *, is_read: bool
) -> None:
    events = [*writes, *([read(9, seconds=5_000)] if is_read else [])]
    for order in (events, events[::-1]):
        assert everywhere(after(*order)) == (None if expected is None else factory.at(expected))


def test_the_last_write_of_a_table_whose_job_wrote_another_one_since() -> None:
    """The heads of its jobs do not know it any more."""
    get = after(*derive(1, "COMPLETE", 60, "raw", "t"), *derive(2, "COMPLETE", 120, "t", "out"))
    moved = derive(3, "COMPLETE", 180, "raw", "u")
    for event in moved:
        event["job"]["name"] = "make t"
    assert everywhere(get) == everywhere(after(*derive(1, "COMPLETE", 60, "raw", "t"), *moved)) == factory.at(70)


def test_a_graph_of_the_past_shows_no_time_after_it() -> None:
    get = after(*write(1, "COMPLETE"), *write(2, "COMPLETE"), *write(3, "FAIL"), read(9, seconds=300))

    def at(seconds: float) -> set[str | None]:
        ways: list[dict[str, Any]] = [{}, {"direction": "upstream"}, {"direction": "downstream"}]
        return {in_graph(get, "t", asOf=factory.at(seconds), **way) for way in ways} - {"not there"}

    assert [at(seconds) for seconds in (75, 125, 135, 185, 1_000)] == [
        {factory.at(70)},
        {factory.at(70)},
        {factory.at(130)},
        {factory.at(130)},
        {factory.at(130)},
    ]
    for node in get("lineage", nodeId=NODE, asOf=factory.at(125))["graph"]:
        assert (node["data"]["updatedAt"] or "") <= factory.at(125)


def test_a_query_that_its_application_ends_wrote_when_the_application_ended() -> None:
    query = write(2, job="app.query", jobType=QUERY)
    query[0]["run"]["facets"] = {"parent": factory.parent(5, "app")}
    get = after(
        *query,
        *(factory.run_event(end, run=5, job="app", seconds=at) for end, at in (("START", 110), ("COMPLETE", 200))),
    )
    assert everywhere(get) == factory.at(200)


def test_a_graph_downstream_costs_one_call_more_for_the_writers_of_its_beginning() -> None:
    events = [*write(1, "COMPLETE"), *derive(2, "COMPLETE", 200, "t", "u"), *derive(3, "COMPLETE", 300, "u", "v")]
    (_, calls), (_, of_source) = (
        body_and_calls(table_of(*events), "lineage", nodeId=f"dataset:{LAKE}:{name}", direction="downstream")
        for name in ("t", "u")
    )
    assert calls <= of_source + 2, "one hop, at two calls"


FAILED = [*write(1, "FAIL"), *derive(2, "COMPLETE", 200, "t", "u"), *derive(3, "FAIL", 300, "u", "v")]


def test_a_list_says_of_which_tables_no_write_succeeded() -> None:
    get = after(*FAILED)
    for asked in ({}, {"withUsage": "true"}):
        listed = {each["name"]: each.get("caution") for each in get(LIST, **asked)["datasets"]}
        assert listed == {"t": PARTIAL, "u": None, "v": PARTIAL}


def test_a_list_knows_a_good_write_under_another_name() -> None:
    linked = factory.facet(identifiers=[{"namespace": LAKE, "name": "db.t", "type": "TABLE"}])
    bad, good = write(2, "FAIL"), write(1, "COMPLETE", job="other")
    for event in bad:
        event["outputs"][0]["facets"]["symlinks"] = linked
    for event in good:
        event["outputs"] = [factory.dataset("db.t")]
    assert not [each for each in after(*bad, *good)(LIST)["datasets"] if "caution" in each]


def test_an_impact_says_it_of_the_changed_table_and_of_those_that_it_breaks() -> None:
    get = after(*FAILED)
    for asked in ({}, {"asOf": factory.at(1_000)}, {"view": "ever"}):
        answer = get("impact", nodeId=NODE, **asked)
        assert answer["caution"] == PARTIAL
        cautions = {
            item["nodeId"]: item["caution"]
            for owner in answer["owners"]
            for item in owner["items"]
            if "caution" in item
        }
        assert cautions == {f"dataset:{LAKE}:v": PARTIAL}
        text = impact_text.render(answer, Display())
        assert f"of t: {PARTIAL}" in text
        assert any("v" in line and PARTIAL in line for line in text.splitlines())
    assert "caution" not in str(after(*write(1, "COMPLETE"), read(9))("impact", nodeId=NODE))
    assert "caution" not in get("impact", nodeId=f"dataset:{LAKE}:u")


def test_a_root_cause_says_it_of_the_table_and_of_those_upstream() -> None:
    get = after(*FAILED)
    for asked in ({}, {"asOf": factory.at(1_000)}):
        answer = get("rootcause", nodeId=f"dataset:{LAKE}:v", **asked)
        assert answer["cautions"] == [
            {"nodeId": f"dataset:{LAKE}:v", "caution": PARTIAL},
            {"nodeId": NODE, "caution": PARTIAL},
        ]
        assert f"t: {PARTIAL}" in root_cause_text.render(answer, Display())
    assert "cautions" not in after(*write(1, "COMPLETE"))("rootcause", nodeId=NODE)


@pytest.mark.parametrize("view", ["current", "ever"])
def test_a_dataset_has_one_time_of_its_last_use_whichever_way_the_graph_goes(view: str) -> None:
    """That of its own lookup: also of a table that nobody reads, and of one whose job has used another since."""
    get = after(
        *derive(1, "COMPLETE", 60, "raw", "t"),
        *derive(2, "COMPLETE", 120, "t", "out"),
        *derive(3, "COMPLETE", 180, "raw", "u"),
        read(9, seconds=300),
    )
    for name in ("raw", "t", "out", "u"):
        alone = get(f"namespaces/{LAKE}/datasets/{name}")["updatedAt"]
        for start in ("raw", "t", "out", "u"):
            for way in ({}, {"direction": "upstream"}, {"direction": "downstream"}, {"direction": "both"}):
                graph = get("lineage", nodeId=f"dataset:{LAKE}:{start}", view=view, **way)["graph"]
                assert {node["data"]["updatedAt"] for node in graph if node["data"]["name"] == name} <= {alone}
