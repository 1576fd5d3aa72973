"""The graph at a past time is the graph that the events until then make, whatever came later and in whatever order."""

import random

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.requests import LookupClient, after
from tests.random_runs import LAKE, MINUTE, TABLES, runs_of

PATHS = [
    ("lineage", {}),
    ("lineage", {"direction": "upstream"}),
    ("column-lineage", {"direction": "upstream"}),
    ("column-lineage", {"direction": "downstream"}),
    ("column-lineage", {"direction": "both"}),
    ("impact", {}),
]


def graph_of(client: LookupClient, path: str, table: str, **query: str) -> object:
    """What an answer says of nodes, edges, columns and versions; None for a table that has no node or no edge."""
    status, body = client.answer(path, nodeId=f"dataset:{LAKE}:{table}", depth=5, **query)
    if status != 200:
        return None
    if path == "impact":
        return body if body["totalCount"] else None
    nodes = {node["id"]: (node["inEdges"], node["outEdges"], _columns(node["data"])) for node in body["graph"]}
    return nodes if any(into or out_of for into, out_of, _ in nodes.values()) else None


def _columns(data: Document) -> object:
    return [data.get("fieldType"), data.get("inputFields"), [field["name"] for field in data.get("fields") or ()]]


@pytest.mark.parametrize("during", [30, 5], ids=["between runs", "during a run"])
@pytest.mark.parametrize("seed", range(12))
def test_the_past_is_as_if_nothing_had_come_later(seed: int, during: int) -> None:
    chance = random.Random(seed)
    events = [event for run in runs_of(chance) for event in run]
    whole = after(*chance.sample(events, len(events)))
    time = factory.at(chance.randrange(len(events) // 2) * MINUTE + during)
    then = after(*[event for event in events if event["eventTime"] <= time])
    for path, query in PATHS:
        for table in TABLES:
            past = graph_of(whole, path, table, **query, asOf=time)
            assert past == graph_of(then, path, table, **query), (path, query, table)
