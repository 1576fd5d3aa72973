"""The tables that an Iceberg sink writes, in the names that Spark's listener gives them or links to them.

iceberg.catalog.type   name
rest                   the catalogue's URI, `db.table`
hive                   hive://HOST:PORT, `db.table`
glue, with account     arn:aws:glue:REGION:ACCOUNT, `table/db/table`
hadoop, glue           the folder below the warehouse
"""

from collections.abc import Iterator

from headwater.openlineage.event import Name
from headwater.sources.connect.connector import Connector, server_in, url_parts

_CATALOG = "iceberg.catalog"


def iceberg_tables(connector: Connector) -> Iterator[Name]:
    """The tables that the settings list. Tables that a field of each record names are not known."""
    for table in connector.listed("iceberg.tables"):
        name = _table(connector, table)
        if name:
            yield name


def _table(connector: Connector, table: str) -> Name | None:
    kind, uri = _kind(connector), connector.setting(f"{_CATALOG}.uri")
    account = connector.setting(f"{_CATALOG}.glue.id")
    region = connector.setting(f"{_CATALOG}.client.region", f"{_CATALOG}.s3.region")
    database, _, name = table.rpartition(".")
    if kind == "rest" and uri:
        parts = url_parts(uri)
        place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"
        return Name(place, table) if parts.netloc else None
    if kind == "hive" and uri:
        server = server_in(url_parts(uri.partition(",")[0]), 9083)
        return Name(f"hive://{server}", table) if server else None
    if kind == "glue" and account and region:
        return Name(f"arn:aws:glue:{region}:{account}", f"table/{database}/{name}")
    folder = f"{database}.db/{name}" if kind in ("glue", "hive") else table.replace(".", "/")
    return _below_warehouse(connector, folder)


def _kind(connector: Connector) -> str:
    """The type of the catalogue, by its name or by its class: `org.apache.iceberg.aws.glue.GlueCatalog`."""
    own = connector.setting(f"{_CATALOG}.catalog-impl").rpartition(".")[2]
    return (connector.setting(f"{_CATALOG}.type") or own.removesuffix("Catalog")).lower()


def _below_warehouse(connector: Connector, folder: str) -> Name | None:
    parts = url_parts(connector.setting(f"{_CATALOG}.warehouse"))
    if parts.netloc:
        return Name(
            f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", f"{parts.path.strip('/')}/{folder}".strip("/")
        )
    return Name("file", f"{parts.path.rstrip('/')}/{folder}") if parts.path.startswith("/") else None
