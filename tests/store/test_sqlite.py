"""What the table on SQLite does beyond the contract: queries by index, transactions, one process a file."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from headwater.store.errors import Conflict, StorageError
from headwater.store.keys import Key
from headwater.store.sqlite import table as queries
from headwater.store.sqlite.database import WRITER_CACHE_KIB, Database, RefusedDatabase, sole_use
from headwater.store.sqlite.item_cache import BYTES_BESIDE_PARTS, ItemCache
from headwater.store.sqlite.list_counts import ListCounts
from headwater.store.sqlite.table import SqliteTable, Transaction
from headwater.store.table import ConditionalPut, Item
from tests.store.files import items_in, plan

QUERIES = {
    queries.READ: ('[["J#1", "META"]]',),
    queries.READ_DOC: ('[["J#1", "META"]]',),
    queries.READ_PARTS: ('[["J#1", "META"]]',),
    queries.NEWEST: ("J#1", "a", "b", "", 10),
    queries.PARTITION: ("J#1", "S#", "S$", 10),
    queries.ENTRIES: ("J#ns", "a", "", "", "b", 10),
    queries.ENTRIES_BACKWARDS: ("J#ns", "b", "", "", "a", 10),
    queries.COUNT: ("J#ns", "a", "b"),
    queries.COUNT_OF_PARTITIONS: ("J#ns", "a", "b", "R#", "R$"),
    queries.RUNS: ("run",),
    queries.OPEN_RUNS: ('["O#1"]', "2026"),
    queries.EXPIRED: (1, 10),
}


def item(sk: str = "META", *, part: bytes = b"x", expires_at: int | None = None, **labels: str) -> Item:
    return Item(Key("J#1", sk), {"kind": "job", **labels}, {"doc": part}, expires_at)


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_costs_what_its_answer_costs(database: Database, query: str) -> None:
    steps = plan(database, query, *QUERIES[query])
    of_items = [step for step in steps if "wanted" not in step]
    assert any(step.startswith("SEARCH items USING") for step in of_items), steps
    assert not [step for step in of_items if step.startswith("SCAN") or "TEMP B-TREE" in step], steps


@pytest.mark.parametrize(
    "query", [queries.NEWEST, queries.PARTITION, queries.ENTRIES, queries.COUNT_OF_PARTITIONS, queries.RUNS]
)
def test_a_range_is_read_from_its_index_alone(database: Database, query: str) -> None:
    assert "COVERING INDEX" in plan(database, query, *QUERIES[query])[0]


@pytest.mark.parametrize("number", [15, 16, 17, 80, 81, 2_000])
def test_a_range_goes_on_over_its_pages(database: Database, number: int) -> None:
    table = SqliteTable(database)
    table.put([item(f"R#{each:05}", at=f"2026#{each:05}", listed_in="P#1", place="same") for each in range(number)])
    forwards = [f"R#{each:05}" for each in range(number)]
    assert [entry.key.sk for entry in table.newest("J#1")] == forwards[::-1]
    assert [key.sk for key in table.partition("J#1", "R#")] == forwards
    assert [entry.key.sk for entry in table.list_entries("P#1", limit=7)] == forwards
    assert [entry.key.sk for entry in table.list_entries("P#1", newest_first=True)] == forwards[::-1]


def test_parts_of_any_name_and_content_come_back(database: Database) -> None:
    parts = {"doc": b"", "seen": b"\x00{}\x00", "b": b"", "c": bytes(range(256)) * 4_000}
    stored = Item(Key("J#1", "META"), {"kind": "job", "schema": "2"}, parts)
    table = SqliteTable(database)
    table.put([stored])
    assert table.read([stored.key]) == {stored.key: stored}
    for part, content in parts.items():
        assert table.read([stored.key], part)[stored.key] == Item(stored.key, dict(stored.labels), {part: content})


def test_a_transaction_sees_its_own_changes_and_others_see_them_at_its_end(database: Database) -> None:
    table = SqliteTable(database)
    table.put([item("R#a", at="1#a"), item("R#b", at="2#b"), item("R#c", at="3#c")])
    with table.transaction() as transaction:
        transaction.put([item("R#b", at="4#b"), item("R#d", at="0#d"), item("X")])
        assert [entry.key.sk for entry in transaction.newest("J#1")] == ["R#b", "R#c", "R#a", "R#d"]
        assert [entry.key.sk for entry in transaction.newest("J#1", before="4", after="1")] == ["R#c", "R#a"]
        assert [key.sk for key in transaction.partition("J#1", "R#")] == ["R#a", "R#b", "R#c", "R#d"]
        assert transaction.read([Key("J#1", "X")], "doc") == {Key("J#1", "X"): Item(*_only_doc("X"))}
        assert [entry.key.sk for entry in table.newest("J#1")] == ["R#c", "R#b", "R#a"]
    assert [entry.key.sk for entry in table.newest("J#1")] == ["R#b", "R#c", "R#a", "R#d"]


def _only_doc(sk: str) -> tuple[Key, dict[str, str], dict[str, bytes]]:
    return Key("J#1", sk), {"kind": "job"}, {"doc": b"x"}


def test_a_transaction_that_fails_changes_nothing(database: Database) -> None:
    table = SqliteTable(database)

    def change_and_fail() -> None:
        with table.transaction() as transaction:
            transaction.put([item()])
            raise RuntimeError("of the fold")

    with pytest.raises(RuntimeError, match="of the fold"):
        change_and_fail()
    assert items_in(database) == {}


def test_what_else_is_written_is_of_the_transaction(database: Database) -> None:
    """If another table of the file cannot be written, the items are not written, either."""
    table = SqliteTable(database)

    def fail(_: sqlite3.Connection) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    def change_and_fail(transaction: Transaction) -> None:
        transaction.put([item()])
        transaction.other_writes.append(fail)

    with pytest.raises(StorageError, match="full"), table.transaction() as transaction:
        change_and_fail(transaction)
    assert items_in(database) == {}
    table.put([item()])
    assert items_in(database) == {item().key: item()}


def test_a_condition_counts_the_changes_of_its_transaction(database: Database) -> None:
    first, second, third = item(name="first"), item(name="second"), item(name="third")
    with SqliteTable(database).transaction() as transaction:
        transaction.change([ConditionalPut(first, None)])
        transaction.change([ConditionalPut(second, first)])
        with pytest.raises(Conflict):
            transaction.change([ConditionalPut(third, first)])
    assert items_in(database) == {second.key: second}


def test_an_item_that_was_changed_by_hand_is_replaced_as_it_is_stored(database: Database) -> None:
    table = SqliteTable(database)
    table.put([item()])
    with database.writing() as connection:
        connection.execute("UPDATE items SET version = 'by hand'")
    read = table.read([item().key])[item().key]
    table.change([ConditionalPut(item(name="folded"), read)])
    with pytest.raises(Conflict):
        table.change([ConditionalPut(item(name="once more"), read)])


def test_readers_do_not_wait_for_a_writer(database: Database) -> None:
    table, read = SqliteTable(database), []
    table.put([item()])
    with database.writing() as connection:
        connection.execute("DELETE FROM items")
        reader = threading.Thread(target=lambda: read.append(table.read([item().key])))
        reader.start()
        reader.join(timeout=10)
    assert read == [{item().key: item()}]


def test_what_is_settled_was_noted_by_its_writer(database: Database) -> None:
    """Whoever hears of a commit, such as `?wait=1` and the announcer, then finds it in what is kept of the table."""
    table, order = SqliteTable(database), list[str]()
    noting, goes_on = threading.Event(), threading.Event()
    noted = table._kept.written

    def note(items: Iterable[Item]) -> None:
        noting.set()
        assert goes_on.wait(10)
        noted(items)
        order.append("noted")

    def read() -> None:
        with database.settled() as connection:
            order.extend(f"settled: {key}" for (key,) in connection.execute("SELECT sk FROM items"))

    table._kept.written = note  # type: ignore[method-assign]
    writer, reader = threading.Thread(target=table.put, args=[[item()]]), threading.Thread(target=read)
    writer.start()
    assert noting.wait(10)
    assert items_in(database) == {item().key: item()}, "it is committed"
    reader.start()
    reader.join(0.1)
    goes_on.set()
    for thread in (writer, reader):
        thread.join()
    assert order == ["noted", "settled: META"]


def test_expired_items_are_removed_in_small_steps(database: Database) -> None:
    table = SqliteTable(database)
    kept = [item("kept"), item("later", expires_at=2_000)]
    table.put([*kept, *(item(f"{number}", expires_at=999) for number in range(250))])
    assert list(iter(lambda: table.remove_expired(1_000.5), 0)) == [queries.EXPIRED_AT_ONCE, 50]
    assert items_in(database) == {item.key: item for item in kept}


def test_a_file_is_opened_again_with_what_it_holds(tmp_path: Path) -> None:
    for _ in range(2):
        with closing(Database(tmp_path / "lineage.db")) as database:
            SqliteTable(database).put([item()])
            assert items_in(database) == {item().key: item()}


def test_the_log_is_copied_into_the_file_apart_from_commits(database: Database, tmp_path: Path) -> None:
    alone = tmp_path / "alone.db"

    def in_the_file() -> int:
        shutil.copyfile(database.path, alone)
        with closing(sqlite3.connect(f"file:{alone}?immutable=1", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM bodies").fetchone()[0])

    database.copy_log()
    for number in range(1_500):
        with database.writing() as connection:
            connection.execute("INSERT INTO bodies VALUES (?, x'00')", (str(number),))
    assert in_the_file() == 0, "SQLite would do so after a thousand pages"
    with database.reading() as connection:
        connection.execute("SELECT count(*) FROM bodies").fetchone()
        database.copy_log()
    assert in_the_file() == 1_500


def test_the_cache_of_a_new_file_is_as_large_as_that_of_a_known_one(tmp_path: Path) -> None:
    """What does not fit goes into the log ahead of the commit."""
    for _ in range(2):
        with closing(Database(tmp_path / "lineage.db")) as database, database.writing() as connection:
            for number in range(2_500):
                connection.execute("REPLACE INTO bodies VALUES (?, zeroblob(16000))", (str(number),))
            assert Path(f"{database.path}-wal").stat().st_size > 2_500 * 16_000 - 1_100 * WRITER_CACHE_KIB


def test_a_copy_has_what_the_file_has(database: Database, tmp_path: Path) -> None:
    SqliteTable(database).put([item()])
    database.copy_to(tmp_path / "copy.db")
    with closing(Database(tmp_path / "copy.db")) as copy:
        assert items_in(copy) == {item().key: item()}


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    text, foreign, newer = (tmp_path / name for name in ("text", "foreign.db", "newer.db"))
    text.write_text("x" * 10_000)
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    with closing(Database(newer)) as database, database.writing() as connection:
        connection.execute("PRAGMA user_version = 99")
    for path, reason in ((text, "not a database"), (foreign, "another program"), (newer, "form 99")):
        with pytest.raises(RefusedDatabase, match=reason):
            Database(path)


HOLD = """
import sys
from pathlib import Path
from headwater.store.sqlite.database import sole_use
with sole_use(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_file_is_used_by_one_process_which_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lineage.db"
    command = [sys.executable, "-c", HOLD, str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as other:  # noqa: S603
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        (tmp_path / "link.db").symlink_to(path)
        for name in (path, tmp_path / "link.db"):
            with pytest.raises(RefusedDatabase, match=rf"in use by process {other.pid}; stop it"), sole_use(name):
                pass
        other.kill()
    with sole_use(path):
        pass


def test_many_changes_of_a_transaction_are_not_compared_with_each_other(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[Item] = []

    def equals(self: Item, other: object) -> bool:
        compared.append(self)
        return self is other

    monkeypatch.setattr(Item, "__eq__", equals)
    changes = [ConditionalPut(item(f"R#{number:05}"), None) for number in range(100)]
    with SqliteTable(database).transaction() as transaction:
        assert transaction.put_if(changes) == []
        assert len(transaction.put_if(changes)) == len(changes), "each is stored by now"
    assert compared == []


def listed(sk: str, place: str = "a", *, within: str = "J#ns", expires_at: int | None = None) -> Item:
    return item(sk, expires_at=expires_at, listed_in=within, place=place)


def test_a_list_is_counted_once_and_anew_after_a_change_of_its_entries(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, queries_made = SqliteTable(database), list[str]()
    rows = table._rows
    monkeypatch.setattr(table, "_rows", lambda query, *given: queries_made.append(query) or rows(query, *given))  # type: ignore[func-returns-value]
    table.put([listed("A"), listed("B"), listed("C", within="J#other", expires_at=5)])
    assert [table.count(name) for name in ("J#ns", "J#other", "J#ns", "J#other")] == [2, 1, 2, 1]
    table.put([listed("A", place="z"), item("D", part=b"not listed")])
    assert table.count("J#ns") == 2
    assert queries_made.count(queries.COUNT) == 2
    table.put([listed("B", within="J#other")])
    assert [table.count(name) for name in ("J#ns", "J#other")] == [1, 2]
    table.put([item("A")])
    assert table.count("J#ns") == 0
    assert table.remove_expired(6) == 1
    assert table.count("J#other") == 1


def test_a_count_during_a_write_is_not_kept() -> None:
    """A count that began before the write was committed may lack its entry."""
    counts = ListCounts()
    with counts.changing(["J#ns"]):
        assert counts.length("J#ns", lambda: 1) == 1
    assert counts.length("J#ns", lambda: 2) == 2
    assert counts.length("J#ns", lambda: 3) == 2

    def count_while_written() -> int:
        with counts.changing(["J#other"]):
            return 4

    assert counts.length("J#other", count_while_written) == 4
    assert counts.length("J#other", lambda: 5) == 5


def test_an_item_is_read_from_the_file_once_and_is_always_that_of_the_last_write(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, made = SqliteTable(database), list[str]()
    rows = table._rows
    monkeypatch.setattr(table, "_rows", lambda query, *given: made.append(query) or rows(query, *given))  # type: ignore[func-returns-value]
    table.put([item("A"), item("B", expires_at=5)])
    both = [Key("J#1", "A"), Key("J#1", "B"), Key("J#1", "absent")]
    made.clear()
    for only in (None, "doc"):
        assert [{key.sk for key in table.read(both, only)} for _ in range(3)] == [{"A", "B"}] * 3
        assert [table.read(both[:2], only) for _ in range(2)] == [table.read(both[:2], only)] * 2
    assert len(made) == 2, "that one is absent is kept, too"
    table.put([item("A", part=b"y"), item("absent")])
    for only in (None, "doc"):
        read = table.read(both, only)
        assert [read[key].parts["doc"] for key in both] == [b"y", b"x", b"x"]
    assert table.read(both[:1])[both[0]] == SqliteTable(database).read(both[:1])[both[0]]
    assert table.remove_expired(6) == 1
    assert {key.sk for key in table.read(both)} == {"A", "absent"}


def test_a_write_that_fails_leaves_the_items_that_are_kept(database: Database) -> None:
    table = SqliteTable(database)
    table.put([item("A")])
    before = table.read([Key("J#1", "A")])

    def write() -> None:
        with table.transaction() as transaction:
            transaction.put([item("A", part=b"never")])
            transaction.other_writes.append(lambda connection: connection.execute("INSERT INTO nowhere VALUES (1)"))

    with pytest.raises(StorageError):
        write()
    assert table.read([Key("J#1", "A")]) == before


def test_items_that_are_read_during_a_write_are_not_kept_and_the_last_used_ones_stay() -> None:
    """A read that began before the write was committed may have the item of before."""
    kept, asked = ItemCache(most=3 * BYTES_BESIDE_PARTS + 10), list[str]()

    def stored(keys: Collection[Key], _: str | None) -> dict[Key, Item]:
        asked.extend(key.sk for key in keys)
        return {key: item(key.sk) for key in keys}

    def written_meanwhile(keys: Collection[Key], only: str | None) -> dict[Key, Item]:
        kept.written([item("A", part=b"new")])
        return stored(keys, only)

    def read(*names: str, how: Callable[[Collection[Key], str | None], dict[Key, Item]] = stored) -> None:
        kept.read([Key("J#1", name) for name in names], None, how)

    read("A", how=written_meanwhile)
    read("A", "B", "C")
    read("A")
    assert asked == ["A", "A", "B", "C"]
    read("D")
    read("A", "C", "D")
    read("B")
    assert asked == ["A", "A", "B", "C", "D", "B"], "B was used least lately"


def test_a_copy_appears_whole_or_not_at_all(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "copy.db"

    def no_link(*_: object) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.link", no_link)
        with pytest.raises(OSError, match="No space"):
            database.copy_to(target)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("copy.db")] == []
    database.copy_to(target)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("copy.db")] == ["copy.db"]
    with closing(Database(target)):
        pass


def test_a_file_that_was_cut_to_nothing_is_no_new_file(tmp_path: Path) -> None:
    path = tmp_path / "cut.db"
    path.write_bytes(b"")
    with pytest.raises(RefusedDatabase, match="is empty, though it was made"):
        Database(path)


def test_files_are_read_by_their_owner_alone(tmp_path: Path) -> None:
    with closing(Database(tmp_path / "own.db")) as database:
        database.copy_to(tmp_path / "copy.db")
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir() if file.is_file()}
    assert set(modes) >= {"own.db", "own.db-wal", "copy.db"}
    assert {modes[name] for name in modes if name.startswith(("own.db", "copy.db"))} == {0o600}
