"""Alerts of random runs, held against what the runs did: no change is left out, and none is told that never was."""

import random
import re
from collections import Counter
from itertools import combinations

import pytest

from tests.alerts.stream import Detail
from tests.alerts.test_order_of_arrival import alerts_of
from tests.factory import Document
from tests.random_runs import COLUMNS, runs_of

Told = tuple[str, frozenset[str]]
"""A failed job without columns, or a table with the columns that were added, removed or renamed."""


def truth(runs: list[list[Document]]) -> list[Told]:
    """What the runs did, in their order. A table that a run reads has been there before."""
    known: dict[str, frozenset[str]] = {}
    done: list[Told] = []
    for _, end in runs:
        for table in end["inputs"]:
            known.setdefault(table["name"], columns_of(table))
        for table in end["outputs"]:
            columns = columns_of(table)
            before = known.get(table["name"], columns)
            done += [(table["name"], columns ^ before)] * (columns != before)
            known[table["name"]] = columns
        done += [(end["job"]["name"], frozenset())] * (end["eventType"] == "FAIL")
    return done


def columns_of(table: Document) -> frozenset[str]:
    return frozenset(field["name"] for field in table["facets"]["schema"]["fields"])


def told(alert: Detail) -> Told:
    change = alert["title"].partition(":")[2]
    return alert["name"], frozenset(re.findall(r"\w+", change)) & set(COLUMNS)


@pytest.mark.parametrize("seed", range(30))
def test_in_order_each_change_and_each_failure_is_told_once_and_nothing_else(seed: int) -> None:
    runs = runs_of(random.Random(seed))
    assert Counter(map(told, alerts_of([event for run in runs for event in run]))) == Counter(truth(runs))


@pytest.mark.parametrize("seed", range(30))
def test_in_any_order_and_twice_nothing_is_told_that_never_was(seed: int) -> None:
    """A change whose events come late may go untold, or be told together with the change after it (docs/alerts.md)."""
    chance = random.Random(seed)
    runs = runs_of(chance)
    events = [event for run in runs for event in run] * 2
    alerts = list(map(told, alerts_of(chance.sample(events, len(events)))))
    failures = Counter(alert for alert in alerts if not alert[1])
    assert failures == Counter(done for done in truth(runs) if not done[1])
    assert {alert for alert in alerts if alert[1]} <= differences(runs)


def differences(runs: list[list[Document]]) -> set[Told]:
    """What differs between the columns of a table at any two times."""
    tables = [(table["name"], columns_of(table)) for _, end in runs for table in (*end["inputs"], *end["outputs"])]
    return {(name, before ^ after) for (name, before), (other, after) in combinations(tables, 2) if name == other}
