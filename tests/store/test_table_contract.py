"""The contract of a table, for the tables in memory and on SQLite, and for DynamoDB in each of its emulators."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from headwater.openlineage.instant import Instant
from headwater.store import keys
from headwater.store.aws.dynamodb import MAX_PARTS_BYTES, DynamoTable
from headwater.store.errors import Conflict, Rejected, StorageError
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.ranges import TimeLine
from headwater.store.sqlite.table import SqliteTable
from headwater.store.table import NO_PART, ConditionalPut, Item, Table
from tests.fakes import FakeBucket
from tests.store.conftest import HOMES, SERVICES, dynamo_table, new_table


@pytest.fixture(params=["memory", *HOMES, *SERVICES])
def table(request: pytest.FixtureRequest, objects: FakeBucket, tmp_path: Path) -> Iterator[Table]:
    if request.param == "memory":
        yield MemoryTable()
    elif request.param in HOMES:
        with closing(HOMES[request.param](tmp_path / "home.db")) as home:
            yield home.table
    else:
        yield dynamo_table(request.getfixturevalue(SERVICES[request.param]), objects)


def item(
    sk: str = "META", *, pk: str = "J#1", expires_at: int | None = None, part: bytes = b"\x00\xff", **labels: str
) -> Item:
    return Item(Key(pk, sk), {"kind": "job", **labels}, {"doc": part}, expires_at)


def test_a_put_item_is_read_unchanged(table: Table) -> None:
    put = [
        item("A", name="a b#%/ü\n"),
        item("B", expires_at=1_800_000_000),
        Item(Key("x", "y"), {}, {"a": b"1", "b": b""}),
    ]
    table.put(put)
    assert table.read([*(item.key for item in put), Key("not", "there")]) == {item.key: item for item in put}


def test_nothing_is_read_for_no_keys(table: Table) -> None:
    assert table.read([]) == {}


def test_many_items_are_put_and_read_at_once(table: Table) -> None:
    many = [item(f"{number:03}") for number in range(230)]
    table.put(many)
    assert table.read([item.key for item in many]) == {item.key: item for item in many}


def test_a_read_of_no_part_shows_which_items_are_stored(table: Table) -> None:
    table.put([item("R#a"), item("R#b", part=b"long")])
    stored = table.read([Key("J#1", "R#a"), Key("J#1", "R#b"), Key("J#1", "R#c")], NO_PART)
    assert {key.sk: dict(found.parts) for key, found in stored.items()} == {"R#a": {}, "R#b": {}}


def test_a_new_item_is_put_only_where_none_is(table: Table) -> None:
    table.change([ConditionalPut(item(name="first"), None)])
    with pytest.raises(Conflict):
        table.change([ConditionalPut(item(name="second"), None)])
    assert table.read([item().key])[item().key].labels["name"] == "first"


def test_an_item_is_replaced_only_as_it_was_read(table: Table) -> None:
    first, second, third = item(name="first"), item(name="second"), item(name="third")
    table.change([ConditionalPut(first, None)])
    table.change([ConditionalPut(second, first)])
    with pytest.raises(Conflict):
        table.change([ConditionalPut(third, first)])
    assert table.read([first.key])[first.key] == second


def test_a_missing_item_cannot_be_replaced(table: Table) -> None:
    with pytest.raises(Conflict):
        table.change([ConditionalPut(item(name="second"), item(name="first"))])
    assert table.read([item().key]) == {}


def test_a_conflict_does_not_hold_up_the_other_changes(table: Table) -> None:
    table.put([item("taken")])
    with pytest.raises(Conflict):
        table.change([ConditionalPut(item("taken", name="x"), None), ConditionalPut(item("free"), None)])
    assert Key("J#1", "free") in table.read([Key("J#1", "free")])


def test_of_two_writers_exactly_one_wins(table: Table) -> None:
    table.put([item(name="start")])
    outcomes: list[str] = []
    together = threading.Barrier(2)

    def write(name: str) -> None:
        together.wait()
        try:
            table.change([ConditionalPut(item(name=name), item(name="start"))])
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
    assert [entry.key for entry in table.newest("J#1")] == [Key("J#1", "R#b"), Key("J#1", "R#a"), Key("J#1", "R#c")]


def test_a_run_whose_time_changes_moves(table: Table) -> None:
    table.put([item("R#a", at="2026-01-02#a"), item("R#b", at="2026-01-03#b")])
    table.put([item("R#b", at="2026-01-01#b")])
    assert [entry[:2] for entry in table.newest("J#1")] == [
        (Key("J#1", "R#a"), "2026-01-02#a"),
        (Key("J#1", "R#b"), "2026-01-01#b"),
    ]


def test_a_time_may_be_bounded(table: Table) -> None:
    table.put([item("R#a", at="2026-01-01#a"), item("R#b", at="2026-01-02#b"), item("R#c", at="2026-01-03#c")])
    assert [entry.key.sk for entry in table.newest("J#1", before="2026-01-03#c", limit=1)] == ["R#b", "R#a"]
    assert [entry.key.sk for entry in table.newest("J#1", after="2026-01-02", before="2026-01-04")] == ["R#c", "R#b"]
    assert list(table.newest("J#1", after="2026-01-04", before="2026-01-02")) == []


@pytest.mark.parametrize("position", ["", "\x00", "\x01"])
def test_before_the_first_position_of_a_time_line_there_is_nothing(table: Table, position: str) -> None:
    table.put([item("R#a", at="2026-01-01#a"), item("Q#a#b", pk="D#1", at="Q#2026-01-01#a")])
    assert list(TimeLine(table, "J#1", keys.run_of).newest(before=position)) == []
    assert list(TimeLine(table, "D#1", keys.quality_of, keys.QUALITY).newest(before=position)) == []


@pytest.mark.parametrize("position", ["", "\x00", "\x01"])
def test_before_the_first_position_of_a_list_there_is_nothing(table: Table, position: str) -> None:
    put_list(table)
    assert list(table.list_entries("J#ns", before=position)) == []
    assert table.count("J#ns", before=position) == 0


def test_writes_and_quality_share_an_index_and_do_not_mix(table: Table) -> None:
    table.put([item("W#a", at="2026-01-01#a"), item("Q#a", at="Q#2026-01-01#a")])
    assert [entry.key.sk for entry in table.newest("J#1")] == ["W#a"]
    assert [entry.key.sk for entry in table.newest("J#1", after="Q#", before="Q$")] == ["Q#a"]


@pytest.mark.parametrize("limit", [1, 2, 100])
def test_the_items_of_a_partition_come_by_their_sort_keys_the_greatest_first(table: Table, limit: int) -> None:
    table.put([item(sk, pk="AUDIT#d#0") for sk in ("a", "b", "b#1", "c", "d")] + [item("b", pk="AUDIT#d#1")])
    assert [found.key.sk for found in table.newest_items("AUDIT#d#0", "b", "d", limit)] == ["c", "b#1", "b"]
    assert [found.key.sk for found in table.newest_items("AUDIT#d#0", "\x01", "c", limit)] == ["b#1", "b", "a"]
    assert next(table.newest_items("AUDIT#d#1", "a", "z", limit)) == item("b", pk="AUDIT#d#1")
    assert list(table.newest_items("AUDIT#d#2", "a", "z", limit)) == []


def test_a_partition_is_read_by_the_beginning_of_its_sort_keys(table: Table) -> None:
    table.put([item(sk) for sk in ("S#b", "S#a", "T#a", "META")] + [item("S#c", pk="J#2")])
    assert [key.sk for key in table.partition("J#1", "S#")] == ["S#a", "S#b"]
    assert [key.sk for key in table.partition("J#1", "")] == ["META", "S#a", "S#b", "T#a"]


def test_a_single_part_of_an_item_is_read_with_the_version_of_its_form(table: Table) -> None:
    form = {"kind": "job", "schema": "2"}
    whole = Item(Key("J#1", "META"), {**form, "name": "n", "namespace": "s"}, {"doc": b"d", "seen": b"s"}, 7)
    table.put([whole])
    assert table.read([whole.key], "doc") == {whole.key: Item(whole.key, form, {"doc": b"d"})}


NAMES = {"z": "zebra", "a": "ant", "m": "Mole", "e": "épée", "c": "\x01first", "l": "\U0010ffff last"}


def put_list(table: Table) -> None:
    table.put([item(pk=f"J#{pk}", listed_in="J#ns", place=f"{name}#{pk}", name=name) for pk, name in NAMES.items()])
    table.put([item(pk="J#x", listed_in="J#other", place="x", name="x"), item(pk="J#0")])


def test_a_list_is_in_the_order_of_its_places(table: Table) -> None:
    put_list(table)
    assert [entry.name for entry in table.list_entries("J#ns")] == sorted(NAMES.values())
    assert [entry.name for entry in table.list_entries("J#ns", newest_first=True, limit=2)] == sorted(NAMES.values())[
        ::-1
    ]
    assert next(iter(table.list_entries("J#other"))) == (Key("J#x", "META"), "x", "x")
    assert list(table.list_entries("J#none")) == []


def test_a_list_may_be_bounded_by_places(table: Table) -> None:
    put_list(table)
    assert [table.count("J#ns", before=place) for place in ("ant#a", "zebra#z", "\x02")] == [2, 3, 1]
    assert [entry.name for entry in table.list_entries("J#ns", after="ant#a", before="zebra#z")] == ["ant"]
    assert [entry.name for entry in table.list_entries("J#ns", after="ant#b", before="zebra#zz")] == ["zebra"]
    assert list(table.list_entries("J#ns", after="z", before="a")) == []


def test_a_list_is_counted_whatever_part_of_it_is_asked_for(table: Table) -> None:
    put_list(table)
    whole = list(table.list_entries("J#ns"))
    for limit in (0, 1, 3, 6, 100):
        assert table.page_with_count("J#ns", limit) == (whole[:limit], len(NAMES))
    assert table.page_with_count("J#none", 5) == ([], 0)


class CountedRows:
    """A client of DynamoDB that counts the rows of its queries."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.rows = 0

    def __getattr__(self, operation: str) -> Any:
        return getattr(self._client, operation)

    def query(self, **query: Any) -> Any:
        answer = self._client.query(**query)
        self.rows += answer["ScannedCount"]
        return answer


