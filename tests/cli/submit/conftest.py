"""A `headwater serve` with three keys."""

import io
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from headwater.cli import key
from tests.serve.process import ServeProcess

Key = Callable[..., str]


@pytest.fixture
def make_key(tmp_path: Path) -> Key:
    """Makes a key of the server with these options of `headwater key add`."""

    def make(name: str, *options: str) -> str:
        with redirect_stdout(io.StringIO()) as printed:
            assert key.main(["add", name, "--data", str(tmp_path / "lineage.db"), *options]) == 0
        return printed.getvalue().strip()

    return make


@pytest.fixture
def server(tmp_path: Path, make_key: Key) -> Iterator[ServeProcess]:
    """A server that knows keys; its own may read, and delete."""
    admin = make_key("admin", "--scope", "ingest", "--scope", "read", "--scope", "admin")
    with ServeProcess(tmp_path / "lineage.db") as server:
        server.key = admin
        yield server
