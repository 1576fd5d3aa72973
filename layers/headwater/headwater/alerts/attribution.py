"""Who says that a dataset has another schema now, and in which run."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from typing import NamedTuple

from headwater.alerts.schema_transition import SchemaTransition, is_drop
from headwater.graph.dataset_reference import schema_said
from headwater.graph.identity import NodeId
from headwater.graph.job import DatasetUsage, JobHead
from headwater.graph.neighbours import NOBODY, Side
from headwater.graph.register import Register, values
from headwater.graph.run import Run
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.store import item_codec, keys
from headwater.store.keys import Key

DROPPED = "dropped"
MOST_JOBS = 1_000
"""Jobs of a dataset that are asked; of a table with more readers, some."""
MOST_RUNS = 20
"""Runs of a job that are looked at for what it said before."""
MOST_VERSIONS = 50
"""Versions of a dataset that are looked at for the one that brought a change."""
MOST_ASKED = 10
"""Readers of which the runs are looked at, if none of them says any more what it said."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """What was said, when, and by which job and run, if by one; `earlier` are the job's runs before that one."""

    at: Instant
    job: JobHead | None = None
    run: Run | None = None
    earlier: tuple[Run, ...] = ()

    @property
    def since(self) -> Instant:
        """When it was first so: the run may have said it before, or have begun to make it so."""
        return min(self.at, self.run.started_at) if self.run else self.at


def attribute_transition(reader: Reader, dataset: NodeId, transition: SchemaTransition) -> Attribution | None:
    """Who says the new schema of a transition: the run that wrote it, or the newest that read it; or None."""
    if transition.side is Side.WRITES:
        return _written(reader, dataset, transition)
    users = list(users_of(reader, dataset, (Side.READS,)))
    said = [(register, job) for job, usage in users if (register := schema_said(usage.facets))]
    saying = [(register, job) for register, job in said if register.value == transition.after]
    if saying:
        register, job = max(saying, key=lambda each: each[0].stamp)
        return _read_in(reader, dataset, job, register.value, register.time) or Attribution(register.time, job)
    # It has said something else since, in the same batch perhaps.
    attributions = [
        _read_in(reader, dataset, job, transition.after) for _, job in sorted(said, key=_stamp)[-MOST_ASKED:]
    ]
    return max(
        (attribution for attribution in attributions if attribution),
        key=lambda attribution: attribution.at,
        default=None,
    )


def users_of(reader: Reader, dataset: NodeId, sides: Collection[Side]) -> Iterator[tuple[JobHead, DatasetUsage]]:
    """The jobs that use a dataset on these sides, and what each has seen of it."""
    neighbourhood = reader.neighbourhood([dataset], sides, MOST_JOBS)
    users = neighbourhood.users.get(neighbourhood.same.get(dataset, dataset), NOBODY)
    heads = reader.jobs(sorted({job for side in sides for job in users[side]})[:MOST_JOBS])
    return ((head, head.facts.usages[dataset]) for head in heads.values() if dataset in head.facts.usages)


def _read_in(
    reader: Reader, dataset: NodeId, job: JobHead, digest: str | None, at: Instant | None = None
) -> Attribution | None:
    """The newest run of a job that read a dataset with a schema; if `at` is given, that which last said it then."""
    runs = _runs(reader, job)
    for number, run in enumerate(runs):
        said = schema_said(use.facets) if (use := run.inputs.get(dataset)) else None
        if said and said.value == digest and at in (None, said.time):
            return Attribution(said.time, job, run, tuple(runs[number + 1 :]))
    return None


class _WrittenVersion(NamedTuple):
    """What was written: `said` is the digest of the schema, or DROPPED."""

    key: Key
    said: str
    at: Instant


def _written(reader: Reader, dataset: NodeId, transition: SchemaTransition) -> Attribution | None:
    """The first of the versions in a row that a transition leads to: it made the change, the others only repeat it. Of
    a drop that came late there is none: what was written since, by event time, is newer."""
    rows = [[*row] for _, row in groupby(_versions(reader, dataset), key=lambda version: version.said)]
    wanted = DROPPED if transition.is_drop else transition.after
    behind = rows[transition.later_transitions : transition.later_transitions + 1]
    row = next((row for row in [*behind, *([] if transition.is_drop else rows)] if row[0].said == wanted), None)
    if row is None:
        return None
    key, _, at = row[-1]
    run_id, job_id = keys.run_of(key.sk)
    job = reader.jobs([job_id]).get(job_id) if job_id else None
    run = next(iter(reader.read_runs([keys.run(job_id, run_id)])), None)
    earlier = [each for each in _runs(reader, job) if each.order < run.order] if job and run else []
    return Attribution(at, job, run, tuple(earlier))


def _versions(reader: Reader, dataset: NodeId) -> Iterator[_WrittenVersion]:
    """The versions that say a schema, the newest first."""
    found = list(islice(reader.table.newest(keys.dataset_head(dataset).pk, limit=MOST_VERSIONS), MOST_VERSIONS))
    items = reader.table.read(found) if found else {}
    for key in found:
        use = item_codec.read_write(items[key]) if key in items else None
        said = schema_said(use.facets) if use else None
        if use and is_drop(values(use.facets)):
            yield _WrittenVersion(key, DROPPED, use.first)
        elif said:
            yield _WrittenVersion(key, said.value, said.time)


def _runs(reader: Reader, job: JobHead) -> list[Run]:
    return reader.read_runs(reader.newest_runs(job.facts.node, MOST_RUNS))


def _stamp(said: tuple[Register, JobHead]) -> str:
    return said[0].stamp
