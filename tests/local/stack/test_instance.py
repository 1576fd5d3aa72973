"""A data folder keeps the port and the key of its stack."""

import socket
import stat
from pathlib import Path

import pytest

from headwater.cli.machine.failure import Failure
from headwater.cli.machine.private_file import write_private
from local.stack.instance import FILE, Instance


def test_a_data_folder_keeps_port_and_key(tmp_path: Path) -> None:
    data = tmp_path / "data"
    first = Instance.load_or_create(data, iam=False)
    assert Instance.load_or_create(data, iam=False) == first


def test_without_data_every_stack_has_its_own_key() -> None:
    assert Instance.load_or_create(None, iam=False).key != Instance.load_or_create(None, iam=False).key


def test_the_key_is_kept_from_other_users(tmp_path: Path) -> None:
    Instance.load_or_create(tmp_path, iam=False)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_a_readable_file_is_replaced_by_a_private_one(tmp_path: Path) -> None:
    file = tmp_path / "endpoint.json"
    file.write_text("old")
    file.chmod(0o644)
    write_private(file, "new")
    assert (stat.S_IMODE(file.stat().st_mode), file.read_text()) == (0o600, "new")


def test_data_made_without_iam_is_not_used_with_it(tmp_path: Path) -> None:
    Instance.load_or_create(tmp_path, iam=False)
    with pytest.raises(Failure, match="without AUTH=1"):
        Instance.load_or_create(tmp_path, iam=True)


def test_a_folder_that_cannot_be_made_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Failure, match="cannot be used"):
        Instance.load_or_create(tmp_path / "file", iam=False)


def test_a_taken_port_is_a_failure(tmp_path: Path) -> None:
    port = Instance.load_or_create(tmp_path, iam=False).port
    with socket.create_server(("127.0.0.1", port)), pytest.raises(Failure, match=str(port)):
        Instance.load_or_create(tmp_path, iam=False)
