"""Only graph/producers/ knows engines by their names: to add one is to add a module there."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import headwater
from headwater.graph.producers import PRODUCERS

PACKAGE = Path(headwater.__file__).parent
OF_ENGINES = ("graph/producers", "sources", "cli", "spark")
"""Rooms that speak of engines by their nature: the producers, what is asked for lineage, the command that tries
engines, and what runs inside a Spark job."""
NAMES = {producer.name.replace("_", "") for producer in PRODUCERS} - {"headwater"}
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
EXCEPTIONS = {
    "catalog/hive_types.py": "Glue declares columns in Hive's types, whichever engine wrote the table",
    "catalog/table_writer.py": "Glue declares columns in Hive's types, whichever engine wrote the table",
    "config.py": "an example of a namespace in an error message",
    "graph/facets/members.py": "the listener's own facet for the error of a run; PySpark's folder in a traceback",
    "graph/facets/schema_diff.py": "an error message quotes a setting: no column is called spark.sql.ansi.enabled",
    "graph/names/naming.py": "names of places: temporary folders in a table's folder, and a metastore's scheme",
    "lookup/parameters.py": "an example in the description of a parameter",
    "lookup/search/search_v2beta.py": "the listener's own facet for the version of the engine",
    "openlineage/secret_rules.py": "names of environment variables that have no secrets",
}


def code_of(path: Path) -> Iterator[str]:
    """The identifiers and texts of a module, without its docstrings."""
    tree = ast.parse(path.read_text())
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in docs:
                yield text
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.alias(name=name):
                yield name
            case ast.ImportFrom(module=str(name)):
                yield name


def engines_in(path: Path) -> set[str]:
    """The engines that the code of a module names, in one word or in two: `greatExpectations`, `KAFKA_CONNECT`."""
    found = set()
    for text in code_of(path):
        words = [word.lower() for word in WORD.findall(text)]
        found |= NAMES & {*words, *(first + second for first, second in pairwise(words))}
    return found


def test_no_code_outside_the_producers_names_an_engine() -> None:
    named = {path.relative_to(PACKAGE).as_posix(): engines_in(path) for path in PACKAGE.rglob("*.py")}
    outside = {path for path, engines in named.items() if engines and not path.startswith(OF_ENGINES)}
    assert outside == EXCEPTIONS.keys()


def test_each_engine_is_found_in_its_own_module() -> None:
    own = {path.stem: engines_in(path) for path in (PACKAGE / "graph" / "producers").glob("*.py")}
    assert all(name in own[name] for name in ("airflow", "dbt", "flink", "spark", "trino"))
