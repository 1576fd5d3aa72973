"""A table is found, shown and told once, by each rule of docs/identity.md, whatever it is called, and by the command.

Each case has three events: a run that writes the table under one name, and two that read it under others. Whichever
comes first, each of the names leads to the one dataset, with its writer and its readers, and a search tells it once.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any
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
from tests.fakes import fail_test
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
RULES_TEXT = """
an opaque path with a Glue name
    s3://lake 7f/{n} = {glue} | {glue} | s3://lake 7f/{n}
a Glue name, once with a slash
    {glue} | {glue}/ | {arn}/ table/mart/{t}
a path with a Glue name, by two clients
    s3a://lake mart/{t} = {glue} | s3n://lake /mart/{t}/ | {glue}
a path with a name in a metastore
    hdfs://nn:8020 /wh/mart.db/{t} = {hive} | {hive} | hdfs://nn:8020 /wh/mart.db/{t}
a metastore's name with its path
    {hive} = hdfs://nn:8020 /wh/mart.db/{t} | {hive} | hdfs://nn:8020 /wh/mart.db/{t} = {hive}
two hosts of a metastore
    s3://lake wh/{t} = hive://one:9083 mart.{t} | s3://lake wh/{t} = hive://two:9083 mart.{t} | hive://two:9083 mart.{t}
hosts of clusters over Glue
    hive://ip-10-0-0-1:9083 mart.{t} | hive://ip-10-0-0-2:9083 mart.{t} | {glue}
a path with the name of a cluster's host
    s3://lake wh/{t} = hive://ip-10-0-0-1:9083 mart.{t} | {glue} | hive://ip-10-0-0-2:9083 mart.{t}
S3 Tables by the alias of a catalogue
    s3://lake 4f2a/{n} = {s3tables} s3tablescatalog.mart.{t} | {s3tables} s3tablescatalog.mart.{t} | s3://lake 4f2a/{n}
S3 Tables by two aliases
    s3://lake 4f2a/{n} = {s3tables} a.mart.{t} | s3://lake 4f2a/{n} = {s3tables} b.mart.{t} | {s3tables} b.mart.{t}
Trino over Glue
    trino://trino:8080 lake.mart.{t} | {glue} | trino://trino:8080 lake.mart.{t}
Trino over Postgres
    trino://trino:8080 pg.public.{t} | postgres://db:5432 shop.public.{t} | postgresql://db shop.public.{t}
Presto over Postgres
    presto://presto:8080 pg.public.{t} | postgres://db:5432 shop.public.{t} | trino://trino:8080 pg.public.{t}
JDBC by its driver
    postgresql+psycopg2://db shop.public.{t} | postgres://db:5432 shop.public.{t} | postgresql://db:5432 shop.public.{t}
brokers of one cluster
    kafka://b-1:9092 {t} | kafka://b-2:9092 {t} | kafka://b-1:9092,b-2:9092 {t}
partitions and files
    s3://lake wh/{t}/day=2026-11-20/hour=1 | s3://lake wh/{t} | s3://lake wh/{t}/day=2026-11-20/part-00000-a.parquet
folders of table formats
    s3://lake wh/{t}/_delta_log | s3://lake wh/{t}/.hoodie/metadata | s3://lake wh/{t}/_temporary/0
schemes and slashes
    gcs://lake //wh//{t}// | gs://lake wh/{t} | gs://lake/ /wh/{t}
one host's files
    file /wh/{t} | file:/// /wh/{t}/ | file: wh/{t}
a table that was renamed
    file /wh/{t} < /wh/before | file /wh/{t} | file /wh/{t}/
Iceberg in Glue, told by its writer alone
    s3://lake wh/mart.db/{t} = {glue} | s3://lake wh/mart.db/{t} | s3a://lake/ wh/mart.db/{t}/
Iceberg in Glue, told by a reader alone
    s3://lake wh/mart.db/{t} | s3://lake wh/mart.db/{t} = {glue} | {glue}
Iceberg in a Hadoop catalogue
    s3://lake wh/mart/{t} = s3://lake/wh mart.{t} | s3://lake wh/mart/{t} | s3://lake/wh mart.{t}
Iceberg in a REST catalogue
    s3://lake wh/{t}-0f8f = http://rest:8181 mart.{t} | s3://lake wh/{t}-0f8f | http://rest:8181 mart.{t}
Iceberg's files under data
    s3://lake wh/{t} = {glue} | s3://lake wh/{t}/day=1/part-00000-a.parquet | {glue}
Glue in another partition of AWS
    s3://lake wh/{t} = arn:aws-cn:glue:cn-north-1:123456789012 table/mart/{t}
    | arn:aws-cn:glue:cn-north-1:123456789012 table/mart/{t} | s3://lake wh/{t}
