"""A table is found, shown and told once, by each rule of docs/identity.md, whatever it is called, and by the command.

Each case has three events: a run that writes the table under one name, and two that read it under others. Whichever
comes first, each of the names leads to the one dataset, with its writer and its readers, and a search tells it once.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from headwater.access.principal import Principal
from headwater.cli.api import Answer, Api
from headwater.cli.lookups.names import resolve
from headwater.fold.fold import fold
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.http.request import ApiRequest
from headwater.http.response import response_or_error
from headwater.lookup.routes import Lookups, respond
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.store.memory import MemoryTable
from tests import factory
from tests.factory import Document
from tests.lookup.requests import ANYONE, RETENTION, as_read, key_of

LAKE, GLUE = "s3://lake", "arn:aws:glue:eu-central-1:123456789012"
S3_TABLES = "arn:aws:s3tables:eu-central-1:123456789012:bucket/mart"
HIVE = "hive://metastore:9083"
ALIASES = {
    "hive://ip-*:9083": GLUE,
    "trino://trino:8080 pg.": "postgres://db:5432 shop.",
    "trino://trino:8080 lake.": f"{GLUE} ",
    "presto://presto:8080 pg.": "postgres://db:5432 shop.",
    "kafka://b-*": "kafka://shop",
    "awsathena://athena.eu-central-1.amazonaws.com AwsDataCatalog.": f"{GLUE} ",
    "postgres://replica:5432": "postgres://db:5432",
    "s3://old-lake": "s3://lake",
}


def also(name: str, namespace: str, *others: tuple[str, str]) -> Document:
    identifiers = [{"namespace": other, "name": called, "type": "TABLE"} for called, other in others]
    return factory.dataset(name, namespace, symlinks=factory.facet(identifiers=identifiers))


def moved(name: str, before: str) -> Document:
    return factory.dataset(name, "file", lifecycleStateChange=factory.renamed_from(before, "file"))


def with_facets_of(dataset: Document, other: Document) -> Document:
    return {**dataset, "facets": {**dataset["facets"], **other["facets"]}}


def with_broken_entries(dataset: Document) -> Document:
    facet = dataset["facets"]["symlinks"]
    return {**dataset, "facets": {"symlinks": {**facet, "identifiers": [{"name": 7}, "x", *facet["identifiers"]]}}}


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
    "Iceberg in Glue, told by its writer alone": lambda t: Spelled(
        also(f"wh/mart.db/{t}", LAKE, (f"table/mart/{t}", GLUE)),
        (plain(f"wh/mart.db/{t}", LAKE), plain(f"wh/mart.db/{t}/", "s3a://lake/")),
    ),
    "Iceberg in Glue, told by a reader alone": lambda t: Spelled(
        plain(f"wh/mart.db/{t}", LAKE),
        (also(f"wh/mart.db/{t}", LAKE, (f"table/mart/{t}", GLUE)), plain(f"table/mart/{t}", GLUE)),
    ),
    "Iceberg in a Hadoop catalogue": lambda t: Spelled(
        also(f"wh/mart/{t}", LAKE, (f"mart.{t}", "s3://lake/wh")),
        (plain(f"wh/mart/{t}", LAKE), plain(f"mart.{t}", "s3://lake/wh")),
        has_catalogue=False,
    ),
    "Iceberg in a REST catalogue": lambda t: Spelled(
        also(f"wh/{t}-0f8f", LAKE, (f"mart.{t}", "http://rest:8181")),
        (plain(f"wh/{t}-0f8f", LAKE), plain(f"mart.{t}", "http://rest:8181")),
        has_catalogue=False,
    ),
    "Iceberg's files under data": lambda t: Spelled(
        also(f"wh/{t}", LAKE, (f"table/mart/{t}", GLUE)),
        (plain(f"wh/{t}/day=1/part-00000-a.parquet", LAKE), plain(f"table/mart/{t}", GLUE)),
    ),
    "Glue in another partition of AWS": lambda t: Spelled(
        also(f"wh/{t}", LAKE, (f"table/mart/{t}", "arn:aws-cn:glue:cn-north-1:123456789012")),
        (plain(f"table/mart/{t}", "arn:aws-cn:glue:cn-north-1:123456789012"), plain(f"wh/{t}", LAKE)),
    ),
    "Glue and a metastore at once": lambda t: Spelled(
        also(f"wh/{t}", LAKE, (f"table/mart/{t}", GLUE), (f"mart.{t}", HIVE)),
        (plain(f"table/mart/{t}", GLUE), plain(f"mart.{t}", HIVE)),
    ),
    "a metastore whose names have the Spark catalogue": lambda t: Spelled(
        also(f"wh/{t}", LAKE, (f"spark_catalog.mart.{t}", HIVE)),
        (plain(f"spark_catalog.mart.{t}", HIVE), plain(f"wh/{t}", LAKE)),
    ),
    "names in a chain": lambda t: Spelled(
        also(f"wh/{t}", LAKE, (f"mart.{t}", HIVE)),
        (also(f"mart.{t}", HIVE, (f"table/mart/{t}", GLUE)), plain(f"table/mart/{t}", GLUE)),
    ),
    "two paths of one Glue table": lambda t: Spelled(
        also(f"wh/{t}", LAKE, (f"table/mart/{t}", GLUE)),
        (also(f"moved/{t}", LAKE, (f"table/mart/{t}", GLUE)), plain(f"table/mart/{t}", GLUE)),
    ),
    "a symlink by another client of the bucket": lambda t: Spelled(
        also(f"mart.{t}", HIVE, (f"wh/{t}", "s3a://lake")), (plain(f"wh/{t}", LAKE), plain(f"mart.{t}", HIVE))
    ),
    "a symlink that repeats the name": lambda t: Spelled(
        also(f"wh/{t}", LAKE, (f"wh/{t}", LAKE), (f"table/mart/{t}", GLUE)),
        (plain(f"wh/{t}", LAKE), plain(f"table/mart/{t}", GLUE)),
    ),
    "S3 Tables by name alone": lambda t: Spelled(
        plain(f"mart.{t}", S3_TABLES), (plain(f"mart.{t}", S3_TABLES), plain(f"mart.{t}", f"{S3_TABLES}/"))
    ),
    "S3 Tables and Glue": lambda t: Spelled(
        also(f"b1/{len(t)}", LAKE, (f"mart.{t}", S3_TABLES), (f"table/mart/{t}", GLUE)),
        (plain(f"mart.{t}", S3_TABLES), plain(f"table/mart/{t}", GLUE)),
    ),
    "hosts of a metastore by pattern, beside its path": lambda t: Spelled(
        also(f"/wh/{t}", "hdfs://nn:8020", (f"mart.{t}", "hive://ip-10-0-0-1:9083")),
        (plain(f"mart.{t}", "hive://ip-10-0-0-9:9083"), plain(f"table/mart/{t}", GLUE)),
    ),
    "Athena over Glue": lambda t: Spelled(
        plain(f"AwsDataCatalog.mart.{t}", "awsathena://athena.eu-central-1.amazonaws.com"),
        (plain(f"table/mart/{t}", GLUE), also(f"wh/{t}", LAKE, (f"table/mart/{t}", GLUE))),
    ),
    "Trino over Glue, with a path": lambda t: Spelled(
        also(f"wh/{t}", LAKE, (f"table/mart/{t}", GLUE)),
        (plain(f"lake.mart.{t}", "trino://trino:8080"), plain(f"wh/{t}", LAKE)),
    ),
    "Trino over a metastore of clusters": lambda t: Spelled(
        plain(f"lake.mart.{t}", "trino://trino:8080"),
        (plain(f"mart.{t}", "hive://ip-10-0-0-3:9083"), plain(f"table/mart/{t}", GLUE)),
    ),
    "JDBC by its default port": lambda t: Spelled(
        plain(f"shop.public.{t}", "postgresql://db"),
        (plain(f"shop.public.{t}", "postgresql://db/"), plain(f"shop.public.{t}", "postgres://db:5432")),
        has_catalogue=False,
    ),
    "JDBC by another driver and port": lambda t: Spelled(
        plain(f"shop.public.{t}", "postgresql+asyncpg://db:6432"),
        (plain(f"shop.public.{t}", "postgres://db:6432"), plain(f"shop.public.{t}", "postgresql+psycopg://db:6432")),
        has_catalogue=False,
    ),
    "JDBC by two hosts of an alias": lambda t: Spelled(
        plain(f"shop.public.{t}", "postgres://replica:5432"),
        (plain(f"shop.public.{t}", "postgresql://replica"), plain(f"shop.public.{t}", "postgres://db:5432")),
        has_catalogue=False,
    ),
    "JDBC with a symlink to its catalogue": lambda t: Spelled(
        also(f"shop.public.{t}", "postgres://db:5432", (f"mart.{t}", HIVE)),
        (plain(f"mart.{t}", HIVE), plain(f"shop.public.{t}", "postgresql://db")),
    ),
    "a table whose database is its data source": lambda t: Spelled(
        plain(f"public.{t}", "postgresql://db", dataSource=factory.facet(name="s", uri="postgresql://db/shop")),
        (plain(f"shop.public.{t}", "postgres://db:5432"), plain(f"shop.public.{t}", "postgresql+psycopg2://db")),
        has_catalogue=False,
    ),
    "a bucket by an alias": lambda t: Spelled(
        plain(f"wh/{t}", "s3://old-lake"),
        (plain(f"wh/{t}", "s3a://old-lake/"), plain(f"wh/{t}", LAKE)),
        has_catalogue=False,
    ),
    "a container over TLS": lambda t: Spelled(
        plain(f"wh/{t}", "abfss://c@acc.dfs.core.windows.net"),
        (
            plain(f"/wh/{t}", "abfs://c@acc.dfs.core.windows.net"),
            plain(f"wh/{t}/", "abfss://c@acc.dfs.core.windows.net/"),
        ),
        has_catalogue=False,
    ),
    "an older container over TLS": lambda t: Spelled(
        plain(f"wh/{t}", "wasbs://c@acc.blob.core.windows.net"),
        (
            plain(f"wh/{t}", "wasb://c@acc.blob.core.windows.net"),
            plain(f"//wh/{t}", "wasb://c@acc.blob.core.windows.net"),
        ),
        has_catalogue=False,
    ),
    "a path of Databricks": lambda t: Spelled(
        plain(f"/mnt/{t}", "dbfs"),
        (plain(f"/mnt/{t}/", "dbfs:/"), plain(f"mnt/{t}/_delta_log", "dbfs:")),
        has_catalogue=False,
    ),
    "HDFS with its default host": lambda t: Spelled(
        plain(f"/wh/{t}", "hdfs"), (plain(f"/wh/{t}/", "hdfs:///"), plain(f"/wh/{t}/p=1", "hdfs:")), has_catalogue=False
    ),
    "partitions of many levels": lambda t: Spelled(
        plain(f"wh/{t}/y=2026/m=11/d=25/h=1", LAKE),
        (plain(f"wh/{t}/y=2026", "s3n://lake"), plain(f"wh/{t}", LAKE)),
        has_catalogue=False,
    ),
    "committers of Hive and Spark": lambda t: Spelled(
        plain(f"wh/{t}/.spark-staging-1a/day=1", LAKE),
        (plain(f"wh/{t}/.hive-staging_hive_1/-ext-10000", LAKE), plain(f"wh/{t}/__magic_job-1/x", LAKE)),
        has_catalogue=False,
    ),
    "a manifest of Delta in Glue": lambda t: Spelled(
        also(f"wh/{t}/_symlink_format_manifest", LAKE, (f"table/mart/{t}", GLUE)),
        (plain(f"wh/{t}", LAKE), plain(f"table/mart/{t}", GLUE)),
    ),
    "a saved model": lambda t: Spelled(
        plain(f"models/{t}/stages/0_Tree_0123456789ab/data", LAKE),
        (plain(f"models/{t}/bestModel/metadata", LAKE), plain(f"models/{t}", LAKE)),
        has_catalogue=False,
    ),
    "a stream's checkpointed sink": lambda t: Spelled(
        plain(f"wh/{t}/_spark_metadata/0", LAKE),
        (plain(f"wh/{t}", "s3a://lake"), plain(f"wh/{t}/day=1", LAKE)),
        has_catalogue=False,
    ),
    "a topic with an equals sign": lambda t: Spelled(
        plain(f"a=b/{t}", "kafka://b-1:9092"),
        (plain(f"a=b/{t}", "kafka://b-2:9092"), plain(f"a=b/{t}", "kafka://shop")),
        has_catalogue=False,
    ),
    "renamed twice": lambda t: Spelled(
        moved(f"/wh/{t}", "/wh/between"),
        (plain(f"/wh/{t}", "file"), moved(f"/wh/{t}", "/wh/between")),
        has_catalogue=False,
    ),
    "renamed, with a name in a catalogue": lambda t: Spelled(
        with_facets_of(moved(f"/wh/{t}", "/wh/before"), also("", "", (f"mart.{t}", HIVE))),
        (plain(f"/wh/{t}", "file"), plain(f"mart.{t}", HIVE)),
    ),
    "a database of another engine": lambda t: Spelled(
        plain(f"SHOP.PUBLIC.{t}", "snowflake://org-acc"),
        (plain(f"SHOP.PUBLIC.{t}", "snowflake://org-acc"), plain(f"SHOP.PUBLIC.{t}", "snowflake://org-acc")),
        has_catalogue=False,
    ),
    "BigQuery beside its files": lambda t: Spelled(
        also(f"proj.mart.{t}", "bigquery", (f"wh/{t}", "gs://lake")),
        (plain(f"wh/{t}", "gcs://lake"), plain(f"proj.mart.{t}", "bigquery")),
        has_catalogue=False,
    ),
    "a symlinks facet with broken entries": lambda t: Spelled(
        with_broken_entries(also(f"wh/{t}", LAKE, (f"table/mart/{t}", GLUE))),
        (plain(f"table/mart/{t}", GLUE), plain(f"wh/{t}", LAKE)),
    ),
    "a Glue name with the name of a cluster's host": lambda t: Spelled(
        also(f"table/mart/{t}", GLUE, (f"mart.{t}", "hive://ip-10-1-1-1:9083")),
        (plain(f"mart.{t}", "hive://ip-10-1-1-2:9083"), plain(f"table/mart/{t}", GLUE)),
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
CASES = [
    (rule, TABLES[(first + number) % len(TABLES)], order)
    for first, rule in enumerate(RULES)
    for number, order in enumerate(ORDERS)
]
"""Six tables for each rule, each in another order of arrival."""


def test_there_are_sixty_rules() -> None:
    assert len(RULES) == 60


@pytest.mark.parametrize(("rule", "table", "order"), CASES)
def test_a_table_is_one_under_all_its_names(rule: str, table: str, order: Sequence[int]) -> None:
    spelled = RULES[rule](table)
    written, read = spelled.written, spelled.read
    events = [
        factory.run_event("COMPLETE", run=1, seconds=1, job="writer", outputs=[written]),
        *(
            factory.run_event("COMPLETE", run=2 + n, seconds=2 + n, job=f"reader{n}", inputs=[name])
            for n, name in enumerate(read)
        ),
    ]
    ask = answers_after([events[at] for at in order])
    (hit,) = (each for each in ask("search", q=table)["results"] if each["type"] == "DATASET")
    assert hit.get("displayName") == (f"mart.{table}" if spelled.has_catalogue else None)
    (grouped,) = (each for each in ask("search/groups", q=table)["results"] if each["type"] == "DATASET")
    assert (grouped["nodeId"], grouped.get("displayName")) == (hit["nodeId"], hit.get("displayName"))
    for name in (written, *read):
        graph = ask("lineage", nodeId=f"dataset:{name['namespace']}:{name['name']}", depth=1)["graph"]
        assert [node["id"] for node in graph if node["type"] == "DATASET"] == [hit["nodeId"]]
        assert {node["data"]["name"] for node in graph if node["type"] == "JOB"} == {"writer", "reader0", "reader1"}
        path = f"namespaces/{quote(name['namespace'], safe='')}/datasets/{quote(name['name'], safe='')}"
        assert ask(path)["name"] == hit["name"]
    in_catalogue = [f"mart.{table}", f"MART/{table}"] if spelled.has_catalogue else []
    for text in (*typed(hit, written, *read), *in_catalogue):
        found = resolve(Asked("", answers=ask), text, ["dataset"], ["lineage", "{}"]).node.node_id
        graph = ask("lineage", nodeId=found, depth=1)["graph"]
        assert [node["id"] for node in graph if node["type"] == "DATASET"] == [hit["nodeId"]], text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("wh/orders/day=1", {"wh/orders"}),
        ("orders/day=1/part-00000-a.parquet", {"wh/orders", "old/orders"}),
        ("orders/_delta_log", {"wh/orders", "old/orders"}),
        ("ders/day=1", set()),
        ("orders/daily", set()),
        ("day=1", set()),
        ("pg.public.bills", {"shop.public.bills"}),
        ("lake.mart.bills", {"table/mart/bills"}),
        ("pg.public.bill", set()),
        ("other.public.bills", set()),
    ],
)
def test_a_name_that_only_a_rule_knows_finds_the_tables_that_it_means(text: str, found: set[str]) -> None:
    tables = [plain("wh/orders", LAKE), plain("old/orders", LAKE), plain("wh/old_orders", LAKE)]
    tables += [plain("shop.public.bills", "postgres://db:5432"), plain("table/mart/bills", GLUE)]
    ask = answers_after([factory.run_event("COMPLETE", outputs=tables)])
    results = ask("search", q=text)["results"]
    assert {each["name"] for each in results} == found
    for each in results:
        assert any(other["name"].endswith(text) for other in each["otherNames"])
    assert ask("search", q=text, filter="JOB")["results"] == []
    theirs = answers_after([factory.run_event("COMPLETE", outputs=tables)], key_of("demo"))
    assert theirs("search", q=text)["results"] == []


def typed(*names: Document) -> Iterator[str]:
    """What a person may type for a table, by its names: the namespace with the name, or the name; or its last part,
    unless the name is one that only a rule knows, such as that of a partition."""
    for name in names:
        yield f"{name['namespace'].rstrip('/')}/{name['name'].lstrip('/')}"
        yield name["name"]
        if Naming(ALIASES).identify(Name(name["namespace"], name["name"])).identity.name == name["name"]:
            yield re.split("[./]", name["name"])[-1]


def answers_after(events: Sequence[Document], principal: Principal = ANYONE) -> Callable[..., Any]:
    """Lookups of a table after some events, by a deployment with aliases."""
    naming, table = Naming(ALIASES), MemoryTable()
    fold([normalise_event(exact_json.dumps(event), naming) for event in events], GraphStore(table, RETENTION))

    def ask(path: str, **query: Any) -> Any:
        request = ApiRequest(principal, "GET", f"/api/v1/{path}", {name: str(value) for name, value in query.items()})
        lookups = Lookups(GraphReader(table), naming, _fail)
        response = response_or_error(lambda: respond(lookups, request), _fail)
        assert response.status == 200, (path, query, response.body)
        return as_read(response).body

    return ask


@dataclass(frozen=True)
class Asked(Api):
    """The commands' client of these lookups."""

    answers: Callable[..., Any] = answers_after

    def ask(self, *parts: str, **query: Any) -> Answer:
        given = {name: value for name, value in query.items() if value is not None}
        return Answer("", self.answers("/".join(parts), **given))


def _fail(message: str, error: BaseException, **_: Any) -> None:
    raise AssertionError(message) from error
