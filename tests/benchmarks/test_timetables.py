"""A small run of the simulation of timetables: planted incidents are told, each with its cause, and nothing else."""

from benchmarks.timetables import LEARNING, World, blames_rightly, judged, replayed


def test_planted_incidents_are_told_with_their_causes() -> None:
    world = World(seed=1, dags=2, tasks=5, days=LEARNING + 12, incidents=4)
    rung, _ = replayed(world)
    outcomes, false = judged(world, rung)
    assert len(outcomes) == 4
    assert all(map(blames_rightly, outcomes))
    assert false == []
