"""The simulation of the stack: limits hold where they are known, and the same seed gives the same loads."""

from collections import Counter

import pytest

from benchmarks.capacity import PartitionKey, partition_units, write_units
from benchmarks.event_profile import NAMESPACE_LIST, Profile, profile
from benchmarks.message_groups import folding_time, full_rate
from benchmarks.simulation import breaks_at, busiest, parts


@pytest.fixture(scope="module")
def alone() -> Profile:
    return profile(1)


def rates(measured: Profile) -> dict[str, float | None]:
    chosen = [part for part in parts(measured, seed=1) if not part.name.startswith("normalise")]
    return {part.name: breaks_at(part) for part in chosen}


def test_the_units_of_all_keys_are_the_units_of_an_event(alone: Profile) -> None:
    assert sum(alone.units.values()) == pytest.approx(
        7.95, abs=0.01
    )  # 7.66 before rhythms; tests/fold/test_write_units.py


def test_the_known_limits_break_where_they_are(alone: Profile) -> None:
    found = rates(alone)
    assert found["API: RequestsPerSecond of prod"] == pytest.approx(2_000, rel=0.01)
    assert found["DynamoDB: quota of the table"] == pytest.approx(40_000 / 7.95, rel=0.01)
    of_two_shards = 2 * 1_000 / alone.units[NAMESPACE_LIST]
    assert 0.9 * of_two_shards < (found["DynamoDB: list of a namespace's jobs, all in one"] or 0) <= of_two_shards
    assert found["Firehose: MiB, other regions"] == pytest.approx(2**20 / alone.stream_bytes, rel=0.01)


def test_batches_break_later(alone: Profile) -> None:
    sevens = rates(profile(7))
    later = {name for name, rate in rates(alone).items() if rate and (sevens[name] or 1e9) > rate * 1.1}
    assert {"DynamoDB: quota of the table", "API: RequestsPerSecond of prod", "Firehose: calls, large regions"} <= later


def test_shards_share_the_load_and_chance_makes_one_of_them_busier_than_the_mean() -> None:
    busy = busiest(1_000, [1 / 16] * 16, seed=1)
    assert 1_000 / 16 < busy < 2 * 1_000 / 16
    assert busy == busiest(1_000, [1 / 16] * 16, seed=1)


def test_one_run_has_one_batch_at_a_time() -> None:
    assert folding_time(100, runs=1, concurrency=50, seed=1) == pytest.approx(100 / full_rate(1))


def test_many_runs_keep_nearly_all_invocations_busy() -> None:
    full = 10_000 / full_rate(50)
    assert full <= folding_time(10_000, runs=10_000, concurrency=50, seed=1) < 1.06 * full


def test_an_entry_that_moves_takes_units_of_both_keys() -> None:
    common = {"PK": {"S": "J#1"}, "SK": {"S": "META"}, "place": {"S": "x"}}
    before, after = (common | {"listed_in": {"S": name}} for name in ("T#RUNNING#1", "T#COMPLETED#1"))
    units = partition_units(before, after)
    assert units == Counter(
        {
            PartitionKey("table", "J#1"): 1,
            PartitionKey("listed", "T#RUNNING#1"): 1,
            PartitionKey("listed", "T#COMPLETED#1"): 1,
        }
    )
    assert units.total() == write_units(before, after).total()
