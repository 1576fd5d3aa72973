"""What a schema facet of each producer is worth: all columns of the dataset, or some."""

import pytest

from headwater.graph.facets.schema import PARTIAL
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.openlineage import exact_json
from headwater.openlineage.event import RunEvent
from tests import factory
from tests.factory import Document

TABLE = ("s3://lake", "a", "price")


def facets_of(
    job_facets: Document, *, read: bool = False, producer: str = factory.PRODUCER, **facets: Document
) -> set[str]:
    """The names of the facets that an input or output of an event has once the event is normalised."""
    dataset = factory.dataset("b")
    dataset["facets"] = {"schema": factory.schema("id:long"), **facets}
    sides = {"inputs": [dataset]} if read else {"outputs": [dataset]}
    document = factory.run_event("COMPLETE", job_facets=job_facets, **sides) | {"producer": producer}  # type: ignore[arg-type]
    event = normalise_event(exact_json.dumps(document), Naming()).event
    assert isinstance(event, RunEvent)
    (reference,) = event.inputs if read else event.outputs
    return set(reference.facets)


def of(integration: str, **facets: Document) -> Document:
    return {"jobType": factory.facet(integration=integration, jobType="X"), **facets}


def sql(query: str) -> Document:
    return {"sql": factory.facet(query=query)}


@pytest.mark.parametrize("integration", ["SPARK", "FLINK", "AIRFLOW"])
def test_an_engine_that_reads_the_table_s_definition_names_all_columns(integration: str) -> None:
    assert "schema" in facets_of(of(integration))
    assert "schema" in facets_of(of(integration), read=True)


@pytest.mark.parametrize(
    ("namespace", "facets", "facet"),
    [
        ("postgres://db:5432", {}, PARTIAL),
        ("sqlserver://db:1433", {}, PARTIAL),
        ("snowflake://account", {}, PARTIAL),
        ("postgres://db:5432", {"catalog": factory.facet(framework="jdbc")}, "schema"),
        ("s3://lake", {}, "schema"),
        ("file", {}, "schema"),
        ("hive://metastore:9083", {}, "schema"),
        ("kafka://broker:9092", {}, "schema"),
        ("arn:aws:glue:eu-central-1:123456789012", {}, "schema"),
        ("bigquery", {}, "schema"),
    ],
)
def test_spark_names_the_columns_of_a_query_of_a_database(namespace: str, facets: Document, facet: str) -> None:
    """A query over JDBC and a table read over JDBC look alike; only a catalogue's table is known to be whole."""
    dataset = factory.dataset("shop.public.orders", namespace, schema=factory.schema("id:long"), **facets)
    (event,) = factory.received(
        factory.run_event("COMPLETE", job_facets=of("SPARK"), inputs=[dataset], outputs=[dataset])
    )
    assert isinstance(event.event, RunEvent)
    (read,), (written,) = event.event.inputs, event.event.outputs
    assert set(read.facets) == {facet, *facets}
    assert "schema" in written.facets


def test_dbt_names_the_documented_columns() -> None:
    assert facets_of(of("DBT")) == {PARTIAL}
    assert facets_of(of("DBT"), read=True) == {PARTIAL}


@pytest.mark.parametrize(
    "query",
    [
        "create table shop.orders as select 1 id",
        "CREATE OR REPLACE VIEW v AS SELECT 1",
        "-- nightly\n/* by\nhand */ CREATE TABLE IF NOT EXISTS orders AS SELECT 1",
        "CREATE MATERIALIZED VIEW v AS SELECT 1",
    ],
)
def test_trino_names_all_columns_of_what_a_query_creates(query: str) -> None:
    assert facets_of(of("TRINO", **sql(query))) == {"schema"}
    assert facets_of(of("TRINO", **sql(query)), read=True) == {PARTIAL}


@pytest.mark.parametrize(
    "query", ["UPDATE orders SET id = 1", "INSERT INTO orders (id) VALUES (1)", "DELETE FROM created_table"]
)
def test_trino_names_the_columns_that_any_other_query_touches(query: str) -> None:
    assert facets_of(of("TRINO", **sql(query))) == {PARTIAL}
    assert facets_of(of("TRINO")) == {PARTIAL}


def test_the_producer_s_url_tells_the_integration_where_the_job_has_no_type() -> None:
    assert facets_of({}, producer="https://github.com/OpenLineage/OpenLineage/tree/1.54.0/integration/dbt") == {PARTIAL}


def test_a_producer_without_a_profile_names_all_columns_unless_its_column_lineage_names_more() -> None:
    assert facets_of({}, columnLineage=factory.columns(id=TABLE)) == {"schema", "columnLineage"}
    assert facets_of({}, columnLineage=factory.columns(id=TABLE, total=TABLE)) == {PARTIAL, "columnLineage"}
    assert facets_of({}, columnLineage=factory.columns(**{"id.nested": TABLE})) == {"schema", "columnLineage"}
    assert facets_of(of("SPARK"), columnLineage=factory.columns(total=TABLE)) == {"schema", "columnLineage"}


def test_a_column_that_an_output_is_made_of_shows_that_an_input_has_more_columns() -> None:
    output = factory.dataset("b", columnLineage=factory.columns(total=TABLE))
    document = factory.run_event(
        "COMPLETE", inputs=[factory.dataset("a", schema=factory.schema("id:long"))], outputs=[output]
    )
    event = normalise_event(exact_json.dumps(document), Naming()).event
    assert isinstance(event, RunEvent)
    assert set(event.inputs[0].facets) == {PARTIAL}
