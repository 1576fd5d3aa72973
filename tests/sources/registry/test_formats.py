"""The columns of schemas in Avro, JSON Schema and Protobuf, nested as other producers nest them."""

import json
from typing import Any

import pytest

from headwater.graph.facets.schema_diff import columns_of
from headwater.sources.registry.avro import read_avro
from headwater.sources.registry.columns import BadSchema, RecordSchema, by_path
from headwater.sources.registry.json_schema import read_json_schema
from headwater.sources.registry.protobuf import read_protobuf
from headwater.sources.registry.subject import SchemaFormat, SubjectVersion
from tests.sources.registry.conftest import record


def types(schema: RecordSchema) -> dict[str, Any]:
    """The type of each column, nested columns by their paths."""
    types = columns_of({"fields": [column.as_field() for column in schema.columns]})
    assert list(types) == [path for path, _ in by_path(schema.columns)]
    return types


def optional(schema: RecordSchema) -> tuple[set[str], set[str]]:
    """The columns with a default, and those that may be null."""
    columns = dict(by_path(schema.columns))
    return {path for path in columns if columns[path].has_default}, {
        path for path in columns if columns[path].is_nullable
    }


def avro(*fields: Any) -> RecordSchema:
    return read_avro(json.dumps(record(*fields)))


def test_nested_records_arrays_maps_and_unions_of_avro() -> None:
    schema = avro(
        {"name": "home", "type": record("zip:string", name="Address")},
        {"name": "work", "type": ["null", "Address"], "default": None},
        {"name": "items", "type": {"type": "array", "items": record("sku:string", name="Item")}},
        {"name": "tags", "type": {"type": "map", "values": "int"}},
        {"name": "payment", "type": [record("number:string", name="Card"), "long"]},
    )
    assert types(schema) == {
        "home": "struct",
        "home.zip": "string",
        "work": "struct",
        "work.zip": "string",
        "items": "array",
        "items[]": "struct",
        "items[].sku": "string",
        "tags": "map",
        "tags.key": "string",
        "tags.value": "int",
        "payment": "union",
        "payment.Card": "struct",
        "payment.Card.number": "string",
        "payment.long": "long",
    }
    assert optional(schema) == ({"work"}, {"work"})


@pytest.mark.parametrize(
    ("kind", "type_"),
    [
        ({"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}, "decimal(10,2)"),
        ({"type": "fixed", "name": "F", "size": 8, "logicalType": "decimal", "precision": 9}, "decimal(9,0)"),
        ({"type": "fixed", "name": "Md5", "size": 16}, "bytes"),
        ({"type": "int", "logicalType": "date"}, "date"),
        ({"type": "long", "logicalType": "timestamp-millis"}, "timestamp"),
        ({"type": "string", "logicalType": "uuid"}, "string"),
        ({"type": "long", "logicalType": "unheard-of"}, "long"),
        ({"type": "enum", "name": "State", "symbols": ["NEW", "PAID"]}, "string"),
    ],
)
def test_types_of_avro(kind: Any, type_: str) -> None:
    assert types(avro({"name": "x", "type": kind})) == {"x": type_}


def test_a_record_that_contains_itself_ends() -> None:
    tree = record("value:int", {"name": "next", "type": ["null", "com.acme.Order"]})
    assert types(read_avro(json.dumps(tree))) == {"value": "int", "next": "struct"}


def test_a_value_that_is_no_record_is_one_column() -> None:
    assert types(read_avro('"string"')) == types(read_avro("string")) == {"_value": "string"}


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[1]", '{"type": "record"}', '{"type": "nothing"}', "null", "3", '["Unknown"]'),
        *('{"type": "record", "name": 5, "fields": []}', '{"type": {"type": "fixed"}, "name": []}'),
    ],
)
def test_what_is_no_avro_is_named_as_such(text: str) -> None:
    version = SubjectVersion("orders-value", 1, 1, SchemaFormat.AVRO, text)
    assert version.record_name() == ""
    with pytest.raises(BadSchema):
        version.schema({})


def test_json_schema() -> None:
    address = {"type": "object", "properties": {"zip": {"type": "string"}, "next": {"$ref": "#/$defs/Address"}}}
    properties = {
        "id": {"type": "integer", "description": "the number"},
        "total": {"oneOf": [{"type": "null"}, {"type": "number"}]},
        "at": {"type": ["string", "null"], "format": "date-time"},
        "state": {"enum": ["NEW", "PAID"]},
        "home": {"$ref": "#/$defs/Address"},
        "items": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
        "count": {"type": "integer", "connect.type": "int32"},
        "more": {"allOf": [{"properties": {"a": {"type": "boolean"}}}, {"properties": {"b": {"type": "integer"}}}]},
        "mail": {"$ref": "mail.json"},
    }
    text = {
        "title": "Order",
        "type": "object",
        "properties": properties,
        "required": ["id", "total"],
        "$defs": {"Address": address},
    }
    schema = read_json_schema(json.dumps(text), {"mail.json": '{"type": "string"}'})
    assert (schema.name, schema.columns[0].description) == ("Order", "the number")
    assert types(schema) == {
        "id": "long",
        "total": "double",
        "at": "timestamp",
        "state": "string",
        "home": "struct",
        "home.zip": "string",
        "home.next": "struct",
        "items": "array",
        "items[]": "struct",
        "items[].sku": "string",
        "tags": "map",
        "tags.key": "string",
        "tags.value": "string",
        "count": "int",
        "more": "struct",
        "more.a": "boolean",
        "more.b": "long",
        "mail": "string",
    }
    defaults, nullable = optional(schema)
    assert {"id", "total"} & defaults == set()
    assert ("id" in nullable, "total" in nullable, "at" in nullable) == (False, True, True)


