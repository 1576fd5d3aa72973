"""A JDBC URL and a table name become the name that OpenLineage's naming gives the table."""

import pytest

from headwater.sources.connect.jdbc_url import database_of

NAMES = {
    ("jdbc:postgresql://db/shop", "orders"): "postgres://db:5432 shop.public.orders",
    ("jdbc:postgresql://db:5433/shop?user=a&password=b/c", "mart.orders"): "postgres://db:5433 shop.mart.orders",
    ("jdbc:postgresql://a:b@db/shop", '"shop"."mart"."orders"'): "postgres://db:5432 shop.mart.orders",
    ("jdbc:postgresql://db1:5432,db2:5432/shop", "orders"): "postgres://db1:5432 shop.public.orders",
    ("jdbc:postgresql://[::1]:5432/shop", "orders"): "postgres://[::1]:5432 shop.public.orders",
    ("jdbc:mysql://db/shop", "orders"): "mysql://db:3306 shop.orders",
    ("jdbc:mysql://db/shop", "`other`.`orders`"): "mysql://db:3306 other.orders",
    ("jdbc:sqlserver://db;encrypt=true;databaseName=shop;", "orders"): "sqlserver://db:1433 shop.dbo.orders",
    ("jdbc:sqlserver://db\\main:1444;database=shop", "[sales].[orders]"): "sqlserver://db:1444 shop.sales.orders",
    ("jdbc:oracle:thin:@//db:1522/SHOP", "SALES.ORDERS"): "oracle://db:1522 SHOP.SALES.ORDERS",
    ("jdbc:oracle:thin:@db:1521:SHOP", "SALES.ORDERS"): "oracle://db:1521 SHOP.SALES.ORDERS",
    ("jdbc:redshift://c.eu-west-1.redshift.amazonaws.com/dev", "orders"): (
        "redshift://c.eu-west-1.redshift.amazonaws.com:5439 dev.public.orders"
    ),
}


@pytest.mark.parametrize(("url", "table"), NAMES)
def test_a_table_has_the_name_that_other_engines_give_it(url: str, table: str) -> None:
    database = database_of(url)
    assert database
    assert " ".join(database.table(table)) == NAMES[url, table]


@pytest.mark.parametrize("url", ["", "jdbc:", "jdbc:sqlite:/tmp/x.db", "postgres://db/shop", "jdbc:acme://db/shop"])
def test_an_unknown_dialect_has_no_name(url: str) -> None:
    assert database_of(url) is None
