"""Each class of connectors reads and writes what its settings name, in the names that other engines use."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from headwater.sources.connect.connector import Connector
from headwater.sources.connect.connector_lineage import flows_of

KAFKA = "kafka://broker-1:9092"
POSTGRES = "jdbc:postgresql://db/shop?user=etl&password=x"
DEBEZIUM = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.hostname": "db",
    "database.port": "5432",
    "database.dbname": "shop",
    "topic.prefix": "cdc",
}


def connector(
    config: Mapping[str, str], topics: Sequence[str] = (), partitions: Sequence[Mapping[str, Any]] = ()
) -> Connector:
    offsets = [{"partition": partition, "offset": {}} for partition in partitions]
    is_source = "topics" not in config and "topics.regex" not in config
    return Connector("c", is_source, config, "RUNNING", (), "", "1", topics, offsets)


def drawn(
    config: Mapping[str, str], topics: Sequence[str] = (), partitions: Sequence[Mapping[str, Any]] = ()
) -> set[str]:
    """The flows as arrows: `file/data/in.txt -> kafka://broker-1:9092/orders`."""
    return {
        " -> ".join("/".join(name) if name else "?" for name in flow)
        for flow in flows_of(connector(config, topics, partitions), KAFKA)
    }


SINKS_TEXT = """
file//data/a.txt
    connector.class=FileStreamSink file=/data/a.txt
postgres://db:5432/shop.public.orders
    connector.class=io.confluent.connect.jdbc.JdbcSinkConnector
    connection.url=jdbc:postgresql://db/shop?user=etl&password=x
mysql://db:3306/shop.kafka_orders
    connector.class=io.aiven.connect.jdbc.JdbcSinkConnector connection.url=jdbc:mysql://db/shop
    table.name.format=kafka_${topic}
postgres://db:5432/shop.mart.orders
    connector.class=io.debezium.connector.jdbc.JdbcSinkConnector
    connection.url=jdbc:postgresql://db/shop?user=etl&password=x collection.name.format=mart.${topic}
s3://lake/raw/orders
    connector.class=io.confluent.connect.s3.S3SinkConnector s3.bucket.name=lake topics.dir=raw
s3://lake/topics/orders
    connector.class=io.confluent.connect.s3.S3SinkConnector s3.bucket.name=lake
s3://lake/raw
    connector.class=io.aiven.kafka.connect.s3.AivenKafkaConnectS3SinkConnector aws.s3.bucket.name=lake
    aws.s3.prefix=raw/
snowflake://acme-prod/SHOP.RAW.ORDERS
    connector.class=com.snowflake.kafka.connector.SnowflakeSinkConnector
    snowflake.url.name=acme-prod.snowflakecomputing.com:443 snowflake.database.name=shop
    snowflake.schema.name=raw
snowflake://acme-prod/SHOP.RAW.SALES
    connector.class=com.snowflake.kafka.connector.SnowflakeSinkConnector
    snowflake.url.name=https://acme-prod.snowflakecomputing.com snowflake.database.name=SHOP
    snowflake.schema.name=RAW snowflake.topic2table.map=orders:sales,other:x
elasticsearch://search:9243/orders
    connector.class=io.confluent.connect.elasticsearch.ElasticsearchSinkConnector
    connection.url=https://user:pw@search:9243,https://other
mongodb://docs:27017/shop.orders
    connector.class=com.mongodb.kafka.connect.MongoSinkConnector connection.uri=mongodb://u:p@docs/?x=1
    database=shop
http://rest:8181/sales.orders
    connector.class=org.apache.iceberg.connect.IcebergSinkConnector iceberg.tables=sales.orders
    iceberg.catalog.type=rest iceberg.catalog.uri=http://rest:8181
hive://ms:9083/sales.orders
    connector.class=org.apache.iceberg.connect.IcebergSinkConnector iceberg.tables=sales.orders
    iceberg.catalog.type=hive iceberg.catalog.uri=thrift://ms
