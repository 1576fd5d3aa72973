"""An archive in a folder: events name bodies in it, and nothing outside of it."""

from pathlib import Path

import pytest

from headwater.store.archive_location import Location
from headwater.store.errors import StorageError, UnreadableBody


def test_a_key_names_nothing_outside_of_the_folder(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    (tmp_path / "private").write_bytes(b"hunter2")
    (archive / "link").symlink_to(tmp_path / "private")
    (archive / "own").write_bytes(b"event")
    assert Location(str(archive)).get("own") == b"event"
    (archive / "bodies").symlink_to(tmp_path / "volume")
    (tmp_path / "volume").mkdir()
    (tmp_path / "volume" / "1").write_bytes(b"body")
    (tmp_path / "volume" / "link").symlink_to(tmp_path / "private")
    (archive / "loop").symlink_to("loop")
    assert Location(str(archive)).get("bodies/1") == b"body"
    outside = ("../private", str(tmp_path / "private"), "bodies/../private", "bodies/link", "link")
    for key in (*outside, "own\0"):
        with pytest.raises(UnreadableBody):
            Location(str(archive)).get(key)
    with pytest.raises(StorageError):
        Location(str(archive)).get("loop")
