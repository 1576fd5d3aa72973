"""What every table promises: the one in memory, and DynamoDB as the emulator has it."""

import threading
from pathlib import Path
from typing import Any

import pytest

from headwater.store.dynamodb import MAX_PARTS_BYTES, DynamoTable
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.table import Change, Conflict, Item, StorageError, Table
from tests.fakes import FakeBucket

TEMPLATE = Path(__file__).parents[2] / "template.yaml"


@pytest.fixture(params=["memory", "dynamodb"])
def table(request: pytest.FixtureRequest, objects: FakeBucket) -> Table:
    return MemoryTable() if request.param == "memory" else request.getfixturevalue("dynamo")


def item(
    sk: str = "META", *, pk: str = "J#1", expires_at: int | None = None, part: bytes = b"\x00\xff", **labels: str
) -> Item:
    return Item(Key(pk, sk), {"kind": "job", **labels}, {"doc": part}, expires_at)


def test_what_is_put_is_read_as_it_was(table: Table) -> None:
    put = [
        item("A", name="a b#%/ü\n"),
        item("B", expires_at=1_800_000_000),
        Item(Key("x", "y"), {}, {"a": b"1", "b": b""}),
    ]
    table.put(put)
    assert table.read([*(each.key for each in put), Key("not", "there")]) == {each.key: each for each in put}


def test_nothing_is_read_for_no_keys(table: Table) -> None:
    assert table.read([]) == {}


def test_many_items_are_put_and_read_at_once(table: Table) -> None:
    many = [item(f"{number:03}") for number in range(230)]
    table.put(many)
    assert table.read([each.key for each in many]) == {each.key: each for each in many}


def test_a_new_item_is_put_only_where_none_is(table: Table) -> None:
    table.change([Change(item(name="first"), None)])
    with pytest.raises(Conflict):
        table.change([Change(item(name="second"), None)])
    assert table.read([item().key])[item().key].labels["name"] == "first"


def test_an_item_is_replaced_only_as_it_was_read(table: Table) -> None:
    first, second, third = item(name="first"), item(name="second"), item(name="third")
    table.change([Change(first, None)])
    table.change([Change(second, first)])
    with pytest.raises(Conflict):
        table.change([Change(third, first)])
    assert table.read([first.key])[first.key] == second


def test_what_is_not_there_cannot_be_replaced(table: Table) -> None:
    with pytest.raises(Conflict):
        table.change([Change(item(name="second"), item(name="first"))])
    assert table.read([item().key]) == {}


def test_a_conflict_does_not_hold_up_the_other_changes(table: Table) -> None:
    table.put([item("taken")])
    with pytest.raises(Conflict):
        table.change([Change(item("taken", name="x"), None), Change(item("free"), None)])
    assert Key("J#1", "free") in table.read([Key("J#1", "free")])


def test_of_two_writers_exactly_one_wins(table: Table) -> None:
    table.put([item(name="start")])
    outcomes: list[str] = []
    together = threading.Barrier(2)

    def write(name: str) -> None:
        together.wait()
        try:
            table.change([Change(item(name=name), item(name="start"))])
            outcomes.append(name)
        except Conflict:
            outcomes.append("conflict")

    writers = [threading.Thread(target=write, args=[name]) for name in ("one", "other")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(outcomes) in (["conflict", "one"], ["conflict", "other"])
    assert table.read([item().key])[item().key].labels["name"] in outcomes


def test_runs_come_newest_first_and_other_items_of_the_partition_not_at_all(table: Table) -> None:
    table.put([item("R#a", at="2026-01-02#a"), item("R#b", at="2026-01-03#b"), item("R#c", at="2026-01-01#c"), item()])
    table.put([item("R#d", pk="J#2", at="2026-01-04#d")])
    assert list(table.newest("J#1")) == [Key("J#1", "R#b"), Key("J#1", "R#a"), Key("J#1", "R#c")]


def test_a_run_whose_time_changes_moves(table: Table) -> None:
    table.put([item("R#a", at="2026-01-02#a"), item("R#b", at="2026-01-03#b")])
    table.put([item("R#b", at="2026-01-01#b")])
    assert list(table.newest("J#1")) == [Key("J#1", "R#a"), Key("J#1", "R#b")]


def test_nodes_are_listed_by_name(table: Table) -> None:
    names = {"z": "zebra", "a": "ant", "m": "Mole", "e": "épée"}
    table.put([item(pk=f"J#{pk}", listed_in="J#ns", name_key=name) for pk, name in names.items()])
    table.put([item(pk="J#x", listed_in="J#other", name_key="x")])
    assert [key.pk for key in table.named("J#ns")] == ["J#m", "J#a", "J#z", "J#e"]


def test_runs_are_found_by_their_id_under_every_job(table: Table) -> None:
    table.put([item("R#a", pk=pk, run_id="a") for pk in ("J#1", "J#2")] + [item("R#b", run_id="b")])
    assert sorted(table.runs("a")) == [Key("J#1", "R#a"), Key("J#2", "R#a")]
    assert table.runs("none") == []


def test_equal_contents_have_equal_versions_and_others_have_not() -> None:
    assert item(name="a").version == item(name="a").version
    versions = {
        item(name="a").version,
        item(name="b").version,
        item("R#1", name="a").version,
        item(name="a", expires_at=1).version,
        item(name="a", part=b"x").version,
    }
    assert len(versions) == 5


@pytest.mark.parametrize(("expires_at", "prefix"), [(None, "items/"), (1_800_000_000, "bodies/")])
def test_what_is_too_long_for_an_item_goes_to_the_bucket(
    dynamo: DynamoTable, objects: FakeBucket, expires_at: int | None, prefix: str
) -> None:
    parts = {"doc": b"s" * 1000, "seen": b"l" * (MAX_PARTS_BYTES + 1)}
    long = Item(Key("J#1", "META"), {"kind": "job"}, parts, expires_at)
    dynamo.change([Change(long, None)])
    assert dynamo.read([long.key]) == {long.key: long}
    assert [key.startswith(prefix) for key in objects.objects] == [True]


def test_a_service_that_does_not_answer_is_a_storage_error(dynamodb: Any, objects: FakeBucket) -> None:
    missing = DynamoTable(dynamodb, "no-such-table", objects)
    with pytest.raises(StorageError):
        missing.read([Key("a", "b")])
    with pytest.raises(StorageError):
        missing.change([Change(item(), None)])
