"""States on their way between steps: joined in any number, packed for the tasks of the next step, and unpacked."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emr_jobs.archive import events as archive_events
from emr_jobs.archive.events import Chunk
from emr_jobs.rebuild.packets import Joins, Packer, Packet
from headwater.graph.job import JobFacts, JobHead
from headwater.graph.run import Run
from headwater.openlineage.event import RunEvent
from headwater.openlineage.wire import read_event
from tests import factory, strategies
from tests.emr_jobs.archives import archive


@dataclass(frozen=True)
class Union:
    """A state that counts the members that its joins copy."""

    members: frozenset[int]
    copied: ClassVar[int] = 0

    def join(self, other: "Union") -> "Union":
        Union.copied += len(self.members) + len(other.members)
        return Union(self.members | other.members)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 50)), max_size=60))
def test_the_states_of_each_key_are_joined(pairs: list[tuple[str, int]]) -> None:
    joins = Joins()
    for key, member in pairs:
        joins.add(key, Union(frozenset([member])))
    in_order = sorted(pairs)
    expected = {key: {member for _, member in group} for key, group in groupby(in_order, key=lambda pair: pair[0])}
    assert {key: state.members for key, state in joins.take()} == expected
    assert len(joins) == 0


def test_a_key_with_20_000_states_copies_each_fifteen_times() -> None:
    joins, number = Joins(), 20_000
    Union.copied = 0
    for member in range(number):
        joins.add("hot", Union(frozenset([member])))
    ((_, joined),) = joins.take()
    assert len(joined.members) == number
    assert Union.copied <= 15 * number


@given(st.lists(strategies.events, min_size=1, max_size=5))
def test_a_state_is_unpacked_as_it_was_packed(documents: list[factory.Document]) -> None:
    states: list[JobHead | Run] = []
    for document in documents:
        event = read_event(document)
        facts = JobFacts.of(event)
        states += [JobHead(facts)] if facts else []
        states += [Run.of(event)] if isinstance(event, RunEvent) else []
    assert Packet.of("states", 0, states).records == states


def test_a_packet_has_all_records_of_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "0")  # as Spark sets it for its workers
    packer = Packer(tasks=3)
    for number in range(30):
        packer.add("number", number, number)
        packer.join("union", number % 2, Union(frozenset([number])))
    assert not packer.is_full
    packets = list(packer.packets())
    numbers = {packet.task: packet.records for packet in packets if packet.kind == "number"}
    assert numbers == {task: [*range(task, 30, 3)] for task in range(3)}
    unions = [record for packet in packets if packet.kind == "union" for record in packet.records]
    assert dict(unions) == {odd: Union(frozenset(range(odd, 30, 2))) for odd in (0, 1)}
    assert list(packer.packets()) == []


def test_a_large_object_is_handed_on_in_chunks_that_know_their_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [b"%d %s\n" % (number, b"x" * 50) for number in range(1, 101)]
    location = archive(tmp_path, lines, files=1)
    (found,) = location.objects("events/date=2026-11-20/")
    monkeypatch.setattr(archive_events, "CHUNK_BYTES", 1000)
    chunks = [each for each in archive_events._chunks(location, found) if isinstance(each, Chunk)]
    assert len(chunks) > 5
    assert [line for chunk in chunks for line in chunk.lines] == lines
    assert all(chunk.lines[0].split()[0] == b"%d" % chunk.first for chunk in chunks)
