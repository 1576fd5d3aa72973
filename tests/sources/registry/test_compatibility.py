"""What a compatibility level promises, and what a version breaks of it."""

import json
from typing import Any

import pytest

from headwater.sources.registry.avro import read_avro
from headwater.sources.registry.compatibility import broken, level_of, promised, strictest
from tests.sources.registry.conftest import record


def breaks(before: list[Any], after: list[Any]) -> set[str]:
    """The levels whose promise the step from one record to another breaks."""
    old, new = (read_avro(json.dumps(record(*fields))).columns for fields in (before, after))
    return {level for level in ("BACKWARD", "FORWARD", "FULL", "NONE") if broken(level, old, new)}


@pytest.mark.parametrize(
    ("before", "after", "levels"),
    [
        (["a:int"], ["a:int"], set()),
        (["a:int"], ["a:int", "b:int?"], set()),
        (["a:int"], ["a:int", "b:int"], {"BACKWARD", "FULL"}),
        (["a:int", "b:int"], ["a:int"], {"FORWARD", "FULL"}),
        (["a:int", "b:int?"], ["a:int"], set()),
        (["a:int"], ["a:long"], {"FORWARD", "FULL"}),
        (["a:long"], ["a:double"], {"FORWARD", "FULL"}),
        (["a:long"], ["a:int"], {"BACKWARD", "FULL"}),
        (["a:string"], ["a:bytes"], set()),
        (["a:string"], ["a:int"], {"BACKWARD", "FORWARD", "FULL"}),
        (["a:int"], ["a:int?"], {"FORWARD", "FULL"}),
        (["a:int?"], ["a:int"], {"BACKWARD", "FULL"}),
    ],
)
def test_the_promises_that_a_change_breaks(before: list[Any], after: list[Any], levels: set[str]) -> None:
    assert breaks(before, after) == levels


def test_a_nested_column_breaks_a_promise() -> None:
    nested = [
        {"name": "home", "type": record(*fields, name="Home")} for fields in (["zip:string"], ["zip:string", "x:int"])
    ]
    assert breaks(nested[:1], nested[1:]) == {"BACKWARD", "FULL"}


@pytest.mark.parametrize("level", ["BACKWARD", "FORWARD", "FULL", "NONE"])
def test_a_plain_level_is_named_by_what_it_promises(level: str) -> None:
    assert level_of(promised(level)) == level
    if level != "NONE":
        assert promised(f"{level}_TRANSITIVE") == promised(f"{level}_ALL") == promised(level)


def test_the_strictest_of_levels_promises_what_each_of_them_does() -> None:
    assert strictest(["BACKWARD", "FORWARD_TRANSITIVE"]) == "FULL"
    assert strictest(["NONE", "DISABLED"]) == "NONE"
    assert strictest(["NONE", "BACKWARD_ALL"]) == "BACKWARD"
