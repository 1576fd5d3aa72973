"""The difference between two schemas."""

from typing import Any

import pytest

from headwater.graph.facets.schema_diff import (
    ColumnSources,
    Retyped,
    SchemaDiff,
    blamed,
    columns_diff,
    columns_of,
    schema_diff,
    with_renames,
    without_metadata,
)
from tests import factory

UNKNOWN: ColumnSources = {}


def test_two_schemas_differ_in_columns_and_types_nested_ones_too() -> None:
    address = {"name": "address", "type": "struct", "fields": [{"name": "zip", "type": "int"}]}
    moved = {"name": "address", "type": "struct", "fields": [{"name": "zip", "type": "string"}, {"name": "city"}]}
    diff = schema_diff({"fields": [address, {"name": "x", "type": "int"}, 3, {}]}, {"fields": [moved]})
    assert (diff.added, diff.removed) == (("address.city",), ("x",))
    assert diff.retyped == (Retyped("address.zip", "int", "string"),)
    assert not schema_diff({"fields": [address]}, {"fields": [address]})


@pytest.mark.parametrize("odd", [None, 3, "q", [], {}, {"fields": None}, {"fields": [None, 3, {}, {"name": 4}]}])
def test_a_facet_that_is_no_schema_has_no_columns(odd: Any) -> None:
    schema = factory.schema("id:int")
    assert schema_diff(odd, schema).added == ("id",)
    assert schema_diff(schema, odd).removed == ("id",)
    assert not schema_diff(odd, odd)


def nested(*fields: tuple[str, str, list[Any]]) -> dict[str, Any]:
    return {
        "fields": [{"name": name, "type": kind, **({"fields": inner} if inner else {})} for name, kind, inner in fields]
    }


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (["id:int"], ["id:int", "x:int"], "FULL"),
        (["id:int"], ["id:long"], "BACKWARD"),
        (["id:int"], ["id:long", "x:int"], "BACKWARD"),
        (["id:long"], ["id:int"], "FORWARD"),
        (["id:long", "n:int"], ["id:int", "n:long"], "BREAKING"),
        (["id:long"], ["id:string"], "BREAKING"),
        (["id:long", "x:int"], ["id:long"], "BREAKING"),
    ],
)
def test_the_verdict_names_the_compatibility(before: list[str], after: list[str], verdict: str) -> None:
    assert schema_diff(factory.schema(*before), factory.schema(*after)).verdict == verdict


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("int", "long", "widened"),
        ("integer", "double", "widened"),
        ("float", "double", "widened"),
        ("long", "double", "incompatible"),  # a double holds 53 bits
        ("decimal(10,2)", "decimal(12,2)", "widened"),
        ("decimal(10,2)", "decimal(12,6)", "incompatible"),
        ("long", "decimal(20,0)", "widened"),
        ("varchar(10)", "varchar(20)", "widened"),
        ("varchar(20)", "varchar(10)", "narrowed"),
        ("VARCHAR(20)", "string", "widened"),
        ("string", "int", "incompatible"),
        ("date", "timestamp", "incompatible"),
    ],
)
def test_a_wider_a_narrower_and_an_incompatible_type_are_distinguished(before: str, after: str, change: str) -> None:
    (one,) = schema_diff(factory.schema(f"c:{before}"), factory.schema(f"c:{after}")).retyped
    assert one.change == change
    back = {"widened": "narrowed", "narrowed": "widened", "incompatible": "incompatible"}
    (other,) = schema_diff(factory.schema(f"c:{after}"), factory.schema(f"c:{before}")).retyped
    assert other.change == back[change]


@pytest.mark.parametrize(("one", "other"), [("bigint", "long"), ("INT", "integer"), ("decimal(9, 2)", "NUMERIC(9,2)")])
def test_another_spelling_of_a_type_is_no_change(one: str, other: str) -> None:
    assert not schema_diff(factory.schema(f"c:{one}"), factory.schema(f"c:{other}"))


def test_the_columns_that_iceberg_shows_beside_a_tables_own_are_none_of_its() -> None:
    assert without_metadata(columns_of(factory.schema("id:int", "_file:string", "_pos:long"))) == {"id": "int"}


def test_another_order_is_no_change() -> None:
    assert not schema_diff(factory.schema("a:int", "b:int"), factory.schema("b:int", "a:int"))


def test_nested_columns_have_paths_also_in_arrays_and_maps() -> None:
    items = [{"name": "_element", "type": "struct", "fields": [{"name": "sku", "type": "int"}]}]
    pairs = [{"name": "_key", "type": "string"}, {"name": "_value", "type": "int"}]
    wider = [{"name": "_element", "type": "struct", "fields": [{"name": "sku", "type": "long"}, {"name": "n"}]}]
    before = nested(("items", "array", items), ("pairs", "map", pairs))
    after = nested(("items", "array", wider), ("pairs", "map", [*pairs[:1], {"name": "_value", "type": "string"}]))
    diff = schema_diff(before, after)
    assert diff.added == ("items[].n",)
    assert [(column.name, column.change) for column in diff.retyped] == [
        ("items[].sku", "widened"),
        ("pairs.value", "incompatible"),
    ]


def test_a_removed_or_retyped_struct_does_not_list_its_nested_columns() -> None:
    address = [{"name": "zip", "type": "int"}, {"name": "city", "type": "string"}]
    before = nested(("address", "struct", address), ("id", "int", []))
    assert schema_diff(before, nested(("id", "int", []))).removed == ("address",)
    became = schema_diff(before, nested(("address", "string", []), ("id", "int", [])))
    assert (became.removed, [column.name for column in became.retyped]) == ((), ["address"])


