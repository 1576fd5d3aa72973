"""Random queries, and the works that make what a query makes: at once, through stages, or only nearly."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from random import Random

from tests.emr_jobs.lakes import Flow, Work

STRENGTHS = ("IDENTITY", "TRANSFORMATION", "AGGREGATION")
STEPS = ("FILTER", "JOIN", "GROUP_BY")
ROOTS = tuple(f"raw{table}.c{column}" for table in range(5) for column in range(6))

Part = tuple[str, int, bool]
"""A root, the strength of what is done to the root, and whether that masks."""
Column = frozenset[Part]
Step = tuple[str, str]
"""A filter, join or grouping, and its root."""


@dataclass(frozen=True)
class Query:
    columns: tuple[Column, ...]
    steps: frozenset[Step]

    @property
    def meaning(self) -> tuple[tuple[tuple[Part, ...], ...], tuple[Step, ...]]:
        """Equal for queries that make the same columns, in whatever order."""
        return tuple(sorted(tuple(sorted(column)) for column in self.columns)), tuple(sorted(self.steps))

    @property
    def features(self) -> frozenset[Column | Step]:
        return frozenset(self.columns) | self.steps


@dataclass(frozen=True)
class Planted:
    """A work, the query that it makes of the roots, and the outputs upstream of its own."""

    work: Work
    query: Query
    above: frozenset[str] = field(default_factory=frozenset)


def query(random: Random) -> Query:
    columns = []
    for _ in range(random.randint(3, 7)):
        roots = random.sample(ROOTS, random.randint(1, 3))
        columns.append(frozenset((root, random.randrange(3), random.random() < 0.2) for root in roots))
    steps = {(random.choice(STEPS), random.choice(ROOTS)) for _ in range(random.randint(1, 3))}
    return Query(tuple(columns), frozenset(steps))


def at_once(made: Query, name: str, random: Random) -> Planted:
    flows = [
        (f"{name}_{at}", root, STRENGTHS[strength], "M" if masks else "D")
        for at, column in enumerate(made.columns)
        for root, strength, masks in column
    ]
    flows += [("*", root, kind, "I") for kind, root in made.steps]
    random.shuffle(flows)
    return Planted(Work(f"job_{name}", f"out_{name}", flows), made)


def in_stages(made: Query, name: str, random: Random) -> Iterator[Planted]:
    """A work that prepares columns and takes some of the steps; perhaps one that hands on; and the one that ends."""
    prepared: list[tuple[int, Part, Part]] = []
    for at, column in enumerate(made.columns):
        for root, strength, masks in column:
            early = random.randint(0, strength), masks and random.random() < 0.5
            prepared.append((at, (root, *early), (root, strength, masks)))
    taken = {step for step in made.steps if random.random() < 0.5}
    left = sorted(made.steps - taken)
    parts = [*(part for _, part, _ in prepared), *((root, 0, False) for _, root in left)]
    stage = at_once(Query(tuple(frozenset([part]) for part in parts), frozenset(taken)), f"{name}_stage", random)
    yield stage
    last = stage
    if random.random() < 0.5:
        handed = [(f"h{at}", f"{stage.work.output}.{name}_stage_{at}", "IDENTITY", "D") for at in range(len(parts))]
        last = Planted(
            Work(f"job_{name}_hand", f"out_{name}_hand", handed), stage.query, frozenset({stage.work.output})
        )
        yield last
    prefix = "h" if last is not stage else f"{name}_stage_"
    flows: list[Flow] = [
        (f"end_{at}", f"{last.work.output}.{prefix}{place}", STRENGTHS[strength], "M" if masks else "D")
        for place, (at, _, (_, strength, masks)) in enumerate(prepared)
    ]
    flows += [
        ("*", f"{last.work.output}.{prefix}{len(prepared) + place}", kind, "I") for place, (kind, _) in enumerate(left)
    ]
    above = last.above | {last.work.output}
    yield Planted(Work(f"job_{name}", f"out_{name}", flows), made, above)


def copied(planted: Planted, name: str) -> Planted:
    """A work that hands on all columns of another."""
    columns = sorted({column for column, *_ in planted.work.flows if column != "*"})
    flows = [(f"copy_{column}", f"{planted.work.output}.{column}", "IDENTITY", "D") for column in columns]
    above = planted.above | {planted.work.output}
    return Planted(Work(f"job_{name}", f"out_{name}", flows), planted.query, above)


def deployed_again(planted: Planted, namespace: str) -> Planted:
    """The same job in another namespace, with an output of its own."""
    work = planted.work._replace(namespace=namespace, output=f"{namespace}_{planted.work.output}")
    return replace(planted, work=work)


def look_alikes(made: Query, random: Random) -> Iterable[Query]:
    """Queries that differ in one thing: a root, a transformation, a mask, a step more, a step less, all sources."""
    first, *others = made.columns
    ((root, strength, masks), *rest) = sorted(first)
    other = random.choice(sorted({*ROOTS} - {root for root, *_ in first}))
    for part in ((other, strength, masks), (root, (strength + 1) % 3, masks), (root, strength, not masks)):
        yield replace(made, columns=(frozenset([part, *rest]), *others))
    unused = sorted({(kind, root) for kind in STEPS for root in ROOTS} - made.steps)
    yield replace(made, steps=made.steps | {random.choice(unused)})
    yield replace(made, steps=frozenset(sorted(made.steps)[1:]))
    columns = tuple(frozenset((f"other_{root}", *how) for root, *how in column) for column in made.columns)
    yield Query(columns, frozenset((kind, f"other_{root}") for kind, root in made.steps))  # type: ignore[arg-type]
