"""Work done twice in random graphs: what is planted is found under whatever names, and nothing else is."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from emr_jobs.insights import duplicates
from emr_jobs.insights.graph import Graph
from tests.emr_jobs.lakes import Work, dataset, fill
from tests.emr_jobs.plans import Planted, at_once, copied, deployed_again, in_stages, look_alikes, query
from tests.emr_jobs.warehouses import database

pytestmark = [pytest.mark.spark, pytest.mark.engine]

QUERIES = 12
RING = [
    Work("ring_1", "ring_a", [("x", "ring_b.y", "IDENTITY", "D")]),
    Work("ring_2", "ring_b", [("y", "ring_a.x", "IDENTITY", "D"), ("z", "raw0.c0", "TRANSFORMATION", "D")]),
    *(Work(f"behind_{at}", f"out_behind_{at}", [(f"c{at}", "ring_a.x", "AGGREGATION", "D")]) for at in range(2)),
]
"""Two datasets that are made of each other, and the same work twice behind them."""


def planted(random: Random) -> Iterator[Planted]:
    """Of each query some works that make what the query makes, and some that only seem to."""
    for number in range(QUERIES):
        made = query(random)
        first = at_once(made, f"q{number}", random)
        yield first
        for copy in range(random.randint(0, 2)):
            again = (at_once(made, f"q{number}_{copy}", random), *in_stages(made, f"q{number}_s{copy}", random))
            yield from again[:1] if random.random() < 0.4 else again[1:]
        yield copied(first, f"q{number}_copy")
        yield deployed_again(first, "backfill")
        for at, other in enumerate(random.sample(list(look_alikes(made, random)), 3)):
            yield at_once(other, f"q{number}_other{at}", random)


def done_twice(works: Iterable[Planted]) -> set[frozenset[str]]:
    """The outputs of the works that are the same work, by what they were made to make."""
    groups: dict[object, list[Planted]] = defaultdict(list)
    for each in works:
        groups[each.query.meaning].append(each)
    found = set()
    for group in groups.values():
        outputs = {each.work.output for each in group}
        no_copies = [each for each in group if not each.above & outputs]
        if len({each.work.job for each in no_copies}) > 1:
            found.add(frozenset(each.work.output for each in no_copies))
    return found


@pytest.mark.parametrize("seed", [1, 2])
def test_in_random_graphs_only_the_planted_works_are_found(session: SparkSession, tmp_path: Path, seed: int) -> None:
    works = list(planted(Random(seed)))
    made = database(session, tmp_path / "lake")
    fill(session, made, [*(each.work for each in works), *RING])
    found = duplicates.works(Graph(session, made)).persist()
    outputs = {dataset(each.output): each.output for each in (*(each.work for each in works), *RING)}
    exact = [[outputs[member["dataset_id"]] for member in row["members"]] for row in duplicates.exact(found).collect()]
    expected = done_twice(works)
    assert len(expected) > 3
    assert {frozenset(group) for group in exact} == expected | {frozenset({"out_behind_0", "out_behind_1"})}
    by_output = {each.work.output: each for each in works}
    for row in duplicates.near(found).collect():
        left, right = (by_output[outputs[row[f"{side}_dataset_id"]]] for side in ("left", "right"))
        shared = left.query.features & right.query.features
        assert row["overlap"] == pytest.approx(len(shared) / len(left.query.features | right.query.features))
        assert row["overlap"] < 1
        assert left.work.job != right.work.job
