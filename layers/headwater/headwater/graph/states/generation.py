"""The generation of a job: its newest run that names a dataset, and the runs that the same run of its parent started.

The Spark listener names a query by its application and its output. So a loop of appends is one job, with several runs
of one run of the application:

    parent    run    reads     writes
    app 1     r1     shop 0    all
    app 2     r2     shop 0    all        app 2 took over: its runs are the generation
    app 2     r3     shop 1    all        the edges of the job now: shop 0 and shop 1 -> all

A run of the generation began at most a day before the newest. A run without a parent is a generation by itself. A later
run never removes what an earlier one added: no event says whether an OVERWRITE replaced a table or a partition.

A generation may have ten thousand runs (the batches of a stream), so it keeps a run only for what no newer run of it
has: an input, an output, a flow from one to the other, or the column lineage of an output. Of the runs that add
nothing, it keeps the newest, without edges, to show that there are more.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from headwater.graph.facets.long_facet import COLUMN_LINEAGE
from headwater.graph.facets.register import values
from headwater.graph.names.identity import DatasetId, JobRunId
from headwater.graph.states.edges import NO_EDGES, DatasetRef, Edges, RenamedAway, RunOrder
from headwater.graph.states.run import Run
from headwater.openlineage.instant import NEVER, Instant, moved_back

LONGEST = timedelta(days=1)
"""A run that began longer than this before the newest is not in its generation."""
MOST_COLUMN_LINEAGES = 50
"""Column lineages of one output that are kept for one job. If it sends more, say with the date in a formula, its
columns are unknown."""
Element = tuple[Any, ...]
"""What a run may add: ("input", dataset, is_foreign), ("output", ...), ("flow", source, output), ("columns", output,
digest)."""


class RunOfGeneration(NamedTuple):
    """A run with what no newer run of its generation has. `columns` has the digests of its outputs' column lineage."""

    edges: Edges
    parent: JobRunId | None = None
    has_failed: bool = False
    columns: tuple[tuple[DatasetId, str], ...] = ()

    @classmethod
    def of(cls, run: Run) -> "RunOfGeneration":
        """A run in full. A run whose start is known only from its children joins no other generation: it may seem older
        than its parent, and runs are searched from the parent's first event on."""
        has_failed = run.ending is not None and run.ending.failed
        digests = ((node, values(output.facets).get(COLUMN_LINEAGE)) for node, output in run.outputs.items())
        columns = tuple(sorted((node, digest) for node, digest in digests if isinstance(digest, str)))
        parent = run.parent
        counts = parent is not None and parent in run.parents and run.started_at >= run.first
        return cls(Edges.of(run), parent.id if parent and counts else None, has_failed, columns)

    @property
    def order(self) -> RunOrder:
        return RunOrder(self.edges.time, self.edges.run_id)

    @property
    def elements(self) -> set[Element]:
        edges, foreign = self.edges, frozenset(self.edges.foreign)
        sources = dict(edges.sources)
        return {
            *(("input", used.id, used.id in foreign) for used in edges.inputs),
            *(("output", used.id, used.id in foreign) for used in edges.outputs),
            *(("flow", node, used.id) for used in edges.outputs for node in sources.get(used.id, edges.input_ids)),
            *(("columns", *lineage) for lineage in self.columns),
        }

    def under_later_names(self, renamed: RenamedAway) -> "RunOfGeneration":
        """The run with the datasets of its time, some of whose names have since gone to other datasets."""
        return self._replace(edges=self.edges.under_later_names(renamed))

    def includes(self, older: "RunOfGeneration") -> bool:
        """Whether an older run of the job is of the generation of this run."""
        have_one_parent = self.parent is not None and self.parent == older.parent
        return have_one_parent and older.edges.time >= earliest_start(self.edges.time)

    def only(self, elements: set[Element]) -> "RunOfGeneration":
        """The run with these of its elements, and with the ends of their flows."""
        kept = {node for kind, *nodes in elements for node in (nodes if kind == "flow" else nodes[:1])}
        edges = self.edges._replace(
            inputs=tuple(used for used in self.edges.inputs if used.id in kept),
            outputs=tuple(used for used in self.edges.outputs if used.id in kept),
            sources=tuple(
                (output, tuple(node for node in made_of if node in kept))
                for output, made_of in self.edges.sources
                if output in kept
            ),
            foreign=tuple(node for node in self.edges.foreign if node in kept),
        )
        return self._replace(
            edges=edges, columns=tuple(each for each in self.columns if ("columns", *each) in elements)
        )


