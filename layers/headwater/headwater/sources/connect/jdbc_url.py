"""The database of a JDBC URL, and the names of its tables as OpenLineage's naming has them.

jdbc:postgresql://db/shop?user=etl    orders             postgres://db:5432     shop.public.orders
jdbc:sqlserver://db:1433;databaseName=shop   dbo.orders  sqlserver://db:1433    shop.dbo.orders
jdbc:mysql://db/shop                  orders             mysql://db:3306        shop.orders
"""

import re
from typing import NamedTuple

from headwater.openlineage.event import Name


class _Dialect(NamedTuple):
    scheme: str
    port: int
    schema: str | None
    """The schema of a table that is named without one; empty if it is the user's own, None where there are none."""


_DIALECTS = {
    "postgresql": _Dialect("postgres", 5432, "public"),
    "mysql": _Dialect("mysql", 3306, None),
    "mariadb": _Dialect("mysql", 3306, None),
    "sqlserver": _Dialect("sqlserver", 1433, "dbo"),
    "oracle": _Dialect("oracle", 1521, ""),
    "redshift": _Dialect("redshift", 5439, "public"),
    "db2": _Dialect("db2", 50000, ""),
}
_URL = re.compile(r"jdbc:(?P<vendor>\w+):(?:[\w-]+:)*(?:@?//|@)(?P<rest>.*)", re.DOTALL)
_REST = re.compile(
    r"""(?:[^@/;?]*@)?                                      # user and password
        (?P<host>\[[^\]]+\]|[^:/;?,\\]+)(?:\\[^:/;?,]*)?    # the first host; of SQL Server, with an instance
        (?::(?P<port>\d+))?(?:,[^/;?]*)?
        (?:[/:](?P<database>[^;?:/]*))?
        (?P<parameters>.*)""",
    re.VERBOSE | re.DOTALL,
)
_DATABASE = re.compile(r";\s*database(?:Name)?\s*=\s*\{?([^;}]+)", re.IGNORECASE)


class DatabaseServer(NamedTuple):
    """A database: the namespace of its server, its name, and the schema of tables named without one."""

    namespace: str
    database: str
    schema: str | None

    def table(self, name: str, schema: str = "") -> Name:
        """The name of a table: `orders`, `public.orders` or `shop.public.orders`, with or without quotes."""
        parts = [part.strip('"`[] ') for part in name.split(".") if part.strip('"`[] ')]
        levels = [self.database] if self.schema is None else [self.database, schema or self.schema]
        missing = levels[: max(0, len(levels) + 1 - len(parts))]
        return Name(self.namespace, ".".join([part for part in missing if part] + parts))


def database_of(url: str) -> DatabaseServer | None:
    """The database of a JDBC URL; None for a dialect without a name of its own."""
    match = _URL.fullmatch(url.strip())
    dialect = _DIALECTS.get(match["vendor"].lower()) if match else None
    rest = _REST.fullmatch(match["rest"]) if match and dialect else None
    if not dialect or not rest:
        return None
    named = _DATABASE.search(rest["parameters"])
    database = named[1] if named else rest["database"] or ""
    return server(dialect.scheme, rest["host"], rest["port"], database.strip())


def server(scheme: str, host: str, port: str | None, database: str) -> DatabaseServer:
    """A database by OpenLineage's scheme, such as `postgres`; without a port, by the default port."""
    dialect = next(known for known in _DIALECTS.values() if known.scheme == scheme)
    return DatabaseServer(f"{scheme}://{host}:{port or dialect.port}", database, dialect.schema)
