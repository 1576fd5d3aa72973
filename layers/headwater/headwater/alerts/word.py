"""Who says that a dataset has another schema now, in which run, and whether that is news.

Producers tell of a schema in each event. Most of what they say was known; and some of it is not what the dataset is,
but what somebody took it for: a stream keeps the schema that it started with, a job may read a file with a schema of
its own. So what a reader says is news only if the same reader said something else before, or never said anything.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any

from headwater.alerts.turn import Turn
from headwater.graph.identity import NodeId
from headwater.graph.job import JobHead, Seen
from headwater.graph.mention import DatasetUse, schema_said
from headwater.graph.neighbours import NOBODY, Side
from headwater.graph.register import Register
from headwater.graph.run import Run
from headwater.graph.schema_diff import columns_of
from headwater.lookup.reader import Reader
from headwater.openlineage.instant import Instant
from headwater.store import keys, records

MOST_JOBS = 1_000
"""Jobs of a dataset that are asked; of a table with more readers, some."""
MOST_RUNS = 20
"""Runs of a job that are looked at for what it said before."""
MOST_VERSIONS = 50
"""Versions of a dataset that are looked at for the one that brought a change."""
MOST_ASKED = 10
"""Readers of which the runs are looked at, if none of them says any more what it said."""


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


def word_of(reader: Reader, dataset: NodeId, turn: Turn) -> Word | None:
    """Who says what a turn leads to: the run that wrote it, or the newest that read it. None if nobody is found."""
    if turn.side is Side.WRITES:
        return _written(reader, dataset, turn.after)
    users = list(_users(reader, dataset, (Side.READS,)))
    said = [(register, job) for job, seen in users if (register := schema_said(seen.facets))]
    saying = [(register, job) for register, job in said if register.value == turn.after]
    if saying:
        register, job = max(saying, key=lambda each: each[0].stamp)
        return _read_in(reader, dataset, job, register.value, register.time) or Word(register.time, job)
    # It has said something else since, in the same batch perhaps.
    words = [_read_in(reader, dataset, job, turn.after) for _, job in sorted(said, key=_stamp)[-MOST_ASKED:]]
    return max((word for word in words if word), key=lambda word: word.at, default=None)


def is_news(schemas: Schemas, turn: Turn, word: Word) -> bool:
    """Whether what a reader says tells of a change. What somebody wrote always does."""
    if turn.side is Side.WRITES or word.job is None:
        return True
    dataset = schemas.dataset
    if _is_known_by_another_name(schemas, turn):
        return False
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


def _is_known_by_another_name(schemas: Schemas, turn: Turn) -> bool:
    """Whether the dataset has that schema already under another name that a symlink gives it."""
    around = schemas.reader.around([schemas.dataset], ())
    others = around.ids_of(around.same.get(schemas.dataset, schemas.dataset)) - {schemas.dataset}
    columns = columns_of(schemas[turn.after]) if turn.after else {}
    heads = schemas.reader.datasets(others) if others else {}
    return any(columns_of(head.schema) == columns for head in heads.values())


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


def _read_in(
    reader: Reader, dataset: NodeId, job: JobHead, digest: str | None, at: Instant | None = None
) -> Word | None:
    """The newest run of a job that read a dataset with a schema; if `at` is given, that which last said it then."""
    runs = _runs(reader, job)
    for number, run in enumerate(runs):
        said = schema_said(use.facets) if (use := run.inputs.get(dataset)) else None
        if said and said.value == digest and at in (None, said.time):
            return Word(said.time, job, run, tuple(runs[number + 1 :]))
    return None


def _written(reader: Reader, dataset: NodeId, digest: str | None) -> Word | None:
    """The first of the newest versions in a row that have a schema: it made the change, the others only repeat it."""
    found = list(islice(reader.table.newest(keys.dataset_head(dataset).pk, limit=MOST_VERSIONS), MOST_VERSIONS))
    items = reader.table.read(found) if found else {}
    said = [
        (key, each) for key in found if key in items and (each := schema_said(records.read_write(items[key]).facets))
    ]
    later = takewhile(lambda version: version[1].value != digest, said)
    rest = said[len(list(later)) :]
    row = list(takewhile(lambda version: version[1].value == digest, rest))
    if not row:
        return None
    key, register = row[-1]
    run_id, job_id = keys.run_of(key.sk)
    job = reader.jobs([job_id]).get(job_id) if job_id else None
    runs = _runs(reader, job) if job else []
    place = next((number for number, run in enumerate(runs) if run.run_id == run_id), None)
    if place is None:
        return Word(register.time, job)
    return Word(register.time, job, runs[place], tuple(runs[place + 1 :]))


def _runs(reader: Reader, job: JobHead) -> list[Run]:
    return reader.read_runs(reader.newest_runs(job.facts.node, MOST_RUNS))


def _stamp(said: tuple[Register, JobHead]) -> str:
    return said[0].stamp


def _last_write(reader: Reader, dataset: NodeId) -> str:
    """The time of the newest version that somebody wrote, as its place in the index; empty if nobody did."""
    pk = keys.dataset_head(dataset).pk
    newest = list(islice(reader.table.newest(pk, limit=1), 1))
    return next((item.labels["at"] for item in (reader.table.read(newest) if newest else {}).values()), "")


def _digest(use: DatasetUse | None) -> str | None:
    register = schema_said(use.facets) if use else None
    return register.value if register else None