class Generation(NamedTuple):
    """The runs of a generation, newest first. `is_known` is whether they are all that is needed: a job's item written
    by the previous release has only the newest run."""

    runs: tuple[RunOfGeneration, ...] = ()
    is_known: bool = True

    @classmethod
    def of(cls, runs: Iterable[RunOfGeneration]) -> "Generation":
        newest_first = sorted(runs, key=lambda run: run.order, reverse=True)
        beside = [run for run in newest_first[1:] if newest_first[0].includes(run)]
        return cls(tuple(_distinct([newest_first[0], *beside]) if beside else newest_first[:1]))

    @property
    def newest(self) -> RunOfGeneration:
        return self.runs[0] if self.runs else RunOfGeneration(NO_EDGES)

    @property
    def is_single(self) -> bool:
        """Whether it has one run, so that no other was left out because of it."""
        return len(self.runs) < 2

    def run(self, run_id: str) -> RunOfGeneration | None:
        return next((run for run in self.runs if run.edges.run_id == run_id), None)

    def with_run(self, run: RunOfGeneration) -> "Generation":
        """The generation with one more run, or with a newer state of a run; see `has_to_be_read_again`."""
        return Generation.of([run, *(other for other in self.runs if other.order.run_id != run.order.run_id)])

    def has_to_be_read_again(self, run: RunOfGeneration, began: Callable[[JobRunId], Instant]) -> bool:
        """Whether this generation and a newer state of a run are not enough, since runs that it does not hold count
        now. `began` gives the time before which no run of a parent began.

        r1 and r2 read shop 0, r3 reads shop 1; r1 is not held, because r2 has all that it has. Then r2 fails: what r1
        read counts.
        """
        if not self.runs:
            return False
        known = self.run(run.order.run_id)
        if known is None:
            takes_over = run.order > self.newest.order and run.parent != self.newest.parent
            return takes_over and run.parent is not None and began(run.parent) <= self.newest.edges.time
        if run.order < known.order or run.parent != known.parent:
            return True
        if self.is_single:
            return False
        kept = self.with_run(run).run(run.order.run_id)
        adds_now = not known.elements and kept is not None and bool(kept.elements)
        return adds_now or run.has_failed != known.has_failed or not known.elements <= run.elements

    @property
    def edges(self) -> Edges:
        """The edges of all runs. A failed run counts only for outputs that no other run names."""
        if self.is_single:
            return self.newest.edges
        counted = [edges for run in self._counted() if (edges := run.edges)]
        return united(self.newest.order, counted) if counted else self.newest.edges

    def columns(self, dataset: DatasetId) -> dict[str, Instant] | None:
        """The digests of the column lineage of an output, each with the start of the newest run that sent it; None if
        they are too many to be known."""
        sent = [(run.edges.time, digest) for run in self._counted() for node, digest in run.columns if node == dataset]
        digests = {digest: time for time, digest in sorted(sent)}
        return digests if len(digests) <= MOST_COLUMN_LINEAGES else None

    def _counted(self) -> Sequence[RunOfGeneration]:
        if self.is_single:
            return self.runs
        good = [run for run in self.runs if not run.has_failed]
        if not any(run.edges for run in good):
            return self.runs
        named = frozenset().union(*(run.edges.output_ids for run in good))
        failed = (run for run in self.runs if run.has_failed and run.edges.output_ids - named)
        return [
            *good,
            *(run.only({each for each in run.elements if _is_of_another_output(each, named)}) for run in failed),
        ]


NO_GENERATION = Generation()


