"""docs/emulator.md lists every workaround of the code and no other, and each fault has its test."""

import re

import pytest

from tests.local.emulator import test_workarounds
from tests.local.emulator.documented import ROOT, gaps, workarounds

MARK = re.compile(r"Workaround: ([a-z-]+)")


def test_every_workaround_is_documented_with_its_files_and_no_other() -> None:
    files_by_workaround: dict[str, set[str]] = {}
    for file in [ROOT / "template.yaml", *(ROOT / "local").rglob("*.py")]:
        for name in MARK.findall(file.read_text(encoding="utf-8")):
            files_by_workaround.setdefault(name, set()).add(file.relative_to(ROOT).as_posix())
    assert {name: set(files) for name, files in workarounds().items()} == files_by_workaround


@pytest.mark.parametrize("name", [*workarounds(), *gaps()])
def test_every_fault_has_a_test(name: str) -> None:
    assert callable(getattr(test_workarounds, f"test_{name.replace('-', '_')}", None))


def test_every_test_is_of_a_documented_fault() -> None:
    tested = {
        name.removeprefix("test_").replace("_", "-") for name in vars(test_workarounds) if name.startswith("test_")
    }
    assert tested == {*workarounds(), *gaps()}
