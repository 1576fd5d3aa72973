"""The folder that keeps a stack's data: a wrong one fails in words, before anything is started."""

from pathlib import Path

import pytest

from headwater.cli.machine.failure import Failure
from local.stack.lifecycle import exclusive_use


def test_a_folder_is_created(tmp_path: Path) -> None:
    with exclusive_use(tmp_path / "new" / "data"):
        assert (tmp_path / "new" / "data").is_dir()


@pytest.mark.parametrize("inside", ["", "data"])
def test_a_file_in_its_place_fails_with_the_next_step(tmp_path: Path, inside: str) -> None:
    file = tmp_path / "lineage.db"
    file.touch()
    with pytest.raises(Failure, match="cannot keep the stack's data") as failure, exclusive_use(file / inside):
        pass
    assert "make up DATA=FOLDER" in str(failure.value)


def test_two_stacks_do_not_share_a_folder(tmp_path: Path) -> None:
    with exclusive_use(tmp_path), pytest.raises(Failure, match="runs already"), exclusive_use(tmp_path):
        pass
