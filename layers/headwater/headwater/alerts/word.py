"""Who says that a dataset has another schema now, in which run, and whether that is news.

Producers tell of a schema in each event. Most of what they say was known; and some of it is not what the dataset is,
but what somebody took it for: a stream keeps the schema that it started with, a job may read a file with a schema of
its own. So what a reader says is news only if the same reader said something else before, or never said anything.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from headwater.alerts.turn import Turn
from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId
from headwater.graph.job import JobHead, Seen
from headwater.graph.mention import DatasetUse, Uses, schema_said
from headwater.graph.neighbours import NOBODY, Side
from headwater.graph.register import Register, time_of
from headwater.graph.run import Run
from headwater.graph.schema_diff import columns_of
from headwater.lookup.reader import Reader
from headwater.openlineage.instant import Instant
from headwater.store import keys, records

MOST_JOBS = 1_000
"""Jobs of a dataset that are asked; of a table with more readers, some."""
MOST_RUNS = 20
"""Runs of a job that are looked at for what it said before."""


@dataclass(frozen=True, slots=True)
class Word:
    """What was said, when, and by which job and run, if by one; `earlier` are the job's runs before that one."""

    at: Instant
    job: JobHead | None = None
    run: Run | None = None
    earlier: tuple[Run, ...] = ()

    @property
    def since(self) -> Instant:
        """When it was first so: the run may have said it before, or have begun to make it so."""
        return min(self.at, self.run.started_at) if self.run else self.at


class Schemas:
    """The schemas of a dataset by their digests, read as they are asked for."""

    def __init__(self, reader: Reader, dataset: NodeId) -> None:
        self.reader = reader
        self.dataset = dataset
        self._known: dict[str, Any] = {}

    def __getitem__(self, digest: str) -> Any:
        if digest not in self._known:
            key = keys.schema(self.dataset, digest)
            item = self.reader.table.read([key]).get(key)
            self._known[digest] = records.read_document(item) if item else None
        return self._known[digest]

    def agree(self, one: str | None, other: str | None) -> bool:
        """Whether two schemas have the same columns of the same types."""
        return one is not None and other is not None and columns_of(self[one]) == columns_of(self[other])


def word_of(reader: Reader, dataset: NodeId, head: DatasetHead, turn: Turn) -> Word | None:
    """The newest who says what a turn leads to. None if nobody is found to say it any more."""
    said: list[tuple[Register, JobHead | None]] = [(register, job) for job, register in _said(reader, dataset, turn)]
    own = schema_said(head.facts.own)
    if turn.side is Side.WRITES and own and own.value == turn.after:
        said.append((own, None))
    if not said:
        return None
    register, job = max(said, key=lambda each: each[0].stamp)
    return _in_run(reader, dataset, job, register, turn.side) if job else Word(time_of(register.stamp))


def is_news(schemas: Schemas, turn: Turn, word: Word) -> bool:
    """Whether what a reader says tells of a change. What somebody wrote always does."""
    if turn.side is Side.WRITES or word.job is None:
        return True
    dataset = schemas.dataset
    said = [(run, digest) for run in word.earlier if (digest := _digest(run.inputs.get(dataset)))]
    if said and schemas.agree(said[0][1], turn.after):
        return False
    since = word.run.inputs[dataset].first if word.run and dataset in word.run.inputs else word.at
    if _last_write(schemas.reader, dataset) >= since:
        return False
    contrary = said[0][0].inputs[dataset].first if said else None
    return contrary is None or not any(_others_since(schemas, turn, word.job, contrary))


def is_first(dataset: NodeId, word: Word) -> bool:
    """Whether a job says something of the dataset's schema for the first time, as far as its runs are known."""
    return word.job is not None and not any(_digest(run.inputs.get(dataset)) for run in word.earlier)


def _said(reader: Reader, dataset: NodeId, turn: Turn) -> Iterator[tuple[JobHead, Register]]:
    for head, seen in _users(reader, dataset, (turn.side,)):
        register = seen.wrote if turn.side is Side.WRITES else schema_said(seen.facets)
        if register and register.value == turn.after:
            yield head, register


def _users(reader: Reader, dataset: NodeId, sides: Collection[Side]) -> Iterator[tuple[JobHead, Seen]]:
    around = reader.around([dataset], sides, MOST_JOBS)
    users = around.users.get(around.same.get(dataset, dataset), NOBODY)
    heads = reader.jobs(sorted({job for side in sides for job in users[side]})[:MOST_JOBS])
    return ((head, head.facts.seen[dataset]) for head in heads.values() if dataset in head.facts.seen)


def _others_since(schemas: Schemas, turn: Turn, job: JobHead, since: Instant) -> Iterator[bool]:
    """Whether each other job has said the same since a time: then it was told when that one did."""
    for head, seen in _users(schemas.reader, schemas.dataset, tuple(Side)):
        register = schema_said(seen.facets)
        if head.facts.node != job.facts.node and register and register.time > since:
            yield schemas.agree(register.value, turn.after)


def _in_run(reader: Reader, dataset: NodeId, job: JobHead, register: Register, side: Side) -> Word:
    at = time_of(register.stamp)
    newest = islice(reader.table.newest(keys.job_head(job.facts.node).pk, limit=MOST_RUNS), MOST_RUNS)
    runs = reader.read_runs(list(newest))
    for number, run in enumerate(runs):
        said = schema_said(use.facets) if (use := _side(run, side).get(dataset)) else None
        if said and said.value == register.value and said.time == at:
            return Word(at, job, run, tuple(runs[number + 1 :]))
    return Word(at, job)


def _last_write(reader: Reader, dataset: NodeId) -> str:
    """The time of the newest version that somebody wrote, as its place in the index; empty if nobody did."""
    pk = keys.dataset_head(dataset).pk
    newest = list(islice(reader.table.newest(pk, limit=1), 1))
    return next((item.labels["at"] for item in (reader.table.read(newest) if newest else {}).values()), "")


def _side(run: Run, side: Side) -> Uses:
    return run.outputs if side is Side.WRITES else run.inputs


def _digest(use: DatasetUse | None) -> str | None:
    register = schema_said(use.facets) if use else None
    return register.value if register else None
