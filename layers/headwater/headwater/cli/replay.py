"""Shows which alerts recorded events would have raised, and when. It folds the events in the order of their times into
a temporary file, and looks for missing runs every 15 minutes of that time. It learns what to expect of a job from
earlier events, as a server does, or takes it from a headwater.yml. It sends nothing. For a missing run it says whether
the run came after all, and how long after the alert."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from headwater.alerts.abandoned_runs import Sweeper
from headwater.alerts.alert import Alert, DetailType
from headwater.alerts.announce import Announcer
from headwater.alerts.run_missing import DueJobs
from headwater.alerts.stored_alerts import StoringBus
from headwater.cli.command_line import command_parser
from headwater.cli.failure import reason_of
from headwater.cli.load.sources import events, normalised
from headwater.cli.lookups.parser import time
from headwater.curate.curation_events import Document, of_dataset
from headwater.curate.settings import document_of, settings_facet
from headwater.fold.fold import fold
from headwater.fold.split_on_schema_change import split_on_schema_change
from headwater.graph.facets.curation import SETTINGS_FACET, SETTINGS_NAME
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.lookup.text.inert import inert
from headwater.openlineage import exact_json
from headwater.openlineage.event import DatasetEvent, Name, RunEvent
from headwater.openlineage.faults import InvalidRequest
from headwater.openlineage.instant import (
    FOREVER,
    NEVER,
    Instant,
    instant_of,
    milliseconds_between,
    parse_instant,
    shown,
    to_datetime,
)
from headwater.process_settings import ProcessSettings, read_settings
from headwater.store.caches import StateCache
from headwater.store.graph_store import GraphStore
from headwater.store.sqlite.home import SqliteHome

STEP = timedelta(minutes=15)
"""Between two sweeps, as on a server."""


class Rung(NamedTuple):
    """An alert, and when it would have been raised. Of a missing run, when it began after all (None: never)."""

    at: Instant
    alert: Alert
    came: Instant | None = None

    @property
    def is_missing(self) -> bool:
        return self.alert.type is DetailType.RUN_MISSING


@dataclass
class _Bell:
    """A bus that keeps the alerts of this time."""

    now: Instant = NEVER
    rung: list[Rung] = field(default_factory=list)

    def put(self, alerts: Sequence[Alert]) -> None:
        self.rung += [Rung(self.now, alert) for alert in alerts]


class Replay:
    """Folds events as a server would, in an empty file, and keeps the alerts."""

    def __init__(self, home: SqliteHome, settings: ProcessSettings) -> None:
        self._home, self._settings, self._bell = home, settings, _Bell()
        self._store = GraphStore(home.table, settings.retention, StateCache())
        bus = StoringBus(self._store, self._bell, lambda: self._bell.now)
        self._announcer = Announcer(self._store, home.bodies, bus, Naming(settings.namespace_aliases), _raise)
        self._sweeper = Sweeper(self._store, bus, Naming(), settings.abandoned_after, _raise)
        self._due = DueJobs(self._store, bus, Naming(), _raise)

    @property
    def rung(self) -> list[Rung]:
        return self._bell.rung

    def put(self, rules: Document, at: Instant) -> None:
        """Puts settings, as if they had been there from the first event on."""
        canonical = exact_json.dumps(of_dataset(SETTINGS_NAME, {SETTINGS_FACET: rules}, at))
        fold([normalise_event(canonical, Naming(), at)], self._store)

    def events(self, sent: Sequence[NormalisedEvent]) -> None:
        """Folds some events of a quarter of an hour, in the order of their times."""
        self._bell.now = sent[-1].event.time
        with self._home.transaction() as transaction:
            store = self._store.on(transaction.table)
            for group in split_on_schema_change(sent):
                fold(group, store, self._settings.emission_latency)
        written = to_datetime(self._bell.now).timestamp()
        while records := self._home.outbox.take():
            for record in records:
                record["dynamodb"]["ApproximateCreationDateTime"] = written
            self._announcer.announce(records)
            self._home.outbox.remove_before(None, records)

    def sweep(self, now: Instant) -> None:
        self._bell.now = now
        self._sweeper.sweep(now)
        self._due.sweep(now)


def replay(
    sent: Sequence[NormalisedEvent], until: Instant, settings: ProcessSettings, rules: str | None = None
) -> Iterator[Replay]:
    """Replays events, in the order of their times, until a time; yields after each sweep. The rules, a headwater.yml,
    take the place of those among the events. Raises InvalidRequest if they are faulty."""
    with TemporaryDirectory() as folder, closing(SqliteHome(Path(folder) / "replay.db")) as home:
        home.database.never_wait_for_disk()
        run, step = Replay(home, settings), NEVER
        if rules is not None and sent:
            run.put(settings_facet(rules, sent[0].event.time, "headwater replay"), sent[0].event.time)
            sent = [each for each in sent if not _puts_settings(each)]
        waiting: list[NormalisedEvent] = []
        for each in sent:
            step = step or _next(each.event.time)
            while each.event.time >= step:
                yield from _step(run, waiting, step)
                waiting, step = [], _next(step)
            waiting.append(each)
        while step and step <= until:
            yield from _step(run, waiting, step)
            waiting, step = [], _next(step)
        if waiting:
            run.events(waiting)
            yield run


def _puts_settings(sent: NormalisedEvent) -> bool:
    return isinstance(sent.event, DatasetEvent) and sent.event.dataset.name == SETTINGS_NAME


def _step(run: Replay, waiting: Sequence[NormalisedEvent], now: Instant) -> Iterator[Replay]:
    if waiting:
        run.events(waiting)
    run.sweep(now)
    yield run


def _next(time: Instant) -> Instant:
    """The sweep after a time."""
    at = to_datetime(time)
    return instant_of(at.replace(minute=at.minute // 15 * 15, second=0, microsecond=0) + STEP)


def _raise(what: str, error: BaseException, **_: object) -> None:
    raise RuntimeError(what) from error


def parser() -> argparse.ArgumentParser:
    parser = command_parser("replay", __doc__, "headwater replay archive --since 7d --settings headwater.yml")
    parser.add_argument("paths", nargs="+", metavar="PATH|URL", help="as headwater load takes them")
    parser.add_argument("--since", dest="begin", type=time, metavar="TIME", help="list only alerts from this time on")
    parser.add_argument(
        "--until", dest="end", type=time, metavar="TIME", help="replay until this time (default: the last event)"
    )
    parser.add_argument("--settings", type=Path, metavar="FILE", help="use this headwater.yml, not the stored settings")
    parser.add_argument("--json", action="store_true", help="print one alert per line, in the form of the topic")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Return 1 if a source could not be read, or the rules are faulty."""
    options = parser().parse_args(arguments)
    begin, end = (parse_instant(text) if text else None for text in (options.begin, options.end))
    settings = read_settings()
    try:
        rules = options.settings.read_text(encoding="utf-8") if options.settings else None
        if rules is not None:
            document_of(rules)
        sent, refused = _read(options.paths, Naming(settings.namespace_aliases), end or FOREVER)
    except (OSError, UnicodeDecodeError, InvalidRequest) as error:
        print(f"failed: {reason_of(error)}", file=sys.stderr)
        return 1
    rung: list[Rung] = []
    steps = 0
    for steps, run in enumerate(replay(sent, end or sent[-1].event.time if sent else NEVER, settings, rules), start=1):
        rung = run.rung
        if steps % (96 * 10) == 0:
            print(f"{steps // 96:,} days replayed, {len(rung):,} alerts", file=sys.stderr, flush=True)
    starts = _starts(sent)
    listed = [_with_end(each, starts) for each in rung if not begin or each.at >= begin]
    for each in listed:
        print(_json(each) if options.json else _line(each))
    counts = Counter(each.alert.type.value for each in listed).most_common()
    summary = ", ".join(f"{number:,} {kind}" for kind, number in counts) or "no alert"
    missing = [each for each in listed if each.is_missing]
    if came := sorted(_minutes(each.at, each.came) for each in missing if each.came):
        told = f"; {len(came):,} of {len(missing):,} missing runs came after all, half of them within"
        summary += f"{told} {came[(len(came) - 1) // 2]:,} minutes of the alert"
    print(f"{len(sent):,} events, {refused:,} not read; {summary}", file=sys.stderr)
    return 0


