"""An archive in a folder: events name bodies in it, and nothing outside of it."""

from pathlib import Path

import pytest

from headwater.store.archive_location import Location
from headwater.store.errors import UnreadableBody


def test_a_key_names_nothing_outside_of_the_folder(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    (tmp_path / "private").write_bytes(b"hunter2")
    (archive / "link").symlink_to(tmp_path / "private")
    (archive / "own").write_bytes(b"event")
    assert Location(str(archive)).get("own") == b"event"
    for key in ("../private", str(tmp_path / "private"), "link"):
        with pytest.raises(UnreadableBody):
            Location(str(archive)).get(key)
