"""dbt: a node is one job in each mode, and of its column lineage counts what the database accepted: the columns of a
COMPLETE."""

from headwater.graph.facets.schema import fields_of
from headwater.graph.names.identity import dataset_id, job_id
from headwater.graph.names.naming import Naming
from headwater.graph.producers import producer_of
from headwater.openlineage.event import JobReference, Name, RunEvent
from headwater.read.reader import Reader
from tests import factory
from tests.alerts.stream import World
from tests.producer_records import recorded

SHOP = "duckdb:///srv/shop/shop.duckdb"
TABLES = {
    "raw_customers": ["country", "customer_id", "email", "name"],
    "stg_customers": ["customer_id", "name", "email", "country"],
    "stg_orders": ["order_id", "customer_id", "ordered_at", "price", "status"],
    "paid_orders": ["order_id", "customer_id", "country", "ordered_at", "amount"],
    "revenue_by_country": ["country", "revenue", "orders"],
}


def after(*scenarios: str) -> Reader:
    world = World()
    for scenario in scenarios:
        world.fold(factory.received(*recorded("dbt", scenario)))
    return Reader(world.store, Naming())


def columns(reader: Reader, table: str) -> tuple[list[str], bool]:
    """The columns of a table, and whether they are marked as partial."""
    dataset = dataset_id(Name(SHOP, f"shop.main.{table}"))
    schema = reader.datasets([dataset])[dataset].schema
    return [field["name"] for field in fields_of(schema)], bool(schema and schema.get("headwater_partial"))


def node(unique_id: str, kind: str = "MODEL") -> str:
    job_type = factory.facet(integration="DBT", jobType=kind)
    facets = {"jobType": job_type, "dbt_node": factory.facet(unique_id=unique_id)}
    return producer_of(facets).stable_name(JobReference(Name("demo", "sent"), facets))


def test_a_model_of_dbt_is_one_job_in_each_mode_and_its_tests_another() -> None:
    assert node("model.shop.orders") == "model.shop.orders"
    assert node("model.shop.orders", "TEST") == "model.shop.orders.test"
    assert node("test.shop.no_negative", "TEST") == "test.shop.no_negative"
    assert node("seed.shop.raw", "SEED") == "seed.shop.raw"


def test_a_table_of_dbt_shows_the_columns_of_its_select_in_their_order_marked_as_partial() -> None:
    """schema.yml has none of stg_customers and three of stg_orders; raw_customers is a seed, whose columns only column
    lineage names. No column lineage has `count(*) as orders`."""
    reader = after("run")
    assert {table: columns(reader, table) for table in TABLES} == {
        table: (names, True) for table, names in TABLES.items()
    }


def test_a_statement_that_the_database_refused_made_no_column() -> None:
    reader = after("run_failing_model")
    model = job_id(Name("shop", "model.shop.paid_orders"))
    head = reader.jobs([model])[model]
    assert not any(head.column_lineages(dataset) for dataset in head.facts.usages)
    assert "net_price" not in columns(reader, "stg_orders")[0]


def test_a_statement_that_fails_leaves_the_column_lineage_of_the_run_before() -> None:
    reader = after("run", "run_failing_model")
    model, output = job_id(Name("shop", "model.shop.paid_orders")), dataset_id(Name(SHOP, "shop.main.paid_orders"))
    before = set(after("run").jobs([model])[model].column_lineages(output))
    assert before
    assert set(reader.jobs([model])[model].column_lineages(output)) == before


def test_a_statement_that_fails_still_reads_the_table_that_column_lineage_names() -> None:
    """dbt names no seed as an input; the START names it in column lineage alone."""
    (start,) = [
        event
        for event in recorded("dbt", "run")
        if event["eventType"] == "START" and event["job"]["name"].endswith("stg_orders")
    ]
    (normalised,) = factory.received(start)
    assert isinstance(normalised.event, RunEvent)
    assert [reference.name.name for reference in normalised.event.inputs] == ["shop.main.raw_orders"]