class CountedSqliteTable(SqliteTable):
    rows = 0

    def _rows(self, query: str, *parameters: Any) -> list[Any]:
        found = super()._rows(query, *parameters)
        self.rows += len(found)
        return found


@pytest.mark.parametrize("service", ["sqlite", *SERVICES])
def test_whoever_takes_as_many_rows_as_the_limit_reads_no_more(
    request: pytest.FixtureRequest, objects: FakeBucket, service: str
) -> None:
    counter: CountedSqliteTable | CountedRows
    table: Table
    if service == "sqlite":
        counter = table = CountedSqliteTable(request.getfixturevalue("database"))
    else:
        counter = CountedRows(request.getfixturevalue(SERVICES[service]))
        table = dynamo_table(counter, objects)
    table.put([item(f"R#{number:02}", at=f"{number:02}#r") for number in range(40)])
    table.put([item(pk=f"J#{number:02}", listed_in="J#ns", place=f"{number:02}") for number in range(40)])
    ranges: list[Callable[[], Iterable[object]]] = [
        lambda: table.newest("J#1", before="30#r", limit=5),
        lambda: table.list_entries("J#ns", after="10", limit=5),
        lambda: table.list_entries("J#ns", before="30", newest_first=True, limit=5),
    ]
    for taken in ranges:
        counter.rows = 0
        assert len(list(islice(taken(), 5))) == 5
        assert counter.rows == 5


