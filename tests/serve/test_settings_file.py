"""headwater.yml beside the data is read when it changes, and has what was put; a faulty one changes nothing."""

from pathlib import Path

import pytest

from headwater.cli.lookups.__main__ import main
from headwater.curate.curator import Curator
from headwater.curate.routes import respond
from headwater.graph.names.naming import Naming
from headwater.http.request import ApiRequest
from headwater.serve.api import ANYONE
from headwater.serve.log import ServeLog
from headwater.serve.settings_file import SettingsFile
from headwater.store.graph_store import GraphStore
from headwater.store.sqlite.home import SqliteHome
from tests import factory
from tests.curate.conftest import RETENTION
from tests.serve.process import ServeProcess, wait_for

NONE, STALE = "expectations: []\n", "expectations: [{dataset: a, namespace: n, max_age: 2h}]  # as finance asked\n"


class Served:
    """The file and the settings of a server, step by step."""

    def __init__(self, home: SqliteHome, folder: Path) -> None:
        self.path = folder / "headwater.yml"
        self.store = GraphStore(home.table, RETENTION)
        self.curator = Curator(self.store, home.inbox, home.bodies, Naming())
        self.file = SettingsFile(self.path, self.curator, ServeLog())

    def step(self) -> str:
        """The settings after the next look at the file."""
        self.file.step()
        return str((self.store.settings() or {}).get("text"))

    def put(self, text: str) -> None:
        assert respond(self.curator, ApiRequest(ANYONE, "PUT", "/api/v1/settings", {}, body=text)).status == 200


def test_the_file_is_read_again_when_it_changes(home: SqliteHome, tmp_path: Path) -> None:
    served = Served(home, tmp_path)
    assert served.step() == "None"
    served.path.write_text(STALE)
    assert served.step() == STALE
    served.path.write_text(NONE)
    assert served.step() == NONE


def test_a_faulty_file_changes_nothing_and_stays_as_it_is(home: SqliteHome, tmp_path: Path) -> None:
    served = Served(home, tmp_path)
    served.path.write_text(STALE)
    assert served.step() == STALE
    served.path.write_text("expectations: [{}]")
    assert served.step() == served.step() == STALE
    assert served.path.read_text() == "expectations: [{}]"


def test_a_file_without_an_end_is_refused(home: SqliteHome, tmp_path: Path) -> None:
    served = Served(home, tmp_path)
    served.path.symlink_to("/dev/zero")
    assert served.step() == "None"
    assert served.file.seen is not None
    assert len(served.file.seen) < 10_000_000


def test_what_is_put_is_written_into_the_file_if_there_is_one(home: SqliteHome, tmp_path: Path) -> None:
    served = Served(home, tmp_path)
    served.put(NONE)
    assert served.step() == NONE
    assert not served.path.exists()
    served.path.write_text(STALE)
    assert served.step() == STALE
    served.put(NONE)
    assert served.step() == NONE
    assert served.path.read_text() == NONE


def test_at_a_start_the_file_precedes(home: SqliteHome, tmp_path: Path) -> None:
    Served(home, tmp_path).put(NONE)
    (tmp_path / "headwater.yml").write_text(STALE)
    assert Served(home, tmp_path).step() == STALE


def test_a_server_reads_the_file_beside_its_data(tmp_path: Path) -> None:
    (tmp_path / "headwater.yml").write_text(STALE)
    with ServeProcess(tmp_path / "lineage.db", "--open") as server:
        wait_for(lambda: server.get("/api/v1/settings")["text"] == STALE)


def test_the_command_puts_a_file_and_shows_how_it_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = tmp_path / "said.yml"
    said.write_text("expectations: [{dataset: orders, namespace: s3://lake, max_age: 2h}]")
    with ServeProcess(tmp_path / "lineage.db", "--open") as server:
        server.post_all(
            [factory.run_event(kind, outputs=[factory.dataset("orders")]) for kind in ("START", "COMPLETE")]
        )
        server.wait_until_folded()
        assert main(["expect", "--put", str(said), "--url", server.url]) == 0
        assert capsys.readouterr().out.splitlines()[:4] == [
            "(datasets in s3://lake)",
            "SAID      BY                    OF",
            "stale     2026-11-20 10:00Z     orders",
            "          at most 2 h old; written 2026-11-20 08:00Z",
        ]
        said.write_text(said.read_text().replace("2h", "soon"))
        assert main(["expect", "--put", str(said), "--url", server.url]) != 0
        assert "expectations[0].max_age" in capsys.readouterr().err
        assert main(["expect", "--put", str(tmp_path / "none"), "--url", server.url]) == 2


def test_what_headwater_ci_reads_is_checked_and_kept_in_the_text_alone(home: SqliteHome, tmp_path: Path) -> None:
    """The release before takes a stored document with an unknown section for none."""
    served = Served(home, tmp_path)
    served.path.write_text(f"{STALE}\nnames: [{{from: tests, to: prod}}]\npolicy: {{keep_columns: true}}\n")
    assert served.step() == served.path.read_text()
    settings = served.store.settings() or {}
    assert settings["document"] == {"expectations": [{"dataset": "a", "namespace": "n", "max_age": "2h"}]}
    served.path.write_text(f"{STALE}\npolicy: {{keep_column: true}}\n")
    assert served.step() == settings["text"]
