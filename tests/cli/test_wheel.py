"""The wheel is one package, whose imports are declared in pyproject.toml; it has all the commands of the launcher."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater import spark
from headwater.cli import __main__ as launcher
from headwater.cli.__main__ import COMMANDS
from tests.serve.process import ENVIRONMENT, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
OF_LAMBDA = {"aws_lambda_powertools"}
"""What only a Lambda imports."""
PACKAGES = {
    "pydantic_core": "pydantic-core",
    "kafka": "kafka-python",
    "yaml": "pyyaml",
    "attr": "attrs",
    "openlineage": "openlineage-python",
    "py4j": "pyspark",
}


def modules() -> Iterator[Path]:
    for shipped in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        path = ROOT / shipped
        files = [path] if path.is_file() else path.rglob("*.py")
        yield from (file for file in files if file.parent.name != "dags")  # which Airflow imports, not the command


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def declared() -> set[str]:
    project = PROJECT["project"]
    wanted = [
        *project["dependencies"],
        *(requirement for extra in project["optional-dependencies"].values() for requirement in extra),
    ]
    return {re.split(r"[>=; ]", requirement)[0] for requirement in wanted}


def test_what_the_wheel_imports_is_declared() -> None:
    own = {"headwater", "job_lineage"}
    names = {name for path in modules() for name in imported(path)} - own - set(sys.stdlib_module_names) - OF_LAMBDA
    assert {PACKAGES.get(name, name) for name in names} <= declared()
    assert "uvicorn" in names


def test_every_command_tells_its_options() -> None:
    for name in COMMANDS:
        command = [sys.executable, "-m", "headwater.cli", name, "--help"]
        run = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)  # noqa: S603
        assert run.stdout.startswith(f"usage: headwater {name}")


def test_an_unknown_command_is_told_the_known_ones() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "headwater", "sevre"], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert all(f"\n  {name} " in run.stderr for name in COMMANDS)


@pytest.mark.parametrize("name", [name for name, command in COMMANDS.items() if command.needs])
def test_a_command_whose_extra_is_missing_says_what_installs_it(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = COMMANDS[name].needs
    assert extra
    monkeypatch.setattr(launcher, "find_spec", lambda _: None)
    monkeypatch.setattr(sys, "argv", ["headwater", name, "x"])
    assert launcher.main() == 2
    assert capsys.readouterr().err == f"{name} needs {extra.module}: pip install 'headwater[{extra.name}]'\n"
    assert extra.module in extra_packages(extra.name)


def extra_packages(name: str) -> set[str]:
    return {re.split(r"[>=; ]", requirement)[0] for requirement in PROJECT["project"]["optional-dependencies"][name]}


def test_the_old_name_of_what_jobs_import_warns_and_has_the_same_names() -> None:
    with pytest.warns(FutureWarning, match=r"headwater\.spark"):
        job_lineage = importlib.import_module("job_lineage")
    assert {name: getattr(job_lineage, name) for name in spark.__all__} == {
        name: getattr(spark, name) for name in spark.__all__
    }


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment of a wheel without extras."""
    folder, uv = tmp_path_factory.mktemp("wheel"), ROOT / ".local" / "uv" / "bin" / "uv"
    subprocess.run([uv, "--quiet", "build", "--wheel", "--out-dir", folder, ROOT], check=True)  # noqa: S603
    subprocess.run([uv, "--quiet", "venv", "--python", sys.executable, folder / "venv"], check=True)  # noqa: S603
    (wheel,) = folder.glob("*.whl")
    python = folder / "venv" / "bin" / "python"
    subprocess.run([uv, "--quiet", "pip", "install", "--python", python, wheel], check=True)  # noqa: S603
    return folder / "venv"


@pytest.mark.engine
def test_the_wheel_has_one_package_and_the_old_name_of_another(installed: Path) -> None:
    (record,) = installed.glob("lib/python*/site-packages/headwater-*.dist-info/RECORD")
    tops = {line.partition("/")[0].partition(",")[0] for line in record.read_text().splitlines()}
    assert tops == {"headwater", "job_lineage.py", record.parent.name, ".."}  # .. has the command
    assert {f"headwater/cli/jvm/{name}.sha256" for name in ("connectors", "listener")} <= {
        line.partition(",")[0] for line in record.read_text().splitlines()
    }


@pytest.mark.engine
def test_an_index_shows_the_readme_with_whole_links_and_installs_from_there(installed: Path) -> None:
    (metadata,) = installed.glob("lib/python*/site-packages/headwater-*.dist-info/METADATA")
    targets = re.findall(r"\]\(([^)]+)\)", metadata.read_text())
    assert "\n$ pip install 'headwater[serve]'\n" in metadata.read_text()
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []
    paths = [target.split("/", 7)[7].partition("#")[0] for target in targets if "/headwater/blob/v" in target]
    assert "docs/limits.md" in paths
    assert all((ROOT / path).exists() for path in paths)


@pytest.mark.engine
def test_the_wheel_works_beside_a_project_with_names_of_its_own(installed: Path, tmp_path: Path) -> None:
    for name in ("cli", "serve", "local", "store"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"raise SystemExit('this is the {name} of the project')\n")
    (tmp_path / "cli.py").write_text("raise SystemExit('this is the cli.py of the project')\n")
    program, environment = installed / "bin" / "headwater", {**ENVIRONMENT, "PYTHONPATH": str(tmp_path)}
    for words in ([], *([name] for name in COMMANDS)):
        run = subprocess.run(  # noqa: S603
            [program, *words, "--help"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert (run.returncode, run.stderr) == (0, "")
        assert run.stdout.startswith("usage:")
    run = subprocess.run(  # noqa: S603
        [program, "submit", "job.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (2, "submit needs pyspark: pip install 'headwater[spark]'\n")
