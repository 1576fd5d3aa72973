"""The store that a namespace means: a Postgres server, or the store behind a catalog of a query engine."""

from collections.abc import Mapping

import pytest

from headwater.graph.names.naming import IdentifiedName, Naming
from headwater.openlineage.event import Name


def identified(namespace: str, name: str, aliases: Mapping[str, str] = {}) -> IdentifiedName:
    return Naming(aliases).identify(Name(namespace, name))


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("postgresql://db.shop", "postgres://db.shop:5432"),
        ("postgresql://db.shop:6543", "postgres://db.shop:6543"),
        ("postgresql+psycopg2://db.shop/", "postgres://db.shop:5432"),
        ("postgres://db.shop:5432", "postgres://db.shop:5432"),
        ("postgresql://me@db.shop", "postgresql://me@db.shop"),
        ("mysql://db.shop", "mysql://db.shop"),
    ],
)
def test_a_postgres_server_has_one_namespace(sent: str, shown: str) -> None:
    assert identified(sent, "shop.public.orders").shown == Name(shown, "shop.public.orders")


CATALOGS = {"trino://trino:8080 pg.": "postgres://db:5432 shop.", "postgres://db:5432": "postgres://orders:5432"}


def test_a_catalog_of_a_query_engine_means_another_store() -> None:
    pg = identified("trino://trino:8080", "pg.public.orders", CATALOGS)
    assert (pg.shown, pg.rules) == (Name("postgres://orders:5432", "shop.public.orders"), ("alias",))
    assert identified("trino://trino:8080", "lake.public.orders", CATALOGS).rules == ()
    assert identified("trino://other:8080", "pg.public.orders", CATALOGS).rules == ()


def test_catalogs_that_mean_each_other_mean_one_name() -> None:
    ring = {"trino://a c.": "trino://b d.", "trino://b d.": "trino://a c."}
    assert identified("trino://a", "c.x", ring).identity == identified("trino://b", "d.x", ring).identity
