"""Transformations rename topics; they rename, mask and drop columns."""

import time
from pathlib import Path

import pytest

from headwater.sources.connect.record_columns import Columns, columns_through, named_columns
from headwater.sources.connect.transform import routed, transforms_of

PACKAGE = "org.apache.kafka.connect.transforms."
COLUMNS = ["id", "email", "phone"]


def chain(*transforms: dict[str, str]) -> dict[str, str]:
    """The settings of a connector with these transformations; a type without a dot is Kafka's own."""
    config = {"transforms": ",".join(f"t{number}" for number in range(len(transforms)))}
    for number, settings in enumerate(transforms):
        kind = settings["type"] if "." in settings["type"] else PACKAGE + settings["type"]
        config |= {f"transforms.t{number}.{key}": text for key, text in settings.items()}
        config[f"transforms.t{number}.type"] = kind
    return config


def through(*transforms: dict[str, str]) -> dict[str, str] | None:
    """The columns after a chain, each with its sources; a masked source has a star."""
    columns = columns_through(transforms_of(chain(*transforms)), Columns.of(COLUMNS))
    if columns is None:
        return None
    return {
        name: " ".join(sorted(source.column + "*" * source.is_masked for source in sources))
        for name, sources in columns.sources.items()
    }


def topics(topic: str, *transforms: dict[str, str]) -> list[str] | None:
    return routed(transforms_of(chain(*transforms)), topic)


SAME = {name: name for name in COLUMNS}
CHANGES: list[tuple[dict[str, str], dict[str, str]]] = [
    ({"type": "ReplaceField$Value", "renames": "email:contact"}, {"id": "id", "contact": "email", "phone": "phone"}),
    ({"type": "ReplaceField$Value", "exclude": "email, phone"}, {"id": "id"}),
    ({"type": "ReplaceField$Value", "blacklist": "email,phone"}, {"id": "id"}),
    ({"type": "ReplaceField$Value", "include": "id"}, {"id": "id"}),
    ({"type": "MaskField$Value", "fields": "phone"}, {"id": "id", "email": "email", "phone": "phone*"}),
    ({"type": "HoistField$Value", "field": "line"}, {"line": "email id phone"}),
    ({"type": "InsertField$Value", "static.field": "source", "static.value": "x"}, SAME),
    ({"type": "InsertField$Value", "topic.field": "phone!"}, {"id": "id", "email": "email"}),
    ({"type": "HeaderFrom$Value", "fields": "phone", "operation": "move"}, {"id": "id", "email": "email"}),
    ({"type": "Cast$Value", "spec": "id:string"}, SAME),
    ({"type": "ExtractField$Value", "field": "email"}, {}),
    ({"type": "ReplaceField$Key", "exclude": "id"}, SAME),
    ({"type": "MaskField$Key", "fields": "id"}, SAME),
    ({"type": "io.debezium.transforms.ExtractNewRecordState"}, SAME),
    (
        {"type": "MaskField$Value", "fields": "phone", "predicate": "isForeign"},
        {"id": "id", "email": "email", "phone": "phone phone*"},
    ),
]


@pytest.mark.parametrize(("transform", "columns"), CHANGES, ids=[change["type"] for change, _ in CHANGES])
def test_a_transformation_of_columns(transform: dict[str, str], columns: dict[str, str]) -> None:
    assert through(transform) == columns


def test_transformations_apply_in_order() -> None:
    rename = {"type": "ReplaceField$Value", "renames": "email:contact"}
    extract, hoist = {"type": "ExtractField$Value", "field": "contact"}, {"type": "HoistField$Value", "field": "value"}
    assert through(rename, {"type": "MaskField$Value", "fields": "contact"}, extract, hoist) == {"value": "email*"}


def test_a_line_of_a_file_has_no_columns_before_it_is_hoisted() -> None:
    line = Columns.of_line(COLUMNS)
    assert line.sources == {}
    hoisted = columns_through(transforms_of(chain({"type": "HoistField$Value", "field": "line"})), line)
    assert hoisted
    assert {name: len(sources) for name, sources in hoisted.sources.items()} == {"line": 3}


def test_an_unknown_transformation_leaves_the_columns_unknown() -> None:
    assert through({"type": "com.acme.Scramble$Value"}) is None


def test_settings_name_the_columns_of_a_record_without_a_schema() -> None:
    config = chain({"type": "ReplaceField$Value", "renames": "email:contact", "exclude": "x"})
    assert named_columns(transforms_of(config)) == {"email"}
    assert named_columns(transforms_of(chain({"type": "MaskField$Value", "fields": "a,b"}))) == {"a", "b"}


@pytest.mark.parametrize(
    ("regex", "replacement", "topic", "after"),
    [
        ("(.*)", "shop-$1", "orders", "shop-orders"),
        (r"cdc\.public\.(.*)", "$1", "cdc.public.orders", "orders"),
        (r"(?<db>\w+)\.(?<table>\w+)", "${table}", "shop.orders", "orders"),
        ("orders", "x", "orders-2", "orders-2"),
        ("(.*)", r"a\$$1", "orders", "a$orders"),
        ("([", "x", "orders", "orders"),
        ("(.*)", "$9", "orders", "orders"),
    ],
)
def test_a_router_renames_a_topic_whose_whole_name_matches(
    regex: str, replacement: str, topic: str, after: str
) -> None:
    assert topics(topic, {"type": "RegexRouter", "regex": regex, "replacement": replacement}) == [after]


def test_a_router_on_a_condition_leaves_two_names() -> None:
    router = {"type": "RegexRouter", "regex": ".*", "replacement": "all", "predicate": "isForeign"}
    assert topics("orders", router) == ["orders", "all"]


def test_a_router_by_the_record_leaves_no_name() -> None:
    assert topics("orders", {"type": "TimestampRouter"}) is None


ENDLESS = ["(a+)+b", "(a|aa)+b", "(.*a){20}b", "a*a*a*a*a*a*b", "(a?){40}a{40}b", "((a*)*)*b"]


@pytest.mark.parametrize("regex", ENDLESS)
def test_an_expression_that_finds_no_end_leaves_the_topic_unknown(regex: str) -> None:
    started = time.monotonic()
    routers = {"type": "RegexRouter", "regex": regex, "replacement": "x"}
    told = [topics(f"{'a' * 200}{number}c", routers) for number in range(20)]
    assert time.monotonic() - started < 20, "twenty topics wait for one attempt"
    assert all(names is None or names == [f"{'a' * 200}{number}c"] for number, names in enumerate(told))


def test_an_expression_that_only_looks_endless_renames() -> None:
    assert topics("shop.orders", {"type": "RegexRouter", "regex": r"(shop\.)?(\w+)", "replacement": "$2"}) == ["orders"]
    assert topics("aad", {"type": "RegexRouter", "regex": "(a+)+d", "replacement": "$1-c"}) == ["aa-c"]
    assert topics("orders", {"type": "RegexRouter", "regex": "(a+)+(", "replacement": "x"}) == ["orders"]


def test_the_process_of_an_expression_imports_nothing_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(1)  # the user's own")
    monkeypatch.chdir(tmp_path)
    assert topics("aae", {"type": "RegexRouter", "regex": "(a+)+e", "replacement": "$1-c"}) == ["aa-c"]
