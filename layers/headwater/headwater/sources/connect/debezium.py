"""The tables that a Debezium connector captures.

Debezium writes each table to a topic of its own: `PREFIX.inventory.orders`. The topics in use name the tables; before
the first record, the lists of the settings do, as far as they are names and not regular expressions.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from headwater.openlineage.event import Name
from headwater.sources.connect.connector import Connector, SourceTopic
from headwater.sources.connect.jdbc_url import server

INTERNAL = "__debezium-heartbeat"
"""The beginning of topics that carry no data."""
_PLAIN = re.compile(r"[\w$.-]+")


def captured_tables(connector: Connector) -> Iterator[SourceTopic]:
    """The captured tables, each with its topic."""
    prefix = connector.setting("topic.prefix", "database.server.name")
    kind = connector.connector_class.rpartition(".")[2].removesuffix("Connector")
    tables = dict.fromkeys([*_in_use(connector, prefix), *_listed(connector)])
    for table in tables:
        name = _NAMES[kind](connector, table)
        if name:
            yield SourceTopic(name, f"{prefix}.{table}")


def _in_use(connector: Connector, prefix: str) -> Iterator[str]:
    """The tables by the topics in use: `PREFIX.schema.table`. Transformations may have renamed topics: those are left
    out."""
    for topic in connector.topics:
        table = topic.removeprefix(f"{prefix}.")
        if table != topic and "." in table:
            yield table


def _listed(connector: Connector) -> Iterator[str]:
    for entry in connector.listed("table.include.list", "table.whitelist", "collection.include.list"):
        plain = entry.replace(r"\.", ".")
        if _PLAIN.fullmatch(plain):
            yield plain


def _postgres(connector: Connector, table: str) -> Name | None:
    return _relational(connector, "postgres", connector.setting("database.dbname"), table)


def _mysql(connector: Connector, table: str) -> Name | None:
    return _relational(connector, "mysql", "", table)


def _sqlserver(connector: Connector, table: str) -> Name | None:
    """Topics and lists name `database.schema.table`, or `schema.table` for a single database."""
    database = connector.setting("database.names", "database.dbname")
    return _relational(connector, "sqlserver", "" if table.count(".") > 1 or "," in database else database, table)


def _oracle(connector: Connector, table: str) -> Name | None:
    return _relational(connector, "oracle", connector.setting("database.pdb.name", "database.dbname"), table)


def _db2(connector: Connector, table: str) -> Name | None:
    return _relational(connector, "db2", connector.setting("database.dbname"), table)


def _mongodb(connector: Connector, collection: str) -> Name | None:
    text = connector.setting("mongodb.connection.string", "mongodb.hosts")
    host = text.partition("://")[2] or text
    host = re.split(r"[/,?]", host.rpartition("@")[2])[0]
    return Name(f"mongodb://{host if ':' in host else f'{host}:27017'}", collection) if host else None


def _relational(connector: Connector, scheme: str, database: str, table: str) -> Name | None:
    host = connector.setting("database.hostname")
    if not host:
        return None
    namespace = server(scheme, host, connector.setting("database.port") or None, database).namespace
    return Name(namespace, f"{database}.{table}" if database else table)


_NAMES: Mapping[str, Callable[[Connector, str], Name | None]] = {
    "Postgres": _postgres,
    "MySql": _mysql,
    "MariaDb": _mysql,
    "SqlServer": _sqlserver,
    "Oracle": _oracle,
    "Db2": _db2,
    "MongoDb": _mongodb,
}
