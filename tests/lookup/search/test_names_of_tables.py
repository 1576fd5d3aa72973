"""A table is found, shown and told once, by each rule of docs/identity.md, whatever it is called.

Each case has three events: a run that writes the table under one name, and two that read it under others. Whichever
comes first, each of the names leads to the one dataset, with its writer and its readers, and a search tells it once.
"""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from headwater.fold.fold import fold
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.http.request import ApiRequest
from headwater.http.response import response_or_error
from headwater.lookup.routes import Lookups, respond
from headwater.openlineage import exact_json
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.store.memory import MemoryTable
from tests import factory
from tests.factory import Document
from tests.lookup.requests import ANYONE, RETENTION

LAKE, GLUE = "s3://lake", "arn:aws:glue:eu-central-1:123456789012"
S3_TABLES = "arn:aws:s3tables:eu-central-1:123456789012:bucket/mart"
HIVE = "hive://metastore:9083"
ALIASES = {
    "hive://ip-*:9083": GLUE,
    "trino://trino:8080 pg.": "postgres://db:5432 shop.",
    "trino://trino:8080 lake.": f"{GLUE} ",
    "presto://presto:8080 pg.": "postgres://db:5432 shop.",
    "kafka://b-*": "kafka://shop",
}


def also(name: str, namespace: str, *others: tuple[str, str]) -> Document:
    """A dataset with further names in its symlinks facet."""
    identifiers = [{"namespace": other, "name": called, "type": "TABLE"} for called, other in others]
    return factory.dataset(name, namespace, symlinks=factory.facet(identifiers=identifiers))


def moved(name: str, before: str) -> Document:
    return factory.dataset(name, "file", lifecycleStateChange=factory.renamed_from(before, "file"))


class Spelled(NamedTuple):
    """A table as it is written, and as it is read; what it is called, if a catalogue has it."""

    written: Document
    read: tuple[Document, Document]
    has_catalogue: bool = True


plain = factory.dataset
RULES: dict[str, Callable[[str], Spelled]] = {
    "an opaque path with a Glue name": lambda t: Spelled(
        also(f"7f/{len(t)}", LAKE, (f"table/mart/{t}", GLUE)),
        (plain(f"table/mart/{t}", GLUE), plain(f"7f/{len(t)}", LAKE)),
    ),
    "a Glue name, once with a slash": lambda t: Spelled(
        plain(f"table/mart/{t}", GLUE), (plain(f"table/mart/{t}/", GLUE), plain(f"table/mart/{t}", f"{GLUE}/"))
    ),
    "a path with a Glue name, by two clients": lambda t: Spelled(
        also(f"mart/{t}", "s3a://lake", (f"table/mart/{t}", GLUE)),
        (plain(f"/mart/{t}/", "s3n://lake"), plain(f"table/mart/{t}", GLUE)),
    ),
    "a path with a name in a metastore": lambda t: Spelled(
        also(f"/wh/mart.db/{t}", "hdfs://nn:8020", (f"mart.{t}", HIVE)),
        (plain(f"mart.{t}", HIVE), plain(f"/wh/mart.db/{t}", "hdfs://nn:8020")),
    ),
    "a metastore's name with its path": lambda t: Spelled(
        also(f"mart.{t}", HIVE, (f"/wh/mart.db/{t}", "hdfs://nn:8020")),
        (plain(f"mart.{t}", HIVE), also(f"/wh/mart.db/{t}", "hdfs://nn:8020", (f"mart.{t}", HIVE))),
    ),
    "two hosts of a metastore": lambda t: Spelled(
        also(f"wh/{t}", LAKE, (f"mart.{t}", "hive://one:9083")),
        (also(f"wh/{t}", LAKE, (f"mart.{t}", "hive://two:9083")), plain(f"mart.{t}", "hive://two:9083")),
    ),
    "hosts of clusters over Glue": lambda t: Spelled(
        plain(f"mart.{t}", "hive://ip-10-0-0-1:9083"),
        (plain(f"mart.{t}", "hive://ip-10-0-0-2:9083"), plain(f"table/mart/{t}", GLUE)),
    ),
    "a path with the name of a cluster's host": lambda t: Spelled(
        also(f"wh/{t}", LAKE, (f"mart.{t}", "hive://ip-10-0-0-1:9083")),
        (plain(f"table/mart/{t}", GLUE), plain(f"mart.{t}", "hive://ip-10-0-0-2:9083")),
    ),
    "S3 Tables by the alias of a catalogue": lambda t: Spelled(
        also(f"4f2a/{len(t)}", LAKE, (f"s3tablescatalog.mart.{t}", S3_TABLES)),
        (plain(f"s3tablescatalog.mart.{t}", S3_TABLES), plain(f"4f2a/{len(t)}", LAKE)),
    ),
    "S3 Tables by two aliases": lambda t: Spelled(
        also(f"4f2a/{len(t)}", LAKE, (f"a.mart.{t}", S3_TABLES)),
        (also(f"4f2a/{len(t)}", LAKE, (f"b.mart.{t}", S3_TABLES)), plain(f"b.mart.{t}", S3_TABLES)),
    ),
    "Trino over Glue": lambda t: Spelled(
        plain(f"lake.mart.{t}", "trino://trino:8080"),
        (plain(f"table/mart/{t}", GLUE), plain(f"lake.mart.{t}", "trino://trino:8080")),
    ),
    "Trino over Postgres": lambda t: Spelled(
        plain(f"pg.public.{t}", "trino://trino:8080"),
        (plain(f"shop.public.{t}", "postgres://db:5432"), plain(f"shop.public.{t}", "postgresql://db")),
        has_catalogue=False,
    ),
    "Presto over Postgres": lambda t: Spelled(
        plain(f"pg.public.{t}", "presto://presto:8080"),
        (plain(f"shop.public.{t}", "postgres://db:5432"), plain(f"pg.public.{t}", "trino://trino:8080")),
        has_catalogue=False,
    ),
    "JDBC by its driver": lambda t: Spelled(
        plain(f"shop.public.{t}", "postgresql+psycopg2://db"),
        (plain(f"shop.public.{t}", "postgres://db:5432"), plain(f"shop.public.{t}", "postgresql://db:5432")),
        has_catalogue=False,
    ),
    "brokers of one cluster": lambda t: Spelled(
        plain(t, "kafka://b-1:9092"),
        (plain(t, "kafka://b-2:9092"), plain(t, "kafka://b-1:9092,b-2:9092")),
        has_catalogue=False,
    ),
    "partitions and files": lambda t: Spelled(
        plain(f"wh/{t}/day=2026-11-20/hour=1", LAKE),
        (plain(f"wh/{t}", LAKE), plain(f"wh/{t}/day=2026-11-20/part-00000-a.parquet", LAKE)),
        has_catalogue=False,
    ),
    "folders of table formats": lambda t: Spelled(
        plain(f"wh/{t}/_delta_log", LAKE),
        (plain(f"wh/{t}/.hoodie/metadata", LAKE), plain(f"wh/{t}/_temporary/0", LAKE)),
        has_catalogue=False,
    ),
    "schemes and slashes": lambda t: Spelled(
        plain(f"//wh//{t}//", "gcs://lake"),
        (plain(f"wh/{t}", "gs://lake"), plain(f"/wh/{t}", "gs://lake/")),
        has_catalogue=False,
    ),
    "one host's files": lambda t: Spelled(
        plain(f"/wh/{t}", "file"), (plain(f"/wh/{t}/", "file:///"), plain(f"wh/{t}", "file:")), has_catalogue=False
    ),
    "a table that was renamed": lambda t: Spelled(
        moved(f"/wh/{t}", "/wh/before"), (plain(f"/wh/{t}", "file"), plain(f"/wh/{t}/", "file")), has_catalogue=False
    ),
}
TABLES = (
    "orders",
    "Orders_Daily",
    "customer_ltv",
    "x",
    "t1",
    "2026_q4",
    "ümsätze",
    "fact_sales_by_day_v2",
    "_raw",
    "ORDERS",
)

