"""Two releases side by side on one table, as while CloudFormation updates one function after the other, and back."""

import gzip
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from headwater.store.items.compression import unpack
from headwater.store.sqlite.database import OLDEST_FORMS, Database
from headwater.store.sqlite.table import SqliteTable
from headwater.store.table import FORMS, Item
from tests.store import golden

ROOT = Path(__file__).parents[2]
RELEASES = ROOT / "tests" / "fixtures" / "releases"
BEFORE = "0.2.0"
"""What came before, as tests/store/pack_release.py packed it."""
FUNCTIONS = ("fold", "announce", "answer")
THE_NEXT = {"NEXT_RELEASE": "1"}
PATHS = (
    "namespaces",
    "events/lineage?limit=100",
    "jobs?limit=1000",
    "namespaces/demo/datasets?limit=100",
    "search?q=orders&limit=100",
)


class Release:
    """The functions of a release, on a file. A call that meets an item that it cannot read is Unreadable."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def __call__(self, function: str, *arguments: Any) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([function, *arguments]) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "corrupt" in answer:
            raise Unreadable(answer["corrupt"])
        return answer["answer"]


class Unreadable(Exception):
    """A release met an item that it cannot read."""


@contextmanager
def release(folder: Path, file: Path, *forms: int, **variables: str) -> Iterator[Release]:
    """The release in a folder, on a file; `forms` are those in which it writes items, if it knows of forms."""
    command = [sys.executable, str(folder / "worker_of_release.py"), str(file), *map(str, forms)]
    environment = {**os.environ, "PYTHONPATH": str(folder), **variables}
    with subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield Release(process)


@pytest.fixture(scope="session")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    with tarfile.open(RELEASES / f"{BEFORE}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def this(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("this")
    (folder / "headwater").symlink_to(ROOT / "layers" / "headwater" / "headwater")
    (folder / "worker_of_release.py").symlink_to(ROOT / "tests" / "store" / "worker_of_release.py")
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file that each of the releases knows."""
    path = tmp_path / "lineage.db"
    with closing(Database(path)) as database:
        database.write_forms(OLDEST_FORMS)
    return path


def recorded() -> list[Any]:
    lines = gzip.decompress((golden.FOLDER / "events.jsonl.gz").read_bytes()).splitlines()
    return [json.loads(line) for line in lines]


def in_parts(events: list[Any], parts: int) -> list[list[Any]]:
    return [events[len(events) * part // parts : len(events) * (part + 1) // parts] for part in range(parts)]


def items_in(file: Path) -> dict[Any, Any]:
    with closing(Database(file)) as database:
        items = list(SqliteTable(database).segment(0, 1))
    return {item.key: (item.labels, {name: unpack(part) for name, part in item.parts.items()}) for item in items}


def jobs_in(file: Path) -> list[Item]:
    with closing(Database(file)) as database:
        return [item for item in SqliteTable(database).segment(0, 1) if item.labels["kind"] == "job"]


def updated_and_rolled_back(order: Sequence[str], older: Release, newer: Release) -> tuple[list[str], list[Any]]:
    """The alerts and the last answers, while one function after the other is updated and then rolled back."""
    serving = dict.fromkeys(FUNCTIONS, older)
    steps = [None, *((name, newer) for name in order), *((name, older) for name in reversed(order))]
    alerts, answers = list[str](), list[Any]()
    for step, events in zip(steps, in_parts(recorded(), len(steps)), strict=True):
        if step:
            serving[step[0]] = step[1]
        serving["fold"]("fold", events)
        alerts += serving["announce"]("announce")
        answers = serving["answer"]("answer", PATHS)
    return alerts, answers


Outcome = tuple[list[str], list[Any], dict[Any, Any]]
"""The alerts, the answers and the items."""


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Outcome]:
    """The outcome of a release, writing these forms, if it has the table to itself."""

    @cache
    def outcome(folder: Path, *forms: int) -> Outcome:
        file = tmp_path_factory.mktemp("alone") / "lineage.db"
        with closing(Database(file)) as database:
            database.write_forms(OLDEST_FORMS)
        with release(folder, file, *forms) as only:
            told, answers = updated_and_rolled_back(FUNCTIONS, only, only)
        return sorted(told), answers, items_in(file)

    return outcome


@pytest.mark.parametrize("order", [*permutations(FUNCTIONS)], ids="-".join)
def test_a_release_works_beside_the_one_before_and_is_rolled_back(
    order: Sequence[str], before: Path, this: Path, file: Path, undisturbed: Callable[..., Outcome]
) -> None:
    with release(before, file) as older, release(this, file, OLDEST_FORMS) as newer:
        told, answers = updated_and_rolled_back(order, older, newer)
    alerts, *expected = undisturbed(before)
    assert [answers, items_in(file)] == expected
    assert len(told) == len(alerts)  # their ids follow from the numbers of changes, of which a release may make fewer


@pytest.mark.parametrize("order", [*permutations(FUNCTIONS)], ids="-".join)
def test_a_new_form_is_not_written_while_the_release_before_may_come_back(
    order: Sequence[str], this: Path, file: Path, undisturbed: Callable[..., Outcome]
) -> None:
    with release(this, file, FORMS) as older, release(this, file, FORMS, **THE_NEXT) as newer:
        told, answers = updated_and_rolled_back(order, older, newer)
    assert (sorted(told), answers, items_in(file)) == undisturbed(this, FORMS)


def test_a_new_form_is_refused_by_the_release_before_and_loses_nothing(this: Path, file: Path) -> None:
    """That the release before reads all that is written above is no accident."""
    first, second = in_parts(recorded(), 2)
    with release(this, file, FORMS) as older, release(this, file, FORMS + 1, **THE_NEXT) as told:
        older("fold", first)
        told("fold", second)
        with pytest.raises(Unreadable, match="schema"):
            older("fold", second)
        told("fold", first)
        newest = {item.labels["schema"] for item in jobs_in(file)}
    assert len(newest) == 1


def test_a_function_that_is_told_later_leaves_an_item_in_the_new_form(this: Path, file: Path) -> None:
    first, second = in_parts(recorded(), 2)
    with release(this, file, FORMS, **THE_NEXT) as untold, release(this, file, FORMS + 1, **THE_NEXT) as told:
        untold("fold", first)
        former = {item.key: item.labels["schema"] for item in jobs_in(file)}
        told("fold", first + second)
        new = {item.key: item.labels["schema"] for item in jobs_in(file)}
        assert set(former.values()).isdisjoint(new.values())
        untold("fold", first + second)
        assert {item.key: item.labels["schema"] for item in jobs_in(file)} == new