arn:aws:glue:eu-west-1:123456789012/table/sales/orders
    connector.class=org.apache.iceberg.connect.IcebergSinkConnector iceberg.tables=sales.orders
    iceberg.catalog.catalog-impl=org.apache.iceberg.aws.glue.GlueCatalog iceberg.catalog.glue.id=123456789012
    iceberg.catalog.client.region=eu-west-1
s3://lake/wh/sales.db/orders
    connector.class=org.apache.iceberg.connect.IcebergSinkConnector iceberg.tables=sales.orders
    iceberg.catalog.type=glue iceberg.catalog.warehouse=s3://lake/wh
s3://lake/wh/sales/orders
    connector.class=org.apache.iceberg.connect.IcebergSinkConnector iceberg.tables=sales.orders
    iceberg.catalog.type=hadoop iceberg.catalog.warehouse=s3://lake/wh
"""
"""Datasets, and below each of them the settings of a sink that writes it."""


def sinks() -> Iterator[tuple[dict[str, str], str]]:
    for paragraph in re.split(r"\n(?! )", SINKS_TEXT.strip()):
        written, *settings = paragraph.split()
        yield dict(setting.split("=", 1) for setting in settings), written


SINKS = list(sinks())


@pytest.mark.parametrize(("config", "written"), SINKS, ids=[config["connector.class"] for config, _ in SINKS])
def test_a_sink_reads_its_topic_and_writes_a_dataset(config: dict[str, str], written: str) -> None:
    assert drawn({"topics": "orders", **config}) == {f"{KAFKA}/orders -> {written}"}


@pytest.mark.parametrize("url", ["http://[", "http://etl:hunter2", "http://"])
@pytest.mark.parametrize("kind", ["io.ElasticsearchSinkConnector", "com.mongodb.kafka.connect.MongoSinkConnector"])
def test_a_url_that_is_none_leaves_the_dataset_unknown(kind: str, url: str) -> None:
    config = {"topics": "orders", "connector.class": kind, "connection.url": url, "connection.uri": url}
    assert drawn(config) == {f"{KAFKA}/orders -> ?"}


def test_a_sink_of_a_regular_expression_reads_the_topics_that_it_used() -> None:
    config = {"connector.class": "FileStreamSink", "file": "/a", "topics.regex": "shop-.*"}
    assert drawn(config, ["shop-orders"], [{"kafka_topic": "shop-items", "kafka_partition": 0}]) == {
        f"{KAFKA}/shop-orders -> file//a",
        f"{KAFKA}/shop-items -> file//a",
    }


def test_an_unknown_class_is_a_job_with_its_topics() -> None:
    assert drawn({"connector.class": "com.acme.Sink", "topics": "orders"}) == {f"{KAFKA}/orders -> ?"}
    assert drawn({"connector.class": "com.acme.Source", "topic": "orders"}) == {f"? -> {KAFKA}/orders"}
    assert drawn({"connector.class": "com.acme.Source"}, ["orders"]) == {f"? -> {KAFKA}/orders"}


def test_a_file_is_read_into_its_topic_or_the_topics_that_a_router_makes() -> None:
    config = {"connector.class": "FileStreamSource", "file": "/data/in.txt", "topic": "orders"}
    assert drawn(config) == {f"file//data/in.txt -> {KAFKA}/orders"}
    regex = {"type": "org.apache.kafka.connect.transforms.RegexRouter", "regex": "(.*)", "replacement": "shop-$1"}
    config |= {"transforms": "r", **{f"transforms.r.{key}": text for key, text in regex.items()}}
    assert drawn(config) == {f"file//data/in.txt -> {KAFKA}/shop-orders"}
    assert drawn(config, ["shop-orders"]) == {f"file//data/in.txt -> {KAFKA}/shop-orders"}


def test_topics_by_the_time_of_a_record_are_known_once_they_are_used() -> None:
    config = {"connector.class": "FileStreamSource", "file": "/in", "topic": "orders", "transforms": "t"}
    config |= {"transforms.t.type": "org.apache.kafka.connect.transforms.TimestampRouter"}
    assert drawn(config) == {"file//in -> ?"}
    assert drawn(config, ["orders-20261122"]) == {"file//in -> ?", f"file//in -> {KAFKA}/orders-20261122"}


def test_jdbc_reads_the_tables_of_its_list_and_of_its_offsets() -> None:
    config = {
        "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
        "connection.url": POSTGRES,
        "table.whitelist": "orders",
        "topic.prefix": "db-",
    }
    orders = f"postgres://db:5432/shop.public.orders -> {KAFKA}/db-orders"
    assert drawn(config) == {orders}
    assert drawn(config, ["db-orders", "db-items"], [{"protocol": "1", "table": "shop.public.items"}]) == {
        orders,
        f"postgres://db:5432/shop.public.items -> {KAFKA}/db-items",
    }
    assert drawn({**config, "query": "select 1"}) == {f"? -> {KAFKA}/db-"}


def test_debezium_captures_the_tables_of_its_list_and_of_its_topics() -> None:
    assert drawn({**DEBEZIUM, "table.include.list": r"public\.orders, public.it.*"}) == {
        f"postgres://db:5432/shop.public.orders -> {KAFKA}/cdc.public.orders"
    }
    assert drawn(DEBEZIUM, ["cdc.public.items", "__debezium-heartbeat.cdc"]) == {
        f"postgres://db:5432/shop.public.items -> {KAFKA}/cdc.public.items"
    }
    mysql = DEBEZIUM | {"connector.class": "io.debezium.connector.mysql.MySqlConnector", "database.port": ""}
    assert drawn(mysql, ["cdc.shop.items"]) == {f"mysql://db:3306/shop.items -> {KAFKA}/cdc.shop.items"}


def test_a_topic_of_an_unknown_table_comes_from_no_known_table() -> None:
    """A regular expression of tables, and a router that takes the names of tables out of topics."""
    regex = {"type": "org.apache.kafka.connect.transforms.RegexRouter", "regex": r".*\.(.*)", "replacement": "$1"}
    config = {**DEBEZIUM, "table.include.list": "public.orders,public.it.*", "transforms": "r"}
    config |= {f"transforms.r.{key}": text for key, text in regex.items()}
    assert drawn(config, ["orders", "items"]) == {
        f"postgres://db:5432/shop.public.orders -> {KAFKA}/orders",
        f"? -> {KAFKA}/items",
    }


def test_debezium_s_sink_has_no_dots_in_tables_and_a_format_by_record_names_no_table() -> None:
    config = {"connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector", "connection.url": POSTGRES}
    topics = {"topics": "cdc.public.orders"}
    assert drawn(config | topics) == {f"{KAFKA}/cdc.public.orders -> postgres://db:5432/shop.public.cdc_public_orders"}
    assert drawn(config | topics | {"collection.name.format": "${source.table}"}) == {f"{KAFKA}/cdc.public.orders -> ?"}


def test_mirror_maker_copies_topics_of_another_cluster() -> None:
    config = {
        "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
        "source.cluster.alias": "eu",
        "source.cluster.bootstrap.servers": "eu-1:9092,eu-2:9092",
        "topics": "orders,shop-.*",
    }
    config.pop("topics")
    offsets = [{"cluster": "eu", "partition": 0, "topic": "orders"}]
    assert drawn(config, ["eu.items"], offsets) == {
        f"kafka://eu-1:9092/orders -> {KAFKA}/eu.orders",
        f"kafka://eu-1:9092/items -> {KAFKA}/eu.items",
    }
    identity = {"replication.policy.class": "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"}
    assert drawn(config | identity, (), offsets) == {f"kafka://eu-1:9092/orders -> {KAFKA}/orders"}
