"""How a change spreads downstream, job hop by job hop, to whatever it gets to on the shortest way.

A dataset is followed by what jobs read and write. Columns are followed by what jobs say of them: into the columns that
are made of them, and, where a filter or a join uses one, into the dataset that it bears on as a whole; what is made of
any column of that is at risk too, though indirectly. A job that reads the dataset and says nothing of the columns of an
output may use them for all that is known: the output is at risk as a whole, and so is what comes after it, by dataset.
"""

import time as clock
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from headwater.graph.identity import NodeId
from headwater.lookup.columns import Steps
from headwater.lookup.consumers import Consumers, Link
from headwater.lookup.lineage import MAX_SECONDS
from headwater.lookup.names import Kind


class By(StrEnum):
    """How it is known that something is at risk: by column all the way, or at some hop only by dataset."""

    COLUMN = "column"
    DATASET = "dataset"


class Place(NamedTuple):
    """A job, a dataset as a whole, or one of its columns."""

    kind: Kind
    id: NodeId
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """A place that a change gets to, from `origin` through a job; `steps` are the transformations of the whole way."""

    place: Place
    distance: int
    by: By
    is_indirect: bool = False
    origin: "Reached | None" = None
    job: NodeId | None = None
    steps: tuple[Steps, ...] = ()

    @property
    def doubt(self) -> tuple[bool, bool]:
        """Of two ways of one length the surer counts: one by values before one by a filter, columns before datasets."""
        return self.is_indirect, self.by is By.DATASET

    @property
    def path(self) -> list[Place]:
        """The places from the start to this one."""
        before = self.origin.path if self.origin else []
        return [*before, *([Place(Kind.JOB, self.job)] if self.job else []), self.place]


_Places = Mapping[NodeId, Mapping[str | None, Reached]]
"""What was just reached, by dataset and column; the dataset as a whole is at None."""


class Spread:
    """What a change got to so far, and whether it went further than was looked: until `most` is found, or for long."""

    def __init__(self, known: Consumers, most: int) -> None:
        self.known = known
        self.most = most
        self.reached: dict[Place, Reached] = {}
        self.is_truncated = False
        self._deadline = clock.monotonic() + MAX_SECONDS

    def go(self, start: Collection[Reached], depth: int) -> None:
        """Hop by hop: what is reached first was reached on the shortest way."""
        frontier = {each.place: each for each in start}
        self.reached |= frontier
        for _ in range(depth):
            if not frontier or self._is_over():
                break
            found: dict[Place, Reached] = {}
            for each in sorted(self._hop(_by_place(frontier.values())), key=lambda reached: reached.doubt):
                if each.place not in self.reached:
                    found.setdefault(each.place, each)
            self.reached |= found
            frontier = {place: each for place, each in found.items() if place.kind is not Kind.JOB}

    def _is_over(self) -> bool:
        if len(self.reached) > self.most or clock.monotonic() > self._deadline:
            self.is_truncated = True
        return self.is_truncated

    def _within_room(self, ids: Collection[NodeId]) -> list[NodeId]:
        """As many of these as there is room for, in an order that is always the same."""
        room = max(0, self.most - len(self.reached)) + 1
        self.is_truncated |= len(ids) > room
        return sorted(ids)[:room]

    def _hop(self, places: _Places) -> Iterator[Reached]:
        known = self.known
        readers = known.readers(places)
        known.read_jobs(self._within_room(readers - known.jobs.keys()))
        jobs = sorted(readers & known.jobs.keys())
        inputs = {job: [each for each in known.edges[job].input_ids if known.one(each) in places] for job in jobs}
        made = {output for job in jobs for each in inputs[job] for output in known.edges[job].downstream_of(each)}
        known.read_datasets(self._within_room(made.union(*(known.told.get(job, ()) for job in jobs))))
        known.read_columns(jobs, made)
        for job in jobs:
            yield from self._by_column(job, places)
            for given in sorted(inputs[job]):
                yield from self._by_dataset(job, given, places[known.one(given)])

    def _by_column(self, job: NodeId, places: _Places) -> Iterator[Reached]:
        """What a job says that it makes of the columns that were reached, or of any column of a whole dataset."""
        outputs = {*self.known.told.get(job, ()), *self.known.edges[job].output_ids}
        for output in sorted(outputs):
            for link in self.known.links(job, output):
                of_dataset = places.get(self.known.one(link.source), {})
                for field in (link.field, None):
                    if origin := of_dataset.get(field):
                        yield from self._beyond(origin, job, output, link)

    def _by_dataset(self, job: NodeId, given: NodeId, of_dataset: Mapping[str | None, Reached]) -> Iterator[Reached]:
        """What is made of an input, of which nothing tells what becomes of its columns."""
        surest = min(of_dataset.values(), key=lambda reached: reached.doubt)
        whole = of_dataset.get(None)
        outputs = self.known.edges[job].downstream_of(given)
        if not outputs:
            yield _job_reached(surest, job, By.DATASET)
        for output in sorted(outputs):
            sources = {self.known.one(link.source) for link in self.known.links(job, output)}
            origin = whole if sources else surest
            if origin and self.known.one(given) not in sources:
                yield from self._beyond(origin, job, output)

    def _beyond(self, origin: Reached, job: NodeId, output: NodeId, link: Link | None = None) -> Iterator[Reached]:
        """The job, and behind it what the link leads to; without one, all of the output."""
        at_job = _job_reached(origin, job, By.COLUMN if link else By.DATASET)
        yield at_job
        dataset = self.known.one(output)
        if dataset in self.known.heads:
            field = link.output if link else None
            place = Place(Kind.DATASET if field is None else Kind.FIELD, dataset, field)
            is_indirect = origin.is_indirect or (link is not None and field is None)
            steps = (*origin.steps, link.steps) if link else origin.steps
            yield Reached(place, at_job.distance, at_job.by, is_indirect, origin, job, steps)


def _by_place(reached: Iterable[Reached]) -> _Places:
    places: dict[NodeId, dict[str | None, Reached]] = {}
    for each in reached:
        places.setdefault(each.place.id, {})[each.place.field] = each
    return places


def _job_reached(origin: Reached, job: NodeId, by: By) -> Reached:
    weaker = By.DATASET if By.DATASET in (origin.by, by) else By.COLUMN
    return Reached(Place(Kind.JOB, job), origin.distance + 1, weaker, origin.is_indirect, origin, None, origin.steps)
