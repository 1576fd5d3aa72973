"""The table of connector classes: which datasets are on the other side of a connector's topics.

The class of a connector is named whole, or by its alias: `FileStreamSink` is
`org.apache.kafka.connect.file.FileStreamSinkConnector`. A connector of another class is a job with only its topics.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from headwater.openlineage.event import Name
from headwater.sources.connect.connector import Connector, SourceTopic, server_in, url_parts
from headwater.sources.connect.debezium import captured_tables
from headwater.sources.connect.jdbc_url import database_of
from headwater.sources.connect.lake import iceberg_tables

Written = Callable[[Connector, str], Iterator[Name]]
"""The datasets that a sink writes with the records of a topic."""
Read = Callable[[Connector], Iterator[SourceTopic]]
"""The datasets that a source reads, with the topics that it writes them to."""


def writes_of(connector: Connector) -> Written | None:
    """How a sink's topics become datasets; None for an unknown class."""
    return SINKS.get(_short(connector.connector_class))


def reads_of(connector: Connector) -> Read | None:
    """What a source reads; None for an unknown class."""
    return SOURCES.get(_short(connector.connector_class))


def reads_one_dataset(connector: Connector) -> bool:
    """Whether all topics of a source come from the one dataset that its settings name."""
    return _short(connector.connector_class) in ("FileStreamSource", "MongoSource")


def reads_lines(connector: Connector) -> bool:
    """Whether the records of a source are lines of a file, without columns of their own."""
    return _short(connector.connector_class) == "FileStreamSource"


def _short(connector_class: str) -> str:
    """The name of a class without its package and the ending `Connector`."""
    return connector_class.rpartition(".")[2].removesuffix("Connector")


def _file_sink(connector: Connector, _topic: str) -> Iterator[Name]:
    if path := connector.setting("file"):
        yield Name("file", path)


def _file_source(connector: Connector) -> Iterator[SourceTopic]:
    if path := connector.setting("file"):
        yield SourceTopic(Name("file", path), connector.setting("topic"))


def _jdbc_sink(connector: Connector, topic: str) -> Iterator[Name]:
    """`table.name.format` (Confluent, Aiven) or `collection.name.format` (Debezium) names the table of a topic.

    Debezium's sink writes a topic `cdc.public.orders` into a table `cdc_public_orders`. A format may have members of a
    record: such tables are not known.
    """
    database = database_of(connector.setting("connection.url"))
    if database:
        mapped = _pairs(connector, "topics.to.tables.mapping").get(topic)
        pattern = connector.setting("table.name.format", "collection.name.format") or "${topic}"
        is_debezium = connector.connector_class.startswith("io.debezium.")
        table = mapped or pattern.replace("${topic}", topic.replace(".", "_") if is_debezium else topic)
        if "${" not in table:
            yield database.table(table)


def _jdbc_source(connector: Connector) -> Iterator[SourceTopic]:
    """The tables by the offsets, which name those that were read, and by the lists of the settings."""
    database = database_of(connector.setting("connection.url"))
    prefix = connector.setting("topic.prefix")
    if database is None:
        return
    if connector.setting("query"):
        yield SourceTopic(None, prefix)
        return
    schema = connector.setting("schema.pattern")
    schema = "" if re.search(r"[%_]", schema) else schema
    read = [
        partition.get("table") for offset in connector.offsets if isinstance(partition := offset.get("partition"), dict)
    ]
    listed = connector.listed("table.whitelist", "table.include.list", "tables")
    names = {database.table(table, schema): table for table in [*listed, *read] if isinstance(table, str) and table}
    for name, table in names.items():
        yield SourceTopic(name, prefix + table.rpartition(".")[2].strip('"`[]'))


def _object_store(scheme: str, *bucket: str) -> Written:
    """Objects of a topic are below `topics.dir/TOPIC/` of the bucket (Confluent); other makers only have a prefix."""

    def written(connector: Connector, topic: str) -> Iterator[Name]:
        name = connector.setting(*bucket)
        prefix = connector.setting("aws.s3.prefix", "aws_s3_prefix", "file.name.prefix", "prefix")
        is_flat = bool(prefix) or not connector.connector_class.startswith("io.confluent.")
        path = prefix if is_flat else f"{connector.setting('topics.dir') or 'topics'}/{topic}"
        if name:
            yield Name(f"{scheme}://{name}", path.replace("{{topic}}", topic).strip("/") or topic)

    return written


