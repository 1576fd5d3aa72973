"""Scenes under faults that are drawn from a seed end as without faults. `make faults` plays thousands of them.

A failure names its seed: `python -m tests.faults.play --scenes 1 --seed 7`.
"""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.faults.faults import Faults
from tests.faults.scenes import differences, scene
from tests.faults.world import World

BLOCKS = [range(start, start + 10) for start in range(0, 60, 10)] + [range(2075, 2076), range(3023, 3024)]
KINDS = {"kill", "throttle", "error", "timeout", "repeat", "rival", "batch", "stale"}


@pytest.mark.parametrize("seeds", BLOCKS, ids=lambda seeds: f"seeds {seeds[0]} to {seeds[-1]}")
def test_a_scene_under_faults_ends_as_the_undisturbed_one(seeds: range) -> None:
    with ThreadPoolExecutor(1) as thread:  # a scene makes its calls one after the other: no other test shall
        failed = {seed: wrong for seed in seeds if (wrong := thread.submit(lambda s=seed: differences(s)[0]).result())}  # type: ignore[misc]
    assert failed == {}


def test_every_kind_of_fault_is_injected_and_a_scene_of_a_seed_is_always_the_same() -> None:
    with ThreadPoolExecutor(1) as thread:
        first, second = ([thread.submit(differences, seed).result()[1] for seed in range(2, 8)] for _ in range(2))
    assert first == second
    # "second" is an error after an error, which few scenes have.
    assert {name.split(" ")[0] for name in sum(map(Counter, first), Counter[str]())} - {"second"} == KINDS


def test_an_undisturbed_scene_has_alerts_tables_and_items() -> None:
    """The comparison is of something: over a few scenes there is each kind of alert."""
    with ThreadPoolExecutor(1) as thread:
        worlds = [thread.submit(undisturbed, seed).result() for seed in range(8)]
    kinds = {alert["DetailType"] for world in worlds for alert in world.alerts}
    assert {"Dataset Schema Changed", "Run Failed", "Run Abandoned", "Data Quality Assertion Failed"} <= kinds
    assert all(len(world.functions.dynamodb.items) > 30 for world in worlds)
    parameters = [table["Parameters"] for world in worlds for table in world.functions.glue.tables_by_name.values()]
    assert any("headwater.upstream" in each for each in parameters)


def undisturbed(seed: int) -> World:
    return scene(seed).play(Faults(seed, 0), in_order=True)
