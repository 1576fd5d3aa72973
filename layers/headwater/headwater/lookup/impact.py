"""What would break downstream if a dataset or some of its columns changed, how far away, on which way, and whose it is.

A hop costs what one of lineage costs, two reads, and one more for columns. The walk is bounded in hops, in what it
finds and in time, and says so.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from headwater.graph.application import is_action
from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, job_id
from headwater.graph.register import values
from headwater.lookup import shapes
from headwater.lookup.columns import Steps
from headwater.lookup.consumers import Consumers
from headwater.lookup.names import Kind
from headwater.lookup.question import DEFAULT_DEPTH
from headwater.lookup.reader import Reader
from headwater.lookup.spread import By, Place, Reached, Spread
from headwater.openlineage.instant import Instant

PUSHED_DOWN = ("max({})", "min({})", "count({})")
"""What Spark has an Iceberg scan compute, the listener names as if it were a column of the table: `max(id)`."""


class Reach(NamedTuple):
    """How far to go: how many job hops, until how much is found; and by what was known at a time, or is now."""

    depth: int = DEFAULT_DEPTH
    most: int = 5_000
    as_of: Instant | None = None


_FAR = Reach()


@dataclass(frozen=True, slots=True)
class AtRisk:
    """A job, dataset or column that would break. `distance` counts the jobs on the way, and `path` names what is on it,
    from what changed to this node. `owners` are those of the dataset, else those of the job that writes it."""

    node_id: str
    kind: Kind
    distance: int
    by: By
    is_indirect: bool
    path: tuple[str, ...]
    transformations: Steps
    owners: tuple[str, ...]


class Impact(NamedTuple):
    """What is at risk, nearest first, and whether there is more. `head` is that of the dataset itself, if known."""

    head: DatasetHead | None
    at_risk: tuple[AtRisk, ...]
    is_truncated: bool


def impact(reader: Reader, dataset: NodeId, columns: Collection[str] | None = None, reach: Reach = _FAR) -> Impact:
    """What a change of a dataset, or only of some of its columns, puts at risk. The columns need not be there (any
    more): what is known of those who use them counts."""
    known = Consumers(reader, reach.most + 1, of_columns=columns is not None, as_of=reach.as_of)
    known.read_datasets([dataset])
    one = known.one(dataset)
    head = known.heads.get(one)
    if head is None:
        return Impact(None, (), is_truncated=False)
    spread = Spread(known, reach.most)
    whole = Reached(Place(Kind.DATASET, one), 0, By.DATASET)
    fields = sorted(name for field in columns or () for name in (field, *(each.format(field) for each in PUSHED_DOWN)))
    parts = [Reached(Place(Kind.FIELD, one, field), 0, By.COLUMN) for field in fields]
    spread.go([whole] if columns is None else parts, reach.depth)
    found = sorted(_at_risk(spread), key=lambda each: (each.distance, each.node_id))
    is_truncated = spread.is_truncated or known.is_cut or len(found) > reach.most
    return Impact(head, tuple(found[: reach.most]), is_truncated)


def _at_risk(spread: Spread) -> Iterator[AtRisk]:
    """What was reached, but for what changed itself."""
    known = spread.known
    jobs = {each.place.id for each in spread.reached.values() if each.place.kind is Kind.JOB}
    for each in spread.reached.values():
        if each.distance and not _is_derivation(known, each.place) and not _is_part(known, each.place, jobs):
            path = tuple(_node_id(known, place) for place in each.path if not _is_derivation(known, place))
            steps = [step for of_hop in each.steps for step in of_hop]
            owners = tuple(dict.fromkeys(_owners(known, each)))
            yield AtRisk(path[-1], each.place.kind, each.distance, each.by, each.is_indirect, path, steps, owners)


def _is_derivation(known: Consumers, place: Place) -> bool:
    """What makes a view, or another dataset without a job, is a hop, but no node that anybody could look at."""
    return place.kind is Kind.JOB and known.jobs[place.id].facts.is_derivation


def _is_part(known: Consumers, place: Place, jobs: Collection[NodeId]) -> bool:
    """Whether it is an action of an application that is at risk itself: that is one thing that would break."""
    if place.kind is not Kind.JOB:
        return False
    head = known.jobs[place.id]
    application = shapes.parent_name(head)
    return application is not None and job_id(application) in jobs and is_action(values(head.facts.facets))


def _owners(known: Consumers, reached: Reached) -> list[str]:
    place = reached.place
    job = place.id if place.kind is Kind.JOB else reached.job
    of_job = shapes.owners_of(values(known.jobs[job].facts.facets)) if job else []
    return of_job if place.kind is Kind.JOB else shapes.owners_of(known.heads[place.id].facets) or of_job


def _node_id(known: Consumers, place: Place) -> str:
    if place.kind is Kind.JOB:
        return shapes.node_id(place.kind, known.jobs[place.id].facts.name)
    dataset = shapes.node_id(place.kind, known.heads[place.id].facts.name)
    return dataset if place.field is None else f"{dataset}:{place.field}"
