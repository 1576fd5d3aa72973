"""The composition root of the process: the use cases, over the ports of a home.

application = Application(SqliteHome(path), read_settings(), Options(...))
application.start()        the workers
application.app            the ASGI application
application.stop()         once the step of each worker that is under way has ended
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from headwater import metrics
from headwater.access.keys import KeyRing
from headwater.alerts.abandoned_runs import Sweeper
from headwater.alerts.announce import Announcer
from headwater.alerts.run_missing import DueJobs
from headwater.alerts.stored_alerts import StoringBus
from headwater.curate.curator import Curator
from headwater.fold.normalise import Normaliser
from headwater.graph.names.naming import Naming
from headwater.http.audit import Audit
from headwater.ingest.refusals import CountedRefusals
from headwater.ingest.routes import Ingest
from headwater.lookup.routes import Lookups
from headwater.openlineage.instant import Instant, instant_of
from headwater.openlineage.redaction import use_rules
from headwater.process_settings import ProcessSettings
from headwater.serve.alerting import Announcing, Delivering, LoggedBus, Receiver
from headwater.serve.api import ServedApi
from headwater.serve.app import App
from headwater.serve.auditing import Auditing, Strangers
from headwater.serve.fold_worker import FoldWorker
from headwater.serve.log import ServeLog
from headwater.serve.measurements import Measurements
from headwater.serve.posting import Posting
from headwater.serve.precedence import Precedence
from headwater.serve.settings_file import SettingsFile
from headwater.serve.worker import Step, Worker
from headwater.store.caches import StateCache
from headwater.store.errors import StorageError
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.store.home import Home

FOLD_CACHE_BYTES = 3_000_000
"""The packed items whose states the fold need not decode, since it wrote them: those of 700 jobs with a run each.
Lookups have a cache of their own: the fold's states equal the stored ones, but may have another order, which an answer
would show."""
SWEEP_SECONDS, FIRST_SWEEP_SECONDS = 900.0, 60.0
SETTLE_SECONDS = 1.0
CLEAN_SECONDS = 3_600.0
STEP_PAUSE_SECONDS = 0.02
"""The pause between two small steps of removing what has expired: events go first."""


@dataclass(frozen=True)
class Options:
    """The options of a start. Links in alerts begin at `api_url`; if `is_open`, no request needs a key; `settings` is
    where headwater.yml may be."""

    api_url: str
    is_open: bool = False
    receivers: Sequence[Receiver] = ()
    settings: Path | None = None


class Application:
    """The parts of the process."""

    def __init__(self, home: Home, settings: ProcessSettings, options: Options) -> None:
        self._settings = settings
        self._log = ServeLog()
        self._measurements = Measurements()
        precedence = Precedence()
        self._home = home
        use_rules(settings.secret_rules)
        self._naming = Naming(settings.namespace_aliases)
        self._store = GraphStore(
            home.table, replace(settings.retention, forms=home.forms), StateCache(FOLD_CACHE_BYTES)
        )
        self._bus = StoringBus(self._store, LoggedBus(home.alert_log, options.api_url))
        self._due_jobs = DueJobs(self._store, self._bus, Naming(), self._log)
        self._deliveries = [
            Worker(receiver.name, self._delivery(receiver), self._log) for receiver in options.receivers
        ]
        announcer = Announcer(self._store, home.bodies, self._bus, self._naming, self._log)
        announcing = Announcing(home.outbox, announcer)
        self._announcing = Worker("announcing", precedence.behind(announcing.step), self._log)
        folding = self._fold_worker(announcing.is_behind)
        self._folding = Worker("folding", precedence.behind(folding.step), self._log)
        home.inbox.listen(self._folding.wake, self._log)
        self._sweeping = Worker("the sweep", precedence.behind(self._sweep), self._log, FIRST_SWEEP_SECONDS)
        self._auditing = Auditing(home.audit_log)
        self._strangers = Strangers()
        self._audit = Audit(None if options.is_open else self._auditing, self._log.failure)
        self._writing_audit = Worker("writing the audit", self._auditing.step, self._log)
        self._settling = Worker("copying the log into the file", self._settle, self._log)
        self._cleaning = Worker("removing what has expired", self._clean, self._log, CLEAN_SECONDS)
        self._curator = Curator(self._store, home.inbox, home.bodies, self._naming)
        file = SettingsFile(options.settings, self._curator, self._log) if options.settings else None
        self._reading = [Worker("reading headwater.yml", file.step, self._log)] if file else []
        self.app = App(self._api(options), precedence, is_open=options.is_open)

    def start(self) -> None:
        metrics.send_to(self._measurements)
        for worker in self._workers():
            worker.start()

    def stop(self) -> None:
        self.app.close()
        for worker in self._workers():
            worker.stop()
        self._end_audit()
        metrics.send_to(metrics.to_log)

    def events_to_fold(self) -> int:
        """How many events were answered 201 and are not folded yet."""
        return self._home.inbox.depth()

    def _workers(self) -> list[Worker]:
        return [
            self._folding,
            self._announcing,
            *self._deliveries,
            *self._reading,
            self._sweeping,
            self._writing_audit,
            self._settling,
            self._cleaning,
        ]

    def _api(self, options: Options) -> ServedApi:
        home = self._home
        return ServedApi(
            Posting(
                Ingest(home.inbox, home.bodies, self._naming, self._settings.max_body_bytes, lambda _: None), home.inbox
            ),
            Lookups(GraphReader(home.table, cache=StateCache()), self._naming, self._log),
            self._curator,
            None if options.is_open else KeyRing(home.api_keys, failed=self._log),
            self._audit,
            self._write_audit,
            self._strangers,
            CountedRefusals(self._audit, lambda: home.refusals, self._log.failure),
            self._metrics,
            lambda: home.free_bytes,
            self._log,
        )

    def _fold_worker(self, must_wait: Callable[[], bool]) -> FoldWorker:
        normaliser = Normaliser(
            store=self._store,
            bucket=self._home.bodies,
            archive=self._home.archive,
            naming=self._naming,
            thresholds=self._settings.emission_latency,
            now=_now,
            log=self._log,
        )
        return FoldWorker(self._home.inbox, self._home.transaction, normaliser, self._announcing.wake, must_wait)

    def _delivery(self, receiver: Receiver) -> Step:
        self._home.alert_log.join(receiver.name)
        return Delivering(self._home.alert_log, receiver, self._log).step

    def _sweep(self) -> float:
        sweeper = Sweeper(self._store, self._bus, Naming(), self._settings.abandoned_after, self._log)
        swept = sweeper.sweep(_now())
        missing = self._due_jobs.sweep(_now())
        metrics.count(AlertsSent=swept.abandoned + missing)
        metrics.corrupt_items(swept.corrupt)
        return SWEEP_SECONDS

    def _write_audit(self) -> None:
        with suppress(StorageError):  # the worker logs it, and tries again
            self._auditing.step()

    def _end_audit(self) -> None:
        try:
            self._auditing.step()
        except StorageError as error:
            for entry in self._auditing.lost():
                self._audit.lost(entry.request_id, entry.route, entry.status, error)

    def _settle(self) -> float:
        self._home.settle()
        return SETTLE_SECONDS

    def _clean(self) -> float:
        now = time.time()
        kept = self._settings.archive_retention_days.total_seconds()
        return STEP_PAUSE_SECONDS if self._home.remove_expired(now, now - kept) else CLEAN_SECONDS

    def _metrics(self) -> str:
        return self._measurements.text(
            {
                "headwater_inbox_events": self.events_to_fold(),
                "headwater_quarantine_messages": self._home.bodies.count("quarantine/"),
                "headwater_disk_free_bytes": self._home.free_bytes,
            }
        )


def _now() -> Instant:
    return instant_of(datetime.now(UTC))