def _starts(sent: Iterable[NormalisedEvent]) -> dict[Name, list[Instant]]:
    """The times of the first events of the runs of each job, the earliest first."""
    runs: dict[tuple[Name, str], Instant] = {}
    for event in (each.event for each in sent):
        if isinstance(event, RunEvent):
            runs.setdefault((event.job.name, event.run_id), event.time)
    starts: dict[Name, list[Instant]] = {}
    for (job, _), start in runs.items():
        starts.setdefault(job, []).append(start)
    return starts


def _with_end(each: Rung, starts: Mapping[Name, Sequence[Instant]]) -> Rung:
    """The alert of a missing run with the next start of its job, if that came before another run was due."""
    if not each.is_missing:
        return each
    last, due = (parse_instant(str(each.alert.details[name])) for name in ("lastStartedAt", "dueAt"))
    came = next((start for start in starts.get(each.alert.name, ()) if start > each.at), None)
    return each._replace(came=came if came and _minutes(due, came) < 0.9 * _minutes(last, due) else None)


def _minutes(earlier: Instant, later: Instant) -> int:
    return milliseconds_between(earlier, later) // 60_000


def _read(paths: Sequence[str], naming: Naming, end: Instant) -> tuple[list[NormalisedEvent], int]:
    """The events until a time, in the order of their times, each received when it happened; and how many could not be
    read."""
    sent, refused = [], 0
    for found in events(paths):
        try:
            read = normalised(found.text, naming)
            sent += [read] if read.event.time <= end else []
        except InvalidRequest:
            refused += 1
    return sorted(sent, key=lambda each: (each.event.time, each.event.digest)), refused


def _json(each: Rung) -> str:
    came = {"cameAt": shown(each.came) if each.came else None} if each.is_missing else {}
    return json.dumps({"at": shown(each.at), "alert": each.alert.type.value, **each.alert.detail(""), **came})


def _line(each: Rung) -> str:
    end = f"; it came {_minutes(each.at, each.came)} min after this" if each.came else "; it never came"
    told = inert(each.alert.title) + (end if each.is_missing else "")
    return f"{shown(each.at)[:16]}Z  {each.alert.severity:8}  {each.alert.type}  {told}"
