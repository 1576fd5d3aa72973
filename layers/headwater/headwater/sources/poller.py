"""The frame for all sources that have to be asked because they report nothing by themselves.

    ask        a source for its parts (connectors, subjects) as they are now
    compare    them with what was last reported of them: the graph knows it, and a poll keeps nothing of its own
    send       what has changed, as events like those of any producer

A part that cannot be read is skipped with the reason, and the others continue. A source (a cluster, a registry) that
gives no complete answer reports nothing, and the other sources continue; so does one that meets a bug of Headwater's.
Each source has an equal share of the time; what is left then waits for the next poll.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from traceback import extract_tb
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from headwater.concurrent import concurrent_map
from headwater.openlineage.event import Facets, Name
from headwater.openlineage.instant import Instant
from headwater.rest import BadAnswer, Unreachable
from headwater.retry import Deadline

Document = dict[str, Any]
Part = TypeVar("Part")

POSTPONED = "postponed to the next poll, since the time of this one is over"


class ReportedRun(NamedTuple):
    id: str
    state: str
    facets: Facets
    updated: Instant


class ReportedJob(NamedTuple):
    """A job as the graph has it, with its newest run."""

    name: str
    facets: Facets
    run: ReportedRun | None


class ReportedDataset(NamedTuple):
    name: str
    facets: Facets


class PolledGraph(Protocol):
    """The graph that polls keep in step: in the store, or on a server. A server that gives no answer is Unreachable."""

    def jobs(self, namespace: str) -> Iterable[ReportedJob]:
        """The jobs of a namespace."""

    def datasets(self, namespace: str) -> Iterable[ReportedDataset]:
        """The datasets of a namespace."""

    def columns(self, datasets: Sequence[Name]) -> Mapping[Name, Sequence[str]]:
        """The columns of datasets whose schema is known, nested columns by their paths (schema_diff.py)."""

    def send(self, events: Sequence[Document], /) -> None:
        """Sends events like those of any producer. Raises if not all of them were taken."""


class Comparison(NamedTuple):
    """A source as it is now, beside what was last reported of it.

    read       how many parts the source has
    changes    of each part that was read: makes the events that bring the graph in step, in the order of this mapping
    skipped    the parts that could not be read, with the reasons
    unplaced   the parts that name nothing in the graph
    """

    read: int
    changes: Mapping[str, Callable[[datetime], Iterable[Document]]]
    skipped: Mapping[str, str]
    unplaced: Sequence[str] = ()


class PolledSource(Protocol):
    """A source. The log has its name."""

    @property
    def name(self) -> str: ...

    def compare(self, graph: PolledGraph, deadline: Deadline) -> Comparison:
        """Asks for the parts, until the deadline. Raises Unreachable if there is no complete answer."""


class PollResult(NamedTuple):
    """The outcome of a poll: how many parts the source has, how many events were sent, the parts that could not be
    reported, with the reasons, and those that name nothing in the graph; or why nothing could be reported at all."""

    source: str
    read: int = 0
    sent: int = 0
    skipped: Mapping[str, str] = {}
    unplaced: Sequence[str] = ()
    unreachable: Unreachable | None = None


def poll_each(
    sources: Sequence[PolledSource], graph: Callable[[], PolledGraph], deadline: Deadline
) -> Iterator[PollResult]:
    """Polls each source once. `graph` makes the graph for one of them."""
    for number, source in enumerate(sources):
        share = deadline.seconds_left / (len(sources) - number)
        try:
            result = poll(source, graph(), datetime.now(UTC), deadline.within(share))
        except Unreachable as error:
            result = PollResult(source.name, unreachable=error)
        except Exception as error:  # noqa: BLE001 - a team's settings must not stop the polls of others
            frame = extract_tb(error.__traceback__)[-1]  # not the error's text, which may have a secret
            fault = Unreachable(f"a fault of Headwater: {type(error).__name__} in {frame.name}, line {frame.lineno}")
            result = PollResult(source.name, unreachable=fault)
        yield result


def poll(source: PolledSource, graph: PolledGraph, now: datetime, deadline: Deadline) -> PollResult:
    """Sends what has changed since the last poll. Half of the time is for reading the parts, and half for reporting
    them, however long the first took. Raises Unreachable if the source gave no complete answer."""
    if deadline.is_over:
        raise Unreachable(POSTPONED)
    half = deadline.seconds_left / 2
    read, changes, skipped, unplaced = source.compare(graph, deadline.within(half))
    made = read_each(changes, lambda name: list(changes[name](now)), deadline.within(half))
    events = [event for of_part in made.whole.values() for event in of_part]
    if events:
        graph.send(events)
    return PollResult(source.name, read, len(events), {**skipped, **made.partly}, unplaced)


class ReadParts(NamedTuple, Generic[Part]):
    """The parts of a source by name: those that were read whole, and the reasons why others were not."""

    whole: Mapping[str, Part]
    partly: Mapping[str, str]


def read_each(names: Iterable[str], read: Callable[[str], Part], deadline: Deadline) -> ReadParts[Part]:
    """Reads parts, some at the same time. A part that raises Unreachable or BadAnswer costs no other."""

    def read_one(name: str) -> Part | Exception:
        try:
            return Unreachable(POSTPONED) if deadline.is_over else read(name)
        except (Unreachable, BadAnswer) as error:
            return error

    asked = list(names)
    parts = dict(zip(asked, concurrent_map(read_one, asked), strict=True))
    return ReadParts(
        {name: part for name, part in parts.items() if not isinstance(part, Exception)},
        {name: str(part) for name, part in parts.items() if isinstance(part, Exception)},
    )