def test_entries_are_counted_by_the_beginning_of_their_partitions(table: Table) -> None:
    pks = ["R#1", "R#2", "J#1", "D#R#1"]
    table.put([item(pk=pk, listed_in="E#day", place=f"{number}") for number, pk in enumerate(pks)])
    assert [table.count("E#day", pk=pk) for pk in ("", "R#", "J#", "D#", "A#")] == [4, 2, 1, 1, 0]
    assert table.count("E#day", after="1", before="3", pk="R#") == 1


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
def test_a_part_too_long_for_an_item_goes_to_the_bucket(
    dynamo: DynamoTable, objects: FakeBucket, expires_at: int | None, prefix: str
) -> None:
    parts = {"doc": b"s" * 1000, "seen": b"l" * (MAX_PARTS_BYTES + 1)}
    long = Item(Key("J#1", "META"), {"kind": "job"}, parts, expires_at)
    dynamo.change([ConditionalPut(long, None)])
    assert dynamo.read([long.key]) == {long.key: long}
    assert [key.startswith(prefix) for key in objects.objects] == [True]


@pytest.mark.parametrize("version", [{}, {"v": {"S": "of another content"}}], ids=["none", "another"])
def test_an_item_that_was_changed_by_hand_is_replaced_as_it_is_stored(
    service: Any, objects: FakeBucket, version: dict[str, Any]
) -> None:
    name = new_table(service)
    table = DynamoTable(service, name, objects)
    by_hand = {"PK": {"S": "J#1"}, "SK": {"S": "META"}, "kind": {"S": "job"}, "doc": {"B": b"by hand"}}
    service.put_item(TableName=name, Item=by_hand | version)
    key = item().key
    read = table.read([key])[key]
    table.change([ConditionalPut(item(name="folded"), read)])
    assert table.read([key])[key].labels["name"] == "folded"
    with pytest.raises(Conflict):
        table.change([ConditionalPut(item(name="once more"), read)])


@pytest.mark.parametrize("refused", [item("s" * 1025), item(name="n" * 400 * 1024)], ids=["sort key", "item"])
def test_an_item_beyond_the_limits_of_dynamodb_is_rejected(dynamo: DynamoTable, refused: Item) -> None:
    with pytest.raises(Rejected):
        dynamo.change([ConditionalPut(refused, None)])
    with pytest.raises(Rejected):
        dynamo.put([refused])


def test_a_service_that_does_not_answer_is_a_storage_error(service: Any, objects: FakeBucket) -> None:
    missing = DynamoTable(service, "no-such-table", objects)
    with pytest.raises(StorageError):
        missing.read([Key("a", "b")])
    with pytest.raises(StorageError):
        missing.change([ConditionalPut(item(), None)])


def test_open_runs_are_those_that_started_before_a_time(table: Table) -> None:
    for number, (place, at) in enumerate([("O#1", "2026-11-20"), ("O#2", "2026-11-21"), ("O#f", "2026-11-19")]):
        table.put([item(f"R#{number}", open_in=place, at=at)])
    table.put([item("R#9", at="2026-11-18")])
    assert table.open_runs(Instant("2026-11-21")) == [Key("J#1", "R#0"), Key("J#1", "R#2")]
