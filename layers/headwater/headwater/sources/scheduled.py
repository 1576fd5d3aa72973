"""Polls on a schedule, in a function: the graph store knows what was last reported, and the queue takes the events."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from headwater.access.event_sender import EventSender, Sender
from headwater.access.principal import Principal
from headwater.graph.facets.register import values
from headwater.graph.facets.schema_diff import columns_of
from headwater.graph.names.identity import dataset_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.run import Run
from headwater.log import FunctionLog
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.read.neighbourhood import Neighbourhood
from headwater.read.reader import Reader
from headwater.retry import Deadline
from headwater.sources.poller import (
    Document,
    PolledSource,
    PollResult,
    ReportedDataset,
    ReportedJob,
    ReportedRun,
    poll_each,
)
from headwater.store.bodies import Bodies
from headwater.store.graph_store import GraphReader

LAST_SECONDS = 40
"""The end of an invocation, in which no part is asked for any more: what was asked may take 15 seconds to answer."""


class SourcesUnreachable(Exception):
    """Sources that could not be reported. The invocation fails, and an alarm counts failures."""


@dataclass(frozen=True)
class StoredGraph:
    """`PolledGraph` over the graph store."""

    reader: Reader
    send: Callable[[Sequence[Document]], None]

    def jobs(self, namespace: str) -> Iterator[ReportedJob]:
        ids = [entry.id for entry in self.reader.store.jobs_in(namespace).entries()]
        heads = self.reader.jobs(ids, usages=False)
        runs = self.reader.latest_runs(heads)
        for job, head in heads.items():
            yield ReportedJob(head.facts.name.name, values(head.facts.facets), _reported(runs.get(job)))

    def datasets(self, namespace: str) -> Iterator[ReportedDataset]:
        """A dataset that was deleted through the API is known, too: what has not changed does not bring it back."""
        identity = self.reader.naming.identify(Name(namespace, "_")).identity.namespace
        ids = [entry.id for entry in self.reader.store.datasets_in(identity).entries()]
        for head in self.reader.datasets(ids, deleted=True).values():
            yield ReportedDataset(head.facts.name.name, values(head.facts.own))

    def columns(self, datasets: Sequence[Name]) -> Mapping[Name, Sequence[str]]:
        ids = {name: dataset_id(self.reader.naming.identify(name).identity) for name in datasets}
        known = self.reader.neighbourhood(set(ids.values()), ()) if ids else Neighbourhood()
        heads = {name: known.heads.get(known.representative(dataset)) for name, dataset in ids.items()}
        return {name: list(columns_of(head.schema)) for name, head in heads.items() if head}


def _reported(run: Run | None) -> ReportedRun | None:
    return ReportedRun(run.run_id, run.state.value, values(run.facets), run.updated) if run else None


@dataclass(frozen=True)
class ScheduledPolls:
    """The polls of a function, which sends their events as its own principal."""

    principal: Principal
    store: GraphReader
    queue: Sender
    bucket: Bodies
    naming: Naming
    log: FunctionLog

    def poll(self, sources: Sequence[PolledSource], remaining_millis: int) -> "PollTotals":
        """Polls each source once, as long as the invocation has time. The log has what could not be reported."""
        deadline = Deadline()
        deadline.begin(remaining_millis / 1_000 - LAST_SECONDS)
        results = []
        for result in poll_each(sources, self._graph, deadline):
            self._log(result)
            results.append(result)
        return PollTotals(
            read=sum(result.read for result in results),
            sent=sum(result.sent for result in results),
            skipped=sum(len(result.skipped) for result in results),
            unplaced=sum(len(result.unplaced) for result in results),
            unreachable=[result.source for result in results if result.unreachable],
        )

    def _log(self, result: PollResult) -> None:
        if result.unreachable:
            self.log(f"nothing could be read of {result.source}", result.unreachable)
        for part, reason in result.skipped.items():
            self.log.info("a part of a source is left as it is", source=result.source, part=part, reason=reason)

    def _graph(self) -> StoredGraph:
        return StoredGraph(Reader(self.store.for_one_request(), self.naming), self._send)

    def _send(self, events: Sequence[Document]) -> None:
        sender = EventSender(self.principal, self.queue, self.bucket, self.naming, datetime.now(UTC))
        sender.send_all([exact_json.dumps(event) for event in events])


class PollTotals(NamedTuple):
    """The outcome of all polls of an invocation: numbers of parts and events, and the sources that could not be
    reported."""

    read: int
    sent: int
    skipped: int
    unplaced: int
    unreachable: Sequence[str]

    def answer(self) -> dict[str, int]:
        """The answer of the function. Raises SourcesUnreachable, which names them."""
        if self.unreachable:
            raise SourcesUnreachable(", ".join(self.unreachable))
        return {"sent": self.sent}