def of(**sources: str) -> ColumnSources:
    return {column: frozenset({(source, "as it is")}) for column, source in sources.items()}


def renamed(
    before: list[str], after: list[str], was: ColumnSources = UNKNOWN, now: ColumnSources = UNKNOWN
) -> list[tuple[str, str]]:
    old, new = columns_of(factory.schema(*before)), columns_of(factory.schema(*after))
    return [
        (column.before, column.after) for column in with_renames(columns_diff(old, new), old, new, was, now).renamed
    ]


def test_a_column_is_taken_for_renamed_where_another_of_its_type_stands_at_its_place() -> None:
    assert renamed(["id:int", "amount:double", "note:string"], ["id:int", "total:double", "note:string"]) == [
        ("amount", "total")
    ]


@pytest.mark.parametrize(
    "after",
    [
        ["id:int", "note:string", "total:double"],
        ["id:int", "total:string", "note:string"],
        ["id:int", "total:double", "note:string", "x:int"],
    ],
    ids=["at another place", "of another type", "with something else added"],
)
def test_else_one_column_is_gone_and_another_came(after: list[str]) -> None:
    assert renamed(["id:int", "amount:double", "note:string"], after) == []


def test_a_column_made_of_the_same_columns_is_renamed() -> None:
    before, after = ["id:int", "amount:double", "x:int"], ["total:double", "id:int"]
    assert renamed(before, after, of(amount="a", x="b"), of(total="a")) == [("amount", "total")]
    assert renamed(before, after, of(amount="a"), of(total="b")) == []


def test_of_two_that_are_made_of_the_same_neither_is_taken_for_the_other() -> None:
    assert renamed(["a:int"], ["b:int", "c:int"], of(a="s"), of(b="s", c="s")) == []


def test_a_column_made_of_another_dataset_is_no_renamed_column() -> None:
    before, after = ["id:int", "email:string"], ["id:int", "country:string"]
    assert renamed(before, after, of(email="people"), of(country="places")) == []
    assert renamed(before, after, of(email="people")) == [("email", "country")]


def test_structs_with_other_columns_inside_are_not_taken_for_each_other() -> None:
    one, other = (
        nested(("a", "struct", [{"name": "x", "type": "int"}])),
        nested(("b", "struct", [{"name": "q", "type": "string"}])),
    )
    old, new = columns_of(one), columns_of(other)
    assert with_renames(columns_diff(old, new), old, new, {}, {}).renamed == ()


def test_a_schema_of_very_many_columns_is_compared_in_a_moment() -> None:
    """Counted by size, not by time: what is quadratic takes minutes for so many."""
    old = columns_of(factory.schema(*(f"a{number}:int" for number in range(20_000))))
    new = columns_of(factory.schema(*(f"b{number}:int" for number in range(20_000))))
    was = {f"a{number}": frozenset({("s", number)}) for number in range(20_000)}
    now = {f"b{number}": frozenset({("s", number)}) for number in range(20_000)}
    assert len(with_renames(columns_diff(old, new), old, new, was, now).renamed) == 20_000


SPARK_PLAN = """
'Aggregate ['city], ['city, avg('fares) AS m#1]
+- Relation [city#2,status#3,fare#4] csv"""
UNRESOLVED = "[UNRESOLVED_COLUMN] A column with name {} cannot be resolved. Did you mean one of [`status`, `fare`]?"
CAST = """Job aborted: [CAST_INVALID_INPUT] The value 'n/a' of the type "STRING" cannot be cast to "{}".
== SQL (line 1) ==
SELECT avg("status") FROM trips"""


@pytest.mark.parametrize(
    ("message", "columns"),
    [
        (UNRESOLVED.format("`status`"), ["status"]),
        (UNRESOLVED.format("`t`.`status`") + SPARK_PLAN, ["status"]),
        ("KeyError: 'status'", ["status"]),
        (
            'Database Error in model stats\n  column "status" does not exist\n  LINE 3: select "fare", "status"',
            ["status"],
        ),
        ("column o.status does not exist", ["status"]),
        ("invalid identifier 'STATUS'", ["status"]),
        ("Parquet column cannot be converted. Column: [fare], Expected: double, Found: BINARY", ["fare"]),
        ('Cannot resolve "(fare + 1)" due to data type mismatch', ["fare"]),
        (CAST.format("DOUBLE"), ["fare"]),
        ("too many data columns: Data columns: `city`, `tip`", ["tip"]),
        ("Cannot find `address`.`zip`", ["address.zip"]),
        (UNRESOLVED.format("`fares`"), []),
        (UNRESOLVED.format("`fares`") + SPARK_PLAN, []),
        (CAST.format("DATE"), []),
        ("Exit status 1: the fare is late", []),
        ("it doesn't read status, so it can't go on", []),
        ("no such file: '/lake/status/fare'", []),
        ('set "spark.status.fare" to "false"', []),
        ("the address `address` has no `street`", []),
        ("", []),
    ],
)
def test_an_error_blames_a_changed_column_by_naming_it_or_both_of_its_types(message: str, columns: list[str]) -> None:
    diff = SchemaDiff(("tip",), ("status", "address.zip"), (Retyped("fare", "double", "string"),))
    assert list(blamed(message, diff)) == columns
