"""One incident, one story: what an alert says of recorded events, lookups say, too, with the same names and times."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from headwater.cli.api import Api
from headwater.cli.demo.recording import recording
from headwater.cli.refusal import Response
from headwater.lookup.text.amounts import moment
from tests import factory
from tests.alerts.stream import Detail, StreamedTable, World
from tests.alerts.test_causes import FIRST_RUNS
from tests.alerts.test_producers import EXPECTED, PRESTO_IN_ORDER, TRINO_IN_ORDER, spark_write
from tests.alerts.test_run_missing import HOURS, Jobs
from tests.cli.lookups.test_mcp import over
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, key_of
from tests.producer_records import recorded, recorded_program
from tests.week.plan import again

DAY = timedelta(days=1)
MONDAY = datetime(2026, 11, 23, tzinfo=UTC)
RAW = "dataset:file:/data/lake/raw/orders"
DASHBOARD = "dataset:file:/data/lake/revenue_daily"


@dataclass(frozen=True)
class ApiOfTable(Api):
    """The API over a table, for the tools of assistants and the commands, which give the same texts."""

    lookup: LookupClient = field(kw_only=True)

    def get(self, *parts: str, **query: Any) -> Response:
        given = {name: value for name, value in query.items() if value is not None}
        status, body = self.lookup.answer("/".join(quote(part, safe="") for part in parts), **given)
        return Response(status, json.dumps(body), 0.0)


def told(get: LookupClient, tool: str, **arguments: Any) -> str:
    """What an assistant is told, without line breaks."""
    text, is_error = over(lambda: ApiOfTable("", lookup=get))(tool, **arguments, whole=True)
    assert not is_error, text
    return " ".join(text.split())


def lookups(world: World, alert: Detail) -> LookupClient:
    """The lookups of somebody who looks five minutes after an alert."""
    return LookupClient(world.table, at=datetime.fromisoformat(alert["time"]) + timedelta(minutes=5))


def seen(alert: Detail) -> datetime:
    return datetime.fromisoformat(alert["time"])


def findings(get: LookupClient, node: str) -> list[dict[str, Any]]:
    answer: dict[str, Any] = get("rootcause", nodeId=node)
    text = told(get, "why", name=node)
    for finding in answer["findings"]:
        at = text.index(f"{moment(finding['at'])} {finding['kind']} ")
        assert " ".join(finding["summary"].split())[:200] in text[at:]
    found: list[dict[str, Any]] = answer["findings"]
    return found


def named(columns: Iterable[dict[str, Any]]) -> set[str]:
    return {column["nodeId"] for column in columns}


@pytest.mark.parametrize(("engine", "scenario"), [case for case, alerts in EXPECTED.items() if alerts])
def test_an_alert_of_a_producer_and_the_lookups_say_the_same(engine: str, scenario: str) -> None:
    world = World()
    alerts = world.alerts_one_by_one(recorded(engine, scenario))
    for alert in alerts:
        get = lookups(world, alert)
        if alert["alert"] == "Run Failed":
            a_failure(get, alert)
        elif alert["alert"] == "Data Quality Assertion Failed":
            an_assertion(get, alert)


@pytest.mark.parametrize(
    ("engine", "scenarios", "changed"),
    [
        ("trino", (*TRINO_IN_ORDER, "create_or_replace_drops_a_column"), 1),
        ("presto", (*PRESTO_IN_ORDER, "create_table_drops_a_column"), 1),
        ("spark", (*FIRST_RUNS, "customers_column_removed", "copies_column_removed"), 2),
    ],
)
def test_a_change_of_a_schema_is_one_story_for_each_producer(
    engine: str, scenarios: tuple[str, ...], changed: int
) -> None:
    a_story([event for scenario in scenarios for event in recorded(engine, scenario)], changed)


@pytest.mark.parametrize(("program", "changed"), [("shop", 3), ("iceberg", 3)])
def test_a_change_of_a_schema_is_one_story_for_each_program_of_spark(program: str, changed: int) -> None:
    a_story(recorded_program(program), changed)


def test_a_schema_that_comes_back_is_one_story_though_two_queries_write_it() -> None:
    def created(day: int, *columns: str) -> list[Document]:
        wrapper: Document = {"run": 10 * day + 1, "job": "app.create_table.t"}
        query: Document = {"run": 10 * day + 2, "job": "app.append.t"}
        used: Document = {
            "inputs": [factory.dataset("raw")],
            "outputs": [factory.dataset("t", schema=factory.schema(*columns))],
            "run_facets": {"parent": factory.parent(900 + day, "app")},
            "job_facets": spark_write(0, "long", "COMPLETE")[0]["job"]["facets"],
        }
        events = [("START", wrapper), ("START", query), ("COMPLETE", query), ("COMPLETE", wrapper)]
        return [
            factory.run_event(kind, seconds=100 * day + second, **which, **used)
            for second, (kind, which) in enumerate(events)
        ]

    days = [("id:int", "price:int"), ("id:int",), ("id:int", "price:int")]
    a_story([event for day, columns in enumerate(days) for event in created(day, *columns)], 2)


def test_an_alter_table_is_one_story_though_its_start_has_the_columns_before() -> None:
    before, (started, *_, ended) = spark_write(0, "long", "COMPLETE"), spark_write(1, "string", "COMPLETE")
    a_story([*before, started | {"outputs": before[0]["outputs"]}, ended], 1)


@pytest.mark.parametrize("columns", [None, (), ("id:int",)], ids=["no schema", "an empty schema", "the schema before"])
def test_a_dropped_table_is_one_story(columns: tuple[str, ...] | None) -> None:
    orders, revenue = (factory.dataset(name, schema=factory.schema("id:int")) for name in ("orders", "revenue"))
    gone = factory.dataset("orders", lifecycleStateChange=factory.facet(lifecycleStateChange="DROP"))
    if columns is not None:
        gone["facets"]["schema"] = factory.schema(*columns)

    def ran(run: int, job: str, inputs: list[Document], output: Document, end: str = "COMPLETE") -> list[Document]:
        return [
            factory.run_event(kind, run=run, seconds=100 * run + second, job=job, inputs=inputs, outputs=[output])
            for second, kind in enumerate(("START", end))
        ]

    runs = [*ran(1, "load", [], orders), *ran(2, "report", [orders], revenue)]
    world = a_story([*runs, *ran(3, "cleanup", [], gone), *ran(4, "report", [orders], revenue)], 1)
    get = LookupClient(world.table)
    (finding,) = findings(get, "dataset:s3://lake:revenue")
    assert finding["summary"] == "orders: the dataset was dropped, by cleanup"
    (removed,) = get("diff", **{"from": runs[-1]["eventTime"]})["nodes"]["removed"]
    assert removed["nodeId"] == finding["nodeId"]
    around = get("diff", nodeId="dataset:s3://lake:revenue", **{"from": runs[-1]["eventTime"]})["nodes"]["removed"]
    assert [(node["nodeId"], node["dropped"]) for node in around] == [(finding["nodeId"], True)]

    failed = World()
    failed.alerts_one_by_one([*runs, *ran(3, "cleanup", [], gone, "FAIL"), *ran(4, "report", [orders], revenue)])
    found = findings(LookupClient(failed.table), "dataset:s3://lake:revenue")
    assert [each for each in found if each["kind"] == "SCHEMA_CHANGED"] == [], "a drop that failed is none"


def a_story(events: list[Document], changed: int) -> World:
    """An alert names the same run however its events come, and what it says, lookups say."""
    world, at_once = World(), World()
    alerts = [alert for alert in world.alerts_one_by_one(events) if alert["alert"] == "Dataset Schema Changed"]
    assert len(alerts) == changed
    of_batch = {(alert["nodeId"], alert["time"]): alert for alert in at_once.alerts_of_batch(*events)}
    for alert in alerts:
        assert of_batch[alert["nodeId"], alert["time"]]["run"] == alert["run"]
        if alert["change"] != "RENAMED":
            a_schema_change(lookups(world, alert), alert)
    return world


def a_schema_change(get: LookupClient, alert: Detail) -> None:
    (finding,) = [
        found
        for found in findings(get, alert["nodeId"])
        if (found["kind"], found["nodeId"], found["at"]) == ("SCHEMA_CHANGED", alert["nodeId"], alert["time"])
    ]
    assert finding["runId"] == alert["run"]["runId"]
    assert finding["retyped"] == alert["retyped"]
    for side in ("added", "removed"):
        assert finding[side] == [column["field"] for column in alert[side]]
    what = alert["title"].partition(": ")[2]
    assert f": {what}, " in finding["summary"]
    assert alert["job"]["name"] in finding["summary"]
    page = get(f"jobs/runs/{alert['run']['runId']}")
    assert page["startedAt"] == alert["run"]["startedAt"]
    assert page["startedAt"] <= finding["at"] <= (page["endedAt"] or finding["at"])


def a_failure(get: LookupClient, alert: Detail) -> None:
    of_alert, job = alert["run"], alert["job"]
    page = get(f"jobs/runs/{of_alert['runId']}")
    node = f"namespaces/{quote(job['namespace'], safe='')}/jobs/{quote(job['name'], safe='')}"
    for run in (page, get(node)["latestRun"], *get(f"{node}/runs")["runs"]):
        assert [run[name] for name in ("id", "state", "startedAt", "endedAt")] == [
            of_alert["runId"],
            "FAILED",
            of_alert["startedAt"],
            of_alert["endedAt"],
        ]
    reached = alert["orchestrator"] or alert["application"] or {"runId": of_alert["runId"]}
    board = {run["id"]: run for run in get("runs")["runs"]}
    assert board[reached["runId"]]["state"] == "FAILED", "the board names the run that a person started"
    for output in alert["outputs"]:
        (finding,) = [found for found in findings(get, output) if found["kind"] == "RUN_FAILED"]
        runs = {finding["runId"], *(child["runId"] for child in finding.get("failedChildren", ()))}
        assert of_alert["runId"] in runs
        assert (alert["message"] or "") in finding.get("message", "")
        if finding["runId"] == of_alert["runId"]:
            assert finding["at"] == of_alert["endedAt"]
            assert finding["summary"].startswith(alert["title"])


def an_assertion(get: LookupClient, alert: Detail) -> None:
    (finding,) = [found for found in findings(get, alert["nodeId"]) if found["nodeId"] == alert["nodeId"]]
    assert finding["runId"] == alert["run"]["runId"]
    assert abs(datetime.fromisoformat(finding["at"]) - seen(alert)) < timedelta(milliseconds=1), "of the same moment"
    assert finding["summary"].partition(": ")[2].startswith(alert["title"].partition(": ")[2].rstrip("…"))
    said = [(each["assertion"], each.get("column"), each.get("actual")) for each in alert["assertions"]]
    assert [(each["assertion"], each.get("column"), each.get("actual")) for each in finding["assertions"]] == said


def test_a_drift_is_one_story_in_alert_why_impact_and_diff() -> None:
    world, events = World(), recording(MONDAY)
    assert world.alerts_one_by_one(again(events.before, MONDAY)) == []
    (alert,) = world.alerts_one_by_one(again(events.after, MONDAY + DAY))
    get = lookups(world, alert)

    (finding,) = findings(get, DASHBOARD)
    assert finding["at"] == alert["time"]
    assert alert["title"].removeprefix("orders: ") == finding["summary"].rpartition("orders: ")[2]
    assert finding["removed"] == [column["field"] for column in alert["removed"]] == ["status"]
    assert finding["retyped"] == alert["retyped"]

    (change,) = get("diff", nodeId=DASHBOARD, **{"from": (MONDAY + DAY).isoformat()})["nodes"]["changed"]
    assert (change["nodeId"], change["columns"]["removed"]) == (alert["nodeId"], alert["removed"])
    assert change["columns"]["retyped"] == alert["retyped"]

    status, body = get.answer("impact", nodeId=f"{RAW.replace('dataset', 'datasetField')}:status")
    assert (status, f"no column 'status' now. It had one before {alert['time']}" in body["message"]) == (404, True)
    before = body["message"].partition("asOf=")[2]
    broken: set[str] = set()
    for column in ("status", "unit_price"):
        answer = get("impact", nodeId=f"{RAW.replace('dataset', 'datasetField')}:{column}", asOf=before)
        broken |= {node["nodeId"] for owner in answer["owners"] for node in owner["items"]}
    assert broken == named(alert["breaks"]["items"])


@pytest.mark.parametrize("node", ["dataset:s3://lake:table_1", "dataset:s3://lake:table_2", "job:demo:a", "job:demo:b"])
def test_a_run_that_has_not_come_is_one_story_for_all_that_wait_for_it(node: str) -> None:
    jobs = Jobs("a", "b")
    get = LookupClient(jobs.world.table, at=factory.EPOCH + timedelta(hours=HOURS + 0.2))
    assert findings(get, node) == [], "nothing is late yet"
    get = LookupClient(jobs.world.table, at=factory.EPOCH + timedelta(hours=HOURS + 0.8))
    (alert,) = jobs.missing(HOURS + 0.8)
    (finding,) = findings(get, node)
    assert (finding["kind"], finding["nodeId"]) == ("RUN_MISSING", alert["nodeId"])
    assert (finding["summary"], finding["at"]) == (alert["title"], alert["time"])
    assert (finding["dueAt"], finding["latestAt"]) == (alert["dueAt"], alert["latestAt"])
    late, *_ = get("expectations", nodeId="job:demo:a")["expectations"]
    assert (late["nodeId"], late["dueAt"], late["latestAt"]) == (alert["nodeId"], alert["dueAt"], alert["latestAt"])
    waiting, *_ = get("expectations", nodeId="job:demo:b")["expectations"]
    assert (waiting["state"], waiting["waitsFor"]) == ("WAITING", alert["nodeId"])
    past = get("rootcause", nodeId=node, asOf=factory.at(3_600 * (HOURS - 1) + 1_800))
    assert past["findings"] == [], "then nothing was late"


def test_a_late_run_is_found_though_another_job_wrote_the_table_since_and_however_far_above() -> None:
    jobs = Jobs("a", "b", "c", "d", "e")
    jobs.run(HOURS + 0.7, "e_corrections")
    (alert,) = jobs.missing(HOURS + 0.9)
    get = LookupClient(jobs.world.table, at=factory.EPOCH + timedelta(hours=HOURS + 0.9))
    (finding,) = findings(get, "dataset:s3://lake:table_5")
    assert (finding["kind"], finding["nodeId"], alert["name"]) == ("RUN_MISSING", alert["nodeId"], "a")
    assert (finding["dueAt"], finding["distance"]) == (alert["dueAt"], 5)


def test_a_job_that_waits_for_one_that_failed_is_not_said_to_be_missing() -> None:
    jobs = Jobs("a", "b")
    jobs.fail(HOURS, "a")
    get = LookupClient(jobs.world.table, at=factory.EPOCH + timedelta(hours=HOURS + 0.8))
    assert jobs.missing(HOURS + 0.8) == []
    assert [finding["kind"] for finding in findings(get, "dataset:s3://lake:table_2")] == ["RUN_FAILED"]


PAGE = Path(__file__).parents[1] / "fixtures" / "one_story.json"
"""Answers that web/tests/oneStory.test.tsx renders. `python -m tests.lookup.test_one_story` writes them anew."""


def answers_of_the_page() -> list[dict[str, Any]]:
    """An alert of each kind, with what the page asks for "Why?" and for what changed since just before it."""
    drift, drop, failure = World.storing(), World.storing(), World.storing()
    events, jobs = recording(MONDAY), Jobs("a", "b")
    jobs.missing(HOURS + 0.8)
    drift.alerts_one_by_one([*again(events.before, MONDAY), *again(events.after, MONDAY + DAY)])
    drop.alerts_one_by_one(recorded_program("iceberg"))
    failure.alerts_one_by_one(recorded("dbt", "run_failing_model"))
    told = (
        (drift, DASHBOARD, "status was removed"),
        (drop, None, "was dropped"),
        (failure, "dataset:duckdb:///srv/shop/shop.duckdb:shop.main.paid_orders", "failed"),
        (jobs.world, "dataset:s3://lake:table_1", "has not run"),
    )
    return [story for world, node, words in told for story in stories(world, node, words)]


def stories(world: World, node: str | None, words: str) -> Iterator[dict[str, Any]]:
    everything = LookupClient(world.table, at=datetime(2027, 1, 1, tzinfo=UTC))("alerts")["alerts"]
    (alert,) = [alert for alert in everything if words in alert["title"]]
    get, before = lookups(world, alert), seen(alert) - timedelta(milliseconds=10 if "drop" in words else 3_600_000)
    why = get("rootcause", nodeId=node or alert["nodeId"])
    yield {"alert": alert, "why": why, "diff": get("diff", **{"from": before.isoformat()})}


def test_the_page_is_tested_with_the_answers_of_today() -> None:
    assert json.loads(PAGE.read_text(encoding="utf-8")) == answers_of_the_page()


if __name__ == "__main__":
    PAGE.write_text(json.dumps(answers_of_the_page(), ensure_ascii=False) + "\n", encoding="utf-8")


def renaming(run: int, *columns: str) -> Document:
    """A run that makes columns of the columns `a` and `b` of a table of another team."""
    made = factory.columns(**{name: ("s3://raw", "raw", of) for name, of in zip(columns, "ab", strict=True)})
    schema = factory.schema(*(f"{name}:int" for name in columns))
    orders = factory.dataset("orders", columnLineage=made, schema=schema)
    return factory.run_event("COMPLETE", run=run, seconds=60 * run, outputs=[orders])


def test_columns_seem_renamed_in_the_alert_and_in_why() -> None:
    """Who does not see what they are made of cannot tell which is which."""
    world = World.storing(StreamedTable())
    (alert,) = world.alerts_one_by_one([renaming(1, "a", "b"), renaming(2, "d", "c")])
    said = "a seems renamed to d", "b seems renamed to c"
    assert "; ".join(said) in alert["lines"][0]
    (finding,) = lookups(world, alert)("rootcause", nodeId=alert["nodeId"])["findings"]
    assert finding["summary"] == f"orders: {', '.join(said)}, since load wrote it"
    assert finding["renamed"] == [{"before": "a", "after": "d"}, {"before": "b", "after": "c"}]
    team = LookupClient(world.table, key_of("demo", "s3://lake"))
    (finding,) = team("rootcause", nodeId=alert["nodeId"])["findings"]
    assert (finding["removed"], finding["added"], "renamed" in finding) == (["a", "b"], ["d", "c"], False)


def changing(chance: Random) -> Iterator[Document]:
    """Runs of two jobs: columns go, come and get other names, and not each run says what they are made of."""
    columns = {"id": "0", "a": "1", "b": "2", "c": "3"}
    for run in range(1, 7):
        for name in chance.sample([*columns][1:], min(len(columns) - 1, chance.randrange(3))):
            of = columns.pop(name)
            columns |= {f"{name}{run}": of if chance.random() < 0.8 else "other"} if chance.random() < 0.8 else {}
        facets: Document = {"schema": factory.schema(*(f"{name}:int" for name in columns))}
        if chance.random() < 0.8:
            facets["columnLineage"] = factory.columns(**{name: (LAKE, "raw", of) for name, of in columns.items()})
        job, orders = chance.choice(["load", "load", "load again"]), factory.dataset("orders", **facets)
        yield factory.run_event("COMPLETE", run=run, seconds=600 * run, job=job, outputs=[orders])


@pytest.mark.parametrize("seed", range(12))
def test_why_renames_the_columns_that_alerts_rename(seed: int) -> None:
    world = World.storing(StreamedTable())
    alerts = [alert for alert in world.alerts_one_by_one([*changing(Random(seed))]) if "renamed" in alert]
    found = (get := lookups(world, alerts[-1]))("rootcause", nodeId=alerts[-1]["nodeId"])["findings"]
    renamed = {each["at"]: each.get("renamed", []) for each in found if each["kind"] == "SCHEMA_CHANGED"}
    told = {alert["time"]: [(each["before"], each["after"]) for each in alert["renamed"]] for alert in alerts}
    assert (both := renamed.keys() & told.keys())
    assert [[(each["before"], each["after"]) for each in renamed[at]] for at in both] == [told[at] for at in both]
    for alert in alerts:
        around = {"from": (seen(alert) - timedelta(minutes=1)).isoformat(), "to": alert["time"]}
        for answer in (get("diff", **around), get("diff", nodeId=alert["nodeId"], **around)):
            (columns,) = (node["columns"] for node in answer["nodes"]["changed"] if node["nodeId"] == alert["nodeId"])
            assert [(each["before"], each["after"]) for each in columns.get("renamed", ())] == told[alert["time"]]
            assert {**alert, **columns, "retyped": [], "renamed": []} == {**alert, "retyped": [], "renamed": []}
