"""States on their way between steps: joined in any number, packed for the tasks of the next step, and unpacked."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emr_jobs.archive import events as archive_events
from emr_jobs.archive.events import Lines
from emr_jobs.rebuild.packets import Joins, Packer, Packet
from headwater.graph.states.job import JobFacts, JobHead
from headwater.graph.states.run import Run
from headwater.openlineage import exact_json
from headwater.openlineage.event import RunEvent
from headwater.openlineage.instant import parse_instant
from headwater.openlineage.wire import read_event
from headwater.store.archive_location import Location
from headwater.store.messages import ReceivedMessage, archive_line
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
    assert [state for packet in Packet.all_of("states", 0, states) for state in packet.records] == states


def test_a_packet_of_several_records_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    records = ["x" * 100, "y" * 5_000, *map(str, range(1_000))]
    monkeypatch.setattr("emr_jobs.rebuild.packets.MOST_BYTES", 1_000)
    packets = list(Packet.all_of("texts", 7, records))
    assert [record for packet in packets for record in packet.records] == records
    assert all(len(packet.content) <= 1_000 or len(packet.records) == 1 for packet in packets)
    assert {packet.task for packet in packets} == {7}


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


def handed_on(location: Location, tasks: int) -> list[Lines]:
    (found,) = location.objects("events/date=2026-11-20/")
    return [part for part in archive_events._lines_by_task(location, found, tasks) if isinstance(part, Lines)]


def test_a_large_object_is_handed_on_in_parts_that_know_their_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [b"%d %s\n" % (number, b"x" * 50) for number in range(1, 101)]
    monkeypatch.setattr(archive_events, "HANDED_ON_BYTES", 1000)
    parts = handed_on(archive(tmp_path, lines, files=1), tasks=3)
    assert len(parts) > 5
    assert {part.task for part in parts} <= {0, 1, 2}
    assert sorted(pair for part in parts for pair in part.numbered) == [*enumerate(lines, start=1)]


def line_of(job: str, run: int, kind: str) -> bytes:
    event = factory.run_event(kind, job=job, run=run, outputs=[factory.dataset(f"{job} out")])
    return archive_line(ReceivedMessage(exact_json.dumps(event), parse_instant("2026-11-20T10:00:00Z")))


def test_a_job_has_one_task_and_a_job_with_many_runs_has_several(tmp_path: Path) -> None:
    runs = [(job, run) for run in range(20) for job in ("one", "two", "three")]
    runs += [("hot", run) for run in range(20, 1_020)]
    lines = [line_of(*run, kind) for run in runs for kind in ("START", "COMPLETE")]
    tasks: dict[str, set[int]] = {}
    of_runs: dict[tuple[str, int], set[int]] = {}
    for part in handed_on(archive(tmp_path, lines, files=1), tasks=50):
        for number, _ in part.numbered:
            job, run = runs[(number - 1) // 2]
            tasks.setdefault(job, set()).add(part.task)
            of_runs.setdefault((job, run), set()).add(part.task)
    assert {job: len(tasks[job]) for job in ("one", "two", "three")} == {"one": 1, "two": 1, "three": 1}
    assert len(tasks["hot"]) > 8
    assert max(map(len, of_runs.values())) == 1
