"""A Marquez is moved by its API: every event once its page is read, then tags and descriptions."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from headwater.cli import load
from headwater.cli.api import Api
from headwater.cli.load import marquez
from headwater.cli.load.sending import Sending
from headwater.openlineage import exact_json
from tests import factory
from tests.serve.process import ServeProcess

RECORDED = Path(__file__).parents[2] / "fixtures" / "marquez-api"
LAKE = "s3://lake"


def recorded(name: str) -> Any:
    return json.loads((RECORDED / f"{name}.json").read_text())["response"]


class RecordedMarquez(Api):
    """A Marquez that answers as one was recorded; of the routes that were not recorded, its lists are empty."""

    def text(self, *parts: str, **query: Any) -> str:
        if parts == ("events", "lineage") and query["after"] > "2026-11-20T08:03:00Z":
            return '{"events": []}'
        answers = {("events", "lineage"): "events_lineage", ("tags",): "tags", ("namespaces",): "namespaces"}
        if parts in answers:
            return json.dumps(recorded(answers[parts]))
        if parts == ("namespaces", LAKE, "datasets"):
            return json.dumps(recorded("datasets"))
        return json.dumps({"datasets": [], "jobs": []})


def test_the_recorded_events_of_a_marquez_are_accepted(tmp_path: Path) -> None:
    events = list(marquez.events_of(RecordedMarquez("")))
    assert len(events) == len(recorded("events_lineage")["events"]) > 0
    with ServeProcess(tmp_path / "lineage.db", "--open") as server:
        sending = Sending(Api(server.url))
        sending.send(events)
        assert (sending.accepted, sending.refused) == (len(events), [])


class ManyEvents(Api):
    """A list of events of which many have one time."""

    def text(self, *parts: str, **query: Any) -> str:
        after, offset, limit = query["after"], query["offset"], query["limit"]
        times = sorted(factory.at(number // 250) for number in range(1000))
        found = [{"eventTime": time, "n": number} for number, time in enumerate(times) if time >= after]
        return json.dumps({"events": found[offset : offset + limit]})


def test_every_event_is_read_although_pages_of_events_have_one_time() -> None:
    assert {json.loads(event.text)["n"] for event in marquez.events_of(ManyEvents(""))} == set(range(1000))


def test_headwater_is_moved_with_its_tags_and_descriptions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [tmp_path / name for name in ("one", "other")]
    for folder in folders:
        folder.mkdir()
    with (
        ServeProcess(folders[0] / "lineage.db", "--open") as one,
        ServeProcess(folders[1] / "lineage.db", "--open") as other,
    ):
        events = [
            factory.run_event(
                "COMPLETE",
                run=number,
                seconds=number,
                inputs=[factory.dataset("a/b", schema=factory.schema("id:long"))],
                outputs=[factory.dataset("c")],
            )
            for number in range(150)
        ]
        source, target = Api(one.url), Api(other.url)
        batch = exact_json.dumps([*events, factory.dataset_event(factory.dataset("d"))])
        source.send("POST", "lineage", "batch", body=batch)
        one.wait_until_folded()
        dataset, job = ("namespaces", LAKE, "datasets", "a/b"), ("namespaces", "demo", "jobs", "load")
        source.send("POST", *dataset, "tags", "GOLD")
        source.send("POST", *dataset, "fields", "id", "tags", "PII")
        for path, document in (
            (dataset, {"type": "DB_TABLE", "physicalName": "a/b", "sourceName": LAKE, "description": "of orders"}),
            (job, {"type": "BATCH", "description": "loads"}),
            (("namespaces", "demo"), {"ownerName": "us", "description": "of the demo"}),
            (("tags", "GOLD"), {"description": "certified"}),
        ):
            source.send("PUT", *path, body=json.dumps(document))
        one.wait_until_folded()
        assert load.main(["--marquez", one.url, "--url", other.url]) == 0
        other.wait_until_folded()
        for node in (dataset, job, ("namespaces", "demo"), ("tags",)):
            assert described_by(target.ask(*node).document) == described_by(source.ask(*node).document), node
        assert events_in(target) == events_in(source)
        assert len(events_in(source)) == 153  # a declaration of a dataset or a job is an event, too
    assert re.search(r"accepted: \d+, refused: 0", capsys.readouterr().out)


def described_by(node: Any) -> Any:
    fields = [(field["name"], field["tags"]) for field in node.get("fields", [])]
    return node.get("description"), node.get("tags"), node.get("ownerName"), fields


def events_in(api: Api) -> set[str]:
    return {event.text for event in marquez.events_of(api)}
