"""The FIFO queue and normalise's invocations, simulated: a run is a message group, which one batch has at a time."""

import heapq
import random
from collections import deque
from collections.abc import Mapping

from benchmarks.cost import EVENT_MILLISECONDS, NORMALISE_MILLISECONDS

BATCH = 10
"""BatchSize of the template."""
IN_SIGHT = 1_000
"""Assumed: the waiting messages among which SQS looks for a batch."""


def folding_time(events: int, runs: int, concurrency: int, seed: int) -> float:
    """The seconds in which the invocations of normalise fold events that wait in the queue.

    A batch has the oldest messages of runs that no other batch has: a run is a message group, and while a batch has
    some of its events its later events wait.
    """
    chance = random.Random(seed)  # noqa: S311 - a simulation
    waiting = deque(chance.randrange(runs) for _ in range(events))
    free, held = [0.0] * concurrency, dict[int, float]()
    while waiting:
        now = heapq.heappop(free)
        batch = _next_batch(waiting, held, now)
        seconds = (NORMALISE_MILLISECONDS + EVENT_MILLISECONDS * len(batch)) / 1000
        end = now + seconds if batch else min(time for time in held.values() if time > now)
        held.update(dict.fromkeys(batch, end))
        heapq.heappush(free, end)
    return max(held.values(), default=0.0)


def _next_batch(waiting: deque[int], held: Mapping[int, float], now: float) -> list[int]:
    """Takes a batch from the waiting messages, the numbers of their runs. Those of held runs stay, in order."""
    batch: list[int] = []
    kept: list[int] = []
    while waiting and len(batch) < BATCH and len(kept) < IN_SIGHT:
        run = waiting.popleft()
        (kept if held.get(run, 0.0) > now else batch).append(run)
    waiting.extendleft(reversed(kept))
    return batch


def full_rate(concurrency: int) -> float:
    """The events a second of invocations whose batches are full."""
    return concurrency * BATCH * 1000 / (NORMALISE_MILLISECONDS + EVENT_MILLISECONDS * BATCH)
