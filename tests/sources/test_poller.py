"""The frame of all sources: a fault costs no other part and no other source, and each has its share of the time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest

from headwater.concurrent import make_sequential
from headwater.openlineage.event import Name
from headwater.rest import BadAnswer, Unreachable
from headwater.retry import Deadline
from headwater.sources.poller import (
    POSTPONED,
    Comparison,
    Document,
    PolledGraph,
    PollResult,
    ReportedDataset,
    ReportedJob,
    poll,
    poll_each,
    read_each,
)
from tests import factory


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def deadline(self, seconds: float) -> Deadline:
        deadline = Deadline(self)
        deadline.begin(seconds)
        return deadline


@dataclass
class Graph:
    """A graph that knows nothing, and takes all events."""

    sent: list[Document] = field(default_factory=list)

    def jobs(self, _namespace: str) -> Iterable[ReportedJob]:
        return []

    def datasets(self, _namespace: str) -> Iterable[ReportedDataset]:
        return []

    def columns(self, _datasets: Sequence[Name]) -> Mapping[Name, Sequence[str]]:
        return {}

    def send(self, events: Sequence[Document], /) -> None:
        self.sent += events


Work = Callable[[], None]


@dataclass
class Shelf:
    """A source whose parts take work to read and to tell of, an event each; it had `seconds` for reading."""

    name: str
    parts: dict[str, Work]
    telling: dict[str, Work] = field(default_factory=dict)
    seconds: float = 0

    def compare(self, _graph: PolledGraph, deadline: Deadline) -> Comparison:
        self.seconds = deadline.seconds_left
        whole, partly = read_each(self.parts, lambda part: self.parts[part](), deadline)
        return Comparison(len(self.parts), {part: self._teller(part) for part in whole}, partly)

    def _teller(self, part: str) -> Callable[[datetime], list[Document]]:
        def tell(_now: datetime) -> list[Document]:
            self.telling.get(part, done)()
            return [{"part": part}]

        return tell


@pytest.fixture
def graph() -> Graph:
    return Graph()


@pytest.fixture
def clock() -> Clock:
    return Clock()


def done() -> None:
    """A part that is read at once."""


def fails(error: Exception) -> Work:
    def work() -> None:
        raise error

    return work


def takes(clock: Clock, seconds: float) -> Work:
    def work() -> None:
        clock.seconds += seconds

    return work


def polled(graph: Graph, source: Any, deadline: Deadline | None = None) -> PollResult:
    return poll(source, graph, factory.EPOCH, deadline or Deadline())


def one_by_one(call: Callable[[], PollResult]) -> PollResult:
    """The result of a call whose concurrent calls are made in order."""
    with ThreadPoolExecutor(1, initializer=make_sequential) as thread:
        return thread.submit(call).result()


@pytest.mark.parametrize("error", [Unreachable("no answer"), BadAnswer("half an answer")])
@pytest.mark.parametrize("stage", ["reading", "telling"])
def test_a_part_that_fails_is_named_and_costs_no_other(graph: Graph, stage: str, error: Exception) -> None:
    work = {"b": fails(error)}
    parts = {"a": done, "b": done, "c": done}
    result = polled(graph, Shelf("s", parts | work) if stage == "reading" else Shelf("s", parts, work))
    assert (result.read, result.sent, result.skipped) == (3, 2, {"b": str(error)})
    assert graph.sent == [{"part": "a"}, {"part": "c"}]


def test_another_error_is_a_bug_and_is_raised(graph: Graph) -> None:
    with pytest.raises(ZeroDivisionError):
        polled(graph, Shelf("s", {"a": fails(ZeroDivisionError())}))


@pytest.mark.parametrize(("error", "reason"), [(Unreachable("away"), "away"), (ValueError("hunter2"), "ValueError in")])
def test_a_source_that_is_away_or_meets_a_bug_costs_no_other(graph: Graph, error: Exception, reason: str) -> None:
    class Away(Shelf):
        def compare(self, _graph: PolledGraph, _deadline: Deadline) -> Comparison:
            raise error

    first, second = poll_each([Away("one", {}), Shelf("other", {"a": done})], lambda: graph, Deadline())
    assert (first.source, reason in str(first.unreachable), second.sent) == ("one", True, 1)
    assert "hunter2" not in str(first.unreachable)


def test_parts_that_are_not_read_in_half_of_the_time_are_postponed_and_the_others_are_told(
    graph: Graph, clock: Clock
) -> None:
    source = Shelf("s", dict.fromkeys("abcd", takes(clock, 4)))
    result = one_by_one(lambda: polled(graph, source, clock.deadline(20)))
    assert (result.read, result.sent, result.skipped) == (4, 3, {"d": POSTPONED})


def test_changes_that_are_not_told_in_the_other_half_are_postponed(graph: Graph, clock: Clock) -> None:
    source = Shelf("s", dict.fromkeys("abcd", done), dict.fromkeys("abcd", takes(clock, 6)))
    result = one_by_one(lambda: polled(graph, source, clock.deadline(20)))
    assert (graph.sent, list(result.skipped)) == ([{"part": "a"}, {"part": "b"}], ["c", "d"])


def test_what_took_too_long_to_read_is_told_all_the_same(graph: Graph, clock: Clock) -> None:
    """A source that is slow at each poll would else never be told of."""
    assert polled(graph, Shelf("s", {"a": takes(clock, 30)}), clock.deadline(20)).sent == 1


def test_each_source_has_an_equal_share_of_the_time_that_is_left(graph: Graph, clock: Clock) -> None:
    slow = Shelf("slow", {"a": takes(clock, 15)})
    quick = [Shelf(name, dict.fromkeys("ab", done)) for name in ("one", "other")]
    assert [result.sent for result in list(poll_each([slow, *quick], lambda: graph, clock.deadline(30)))] == [1, 2, 2]
    assert (slow.seconds, [source.seconds for source in quick]) == (5, [3.75, 7.5])


def test_a_source_for_which_no_time_is_left_is_not_asked(graph: Graph, clock: Clock) -> None:
    sources = [Shelf("slow", {"a": takes(clock, 15)}), Shelf("late", {"a": done})]
    _, late = poll_each(sources, lambda: graph, clock.deadline(10))
    assert (str(late.unreachable), sources[1].seconds) == (POSTPONED, 0)


def test_without_a_deadline_all_parts_are_read(graph: Graph) -> None:
    assert polled(graph, Shelf("s", dict.fromkeys(map(str, range(100)), done))).sent == 100
