"""The code uses the terms of docs/glossary.md and ordinary words: one name for one thing."""

import ast
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.store.kinds import CODECS

ROOT = Path(__file__).parents[2]
LAYER = ROOT / "layers" / "headwater" / "headwater"
PRODUCT = ("layers/headwater", "functions", "emr_jobs", "local", "agent", "benchmarks", "api", "events")
GLOSSARY = ROOT / "docs" / "glossary.md"
METRICS = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "metrics.md").read_text(), re.MULTILINE)
ROOMS = ("graph", "store", "fold", "read", "traversal", "http")
PRIVATE = ("codec", "compression", "values", "items", "keys", "neighbour_pages", "caches", "table")
"""Modules of store that only store imports: their names need no glossary."""


def _words_in(text: str) -> frozenset[str]:
    return frozenset(text.split())


ORDINARY = _words_in(
    """
    change client created databases dynamo errors events id imported init io known lost memory members messages on order
    pair postponed reader reading received ref reference refused rejected requests resolution result s3 sent split
    sqs stored thresholds throttled unreadable updates updated written
    """
)
"""Words that a newcomer knows without a glossary."""

REPLACED = _words_in(
    """
    admit around asked_node asking beside Concerned describing DatasetUse declaring drawn ended_by folding
    foreign_columns happenings Ill is_action is_undercut_by leashed_emulator left_open linking listed_in mention News
    nobody NOBODY patience PlacedPage put_referred Received referred remembering run_above SEEN Seen settling
    SETTLING side_by_side spelled_out spread told_apart turn Turn understood understanding Used Watched word Word
    word_of latency_turned is_news DatasetMention
    """
)
"""Names of earlier releases, each replaced by a term of the glossary."""


def terms() -> set[str]:
    rows = [line.split("|")[1] for line in GLOSSARY.read_text().splitlines() if line.startswith("| ")]
    return {word for row in rows for word in re.findall(r"[a-z0-9]+", row.lower())}


def names_in_backticks() -> list[str]:
    return sorted(set(re.findall(r"`([^`]+)`", GLOSSARY.read_text())))


def words(name: str) -> list[str]:
    """`ColumnLineageId` and `column_lineage_id` are column, lineage and id."""
    return [word.lower() for word in re.findall(r"[Ss]3|[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def stems(word: str) -> set[str]:
    """A word without the endings of plurals and participles."""
    return {word, re.sub("ies$", "y", word), *(word.removesuffix(ending) for ending in ("s", "es", "d", "ed"))}


def is_known(word: str) -> bool:
    return bool(stems(word) & (terms() | ORDINARY))


def modules(*rooms: str) -> Iterator[Path]:
    for room in rooms:
        yield from sorted((LAYER / room).rglob("*.py"))


def public_names() -> Iterator[str]:
    """The modules of the shared rooms and their public classes."""
    for path in modules(*ROOMS):
        if not set(path.with_suffix("").relative_to(LAYER / path.relative_to(LAYER).parts[0]).parts) & set(PRIVATE):
            yield path.stem
            yield from (name for name in classes(path) if not name.startswith("_"))


def classes(path: Path) -> Iterator[str]:
    return (node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef))


def resolves(dotted: str) -> bool:
    """Whether a name relative to the package is a module, a definition, or a member of a class."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            value: object = importlib.import_module(".".join(["headwater", *parts[:length]]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            annotations = getattr(value, "__annotations__", {})
            if not hasattr(value, part) and part not in annotations:
                return False
            value = getattr(value, part, None)
        return True
    return False


def test_every_name_of_the_glossary_is_in_the_code() -> None:
    kinds_and_metrics = {*CODECS, "auditEntry", "day", *METRICS}
    unknown = [name for name in names_in_backticks() if name not in kinds_and_metrics and not resolves(name)]
    assert unknown == []


def test_the_shared_rooms_are_named_with_terms_and_ordinary_words() -> None:
    assert {name: word for name in public_names() for word in words(name) if not is_known(word)} == {}


@pytest.mark.parametrize("names", [[*CODECS, "auditEntry", "day"], METRICS], ids=["items", "metrics"])
def test_items_and_metrics_are_named_with_terms_and_ordinary_words(names: list[str]) -> None:
    assert {name: word for name in names for word in words(name) if not is_known(word)} == {}


def test_no_ordinary_word_is_superfluous() -> None:
    used = {word for name in [*public_names(), *CODECS, *METRICS] for word in words(name)}
    assert {word for word in ORDINARY if word in terms() or not any(word in stems(name) for name in used)} == set()


def test_replaced_names_are_gone() -> None:
    sources = [path for folder in ("layers", "functions", "local") for path in (ROOT / folder).rglob("*.py")]
    defined_again = {
        f"{path.relative_to(ROOT)}: {name}" for path in sources for name in defined(path) if name in REPLACED
    }
    assert defined_again == set()


def defined(path: Path) -> Iterator[str]:
    """The module, and every class, function, argument of a class, and attribute that it names."""
    yield path.stem
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name) and target.id.isupper())


def test_a_class_name_means_one_thing() -> None:
    paths = [path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")]
    counts = Counter(name for path in paths for name in classes(path))
    assert {name for name, count in counts.items() if count > 1} == set()