def _hdfs_sink(connector: Connector, topic: str) -> Iterator[Name]:
    parts = url_parts(connector.setting("hdfs.url", "store.url"))
    if parts.hostname:
        folder = connector.setting("topics.dir") or "topics"
        yield Name(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", f"{parts.path.rstrip('/')}/{folder}/{topic}")


def _iceberg_sink(connector: Connector, _topic: str) -> Iterator[Name]:
    yield from iceberg_tables(connector)


def _snowflake_sink(connector: Connector, topic: str) -> Iterator[Name]:
    """Without an entry in the map, the table has the topic's name in upper case, other characters as `_`."""
    host = re.sub(r"^https?://", "", connector.setting("snowflake.url.name")).partition("/")[0].partition(":")[0]
    account = host.lower().removesuffix(".snowflakecomputing.com")
    if account:
        legal = re.sub(r"[^\w$]", "_", topic)
        table = _pairs(connector, "snowflake.topic2table.map").get(topic) or (
            legal if legal[:1].isalpha() else f"_{legal}"
        )
        parts = (connector.setting("snowflake.database.name"), connector.setting("snowflake.schema.name"), table)
        yield Name(f"snowflake://{account}", ".".join(part.upper() for part in parts if part))


def _search_sink(scheme: str) -> Written:
    """An index of Elasticsearch or OpenSearch has the topic's name in lower case."""

    def written(connector: Connector, topic: str) -> Iterator[Name]:
        urls = connector.listed("connection.url")
        server = server_in(url_parts(urls[0] if "://" in urls[0] else f"http://{urls[0]}"), 9200) if urls else ""
        if server:
            mapped = _pairs(connector, "topic.to.external.resource.mapping", "topic.index.map").get(topic)
            yield Name(f"{scheme}://{server}", mapped or topic.lower())

    return written


def _mongo_sink(connector: Connector, topic: str) -> Iterator[Name]:
    host = _mongo_host(connector)
    if host:
        yield Name(f"mongodb://{host}", f"{connector.setting('database')}.{connector.setting('collection') or topic}")


def _mongo_source(connector: Connector) -> Iterator[SourceTopic]:
    host, database, collection = _mongo_host(connector), connector.setting("database"), connector.setting("collection")
    if host and database and collection:
        prefix = connector.setting("topic.prefix")
        topic = ".".join(part for part in (prefix, database, collection) if part)
        yield SourceTopic(Name(f"mongodb://{host}", f"{database}.{collection}"), topic)


def _mongo_host(connector: Connector) -> str:
    host = url_parts(connector.setting("connection.uri")).netloc.rpartition("@")[2].partition(",")[0]
    if not server_in(url_parts(f"//{host}"), 27017):
        return ""
    return host if ":" in host else f"{host}:27017"


def _pairs(connector: Connector, *keys: str) -> dict[str, str]:
    """A setting of pairs: `topic:table,topic2:table2`."""
    pairs = (entry.partition(":") for entry in connector.listed(*keys))
    return {topic.strip(): table.strip() for topic, _, table in pairs}


SINKS: Mapping[str, Written] = {
    "FileStreamSink": _file_sink,
    "JdbcSink": _jdbc_sink,
    "S3Sink": _object_store("s3", "s3.bucket.name"),
    "AivenKafkaConnectS3Sink": _object_store("s3", "aws.s3.bucket.name", "aws_s3_bucket"),
    "GcsSink": _object_store("gs", "gcs.bucket.name"),
    "Hdfs3Sink": _hdfs_sink,
    "HdfsSink": _hdfs_sink,
    "IcebergSink": _iceberg_sink,
    "SnowflakeSink": _snowflake_sink,
    "SnowflakeStreamingSink": _snowflake_sink,
    "ElasticsearchSink": _search_sink("elasticsearch"),
    "OpensearchSink": _search_sink("opensearch"),
    "OpenSearchSink": _search_sink("opensearch"),
    "MongoSink": _mongo_sink,
}
SOURCES: Mapping[str, Read] = {
    "FileStreamSource": _file_source,
    "JdbcSource": _jdbc_source,
    "MongoSource": _mongo_source,
    **dict.fromkeys(("Postgres", "MySql", "MariaDb", "SqlServer", "Oracle", "MongoDb", "Db2"), captured_tables),
}
"""Debezium's classes have no ending: `io.debezium.connector.postgresql.PostgresConnector`."""
