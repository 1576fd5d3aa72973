"""The command `rebuild`: it compares a file with an archive, mends the file, and writes what DynamoDB imports."""

import base64
import gzip
import json
from codecs import BOM_UTF8
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from pyspark import SparkContext

from emr_jobs.rebuild.__main__ import Refused, parser, run
from emr_jobs.rebuild.target import Target
from headwater.fold.fold import fold
from headwater.process_settings import read_settings
from headwater.store.aws.dynamodb import item_of
from headwater.store.errors import StorageError
from headwater.store.graph_store import GraphStore
from headwater.store.keys import Key
from headwater.store.messages import archive_line
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.table import SqliteTable
from headwater.store.table import FORMS, Item, Retention
from tests import factory
from tests.emr_jobs.archives import archive, assert_same, normalised, received
from tests.fakes import FakeBucket
from tests.store.files import items_in

pytestmark = [pytest.mark.spark, pytest.mark.engine]

EVENTS = [
    factory.run_event(
        "COMPLETE",
        run=number,
        seconds=number,
        job=f"job-{number % 3}",
        outputs=[factory.dataset(f"made-{number % 4}", schema=factory.schema("id:long"))],
    )
    for number in range(30)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of events that have not expired."""
    folder = tmp_path_factory.mktemp("archive")
    archive(folder, [archive_line(message) for message in received(EVENTS, lags=(1,))])
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lineage.db"
    database, settings = Database(path), read_settings({})
    for event in normalised(received(EVENTS, lags=(1,))):
        fold([event], GraphStore(SqliteTable(database), settings.retention), settings.emission_latency)
    database.close()
    return path


def rebuild(spark: SparkContext, folder: Path, *arguments: str) -> int:
    return run(spark, parser().parse_args([str(folder), *arguments]))


def changed(path: Path, *queries: str) -> None:
    database = Database(path)
    with database.writing() as connection:
        for query in queries:
            connection.execute(query)
    database.close()


def items(path: Path) -> dict[Key, Item]:
    database = Database(path)
    try:
        return items_in(database)
    finally:
        database.close()


def test_a_table_is_compared_and_mended(
    spark: SparkContext, folder: Path, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = items(file)
    changed(
        file,
        "DELETE FROM items WHERE pk LIKE 'J#%' AND sk = 'META'",
        "UPDATE items SET doc = x'00' WHERE pk LIKE 'D#%' AND sk = 'META'",
        "INSERT INTO items (pk, sk, version, labels) VALUES ('J#f', 'R#x', 'v', '{\"kind\": \"run\"}')",
        "INSERT INTO items (pk, sk, version, labels) VALUES ('K#a', 'K', 'v', '{\"kind\": \"alert\"}')",
    )
    before = items(file)
    assert rebuild(spark, folder, "--verify", str(file)) == 1
    output = capsys.readouterr().out
    assert "job: 3 missing" in output
    assert "dataset: 4 different" in output
    assert "META: doc" in output
    assert "run: 1 extra\n    J#f R#x" in output
    assert "alert" not in output  # no event gives an alert
    assert items(file) == before
    changed(file, "DELETE FROM items WHERE pk IN ('J#f', 'K#a')")
    assert rebuild(spark, folder, "--into", str(file)) == 0
    assert "job: 3 written, 0 joined, 0 same" in capsys.readouterr().out
    assert_same(items(file), expected)


def test_the_import_format_has_every_item_with_its_attributes(
    spark: SparkContext, folder: Path, file: Path, tmp_path: Path
) -> None:
    assert rebuild(spark, folder, "--import-format", str(tmp_path / "import")) == 0
    lines = [
        line for path in (tmp_path / "import").iterdir() for line in gzip.decompress(path.read_bytes()).splitlines()
    ]
    written = [item_of(binary(json.loads(line)["Item"]), FakeBucket()) for line in lines]
    assert len(written) == len({item.key for item in written})
    assert_same({item.key: item for item in written}, items(file))


def binary(attributes: dict[str, dict[str, str]]) -> dict[str, dict[str, str | bytes]]:
    return {
        name: {"B": base64.b64decode(value["B"])} if "B" in value else {**value} for name, value in attributes.items()
    }


def test_a_namespace_has_its_own_items_alone(spark: SparkContext, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "demo.db"
    assert rebuild(spark, folder, "--into", str(path), "--namespace", "demo") == 0
    assert {item.labels["kind"] for item in items(path).values()} == {"job", "run", "event", "namespace"}
    assert rebuild(spark, folder, "--verify", str(path), "--namespace", "demo") == 0


def test_strict_stops_before_anything_is_written(spark: SparkContext, folder: Path, tmp_path: Path) -> None:
    broken = archive(tmp_path / "archive", [b"no event\n"])
    with pytest.raises(Refused, match="--strict"):
        rebuild(spark, Path(broken.url), "--into", str(tmp_path / "none.db"), "--strict")
    assert not (tmp_path / "none.db").exists()


def refusal(spark: SparkContext, folder: Path, *arguments: str) -> str:
    with pytest.raises((Refused, StorageError)) as refused:
        rebuild(spark, folder, *arguments)
    return str(refused.value)


def test_nonsense_is_refused_in_words_and_makes_no_file(spark: SparkContext, folder: Path, tmp_path: Path) -> None:
    absent = tmp_path / "absent.db"
    assert "there is no such file" in refusal(spark, folder, "--verify", str(absent))
    assert not absent.exists()
    assert "there is no such folder" in refusal(spark, tmp_path / "none", "--into", str(absent))
    assert "not before" in refusal(spark, folder, "--into", str(absent), "--from", "2026-11-21", "--to", "2026-11-20")
    assert "--before is for --into" in refusal(spark, folder, "--verify", str(absent), "--before", "2")
    assert "no dataset in nowhere" in refusal(spark, folder, "--into", str(absent), "--namespace", "nowhere")


def test_a_namespace_that_neither_side_has_is_no_agreement(spark: SparkContext, folder: Path, file: Path) -> None:
    assert "nothing to compare" in refusal(spark, folder, "--verify", str(file), "--namespace", "nowhere")
    assert rebuild(spark, folder, "--verify", str(file), "--namespace", "demo") == 0


def test_a_table_of_dynamodb_that_cannot_be_read_is_told_by_the_driver(
    spark: SparkContext, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    assert "specify a region" in refusal(spark, folder, "--verify", "a-table-without-a-region")


@pytest.mark.parametrize("units", ["0", "-5", "nan", "many"])
def test_write_units_that_are_no_rate_are_refused(units: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["/archive", "--into", "x.db", "--write-units", units])
    assert "--write-units: invalid" in capsys.readouterr().err


def test_a_line_with_a_byte_order_mark_counts(spark: SparkContext, folder: Path, file: Path, tmp_path: Path) -> None:
    for number, source in enumerate(sorted((folder / "events").rglob("*.gz"))):
        copy = tmp_path / "events" / "date=2026-11-20" / f"{number}.jsonl"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(BOM_UTF8 + gzip.decompress(source.read_bytes()).replace(b"\n", b"\r\n"))
    assert rebuild(spark, tmp_path, "--verify", str(file), "--strict") == 0


def test_items_have_the_forms_of_the_target(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has its own; those of a table are a setting, as for the functions."""
    with closing(Database(file)) as database:
        database.write_forms(FORMS)
    monkeypatch.setenv("ITEM_FORMS", "7")
    assert (Target(str(file)).forms, Target("lineage").forms) == (FORMS, 7)
    monkeypatch.delenv("ITEM_FORMS")
    assert not Retention(timedelta(1), timedelta(1), Target("lineage").forms).keeps_former_forms
