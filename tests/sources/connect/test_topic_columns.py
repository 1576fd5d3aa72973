"""The schema of a topic, such as a registry tells it, gives connectors their column lineage."""

from collections.abc import Mapping, Sequence

import pytest

from headwater.openlineage.event import Name
from headwater.sources.connect.connector_lineage import column_lineage, flows_of
from tests.sources.connect.test_connector_classes import DEBEZIUM, KAFKA, POSTGRES, connector
from tests.sources.connect.test_transforms import chain

TABLE = Name("postgres://db:5432", "shop.public.orders")
JDBC = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
    "connection.url": POSTGRES,
    "table.whitelist": "public.orders",
    "topic.prefix": "",
}
SINK = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
    "connection.url": POSTGRES,
    "topics": "orders",
}
UNWRAP = {"type": "io.debezium.transforms.ExtractNewRecordState"}
ENVELOPE = [
    "_key",
    "_key.id",
    "before",
    "before.id",
    "after",
    "after.id",
    "after.home",
    "after.home.zip",
    "op",
    "ts_ms",
]


def flows(config: Mapping[str, str], topics: Sequence[str], known: Mapping[Name, Sequence[str]]) -> set[str]:
    """The flows of columns as arrows: `email -> contact`."""
    of = connector(config, topics)
    return {
        f"{source['field']} -> {name}"
        for fields in column_lineage(of, flows_of(of, KAFKA), known).values()
        for name, members in fields.items()
        for source in members["inputFields"]
    }


def test_a_source_of_which_only_the_topic_is_known() -> None:
    known = {Name(KAFKA, "orders"): ["_key", "id", "email", "home", "home.zip"]}
    assert flows(JDBC, ["orders"], known) == {"id -> id", "email -> email", "home -> home"}


def test_the_columns_of_the_table_come_before_those_of_the_topic() -> None:
    assert flows(JDBC, ["orders"], {Name(KAFKA, "orders"): ["id", "email"], TABLE: ["id"]}) == {"id -> id"}


@pytest.mark.parametrize(
    ("transform", "columns"),
    [
        ({"type": "ReplaceField$Value", "renames": "mail:email"}, {"id -> id", "mail -> email"}),
        ({"type": "ReplaceField$Value", "exclude": "ssn"}, {"id -> id", "email -> email"}),
        ({"type": "InsertField$Value", "static.field": "email", "static.value": "x"}, {"id -> id"}),
        ({"type": "com.acme.Unheard"}, set()),
    ],
)
def test_a_transformation_before_the_topic(transform: dict[str, str], columns: set[str]) -> None:
    assert flows(JDBC | chain(transform), ["orders"], {Name(KAFKA, "orders"): ["id", "email"]}) == columns


def test_a_change_record_has_the_row_twice() -> None:
    known = {Name(KAFKA, "cdc.public.orders"): ENVELOPE}
    assert flows(DEBEZIUM, ["cdc.public.orders"], known) >= {"id -> before.id", "id -> after.id", "home -> after.home"}
    assert flows(DEBEZIUM, ["cdc.public.orders"], {TABLE: ["id"]}) == set(), "the form of the record is not known"


def test_a_sink_takes_the_row_out_of_a_change_record() -> None:
    known = {Name(KAFKA, "orders"): ENVELOPE}
    assert flows(SINK | chain(UNWRAP), [], known) == {"after.id -> id", "after.home -> home"}
    plain = {Name(KAFKA, "orders"): ["_key", "id", "home", "home.zip"]}
    assert flows(SINK | chain(UNWRAP), [], plain) == {"id -> id", "home -> home"}
