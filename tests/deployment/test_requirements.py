"""Every dependency is pinned by hash, and no file names a package index, which each machine chooses."""

import re
from pathlib import Path

import pytest

from tests.deployment.conftest import ROOT

LAYER_LOCK = ROOT / "layers" / "dependencies" / "requirements.txt"
CLI = ROOT / "layers" / "headwater" / "headwater" / "cli"
LOCKS = [LAYER_LOCK, *sorted((ROOT / "requirements").glob("*.txt")), *sorted(CLI.rglob("requirements.txt"))]


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("lock", LOCKS, ids=short)
def test_every_line_of_a_lock_is_a_pin_with_a_hash_or_a_remark(lock: Path) -> None:
    pin = r"[a-z0-9._-]+(\[[a-z0-9,-]+\])?==\S+( ; .+)? \\"
    line = rf"{pin}|    --hash=sha256:[0-9a-f]{{64}}( \\)?|    #.*"
    lines = lock.read_text(encoding="utf-8").splitlines()
    assert lines
    assert [text for text in lines if not re.fullmatch(line, text)] == []


@pytest.mark.parametrize("file", LOCKS + [lock.with_suffix(".in") for lock in LOCKS], ids=short)
def test_no_file_names_an_index(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"(?m)^\s*(-i|-f|--index-url|--extra-index-url|--find-links)\b", text)


def test_tests_run_with_the_deployed_versions() -> None:
    deployed = pins(LAYER_LOCK)
    assert deployed
    assert {name: pins(ROOT / "requirements" / "dev.txt").get(name) for name in deployed} == deployed


def pins(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"(?m)^([a-z0-9._-]+)==(\S+)", lock.read_text(encoding="utf-8")))
