"""A week with Headwater in compressed time: `make week`, which runs this with nothing but the wheel.

Four weeks of recorded and generated events are replayed, and what is told of the last is compared with what happened.
Then a server gets them from one team, while another sends what it should not; it is killed, its disk is full, it is
copied and restored. The release before begins a file that this one goes on with, and takes it back. Last, the pull
request that would make the trouble of Tuesday is compared with production. Ends with 1 if a line is not true.
"""

import json
import os
import secrets
import subprocess
import sys
import tarfile
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from io import StringIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from headwater.cli import backup, key, load, replay
from headwater.cli.ci import __main__ as ci
from headwater.openlineage.instant import parse_instant
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
        full_disk(server, report)
        before = [server.get(path) for path in LOOKUPS]
        report.line(run(backup, "--data", data, "--to", copy)[0] == 0, "a copy is made while the file is served")
    with ServeProcess(copy) as server:
        server.key = keys["team"]
        report.line([server.get(path) for path in LOOKUPS] == before, "served from the copy, they answer the same")


def full_disk(server: ServeProcess, report: Report) -> None:
    """What a server says while its files may not grow, and after. Only Linux can say this of a process that runs."""
    if sys.platform != "linux":
        return
    import resource  # noqa: PLC0415 - Windows has none

    before, taken = [server.get(path) for path in LOOKUPS], list[int]()
    largest = max(file.stat().st_size for file in server.data.parent.glob(f"{server.data.name}*"))
    _, most = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (largest, most))
    for number in count(60_000):
        text = factory.facet(description=secrets.token_hex(100_000))
        event = factory.run_event("COMPLETE", run=number, job="in_time", job_facets={"documentation": text})
        reply = server.post(event)
        if reply.status != HTTPStatus.CREATED:
            break
        taken.append(number)
    is_refused = reply.status == HTTPStatus.SERVICE_UNAVAILABLE
    report.line(
        is_refused, f"after {len(taken)} large events the disk is full, and one is refused: {reply.body['message']}"
    )
    same = [server.get(path) for path in LOOKUPS[:3]] == before[:3]
    report.line(same, "lookups answer the same meanwhile")
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (most, most))
    report.line(server.post(event).status == HTTPStatus.CREATED, "there is room again: the event is taken")
    server.wait_until_folded()
    runs = server.get(f"/api/v1/namespaces/demo/jobs/in_time/runs?limit={len(taken) + 10}")["totalCount"]
    report.line(runs == len(taken) + 1, f"each of the {len(taken) + 1} events that were taken is there, once")


def upgrade(folder: Path, sent: Plan, report: Report) -> None:
    """A file of the release before, served by this one, and by the one before again."""
    (packed,) = (ROOT / "tests" / "fixtures" / "releases").glob("*.tar.xz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder / "former", filter="data")
    data, half = folder / "former.db", len(sent.events) // 2
    events = [{"event": event, "receivedAt": parse_instant(event["eventTime"])} for event in sent.events]
    former(folder, data, ["fold", events[:half]])
    with ServeProcess(data, "--open") as server:
        server.post_all(sent.events[half:-1])
        server.wait_until_folded()
        runs = server.get("/api/v1/runs?limit=1000")["runs"]
    last = json.loads(former(folder, data, ["fold", events[-1:]], ["answer", ["jobs?limit=1000"]])[1])
    jobs = {job["name"] for job in last.get("answer", [{}])[0].get("jobs", ())}
    name = packed.name.removesuffix(".tar.xz")
    report.line(runs, f"a file of {name} is served by this release, and takes events")
    report.line({run["job"]["name"] for run in runs} <= jobs, f"{name} takes the file back, and knows what came since")


def former(folder: Path, data: Path, *calls: list[Any]) -> list[str]:
    """What the functions of the release before answer."""
    command = [sys.executable, str(folder / "former" / "worker_of_release.py"), str(data)]
    environment = {**os.environ, "PYTHONPATH": str(folder / "former")}
    lines = "\n".join(map(json.dumps, calls))
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, env=environment)  # noqa: S603
    return done.stdout.splitlines()


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
        upgrade(folder, sent, report)
        pull_request(folder, report)
    return 0 if report.is_true else 1


if __name__ == "__main__":
    sys.exit(main())