@pytest.mark.parametrize("text", ["", "3", '{"$ref": "#/nowhere"}', '{"$ref": "other.json"}'])
def test_what_is_no_json_schema_is_named_as_such(text: str) -> None:
    with pytest.raises(BadSchema):
        read_json_schema(text)


PROTO = """
syntax = "proto3";  // the first message counts
package com.acme;
import "google/protobuf/timestamp.proto";
import "address.proto";
option java_package = "com.acme";
/* a comment { with a brace */
message Order {
  option deprecated = false;
  reserved 4, 9 to 11;
  int64 id = 1 [(rule) = { min: 1 }, json_name = "ID"];
  optional string email = 2;
  repeated Item items = 3;
  map<string, com.acme.Address> places = 5;
  oneof payment { string card = 6; Cash cash = 7; }
  State state = 8;
  google.protobuf.Timestamp at = 12;
  google.protobuf.Int32Value count = 13;
  Order parent = 14;
  message Item { string sku = 1; uint32 count = 2; }
  enum State { NEW = 0; PAID = 1; }
}
message Cash { double amount = 1; }
service Orders { rpc Get(Order) returns (Order) {} }
"""


def test_protobuf() -> None:
    schema = read_protobuf(PROTO, ['syntax = "proto3"; package com.acme; message Address { string zip = 1; }'])
    assert schema.name == "com.acme.Order"
    assert types(schema) == {
        "id": "long",
        "email": "string",
        "items": "array",
        "items[]": "struct",
        "items[].sku": "string",
        "items[].count": "long",
        "places": "map",
        "places.key": "string",
        "places.value": "struct",
        "places.value.zip": "string",
        "card": "string",
        "cash": "struct",
        "cash.amount": "double",
        "state": "string",
        "at": "timestamp",
        "count": "int",
        "parent": "struct",
    }
    assert optional(schema)[1] >= {"email", "card", "at", "count"}


@pytest.mark.parametrize("text", ["", "message", "message A {", "message A { int32 x 1; }", "enum E { A = 0; }"])
def test_what_is_no_protobuf_is_named_as_such(text: str) -> None:
    with pytest.raises(BadSchema):
        read_protobuf(text)


def doubled(definitions: int, kind: str) -> str:
    """A JSON Schema whose every definition has the one before it twice."""
    before = [{"$ref": f"#/definitions/d{n - 1}"} for n in range(1, definitions)]
    bodies = {
        f"d{n}": {kind: {"a": below, "b": below} if kind == "properties" else [below, below]}
        for n, below in enumerate(before, 1)
    }
    return json.dumps({"$ref": f"#/definitions/d{definitions - 1}", "definitions": bodies | {"d0": {"type": "string"}}})


@pytest.mark.parametrize("kind", ["properties", "anyOf", "allOf"])
def test_definitions_of_json_schema_that_double_are_refused(kind: str) -> None:
    with pytest.raises(BadSchema, match=r"more than 10000 columns|too often"):
        read_json_schema(doubled(40, kind))
    assert read_json_schema(doubled(8, kind))


def nested_records(depth: int, *names: str) -> Any:
    """Records of Avro, each with the next under each of these names."""
    below: Any = "string"
    for level in range(depth):
        fields = [{"name": names[0], "type": below}]
        named = f"R{level - 1}" if level else "string"
        fields += [{"name": name, "type": named} for name in names[1:]]
        below = {"type": "record", "name": f"R{level}", "fields": fields}
    return below


def test_records_of_avro_that_are_named_twice_are_refused_beyond_a_number_of_columns() -> None:
    with pytest.raises(BadSchema, match="more than 10000 columns"):
        read_avro(json.dumps(nested_records(30, "a", "b")))
    assert len(dict(by_path(read_avro(json.dumps(nested_records(10, "a", "b"))).columns))) == 2046


def test_columns_of_json_schema_with_odd_lists_of_required_names_are_read() -> None:
    schema: dict[str, Any] = {"properties": {"id": {"type": "string"}}, "required": ["id", [], {}, None]}
    assert types(read_json_schema(json.dumps(schema))) == {"id": "string"}


def test_messages_of_protobuf_that_are_named_twice_are_refused_beyond_a_number_of_columns() -> None:
    messages = [f"message M{n} {{ M{n + 1} a = 1; M{n + 1} b = 2; }}" for n in range(40)]
    with pytest.raises(BadSchema, match="more than 10000 columns"):
        read_protobuf("\n".join([*messages, "message M40 { string s = 1; }"]))


@pytest.mark.parametrize("depth", [61, 300, 5_000])
def test_a_schema_that_is_nested_too_deeply_is_refused(depth: int) -> None:
    version = SubjectVersion("orders-value", 1, 1, SchemaFormat.AVRO, json_text(depth))
    with pytest.raises(BadSchema, match="deep"):
        version.schema({})
    assert version.record_name() in ("", f"R{depth - 1}")
    assert read_avro(json_text(50))


def json_text(depth: int) -> str:
    begin = "".join(
        f'{{"type": "record", "name": "R{n}", "fields": [{{"name": "a", "type": ' for n in reversed(range(depth))
    )
    return f'{begin}"string"{"}]}" * depth}'
