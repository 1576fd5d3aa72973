"""The events of one submission, as the server has them.

The id of the submission is a setting of Spark, which the listener reports in the facet spark_properties of each event.
So the events of two programs that run at the same time in one namespace can be distinguished, at any level of Spark's
log. Events without the facet count by their run: headwater.spark reports on the run of the application.
"""

import re
import shlex
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Self

from headwater.cli.api import Api
from headwater.cli.submit.code import SubmittedRun

PROPERTY = "spark.headwater.submission"
CAPTURED = "spark.openlineage.capturedProperties"
BY_DEFAULT = "spark.master,spark.app.name"
"""The settings that the listener reports by default."""
SET_ASIDE = "headwater_setAside"
"""A facet of the job: the server's note of what of an event was set aside."""
AT_A_TIME = 1_000
PAGES = 20
"""For a program that ran for days beside many others, only the first events are counted."""
SETTLE_SECONDS = 15
"""How long a taken event may need into the graph."""
STILL_SECONDS = 2
"""If Spark's log has no lines about delivered events, the number is that which did not change for so long."""
PAUSE_SECONDS = 0.2
REASONS = {401: "the key is not valid any more", 403: "the key may not read", 0: "the server has no answer"}

Document = dict[str, Any]


@dataclass(frozen=True)
class ArrivedEvents:
    """The events on the server. `unknown` says why they could not be counted, `is_cut` that there may be more of them.

    `node` is the newest dataset that was written, else the job of the application. `set_aside` has the members of the
    events that the server set aside: what the key may not say of the namespaces of others, and secrets. `runs` are
    those that the events are about.
    """

    count: int = 0
    is_cut: bool = False
    node: str = ""
    unknown: str = ""
    set_aside: tuple[str, ...] = ()
    runs: tuple[SubmittedRun, ...] = field(default=(), compare=False)

    @property
    def see(self) -> str:
        """The command that shows the events' graph."""
        if not self.node:
            return "headwater runs"
        return shlex.join(["headwater", "runs" if self.node.startswith("job:") else "lineage", self.node])


class SeenEvent(NamedTuple):
    """An event's run, whether the event names the submission, the node to look at, and what was set aside."""

    run: str
    of: SubmittedRun
    is_own: bool
    node: str
    set_aside: Sequence[str]


@dataclass(frozen=True)
class Submission:
    id: str = field(default_factory=lambda: str(uuid.uuid4()))

    @classmethod
    def new(cls) -> Self:
        return cls()

    @staticmethod
    def marked(settings: Mapping[str, str]) -> dict[str, str]:
        """Return the settings, with which the listener reports the submission, too."""
        return {**settings, CAPTURED: f"{settings.get(CAPTURED, BY_DEFAULT)},{PROPERTY}"}

    def options(self) -> list[str]:
        """Return the options of spark-submit. The id is not in the file of settings, which other submissions share."""
        return ["--conf", f"{PROPERTY}={self.id}"]

    def arrivals(self, client: Api, since: datetime, delivered: int) -> ArrivedEvents:
        """Count the events since a time, once the delivered events are in the graph, or did not get there in time."""
        deadline = time.monotonic() + SETTLE_SECONDS
        last, changed = -1, time.monotonic()
        while True:
            arrivals = self.counted(client, since)
            now = time.monotonic()
            if arrivals.count != last:
                last, changed = arrivals.count, now
            is_settled = arrivals.count >= delivered if delivered else now - changed > STILL_SECONDS
            if arrivals.unknown or arrivals.is_cut or is_settled or now > deadline:
                return arrivals
            time.sleep(PAUSE_SECONDS)

    def counted(self, client: Api, since: datetime) -> ArrivedEvents:
        events: list[SeenEvent] = []
        cursor: dict[str, str] = {}
        for _ in range(PAGES):
            response = client.get(
                "events", "lineage", after=since.isoformat(), sortDirection="asc", limit=AT_A_TIME, **cursor
            )
            if response.status != 200:
                return ArrivedEvents(unknown=REASONS.get(response.status, f"the server answered {response.status}"))
            events += map(self.seen, response.body["events"])
            if "cursor" not in response.body:
                return of(events, is_cut=False)
            cursor = {"cursor": response.body["cursor"]}
        return of(events, is_cut=True)

    def seen(self, event: Document) -> SeenEvent:
        run = event["run"]
        facets = run.get("facets") or {}
        properties = (facets.get("spark_properties") or {}).get("properties") or {}
        outputs = event.get("outputs") or []
        kind, named = ("dataset", outputs[-1]) if outputs else ("job", event["job"])
        note = (event["job"].get("facets") or {}).get(SET_ASIDE) or {}
        is_own = properties.get(PROPERTY) == self.id
        job = event["job"]
        tells = "sourceCodeLocation" in (job.get("facets") or {})
        of = SubmittedRun(job["namespace"], job["name"], run["runId"], event["producer"], event["eventTime"], tells)
        return SeenEvent(
            run["runId"], of, is_own, f"{kind}:{named['namespace']}:{named['name']}", note.get("paths") or ()
        )


def of(events: list[SeenEvent], *, is_cut: bool) -> ArrivedEvents:
    runs = {event.run for event in events if event.is_own}
    own = [event for event in events if event.run in runs]
    set_aside = sorted({re.sub(r"\[\d+\]", "", path) for event in own for path in event.set_aside})
    last: dict[tuple[str, str], SubmittedRun] = {}
    for event in own:
        before = last.get((event.of.job, event.run), event.of)
        last[before.job, before.run_id] = event.of._replace(tells_code=before.tells_code or event.of.tells_code)
    node = next(newest([event.node for event in own]), "")
    return ArrivedEvents(len(own), is_cut, node, set_aside=tuple(set_aside), runs=tuple(last.values()))


def newest(nodes: list[str]) -> Iterator[str]:
    """Yield the newest dataset, then the newest job: that of the application, which ends last."""
    yield from (node for node in reversed(nodes) if node.startswith("dataset:"))
    yield from reversed(nodes)
