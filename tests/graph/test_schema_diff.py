"""What is different between two schemas."""

from typing import Any

import pytest

from headwater.graph.schema_diff import Retyped, schema_diff
from tests import factory


def test_two_schemas_differ_in_columns_and_types_nested_ones_too() -> None:
    address = {"name": "address", "type": "struct", "fields": [{"name": "zip", "type": "int"}]}
    moved = {"name": "address", "type": "struct", "fields": [{"name": "zip", "type": "string"}, {"name": "city"}]}
    diff = schema_diff({"fields": [address, {"name": "x", "type": "int"}, 3, {}]}, {"fields": [moved]})
    assert (diff.added, diff.removed) == (("address.city",), ("x",))
    assert diff.retyped == (Retyped("address.zip", "int", "string"),)
    assert not schema_diff({"fields": [address]}, {"fields": [address]})


@pytest.mark.parametrize("odd", [None, 3, "q", [], {}, {"fields": None}, {"fields": [None, 3, {}, {"name": 4}]}])
def test_what_is_no_schema_has_no_columns(odd: Any) -> None:
    schema = factory.schema("id:int")
    assert schema_diff(odd, schema).added == ("id",)
    assert schema_diff(schema, odd).removed == ("id",)
    assert not schema_diff(odd, odd)
