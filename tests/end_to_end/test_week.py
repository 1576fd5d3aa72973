"""Two weeks of `make week` in the stack: its lookups and its alerts are those of `headwater serve`."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from headwater.cli import load
from tests.embedded import Deployed, embedded_stack
from tests.end_to_end.api import Api
from tests.serve.process import ServeProcess
from tests.week.__main__ import LOOKUPS
from tests.week.plan import plan

pytestmark = pytest.mark.emulator
ALERTS = "/api/v1/alerts?limit=1000"
JOBS = "/api/v1/jobs?limit=100"


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[Any, Any]]]:
    """What the stack and what `serve` answer, by path."""
    folder = tmp_path_factory.mktemp("week")
    events = folder / "events.jsonl"
    sent = plan(datetime.now(UTC)).events
    events.write_text("\n".join(map(json.dumps, sent[len(sent) // 2 :])))
    with embedded_stack("week") as running, ServeProcess(folder / "lineage.db", "--open") as server:
        for url, key in ((running.url, running.key), (server.url, "")):
            (folder / "key").write_text(key)
            assert load.main([str(events), "--url", url, *(["--key-file", str(folder / "key")] if key else [])]) == 0
        Deployed(running.deployment).wait_for_ingestion(300)
        server.wait_until_folded()
        api = Api.of(running.url, running.key)
        yield {path: (api.request("GET", path).json, server.get(path)) for path in (*LOOKUPS, JOBS, ALERTS)}


@pytest.mark.parametrize("path", [*LOOKUPS, JOBS])
def test_the_stack_answers_as_serve_does(path: str, answers: dict[str, tuple[Any, Any]]) -> None:
    stack, served = answers[path]
    assert stack == served


def test_the_stack_tells_what_serve_tells(answers: dict[str, tuple[Any, Any]]) -> None:
    """An id is made of that of a record in the table's stream, and the link of the id."""
    stack, served = (
        [{name: told for name, told in alert.items() if name not in ("id", "link")} for alert in answer["alerts"]]
        for answer in answers[ALERTS]
    )
    assert stack == served
    assert [alert["type"] for alert in served] == ["Dataset Schema Changed"] * 2