ORDERS = tuple(permutations(range(3)))
"""Of ten tables each order of arrival is tried with each rule."""


def test_there_are_two_hundred_cases() -> None:
    assert len(RULES) * len(TABLES) == 200


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("rule", RULES)
def test_a_table_is_one_under_all_its_names(rule: str, table: str) -> None:
    spelled = RULES[rule](table)
    written, read = spelled.written, spelled.read
    events = [
        factory.run_event("COMPLETE", run=1, seconds=1, job="writer", outputs=[written]),
        *(
            factory.run_event("COMPLETE", run=2 + n, seconds=2 + n, job=f"reader{n}", inputs=[name])
            for n, name in enumerate(read)
        ),
    ]
    order = ORDERS[TABLES.index(table) % len(ORDERS)]
    ask = answers_after([events[at] for at in order])
    (hit,) = (each for each in ask("search", q=table)["results"] if each["type"] == "DATASET")
    assert hit.get("displayName") == (f"mart.{table}" if spelled.has_catalogue else None)
    (grouped,) = (each for each in ask("search/groups", q=table)["results"] if each["type"] == "DATASET")
    assert (grouped["nodeId"], grouped.get("displayName")) == (hit["nodeId"], hit.get("displayName"))
    for name in (written, *read):
        graph = ask("lineage", nodeId=f"dataset:{name['namespace']}:{name['name']}", depth=1)["graph"]
        datasets = [node["id"] for node in graph if node["type"] == "DATASET"]
        assert datasets == [hit["nodeId"]]
        assert {node["data"]["name"] for node in graph if node["type"] == "JOB"} == {"writer", "reader0", "reader1"}
        path = f"namespaces/{quote(name['namespace'], safe='')}/datasets/{quote(name['name'], safe='')}"
        assert ask(path)["name"] == hit["name"]


def answers_after(events: Sequence[Document]) -> Callable[..., Any]:
    """Lookups of a table after some events, by a deployment with aliases."""
    naming, table = Naming(ALIASES), MemoryTable()
    fold([normalise_event(exact_json.dumps(event), naming) for event in events], GraphStore(table, RETENTION))

    def ask(path: str, **query: Any) -> Any:
        request = ApiRequest(ANYONE, "GET", f"/api/v1/{path}", {name: str(value) for name, value in query.items()})
        lookups = Lookups(GraphReader(table), naming, _fail)
        response = response_or_error(lambda: respond(lookups, request), _fail)
        assert response.status == 200, (path, query, response.body)
        return response.body

    return ask


def _fail(message: str, error: BaseException, **_: Any) -> None:
    raise AssertionError(message) from error
