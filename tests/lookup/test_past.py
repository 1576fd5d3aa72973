"""The graph at a past time is the graph that the events until then make, whatever came later and in whatever order."""

import random
from typing import Any

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.requests import LookupClient, after

LAKE = "s3://lake"
TABLES = [f"t{number}" for number in range(7)]
PATHS = [
    ("lineage", {}),
    ("lineage", {"direction": "upstream"}),
    ("column-lineage", {"direction": "upstream"}),
    ("column-lineage", {"direction": "downstream"}),
    ("column-lineage", {"direction": "both"}),
    ("impact", {}),
]
MINUTE = 60


def runs_of(chance: random.Random) -> list[list[Document]]:
    """Runs, one each minute, each with its START and its end. Each run may write other columns than the last."""
    columns = {table: ["id", "a", "b"] for table in TABLES}
    runs = []
    for number in range(chance.randint(3, 10)):
        inputs = chance.sample(TABLES, chance.randint(0, 2))
        outputs = chance.sample([table for table in TABLES if table not in inputs], chance.randint(0, 2))
        read = [_table(table, columns[table]) for table in inputs]
        written = []
        for table in outputs:
            columns[table] = chance.sample(["id", "a", "b", "c", "d"], chance.randint(1, 4))
            made_of = {
                column: (LAKE, source, chance.choice(columns[source]))
                for column in columns[table]
                if inputs and chance.random() < 0.7
                for source in [chance.choice(inputs)]
            }
            facets = {"columnLineage": factory.columns(**made_of)} if made_of else {}
            written.append(_table(table, columns[table], **facets))
        job, ended = f"job {chance.randint(0, 3)}", chance.choice(["COMPLETE", "COMPLETE", "COMPLETE", "FAIL"])
        with_start = written if chance.random() < 0.5 else []
        at = number * MINUTE
        begun = factory.run_event("START", seconds=at, run=number, job=job, inputs=read, outputs=with_start)
        end = factory.run_event(ended, seconds=at + 10, run=number, job=job, inputs=read, outputs=written)
        runs.append([begun, end])
    return runs


def _table(name: str, columns: list[str], **facets: Any) -> Document:
    return factory.dataset(name, schema=factory.schema(*(f"{column}:long" for column in columns)), **facets)


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


@pytest.mark.parametrize("seed", range(12))
def test_the_past_is_as_if_nothing_had_come_later(seed: int) -> None:
    chance = random.Random(seed)
    runs = runs_of(chance)
    events = [event for run in runs for event in run]
    whole = after(*chance.sample(events, len(events)))
    until = chance.randrange(len(runs))
    then = after(*[event for run in runs[: until + 1] for event in run])
    time = factory.at(until * MINUTE + 30)
    for path, query in PATHS:
        for table in TABLES:
            past = graph_of(whole, path, table, **query, asOf=time)
            assert past == graph_of(then, path, table, **query), (path, query, table)
