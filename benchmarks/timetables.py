"""What Headwater finds of planted incidents, by `headwater replay`: `python -m benchmarks.timetables --help`.

Three hundred jobs in twenty DAGs run for a hundred and twenty days, seeded: hourly, daily in three zones, on weekdays,
at month ends, after another DAG, as loops of twelve appends; half of them in runs of their DAG, as Airflow's tasks are,
half by themselves. Amounts grow; runs fail, are tried again, run again by hand; months are filled again; jobs are
retired or replaced. Incidents are planted once a rhythm may be claimed, each with the job that is to blame. Events
arrive out of order.
"""

import argparse
import json
import math
import random
import sys
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from headwater.alerts.alert import DetailType
from headwater.cli.load.sources import normalised
from headwater.cli.replay import STEP, Replay, Rung
from headwater.curate.settings import settings_facet
from headwater.graph.expectations.said import Said
from headwater.graph.names.naming import Naming
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage.instant import instant_of, to_datetime
from headwater.process_settings import read_settings
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphReader
from headwater.store.sqlite.home import SqliteHome
from headwater.traversal.deadlines import SaidState, deadlines, subjects

BEGIN = datetime(2026, 8, 31, tzinfo=UTC)
"""A Monday, before clocks change in Sydney, Berlin and New York."""
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Sydney")
LEARNING = 45
"""Days before the first incident; a month end is claimed after three."""
MINUTE, HOUR, DAY = 60, 3_600, 86_400
GRACE = 40 * MINUTE
"""How long after its usual end a table is due."""
EXPECTED = (DetailType.RUN_MISSING, DetailType.VOLUME_ANOMALY, DetailType.AT_RISK, DetailType.DATASET_STALE)
KINDS = ("never came", "task never came", "started late", "took long", "failed for hours", "few rows", "no rows")
LAKE = "s3://lake"


@dataclass
class Task:
    """A job. Its inputs are outputs of tasks before it, or of another DAG."""

    name: str
    above: list["Task"]
    seconds: float
    rows: float
    appends: int = 1
    ends_on: int = 10_000
    starts_on: int = 0

    @property
    def ancestors(self) -> dict[str, "Task"]:
        return {self.name: self} | {name: task for above in self.above for name, task in above.ancestors.items()}

    def is_on(self, day: int) -> bool:
        return self.starts_on <= day < self.ends_on


