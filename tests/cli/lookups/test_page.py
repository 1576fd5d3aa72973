"""docs/command-line.md: what it shows is what the command prints.

After a change of a text, `python -m tests.cli.lookups.test_page` writes the page anew.
"""

import contextlib
import io
import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from headwater.cli.lookups.__main__ import main
from headwater.cli.lookups.parser import parser
from headwater.graph.states.stored_states import Severity, StoredAlert
from headwater.openlineage.instant import parse_instant
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import Snapshot
from tests.cli.lookups.server import KEY, api_over
from tests.lookup.requests import RETENTION, table_after

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "command-line.md"
EVENTS = [ROOT / "tests" / "fixtures" / "spark-3.5" / f"{name}.jsonl" for name in ("orders", "failing")]
ALERTS: list[dict[str, Any]] = [
    {
        "id": "0b3a81ce" * 4,
        "time": "2026-11-20T10:54:37Z",
        "severity": "info",
        "title": "orders_clean: status was removed",
        "details": {"causes": [{"nodeId": "dataset:file:/data/raw/orders", "alertId": "5f1c42d7" * 4}]},
    },
    {
        "id": "5f1c42d7" * 4,
        "time": "2026-11-20T10:54:36Z",
        "severity": "critical",
        "title": "orders: status was removed",
        "silenced": {
            "since": "2026-11-20T10:00:00Z",
            "until": "2026-11-20T12:00:00Z",
            "by": "etl",
            "note": "moving the cluster",
        },
    },
]
"""Two alerts as they are stored, of one incident."""
COMMAND = re.compile(r"^\$ headwater (?!--print-completion)(.+)$")


def written_anew(page: str) -> str:
    """The page, with what each command prints below the command."""
    return re.sub(r"(?<=```console\n)(.*?)(?=```)", lambda block: _answered(block[0]), page, flags=re.DOTALL)


def _answered(block: str) -> str:
    commands = [match[1] for line in block.splitlines() if (match := COMMAND.match(line))]
    return "\n".join(f"$ headwater {command}\n{printed(command)}" for command in commands) or block


def printed(command: str) -> str:
    """What a command line prints, with what it says beside its answer."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        main(shlex.split(command))
    return output.getvalue()


@contextlib.contextmanager
def recorded_jobs() -> Iterator[None]:
    """An API over the events of the recorded Spark jobs, which the environment names."""
    events = [json.loads(line) for path in EVENTS for line in path.read_text().splitlines()]
    table = table_after(*events)
    GraphStore(table, RETENTION).put(map(told, ALERTS), Snapshot())
    with api_over(table) as url:
        names = {"HEADWATER_URL": url, "HEADWATER_API_KEY": KEY, "COLUMNS": "80"}
        with patch.dict(os.environ, names):
            yield


def told(alert: dict[str, Any]) -> StoredAlert:
    name = {"namespace": "file", "name": "/data/raw/orders", "nodeId": "dataset:file:/data/raw/orders"}
    document = {
        "type": "Dataset Schema Changed",
        **name,
        "owners": [],
        "lines": [],
        "link": None,
        "details": {},
        **alert,
    }
    at = parse_instant(alert["time"])
    return StoredAlert(alert["id"], at, Severity(alert["severity"]), "file", document)


def test_the_page_shows_what_the_command_prints() -> None:
    with recorded_jobs():
        assert written_anew(PAGE.read_text()) == PAGE.read_text()


def test_every_command_of_the_parser_is_on_the_page() -> None:
    text = PAGE.read_text()
    (commands,) = [action.choices for action in parser()._actions if action.dest == "command"]
    assert [name for name in commands or () if f"`headwater {name} " not in text] == []


if __name__ == "__main__":
    with recorded_jobs():
        PAGE.write_text(written_anew(PAGE.read_text()))
