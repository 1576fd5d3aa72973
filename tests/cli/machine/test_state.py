"""Downloads are kept in `.local` of a checkout, else in the user's folder of caches."""

from pathlib import Path

import pytest

from headwater.cli.machine import state
from headwater.cli.machine.state import state_folder
from local.layout import Layout


def test_a_checkout_has_one_folder_for_the_command_and_the_workshop() -> None:
    assert state_folder() == Layout.here().state


def test_a_wheel_keeps_downloads_where_the_user_keeps_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "PACKAGES", tmp_path / "lib" / "python3.11" / "site-packages")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert state_folder() == tmp_path / ".cache" / "headwater"
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert state_folder() == Path("/caches/headwater")