def earliest_start(newest: Instant) -> Instant:
    """The earliest start of a run in the generation of a run that began at a time."""
    return moved_back(newest, LONGEST) if newest else NEVER


def read_back_to(newest: RunOfGeneration, parent: Run | None) -> Instant:
    """The time back to which the runs of a job are read for the generation of its newest run, which has this parent. No
    run began before its parent's first event, or that of the parent's earliest child."""
    if newest.parent is None:
        return newest.edges.time
    return max(earliest_start(newest.edges.time), parent.created if parent else NEVER)


def candidates(runs: Iterable[RunOfGeneration]) -> tuple[RunOfGeneration, ...]:
    """The runs of a job that may be in its generation, once more runs are known: the distinct ones of each parent."""
    newest_first = sorted(runs, key=lambda run: run.order, reverse=True)
    since = earliest_start(newest_first[0].edges.time) if newest_first else NEVER
    of_parents: dict[JobRunId | None, list[RunOfGeneration]] = {}
    for run in newest_first:
        if run.edges.time >= since and (run.parent or None not in of_parents):
            of_parents.setdefault(run.parent, []).append(run)
    return tuple(run for of_parent in of_parents.values() for run in _distinct(of_parent))


def _distinct(newest_first: Iterable[RunOfGeneration]) -> Iterator[RunOfGeneration]:
    """The runs that add something to newer ones, each with what it adds; and the newest that adds nothing. Runs that
    failed add something to others that failed: any other run counts before them."""
    known: dict[bool, set[Element]] = {True: set(), False: set()}
    lineages: dict[tuple[bool, DatasetId], int] = {}
    adds_all = True
    for run in newest_first:
        new = run.elements - known[run.has_failed]
        for output, digest in run.columns:
            number = lineages.get((run.has_failed, output), 0)
            if ("columns", output, digest) in new and number > MOST_COLUMN_LINEAGES:
                new.remove(("columns", output, digest))
            elif ("columns", output, digest) in new:
                lineages[run.has_failed, output] = number + 1
        known[run.has_failed] |= new
        if new or adds_all:
            yield run.only(new)
        adds_all &= bool(new)


def _is_of_another_output(element: Element, named: frozenset[DatasetId]) -> bool:
    """Whether an element is about another output than those that are named."""
    kind, *nodes = element
    return kind != "input" and nodes[1 if kind == "flow" else 0] not in named


def united(newest: RunOrder, counted: Sequence[Edges]) -> Edges:
    """The edges of several runs, as those of the newest."""
    inputs, outputs = (_refs(getattr(edges, side) for edges in counted) for side in ("inputs", "outputs"))
    read = frozenset(used.id for used in inputs)
    made_of: dict[DatasetId, set[DatasetId]] = {}
    for edges in counted:
        sources = dict(edges.sources)
        for output in edges.outputs:
            made_of.setdefault(output.id, set()).update(sources.get(output.id, edges.input_ids))
    confirmed = {node for edges in counted for node in (edges.input_ids | edges.output_ids) - {*edges.foreign}}
    foreign = {node for edges in counted for node in edges.foreign} - confirmed
    of_some = tuple((node, tuple(sorted(of))) for node, of in sorted(made_of.items()) if of != read)
    return Edges(*newest, inputs, outputs, of_some, tuple(sorted(foreign)))


def _refs(newest_first: Iterable[Iterable[DatasetRef]]) -> tuple[DatasetRef, ...]:
    """Each dataset once, by the name that the newest run has for it."""
    names = {used.id: used for of_run in reversed([*newest_first]) for used in of_run}
    return tuple(names[node] for node in sorted(names))


class Generations:
    """The runs of a job by their generations, newest first, as they are added, newest first."""

    def __init__(self) -> None:
        self.all: list[list[Run]] = []
        self._newest: list[RunOfGeneration] = []

    def add(self, run: Run) -> None:
        of_job = RunOfGeneration.of(run)
        place = next((at for at, newest in enumerate(self._newest) if newest.includes(of_job)), None)
        if place is None:
            self.all.append([run])
            self._newest.append(of_job)
        else:
            self.all[place].append(run)
