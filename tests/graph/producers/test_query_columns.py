"""The columns that a SELECT makes, if its text names each: a column that is not found would be told as removed."""

import pytest

from headwater.graph.producers.query_columns import columns_of_query

NAMED = {
    "select o.order_id, c.country, o.price as amount from a as o join b as c on c.id = o.id": "order_id country amount",
    "select country, sum(amount) as revenue, count(*) orders from paid group by country": "country revenue orders",
    "SELECT case when a then 1 else 2 end s, x is distinct from y as z, 'a, b' as t -- , u\nFROM x": "s z t",
    'select o."Order Id", `day`, from x;': "Order Id,day",
    "select id, sample, window from x": "id sample window",
    "with a as (select id, n from x) select * from a order by 1": "id n",
    "with a as (select 1 as x), b as (select * from a) (select b.*, 2 as y from b left join c on true)": "x y",
    "with recursive a(p, q) as materialized (select 1, 2) select * from a": "p q",
    "select distinct on (a, b) a, s.* from (select b, c as d from x where c in (1, 2)) s": "a b d",
    "select 1 as id union all select n from x": "id",
    "select 1.5 as rate": "rate",
    "select id, plus, minus from t": "id plus minus",
}
UNKNOWN = [
    "select * from shop.orders",
    "with a as (select * from x) select * from a",
    "with a as (select 1 as x) select * from a join b on true",
    "with a as (select 1 as x) select * from a pivot (sum(x) for y in (1, 2))",
    "select count(*) from x",
    "select a + b from x",
    "select * except (a) from (select a, b from x)",
    "select * replace (1 as a) from (select a from x)",
    "select columns('a.*') from x",
    "select unnest(parts) as part from x",
    "select o.id, c.id from a as o join b as c on true",
    "select 1 as a union all by name select 2 as b",
    "from x select a",
    "select top 10 a from x",
    "select 'it\\'s', b as c, 'd' from x",
    "select $$ a, b as c $$ as d from x",
    "select o.* rename id as order_id from x o",
    "with a as (select p, q from x) select * from a cross apply f(p) j",
    "with a as (select p, q from x) select * from a as u(c, d)",
    "select * from (select p, q from x) as s(c, d)",
    "with flat as (select p from x) select * from flat(y)",
    "with my as (select p from x) select * from my-project.ds.t",
    "with a as (select p from x), b as (select q from x) select * from a as sample join b on true",
    "select a // don't\n, b, c // can't\n, d from x",
    "select 's3://b/*' as src, total, 'c/*/d' as e from x",
    "select r'''it's''' as a, b from x",
    "select $a$it's$a$ as a, b from x",
    "from x |> select a, b |> drop a",
    "def model(dbt, session): return dbt.ref('x')",
    "(" * 2_000,
    "with a as (",
    "",
]


@pytest.mark.parametrize(("query", "columns"), NAMED.items())
def test_a_select_that_names_its_columns_tells_them_all_in_order(query: str, columns: str) -> None:
    assert columns_of_query(query) == tuple(columns.split("," if "," in columns else " "))


@pytest.mark.parametrize("query", UNKNOWN)
def test_a_select_with_a_column_that_its_text_does_not_name_tells_nothing(query: str) -> None:
    assert columns_of_query(query) is None


def test_a_text_that_may_be_cut_tells_nothing() -> None:
    assert columns_of_query("select a, b from x" + " " * 100_000 + "where c = 1") is None