@dataclass
class Dag:
    """Tasks by a schedule. `after` is the DAG whose last task triggers it."""

    name: str
    kind: str
    zone: str
    at: int
    has_runs: bool
    tasks: list[Task] = field(default_factory=list)
    after: "Dag | None" = None

    def dues(self, day: int) -> Iterator[float]:
        """When it is due on a day, in seconds since 1970."""
        when = (BEGIN + timedelta(days=day)).date()
        is_month_end = (when + timedelta(days=1)).day == 1
        if (self.kind == "weekdays" and when.weekday() > 4) or (self.kind == "monthly" and not is_month_end):
            return
        for hour in range(24) if self.kind == "hourly" else [None]:
            local = datetime.combine(when, datetime.min.time(), ZoneInfo("UTC" if hour is not None else self.zone))
            seconds = self.at % HOUR + hour * HOUR if hour is not None else self.at
            wall = local.replace(hour=seconds // HOUR, minute=seconds % HOUR // MINUTE)
            yield wall.timestamp()


class Incident(NamedTuple):
    """What was planted: the day and hour of the DAG's run, and the task to blame."""

    kind: str
    dag: str
    task: str
    day: int
    run: int
    by: float
    """How many seconds late, how many times as long, or the share of the rows."""


class _Ran(NamedTuple):
    """When a task ended, and which share of its usual rows it had."""

    end: float
    share: float


class Planted(NamedTuple):
    """An incident with when it began, and until when its consequences last."""

    incident: Incident
    begin: float
    end: float
    touched: frozenset[str]


class World:
    """The DAGs, their incidents, and the events of all their runs."""

    def __init__(self, seed: int, dags: int, tasks: int, days: int, incidents: int) -> None:
        self.days, self._chance = days, random.Random(seed)  # noqa: S311 - a simulation
        self.dags = [self._dag(number, tasks) for number in range(dags)]
        self._trigger()
        self._retire()
        self._incidents = self._plant(incidents)
        self.planted: list[Planted] = []
        self.ends: dict[str, list[float]] = defaultdict(list)
        """When each task ended well."""
        self.sent: list[tuple[float, dict[str, Any]]] = []
        """Events, each with the time at which it arrives."""
        self._run_all()

    def _dag(self, number: int, tasks: int) -> Dag:
        kinds = [*["daily"] * 4, "weekdays", "daily", "monthly", "triggered", "daily", "hourly"]
        kind, chance = kinds[number % len(kinds)], self._chance
        dag = Dag(f"dag_{number:02}", kind, ZONES[number % 3], 60 * chance.randrange(0, 9 * 60), number % 2 == 0)
        short = kind == "hourly"
        for place in range(max(5, tasks // 3) if short else tasks):
            above = [dag.tasks[max(0, place - chance.randint(1, 3))]] if place else []
            if place > 3 and chance.random() < 0.3:
                above.append(dag.tasks[chance.randrange(place - 2)])
            seconds = chance.uniform(20, 80) if short else math.exp(chance.uniform(math.log(60), math.log(1500)))
            unique = list({id(each): each for each in above}.values())
            dag.tasks.append(Task(f"{dag.name}.task_{place:02}", unique, seconds, 10 ** chance.uniform(3, 7)))
        if number % 4 == 2 and kind != "hourly":
            dag.tasks[-1].appends = 12
        return dag

    def _trigger(self) -> None:
        daily = [dag for dag in self.dags if dag.kind == "daily"]
        for dag in self.dags:
            if dag.kind == "triggered":
                dag.after = self._chance.choice(daily)
                dag.tasks[0].above.append(dag.after.tasks[-2])

    def _retire(self) -> None:
        """Some last tasks end with a day; others go on under another name."""
        for number, dag in enumerate(self.dags):
            if number % 5 == 2 and dag.kind != "monthly":
                last = dag.tasks[-1]
                last.ends_on = self.days * 2 // 3 + number
                if number % 2:
                    dag.tasks.append(
                        Task(f"{last.name}_v2", last.above, last.seconds, last.rows, starts_on=last.ends_on)
                    )

    def _plant(self, number: int) -> dict[tuple[str, int, int], Incident]:
        """The incidents by DAG, day and run: at most one a DAG in four days."""
        found: dict[tuple[str, int, int], Incident] = {}
        busy: dict[str, set[int]] = defaultdict(set)
        chance = self._chance
        for _ in range(1_000 * number):
            if len(found) == number:
                break
            kind = KINDS[len(found) % len(KINDS)]
            dag = chance.choice([dag for dag in self.dags if dag.kind not in ("monthly", "triggered")])
            day = chance.randrange(LEARNING, self.days - 4)
            dues = list(dag.dues(day))
            if not dues or any(near in busy[dag.name] for near in range(day - 2, day + 3)):
                continue
            first = kind in ("never came", "started late", "few rows", "no rows")
            above_deadline = [task for task in dag.tasks[-4].ancestors.values() if task in dag.tasks]
            candidates = [task for task in above_deadline if task.above or first]
            task = dag.tasks[0] if kind in ("never came", "started late") else chance.choice(candidates)
            if not candidates or (dag.kind == "hourly" and kind in ("started late", "took long", "failed for hours")):
                continue
            by = {
                "started late": chance.uniform(75, 200) * MINUTE,
                "took long": GRACE * chance.uniform(2.2, 4.0),
                "failed for hours": chance.uniform(2, 5) * HOUR,
                "few rows": chance.uniform(0.02, 0.5),
                "no rows": 0.0,
            }.get(kind, 0.0)
            busy[dag.name].add(day)
            run = chance.randrange(2, 18) if len(dues) > 1 else 0
            found[dag.name, day, run] = Incident(kind, dag.name, task.name, day, run, by)
        return found

    def _run_all(self) -> None:
        backfilled = {dag.name: self._chance.randrange(50, self.days - 5) for dag in self.dags[::5]}
        for day in range(self.days):
            ordered = sorted(self.dags, key=lambda dag: dag.after is not None)
            ended: dict[str, float | None] = {}
            for dag in ordered:
                dues = list(dag.dues(day)) if dag.after is None else []
                if dag.after is not None and ended.get(dag.after.name):
                    dues = [ended[dag.after.name] or 0.0]
                for run, due in enumerate(dues):
                    ended[dag.name] = self._run(dag, day, run, due)
                if backfilled.get(dag.name) == day and dag.kind != "hourly":
                    begin = (BEGIN + timedelta(days=day)).timestamp() + self._chance.uniform(0, 0.9) * DAY
                    for again in range(20):
                        self._run(dag, day, -1, begin + again * 90, is_backfill=True)

    def _skipped(self, incident: Incident | None, dag: Dag) -> set[str]:
        """The tasks that an incident keeps from running."""
        if incident is None or incident.kind not in ("never came", "task never came"):
            return set()
        gone = {incident.task}
        for task in dag.tasks:
            if any(above.name in gone for above in task.above):
                gone.add(task.name)
        return gone | ({task.name for task in dag.tasks} if incident.kind == "never came" else set())

    def _run(self, dag: Dag, day: int, run: int, due: float, *, is_backfill: bool = False) -> float | None:
        """Runs a DAG once; returns when its last but one task ended."""
        incident = self._incidents.get((dag.name, day, run))
        skipped = self._skipped(incident, dag)
        tasks = [task for task in dag.tasks if task.name not in skipped and task.is_on(day)]
        began = (
            due + abs(self._chance.gauss(0, 90)) + (incident.by if incident and incident.kind == "started late" else 0)
        )
        own = self._id() if dag.has_runs and tasks else None
        parent = {"run": {"runId": own}, "job": {"namespace": "sim", "name": dag.name}} if own else None
        if own:
            self._send("START", began, own, dag.name)
        ran: dict[str, _Ran] = {}
        for task in tasks:
            of_task = incident if incident and incident.task == task.name else None
            ran[task.name] = self._task(task, began, day, of_task, ran, parent, is_backfill=is_backfill)
        last = max((each.end for each in ran.values()), default=began)
        if own:
            self._send("COMPLETE", last + 5, own, dag.name)
        if incident:
            dags = [dag, *(other for other in self.dags if other.after is dag)]
            touched = {name for each in dags for name in (each.name, *(task.name for task in each.tasks))}
            self.planted.append(Planted(incident, due - HOUR, max(last, due) + 1.5 * DAY, frozenset(touched)))
        return ran[dag.tasks[-2].name].end if dag.tasks[-2].name in ran else None

    def _task(  # noqa: PLR0913, PLR0917 - a run has as much
        self,
        task: Task,
        began: float,
        day: int,
        incident: Incident | None,
        ran: dict[str, "_Ran"],
        parent: Any,
        *,
        is_backfill: bool,
    ) -> "_Ran":
        """The runs of a task in a run of its DAG: it waits for those above, and may fail once, or run again by hand."""
        chance, kind = self._chance, incident.kind if incident else ""
        speed, by = 0.02 if is_backfill else 1.0, incident.by if incident else 0.0
        above = [ran[each.name] for each in task.above if each.name in ran]
        start = max([began, *(each.end for each in above)]) + chance.uniform(5, 45) * speed
        share = by if kind in ("few rows", "no rows") else min([1.0, *(each.share for each in above)])
        seconds = speed * task.seconds * math.exp(chance.gauss(0, 0.12)) + (by if kind == "took long" else 0)
        rows = task.rows * 1.002**day * share * (0.8 if (BEGIN + timedelta(days=day)).weekday() > 4 else 1.0)
        if kind == "failed for hours" or (chance.random() < 0.03 and not is_backfill):
            failed = self._of(task, start, seconds * 0.4, rows, parent, is_good=False)
            start = start + by if kind == "failed for hours" else failed + 300 * chance.uniform(0.3, 1.0)
        end = self._of(task, start, seconds, rows, parent)
        if not is_backfill:
            self.ends[task.name].append(end)
            if chance.random() < 0.01 and task.seconds > 80:
                self._of(task, end + chance.uniform(0.5, 5) * HOUR, seconds, rows, None)
        return _Ran(end, share)

    def _of(  # noqa: PLR0913 - a run has as much
        self, task: Task, start: float, seconds: float, rows: float, parent: Any, *, is_good: bool = True
    ) -> float:
        """The events of one run of a task, or of twelve appends of an application, and when it ended."""
        loop = self._id() if task.appends > 1 else None
        if loop:
            self._send("START", start, loop, f"{task.name}_app", parent)
            parent = {"run": {"runId": loop}, "job": {"namespace": "sim", "name": f"{task.name}_app"}}
        end = start
        for _ in range(task.appends if is_good else 1):
            run, begin, end = self._id(), end, end + seconds / task.appends
            self._send("START", begin, run, task.name, parent, task=task)
            written = int(rows * math.exp(self._chance.gauss(0, 0.04)) / task.appends)
            self._send("COMPLETE" if is_good else "FAIL", end, run, task.name, parent, task=task, rows=written)
        if loop:
            self._send("COMPLETE" if is_good else "FAIL", end + 1, loop, f"{task.name}_app")
        return end

    def _send(  # noqa: PLR0913 - an event has as much
        self,
        kind: str,
        time: float,
        run: str,
        job: str,
        parent: Any = None,
        *,
        task: Task | None = None,
        rows: int | None = None,
    ) -> None:
        reads = [f"{above.name}_table" for above in task.above] or [f"{task.name}_source"] if task else []
        output: dict[str, Any] = {"namespace": LAKE, "name": f"{job.removesuffix('_v2')}_table"}
        if rows is not None and kind == "COMPLETE":
            output["outputFacets"] = {"outputStatistics": _facet(rowCount=rows, size=rows * 100)}
        event = {
            "eventType": kind,
            "eventTime": datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds"),
            "run": {"runId": run, "facets": {"parent": _facet(**parent)} if parent else {}},
            "job": {"namespace": "sim", "name": job},
            "inputs": [{"namespace": LAKE, "name": name} for name in reads],
            "outputs": [output] if task else [],
            "producer": "https://github.com/headwater/simulation",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        }
        self.sent.append((time + self._chance.expovariate(1 / 20), event))

    def _id(self) -> str:
        return str(uuid.UUID(int=self._chance.getrandbits(128), version=4))

    def rules(self) -> str:
        """A headwater.yml: a table near the end of each daily DAG is due some time after its usual end."""
        lines = ["expectations:"]
        for dag in self.dags:
            if dag.kind not in ("daily", "weekdays"):
                continue
            task, zone = dag.tasks[-4], ZoneInfo(dag.zone)
            usual = sorted(_second_of_day(end, zone) for end in self.ends[task.name][: LEARNING - 5])
            at = int(usual[len(usual) // 2] + GRACE) // MINUTE
            days = "weekdays" if dag.kind == "weekdays" else "daily"
            lines += [
                f"  - dataset: {task.name}_table",
                f"    namespace: {LAKE}",
                f"    due: {at // 60:02}:{at % 60:02} {dag.zone}",
                f"    days: {days}",
            ]
        return "\n".join(lines)


def _second_of_day(time: float, zone: ZoneInfo) -> float:
    local = datetime.fromtimestamp(time, zone)
    return local.hour * HOUR + local.minute * MINUTE + local.second


def _facet(**members: Any) -> dict[str, Any]:
    return {"_producer": "https://headwater/simulation", "_schemaURL": "https://headwater/simulation", **members}


class Score(NamedTuple):
    """What became of a planted incident: its first alert, and how many more it raised."""

    planted: Planted
    first: Rung | None = None
    more: tuple[Rung, ...] = ()


class Estimated(NamedTuple):
    """When a table was said to come, at a time, and whether the run to blame had begun by then, or had ended."""

    at: int
    table: str
    end: int
    is_cause_known: bool


def replayed(world: World) -> tuple[list[Rung], list[Estimated]]:
    """The alerts about expectations, with the events as they arrive; and the estimates at each hour of an incident."""
    told = list[Estimated]()
    settings, naming = read_settings(), Naming()
    arriving = sorted(world.sent, key=lambda entry: entry[0])
    with TemporaryDirectory() as folder, closing(SqliteHome(Path(folder) / "replay.db")) as home:
        home.database.never_wait_for_disk()
        run = Replay(home, settings)
        begin = instant_of(BEGIN - timedelta(days=2))
        run.put(settings_facet(world.rules(), begin, "simulation"), begin)
        step, waiting = BEGIN + STEP, list[NormalisedEvent]()
        last = (BEGIN + timedelta(days=world.days - 2)).timestamp()
        for time, event in arriving:
            if time > last:
                break
            while time >= step.timestamp():
                if waiting:
                    run.events(waiting)
                run.sweep(instant_of(step))
                if step.minute == 0 and any(each.begin <= step.timestamp() <= each.end for each in world.planted):
                    told += estimates(home, step)
                waiting, step = [], step + STEP
                if step.hour == 0 and step.minute == 0 and step.day % 10 == 0:
                    print(f"{step.date()}: {len(run.rung):,} alerts", file=sys.stderr, flush=True)
            waiting.append(normalised(json.dumps(event), naming))
        return [each for each in run.rung if each.alert.type in EXPECTED], told


def judged(world: World, rung: Sequence[Rung]) -> tuple[list[Score], list[Rung]]:
    """The incidents with their alerts, and the alerts that belong to none."""
    found = {number: Score(planted) for number, planted in enumerate(world.planted)}
    false = []
    for each in rung:
        at, named = _seconds(each), _named(each)
        number = next(
            (
                n
                for n, planted in enumerate(world.planted)
                if planted.begin <= at <= planted.end and named & planted.touched
            ),
            None,
        )
        if number is None:
            false.append(each)
        elif found[number].first is None:
            found[number] = found[number]._replace(first=each)
        else:
            found[number] = found[number]._replace(more=(*found[number].more, each))
    return [*found.values()], false


def _named(each: Rung) -> set[str]:
    """The jobs that an alert blames, or is about."""
    details = each.alert.details
    cause = (details.get("cause") or {}).get("nodeId") or details.get("job", {}).get("name") or each.alert.name.name
    return {cause.removeprefix("job:sim:").removesuffix("_table")}


def blames_rightly(outcome: Score) -> bool:
    """Whether the alert blames the task to blame; of a DAG that never came, its first task or itself."""
    incident = outcome.planted.incident
    right = {incident.task, incident.dag} if incident.kind in ("never came", "started late") else {incident.task}
    return outcome.first is not None and bool(_named(outcome.first) & right)


def _seconds(each: Rung) -> float:
    return to_datetime(each.at).timestamp()


def estimates(home: SqliteHome, now: datetime) -> Iterator[Estimated]:
    """What `GET /expectations` says of deadlines that are at risk or passed."""
    reader = Reader(GraphReader(home.table).for_one_request(), Naming())
    time, said = int(now.timestamp()), reader.said or Said()
    for each in deadlines(reader, said, subjects(reader, said, time), time):
        if each.coming and each.state in (SaidState.AT_RISK, SaidState.OVERDUE):
            is_known = any(word in each.coming.why for word in ("started", "took"))
            yield Estimated(time, each.subject.name.name, each.coming.estimated_end, is_known)


def errors(world: World, told: Sequence[Estimated]) -> dict[str, list[float]]:
    """How far estimates were off, as a share of the time that remained: where the run to blame had begun, or had ended,
    and where nobody could know for how much longer it is late."""
    found: dict[str, list[float]] = {"causeKnown": [], "causeOpen": []}
    for each in told:
        later = [end for end in world.ends[each.table.removesuffix("_table")] if each.at < end < each.at + 12 * HOUR]
        if later:
            name = "causeKnown" if each.is_cause_known else "causeOpen"
            found[name].append(abs(each.end - min(later)) / (min(later) - each.at))
    return found


def minutes_before(rung: Sequence[Rung]) -> list[float]:
    """How long before its deadline each was told, of those told before."""
    of = [each for each in rung if each.alert.type is DetailType.AT_RISK]
    times = [datetime.fromisoformat(each.alert.details["dueAt"]).timestamp() - _seconds(each) for each in of]
    return [seconds / MINUTE for seconds in times if seconds > 0]


def _shown(each: Rung) -> str:
    why = (each.alert.details.get("cause") or {}).get("why", "")
    return f"{each.at[:16]} {each.alert.type.value}: {each.alert.title} {_named(each)} {why}"


def median(numbers: Sequence[float]) -> float:
    return sorted(numbers)[len(numbers) // 2] if numbers else math.nan


def report(world: World, rung: Sequence[Rung], estimated: Sequence[Estimated]) -> dict[str, Any]:
    outcomes, false = judged(world, rung)
    told = [each for each in outcomes if each.first]
    ahead, off = minutes_before(rung), errors(world, estimated)
    weeks = max(1.0, (world.days - LEARNING) / 7)
    for each in outcomes:
        verdict = "missed" if not each.first else "told" if blames_rightly(each) else "wrong cause"
        when = (BEGIN + timedelta(days=each.planted.incident.day)).date()
        print(f"{verdict}: {when} {each.planted.incident}", file=sys.stderr)
        for alert in filter(None, (each.first, *each.more)):
            print(f"    {_shown(alert)}", file=sys.stderr)
    for alert in false:
        print(f"false: {_shown(alert)}", file=sys.stderr)
    kinds = Counter(each.planted.incident.kind for each in outcomes)
    return {
        "events": len(world.sent),
        "jobs": sum(len(dag.tasks) for dag in world.dags),
        "incidents": len(outcomes),
        "recall": round(len(told) / len(outcomes), 3),
        "byKind": {
            kind: f"{sum(e.planted.incident.kind == kind for e in told)}/{count}" for kind, count in kinds.items()
        },
        "precision": round(len(told) / max(1, len(told) + len(false)), 3),
        "falseAWeek": round(len(false) / weeks, 2),
        "moreAlerts": sum(len(each.more) for each in told),
        "causeRight": round(sum(map(blames_rightly, told)) / max(1, len(told)), 3),
        "minutesBefore": round(median(ahead)),
        "estimateError": {name: [len(of), round(median(of), 3)] for name, of in off.items()},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.timetables", description=__doc__)
    for name, default in (("seed", 1), ("dags", 20), ("tasks", 15), ("days", 120), ("incidents", 120)):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"default: {default}")
    options = parser.parse_args(arguments)
    world = World(options.seed, options.dags, options.tasks, options.days, options.incidents)
    print(f"{len(world.sent):,} events", file=sys.stderr)
    print(json.dumps(report(world, *replayed(world)), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
