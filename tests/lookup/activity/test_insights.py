"""GET /insights, and the criticality of nodes: what events of an analysis said."""

import pytest

from headwater.graph.facets.curation import INSIGHTS
from headwater.graph.facets.insights import CRITICALITY, INSIGHTS_FACET
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, table_after

RATED = factory.facet(downstreamDatasets=3, downstreamJobs=2, rank=1.5)


def insights(kind: str, *namespaces: str, seconds: float = 10) -> Document:
    told = [{"title": f"{kind} {name}", "nodes": [{"namespace": name, "name": "n"}]} for name in namespaces]
    named = factory.dataset(kind, INSIGHTS, **{INSIGHTS_FACET: factory.facet(insights=told)})
    return factory.dataset_event(named, seconds=seconds)


def client(*more: Document) -> LookupClient:
    run = factory.run_event("COMPLETE", inputs=[factory.dataset("in", LAKE)], outputs=[factory.dataset("out", LAKE)])
    return LookupClient(table_after(run, *more))


def titles(lookups: LookupClient, **query: str) -> list[str]:
    return [insight["title"] for insight in lookups("insights", **query)["insights"]]


def test_insights_are_listed_by_kind() -> None:
    lookups = client(insights("waste", "a", "b"), insights("drift", "a"))
    assert titles(lookups) == ["drift a", "waste a", "waste b"]
    assert titles(lookups, kind="waste") == ["waste a", "waste b"]
    critical = lookups("insights", kind="critical")
    assert critical.pop("frontier")["sentence"] == "Not seen: the graph, which no analysis has looked at."
    assert critical == {"insights": [], "totalCount": 0}


def test_a_new_analysis_replaces_the_insights_of_a_kind() -> None:
    assert titles(client(insights("waste", "new", seconds=20), insights("waste", "old"))) == ["waste new"]


def test_insights_come_in_pages() -> None:
    lookups = client(insights("waste", "a", "b", "c"))
    first = lookups("insights", limit="2")
    rest = lookups("insights", limit="2", cursor=first["cursor"])
    assert [insight["title"] for insight in rest["insights"]] == ["waste c"]
    assert (first["totalCount"], "cursor" in rest) == (3, False)


def test_a_node_shows_how_critical_it_is_and_is_not_used_by_being_rated() -> None:
    rated = factory.dataset_event(factory.dataset("out", LAKE, **{CRITICALITY: RATED}), seconds=500)
    job = factory.job_event(seconds=500, facets={CRITICALITY: RATED})
    before, lookups = client(), client(rated, job)
    shown = {"downstreamDatasets": 3, "downstreamJobs": 2, "rank": 1.5}
    for path in (f"namespaces/{LAKE}/datasets/out", "namespaces/demo/jobs/load"):
        old, new = before(path), lookups(path)
        assert new.pop("criticality") == shown
        assert new == old
    (owned,) = lookups("impact", nodeId=f"dataset:{LAKE}:in")["owners"]
    assert [item["criticality"] for item in owned["items"]] == [shown, shown]


@pytest.mark.parametrize("kind", ["nonsense", "waste,nonsense"])
def test_an_unknown_kind_is_refused(kind: str) -> None:
    assert "kind" in client().refusal("insights", kind=kind)