Glue and a metastore at once
    s3://lake wh/{t} = {glue} = {hive} | {glue} | {hive}
a metastore whose names have the Spark catalogue
    s3://lake wh/{t} = {metastore} spark_catalog.mart.{t} | {metastore} spark_catalog.mart.{t} | s3://lake wh/{t}
names in a chain
    s3://lake wh/{t} = {hive} | {hive} = {glue} | {glue}
two paths of one Glue table
    s3://lake wh/{t} = {glue} | s3://lake moved/{t} = {glue} | {glue}
a symlink by another client of the bucket
    {hive} = s3a://lake wh/{t} | s3://lake wh/{t} | {hive}
a symlink that repeats the name
    s3://lake wh/{t} = s3://lake wh/{t} = {glue} | s3://lake wh/{t} | {glue}
S3 Tables by name alone
    {s3tables} mart.{t} | {s3tables} mart.{t} | {s3tables}/ mart.{t}
S3 Tables and Glue
    s3://lake b1/{n} = {s3tables} mart.{t} = {glue} | {s3tables} mart.{t} | {glue}
hosts of a metastore by pattern, beside its path
    hdfs://nn:8020 /wh/{t} = hive://ip-10-0-0-1:9083 mart.{t} | hive://ip-10-0-0-9:9083 mart.{t} | {glue}
Athena over Glue
    awsathena://athena.eu-central-1.amazonaws.com AwsDataCatalog.mart.{t} | {glue} | s3://lake wh/{t} = {glue}
Trino over Glue, with a path
    s3://lake wh/{t} = {glue} | trino://trino:8080 lake.mart.{t} | s3://lake wh/{t}
Trino over a metastore of clusters
    trino://trino:8080 lake.mart.{t} | hive://ip-10-0-0-3:9083 mart.{t} | {glue}
JDBC by its default port
    postgresql://db shop.public.{t} | postgresql://db/ shop.public.{t} | postgres://db:5432 shop.public.{t}
JDBC by another driver and port
    postgresql+asyncpg://db:6432 shop.public.{t} | postgres://db:6432 shop.public.{t}
    | postgresql+psycopg://db:6432 shop.public.{t}
JDBC by two hosts of an alias
    postgres://replica:5432 shop.public.{t} | postgresql://replica shop.public.{t} | postgres://db:5432 shop.public.{t}
JDBC with a symlink to its catalogue
    postgres://db:5432 shop.public.{t} = {hive} | {hive} | postgresql://db shop.public.{t}
a table whose database is its data source
    postgresql://db public.{t} in postgresql://db/shop | postgres://db:5432 shop.public.{t}
    | postgresql+psycopg2://db shop.public.{t}
a bucket by an alias
    s3://old-lake wh/{t} | s3a://old-lake/ wh/{t} | s3://lake wh/{t}
a container over TLS
    abfss://c@acc.dfs.core.windows.net wh/{t} | abfs://c@acc.dfs.core.windows.net /wh/{t}
    | abfss://c@acc.dfs.core.windows.net/ wh/{t}/
an older container over TLS
    wasbs://c@acc.blob.core.windows.net wh/{t} | wasb://c@acc.blob.core.windows.net wh/{t}
    | wasb://c@acc.blob.core.windows.net //wh/{t}
a path of Databricks
    dbfs /mnt/{t} | dbfs:/ /mnt/{t}/ | dbfs: mnt/{t}/_delta_log
HDFS with its default host
    hdfs /wh/{t} | hdfs:/// /wh/{t}/ | hdfs: /wh/{t}/p=1
partitions of many levels
    s3://lake wh/{t}/y=2026/m=11/d=25/h=1 | s3n://lake wh/{t}/y=2026 | s3://lake wh/{t}
committers of Hive and Spark
    s3://lake wh/{t}/.spark-staging-1a/day=1 | s3://lake wh/{t}/.hive-staging_hive_1/-ext-10000
    | s3://lake wh/{t}/__magic_job-1/x
a manifest of Delta in Glue
    s3://lake wh/{t}/_symlink_format_manifest = {glue} | s3://lake wh/{t} | {glue}
a saved model
    s3://lake models/{t}/stages/0_Tree_0123456789ab/data | s3://lake models/{t}/bestModel/metadata
    | s3://lake models/{t}
a stream's checkpointed sink
    s3://lake wh/{t}/_spark_metadata/0 | s3a://lake wh/{t} | s3://lake wh/{t}/day=1
a topic with an equals sign
    kafka://b-1:9092 a=b/{t} | kafka://b-2:9092 a=b/{t} | kafka://shop a=b/{t}
