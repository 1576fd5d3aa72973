"""A week with Headwater in compressed time: `make week`, which runs this with nothing but the wheel.

Four weeks of recorded and generated events are replayed, and what is told of the last is compared with what happened.
Then a server gets them from one team, while another sends what it should not; it is killed, copied and restored. Last,
the pull request that would make the trouble of Tuesday is compared with production. Ends with 1 if a line is not true.
"""

import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from headwater.cli import backup, key, load, replay
from headwater.cli.ci import __main__ as ci
from tests import factory
from tests.serve.process import ENVIRONMENT, ROOT, ServeProcess
from tests.week.plan import TRUTH, Plan, plan

INVENTED, PARTS = 500, 5
DASHBOARD = "dataset:file:/data/lake/revenue_daily"
DATASETS = "/api/v1/namespaces/s3%3A%2F%2Flake/datasets?limit=1000"
LOOKUPS = (
    f"/api/v1/lineage?nodeId={DASHBOARD}&depth=5",
    f"/api/v1/column-lineage?nodeId={DASHBOARD}&depth=5",
    f"/api/v1/rootcause?nodeId={DASHBOARD}",
    "/api/v1/impact?nodeId=dataset:file:/data/lake/raw/orders",
    "/api/v1/runs?limit=1000",
    DATASETS,
)


class Report:
    """Lines that are true or not."""

    def __init__(self) -> None:
        self.is_true = True

    def line(self, is_true: object, text: str) -> None:
        print("ok  " if is_true else "NOT ", text, flush=True)
        self.is_true &= bool(is_true)


def run(command: Any, *arguments: object) -> tuple[int, str]:
    """What a command returns and prints."""
    output = StringIO()
    with redirect_stdout(output), redirect_stderr(StringIO()):
        code = command.main(list(map(str, arguments)))
    return code, output.getvalue()


def alerts(events: Path, sent: Plan, report: Report) -> None:
    """What was told of the week, beside what happened."""
    left = list(TRUTH)
    for told in map(json.loads, run(replay, "--json", events)[1].splitlines()):
        day = (datetime.fromisoformat(told["at"]) - sent.monday) // timedelta(days=1)
        true = next((each for each in left if each[:2] == (day, told["alert"]) and each.title in told["title"]), None)
        report.line(true, f"{told['at'][:16]}Z  {told['severity']:8}  {told['alert']}  {told['title']}")
        if true:
            left.remove(true)
    for each in left:
        report.line(None, f"day {each.day}: no alert {each.alert} told that {each.title}")


def operation(folder: Path, events: Path, report: Report) -> None:
    """What another team can spoil, and what outlives a kill and a restore."""
    data, copy = folder / "lineage.db", folder / "copy.db"
    with ServeProcess(data) as server:
        keys = {
            name: run(key, "add", name, "--data", data, *scope)[1].split()[-1]
            for name, scope in (("team", ()), ("other", ("--scope", "ingest", "--namespace", "elsewhere")))
        }
        (folder / "team.key").write_text(keys["team"])
        code, _ = run(load, events, "--url", server.url, "--key-file", folder / "team.key")
        report.line(code == 0, "the events of four weeks were loaded")
        server.key = keys["other"]
        names = [f"invented_{number}" for number in range(PARTS * INVENTED)]
        for part in range(PARTS):
            named = list(map(factory.dataset, names[part * INVENTED : (part + 1) * INVENTED]))
            event = factory.run_event("COMPLETE", run=50_000 + part, job=f"spoil_{part}", outputs=named)
            event["job"]["namespace"] = "elsewhere"
            report.line(
                server.post(event).status == 201,
                f"another team sends {INVENTED} tables that it invented in this team's lake",
            )
        server.wait_until_folded()
        server.key = keys["team"]
        listed = {each["name"] for each in server.get(DATASETS)["datasets"]}
        report.line(
            listed and not listed & set(names), f"this team's list has its {len(listed)} tables, and none of them"
        )
        before = [server.get(path) for path in LOOKUPS]
        server.kill()
        server.start()
        report.line(
            [server.get(path) for path in LOOKUPS] == before, f"after kill -9, {len(LOOKUPS)} lookups answer the same"
        )
        report.line(run(backup, "--data", data, "--to", copy)[0] == 0, "a copy is made while the file is served")
    with ServeProcess(copy) as server:
        server.key = keys["team"]
        report.line([server.get(path) for path in LOOKUPS] == before, "served from the copy, they answer the same")


def pull_request(folder: Path, report: Report) -> None:
    """The change that makes the trouble of Tuesday, by the team that writes the raw orders."""
    columns = ("order_id:string", "customer_id:string", "product:string", "quantity:integer", "ordered_at:string")
    for name, others in (("before", ("unit_price:decimal(8,2)", "status:string")), ("after", ("unit_price:integer",))):
        raw = factory.dataset("/data/lake/raw/orders", "file", schema=factory.schema(*columns, *others))
        (folder / name).mkdir()
        (folder / name / "events.json").write_text(
            json.dumps(factory.run_event("COMPLETE", job="ingest", outputs=[raw]))
        )
    (folder / "headwater.yml").write_text("policy: {keep_columns: true}\n")
    sides = (folder / "before", folder / "after")
    code, told = run(ci, *sides, "--data", folder / "copy.db", "--settings", folder / "headwater.yml")
    print(told)
    readers = ("revenue_daily.total_revenue", "orders_clean.status")
    report.line(code == 1 and all(name in told for name in readers), "headwater ci refuses the pull request of Tuesday")


def main() -> int:
    ENVIRONMENT["PYTHONPATH"] = str(ROOT)  # for the tests; headwater is the one that this Python has
    report, sent = Report(), plan(datetime.now(UTC))
    with TemporaryDirectory() as name:
        folder = Path(name)
        events = folder / "events.jsonl"
        events.write_text("\n".join(map(json.dumps, sent.events)))
        alerts(events, sent, report)
        operation(folder, events, report)
        pull_request(folder, report)
    return 0 if report.is_true else 1


if __name__ == "__main__":
    sys.exit(main())
