"""The plugin of pytest (`pip install 'headwater[pytest]'`): a Spark that reports its lineage to a file, and the fixture
`lineage`. docs/testing-lineage.md shows how to use it. A test that asks for none of the fixtures pays nothing."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from headwater.cli.testing.lineage import LineageOfTest

FOLDER = "__lineage__"
UPDATE = "--lineage-update"
LOCATION = "spark.openlineage.transport.location"
MILLISECONDS = 60_000
"""How long the listener may take for the events of what has run."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("lineage")
    group.addoption(UPDATE, action="store_true", help="write the snapshots of lineage of the tests that run")


@pytest.fixture(scope="session")
def lineage_events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file to which the listener writes events."""
    return tmp_path_factory.mktemp("lineage") / "events.jsonl"


@pytest.fixture(scope="session")
def lineage_settings(lineage_events: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The settings of a Spark that reports to `lineage_events`, for a session of your own; those of `headwater submit`,
    but for the transport. Java and Python are set in the environment."""
    from headwater.cli.jvm.installed_spark import spark_jars, spark_java
    from headwater.cli.jvm.spark_submit import driver_environment, engine_settings, listener_settings
    from headwater.cli.machine.failure import Failure
    from headwater.cli.machine.state import state_folder

    try:
        jars, java = spark_jars(state_folder()), spark_java(state_folder())
    except Failure as failure:
        pytest.fail(str(failure), pytrace=False)
    settings = {
        **engine_settings(jars),
        **listener_settings({"type": "file", "location": str(lineage_events)}),
        "spark.app.name": "pytest",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("OPENLINEAGE_", "SPARK_"))]:
            patch.delenv(name)  # the developer's own Spark, and where its jobs report
        for name, value in driver_environment(java).items():
            patch.setenv(name, value)
        yield settings


@pytest.fixture(scope="session")
def lineage_spark(lineage_settings: dict[str, str]) -> "Iterator[SparkSession]":
    """A Spark session for all tests, whose lineage goes to a file."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.config(map={**lineage_settings}).getOrCreate()
    if session.sparkContext.getConf().get(LOCATION) != lineage_settings[LOCATION]:
        pytest.fail("another Spark session runs already, without `lineage_settings`; make it with these", pytrace=False)
    yield session
    session.stop()


@pytest.fixture
def lineage(request: pytest.FixtureRequest, lineage_events: Path, tmp_path: Path) -> "LineageOfTest":
    """The lineage of what this test runs, from here on."""
    from headwater.cli.testing.lineage import LineageOfTest, SnapshotFile

    _wait_for_listener()
    begin = lineage_events.stat().st_size if lineage_events.is_file() else 0

    def sent() -> list[str]:
        _wait_for_listener()
        if not lineage_events.is_file():
            return []
        with lineage_events.open("rb") as stream:
            stream.seek(begin)
            whole = stream.read().split(b"\n")[:-1]  # what follows is a line that is being written
            return [line.decode() for line in whole]

    item = request.node
    test = item.nodeid.partition("::")[2].replace("::", ".")
    path = item.path.parent / FOLDER / item.path.stem / f"{quote(test, safe='[]-_., =+')}.yaml"
    base = request.getfixturevalue("tmp_path_factory").getbasetemp()
    names = {tmp_path: "TMP", base: "SESSION", request.config.rootpath: "ROOT"}
    file = SnapshotFile(path, item.nodeid, is_updated=request.config.getoption(UPDATE))
    return LineageOfTest(file, sent, _SnapshotNames(names))


class _SnapshotNames:
    """Gives paths names that are the same on every machine: `file:TMP/orders`."""

    def __init__(self, names: dict[Path, str]) -> None:
        paths = {path: name for given, name in names.items() for path in (given, given.resolve()) if path.name}
        self._names = {str(path): paths[path] for path in sorted(paths, key=lambda path: -len(str(path)))}
        self._path = re.compile(f"({'|'.join(map(re.escape, self._names))})(?=/|:|$)")

    def __call__(self, name: str) -> str:
        return self._path.sub(lambda found: self._names[found[0]], name)


def _wait_for_listener() -> None:
    """Returns once the listener has written the events of all that has run."""
    spark: Any = sys.modules.get("pyspark")
    context = spark.SparkContext._active_spark_context if spark else None  # noqa: SLF001 - it has no other name
    if context:
        context._jsc.sc().listenerBus().waitUntilEmpty(MILLISECONDS)  # noqa: SLF001 - as Spark's own tests wait