renamed twice
    file /wh/{t} < /wh/between | file /wh/{t} | file /wh/{t} < /wh/between
renamed, with a name in a catalogue
    file /wh/{t} < /wh/before = {hive} | file /wh/{t} | {hive}
a database of another engine
    snowflake://org-acc SHOP.PUBLIC.{t} | snowflake://org-acc SHOP.PUBLIC.{t} | snowflake://org-acc SHOP.PUBLIC.{t}
BigQuery beside its files
    bigquery proj.mart.{t} = gs://lake wh/{t} | gcs://lake wh/{t} | bigquery proj.mart.{t}
a symlinks facet with broken entries
    s3://lake wh/{t} = ? = {glue} | {glue} | s3://lake wh/{t}
a Glue name with the name of a cluster's host
    {glue} = hive://ip-10-1-1-1:9083 mart.{t} | hive://ip-10-1-1-2:9083 mart.{t} | {glue}
"""
"""A rule, and below it the table as it is written | as it is read | and as it is read by another. Each is a namespace
and a name, then other names after `=` (`?` for broken entries), the name before it was renamed after `<`, and the URI
of its data source after `in`. {t} is the table, {n} the number of its letters."""


def rules() -> Iterator[tuple[str, list[str]]]:
    for paragraph in re.split(r"\n(?! )", RULES_TEXT.strip()):
        rule, _, names = paragraph.partition("\n")
        yield rule, re.split(r"\s+\|\s+", names.strip())


RULES = dict(rules())


def named(text: str, table: str) -> Document:
    """The dataset that a rule names."""
    glue, hive = f"{GLUE} table/mart/{table}", f"{HIVE} mart.{table}"
    text = text.format(t=table, n=len(table), arn=GLUE, glue=glue, metastore=HIVE, hive=hive, s3tables=S3_TABLES)
    first, *others = re.split(" (?=[=<] |in )", text)
    namespace, name = first.split(" ")
    facets: dict[str, Document] = {}
    symlinks: list[Any] = []
    for mark, *words in (other.split(" ") for other in others):
        if mark == "<":
            facets["lifecycleStateChange"] = factory.renamed_from(words[0], namespace)
        elif mark == "in":
            facets["dataSource"] = factory.facet(name="s", uri=words[0])
        elif words == ["?"]:
            symlinks += [{"name": 7}, "x"]
        else:
            symlinks.append({"namespace": words[0], "name": words[1], "type": "TABLE"})
    if symlinks:
        facets["symlinks"] = factory.facet(identifiers=symlinks)
    return factory.dataset(name, namespace, **facets)


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
    written, *read = (named(text, table) for text in RULES[rule])
    has_catalogue = re.search("arn:|hive:", f"{written}{read}") is not None
    events = [
        factory.run_event("COMPLETE", run=1, seconds=1, job="writer", outputs=[written]),
        *(
            factory.run_event("COMPLETE", run=2 + n, seconds=2 + n, job=f"reader{n}", inputs=[name])
            for n, name in enumerate(read)
        ),
    ]
    ask = answers_after([events[at] for at in order])
    (hit,) = (each for each in ask("search", q=table)["results"] if each["type"] == "DATASET")
    assert hit.get("displayName") == (f"mart.{table}" if has_catalogue else None)
    (grouped,) = (each for each in ask("search/groups", q=table)["results"] if each["type"] == "DATASET")
    assert (grouped["nodeId"], grouped.get("displayName")) == (hit["nodeId"], hit.get("displayName"))
    for name in (written, *read):
        graph = ask("lineage", nodeId=f"dataset:{name['namespace']}:{name['name']}", depth=1)["graph"]
        assert [node["id"] for node in graph if node["type"] == "DATASET"] == [hit["nodeId"]]
        assert {node["data"]["name"] for node in graph if node["type"] == "JOB"} == {"writer", "reader0", "reader1"}
        path = f"namespaces/{quote(name['namespace'], safe='')}/datasets/{quote(name['name'], safe='')}"
        assert ask(path)["name"] == hit["name"]
    in_catalogue = [f"mart.{table}", f"MART/{table}"] if has_catalogue else []
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
    tables = [
        factory.dataset("wh/orders", LAKE),
        factory.dataset("old/orders", LAKE),
        factory.dataset("wh/old_orders", LAKE),
    ]
    tables += [factory.dataset("shop.public.bills", "postgres://db:5432"), factory.dataset("table/mart/bills", GLUE)]
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
        lookups = Lookups(GraphReader(table), naming, fail_test)
        response = response_or_error(lambda: respond(lookups, request), fail_test)
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
