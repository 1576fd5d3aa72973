"""`Run Abandoned`: a run that started, has not ended, and is silent for longer than is usual.

Nothing happens when a run falls silent, so somebody has to come by. What is looked at is the open runs alone, in an
index of their own; a run that was told of leaves it, until something is heard of it again. First it is told, then it is
taken out: who dies in between tells it once more, with the same id.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta

from headwater.alerts.alert import Alert, Severity, Type, id_of, link_to, short, united
from headwater.alerts.announce import Bus
from headwater.alerts.heartbeat import SHORTEST, Heartbeat
from headwater.alerts.run_ancestors import ancestors_of
from headwater.graph.application import is_query_job
from headwater.graph.facets import owners_of
from headwater.graph.identity import NodeKind, job_id, node_id
from headwater.graph.naming import Naming
from headwater.graph.register import values
from headwater.graph.run import Run, RunState
from headwater.graph.thresholds import Thresholds
from headwater.openlineage.instant import Instant, instant_of, shown, to_datetime
from headwater.read.reader import Reader
from headwater.store import item_codec, keys
from headwater.store.keys import Key
from headwater.store.request_cache import RequestCache
from headwater.store.table import ConditionalPut, Conflict, Item, StorageError, Table

AT_A_TIME = 100


@dataclass(slots=True)
class Swept:
    """How many open runs were looked at, and how many were told as abandoned."""

    open_runs: int = 0
    abandoned: int = 0


@dataclass(frozen=True)
class Sweeper:
    """Looks for abandoned runs. `minutes` is how long one may be silent."""

    table: Table
    bus: Bus
    naming: Naming
    minutes: Thresholds
    log: Callable[[str, BaseException], None]
    has_time: Callable[[], bool] = lambda: True

    def sweep(self, now: Instant) -> Swept:
        """Tells of abandoned runs; those for which there is no time are for the next sweep. Raises StorageError."""
        swept = Swept()
        found = self.table.open_runs(_before(now, SHORTEST))
        for start in range(0, len(found), AT_A_TIME):
            self._look(found[start : start + AT_A_TIME], now, swept)
        return swept

    def _look(self, wanted: Iterable[Key], now: Instant, swept: Swept) -> None:
        for item in self.table.read(list(wanted)).values():
            run = item_codec.read_run(item)
            if run.state is RunState.RUNNING and "open_in" in item.labels and self.has_time():
                swept.open_runs += 1
                try:
                    swept.abandoned += self._deal_with(run, item, now)
                except StorageError:
                    raise
                except Exception as error:  # noqa: BLE001 - one run must not keep the others from being looked at
                    self.log(f"run {run.run_id} could not be told of", error)

    def _deal_with(self, run: Run, item: Item, now: Instant) -> int:
        """Tells of a run if it is abandoned, and takes it out if it is not to be looked at again."""
        reader = Reader(RequestCache(self.table), self.naming)
        parent = _parent(reader, run) if is_query_job(values(run.job_facets)) else None
        if parent:  # Spark's listener does not end all actions: they end with their application, and are told with it
            if not _is_open(parent):
                self._take_out(item)
            return 0
        alert = self._alert(reader, run, now)
        if alert:
            self.bus.put([alert])
            self._take_out(item)
        return int(alert is not None)

    def _take_out(self, item: Item) -> None:
        labels = {name: label for name, label in item.labels.items() if name != "open_in"}
        try:
            self.table.change([ConditionalPut(Item(item.key, labels, item.parts, item.expires_at), item)])
        except Conflict:
            return  # something was heard of it just now

    def _alert(self, reader: Reader, run: Run, now: Instant) -> Alert | None:
        heartbeat = Heartbeat(reader, run)
        if run.updated > _before(now, SHORTEST):
            return None
        since, allowed = heartbeat.since(), heartbeat.allowed(self.minutes)
        return _abandoned(reader, run, since, allowed) if since <= _before(now, allowed) else None


def _parent(reader: Reader, run: Run) -> Item | None:
    """The run above it, if that ever sent an event itself: then that is the one to wait for."""
    if run.parent is None:
        return None
    key = keys.run(job_id(run.parent.job), run.parent.run_id)
    item = reader.table.read([key]).get(key)
    return item if item and item_codec.read_run(item).last else None


def _is_open(item: Item) -> bool:
    return "open_in" in item.labels


def _before(now: Instant, time: timedelta) -> Instant:
    return instant_of(to_datetime(now) - time)


def _abandoned(reader: Reader, run: Run, since: Instant, allowed: timedelta) -> Alert:
    of_run, job = ancestors_of(reader, run), job_id(run.job)
    outputs = reader.datasets(run.outputs)
    owners = [owners_of(values(run.job_facets)), *(owners_of(head.facets) for head in outputs.values())]
    minutes = int(allowed.total_seconds() // 60)
    started = f"Run {run.run_id} of job {run.job.name} in {run.job.namespace} started at {shown(run.started_at)}"
    return Alert(
        type=Type.RUN_ABANDONED,
        id=id_of(Type.RUN_ABANDONED, job, run.run_id, since),
        time=since,
        severity=Severity.WARNING,
        kind=NodeKind.JOB,
        name=run.job,
        owners=united(*owners),
        title=f"{short(run.job.name)} started, and was not heard of again",
        lines=(
            f"{started}{of_run.told()}.",
            f"It was last heard of at {shown(since)}; a silence of {minutes} minutes is usual or allowed.",
        ),
        group=job,
        link=link_to("lineage", NodeKind.JOB, run.job),
        details={
            "job": run.job.as_json(),
            "run": {"runId": run.run_id, "startedAt": shown(run.started_at)},
            **of_run.as_json(),
            "lastHeardAt": shown(since),
            "allowedMinutes": minutes,
            "outputs": [node_id(NodeKind.DATASET, use.name) for use in list(run.outputs.values())[:50]],
        },
    )
