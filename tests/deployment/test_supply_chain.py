"""What ships is pinned, listed and comes with the licences of its parts."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from headwater.web_files.files import BUILT
from local.bill_of_materials import bill_of_materials
from tests.functions.handlers import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]


def pins(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", (ROOT / lock).read_text(), re.MULTILINE))


def test_all_that_the_wheel_asks_for_is_pinned() -> None:
    wanted = [
        *PROJECT["dependencies"],
        *(each for extra in PROJECT["optional-dependencies"].values() for each in extra),
    ]
    assert {re.split(r"[>=; ]", each)[0] for each in wanted} <= pins("constraints.txt").keys()


def test_the_wheel_is_pinned_to_what_the_tests_run_with() -> None:
    tested = pins("requirements/dev.txt")
    shared = pins("constraints.txt").items()
    assert [(name, version) for name, version in shared if tested.get(name, version) != version] == []


def test_what_builds_the_wheel_is_pinned_by_its_hash() -> None:
    assert set(PYPROJECT["build-system"]["requires"]) <= pins("requirements/build.txt").keys()
    built = re.findall(r"\$\(UV\) build .*", (ROOT / "Makefile").read_text())
    assert built
    assert [line for line in built if "--build-constraints requirements/build.txt --require-hashes" not in line] == []


@pytest.mark.parametrize("file", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda file: file.name)
def test_a_workflow_names_actions_by_commit_and_builds_without_rights(file: Path) -> None:
    workflow = yaml.safe_load(file.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        used = [step["uses"] for step in job["steps"] if "uses" in step]
        assert [action for action in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)] == []
        run = " ".join(step.get("run", "") for step in job["steps"])
        assert "permissions" not in job or not re.search(r"\bmake\b|\.ci/", run)


def test_the_bill_of_materials_lists_every_locked_package_once() -> None:
    bill = bill_of_materials()
    listed = [each["purl"] for each in bill["components"]]
    assert len(listed) == len(set(listed))
    for name, version in pins("layers/dependencies/requirements.txt").items():
        assert f"pkg:pypi/{name}@{version}" in listed
    assert "pkg:npm/%40xyflow/react@" in str(listed)
    assert not [purl for purl in listed if "/vite@" in purl or "playwright" in purl]
    licences = {each["name"]: each.get("licenses") for each in bill["components"]}
    assert licences["elkjs"] == [{"expression": "EPL-2.0 OR GPL-3.0-or-later"}]


@pytest.mark.skipif(not BUILT.is_dir(), reason="the page is not built")
def test_the_page_has_the_licences_of_what_it_is_made_of() -> None:
    notices = (BUILT / "NOTICES.txt").read_text()
    for each in bill_of_materials()["components"]:
        if each["purl"].startswith("pkg:npm/"):
            assert f"\n{each['name']} {each['version']}, " in notices
    assert "Eclipse Public License - v 2.0" in notices
    assert json.loads((ROOT / "web/package-lock.json").read_text())["packages"][""]["name"] not in notices
