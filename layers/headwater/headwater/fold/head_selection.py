"""How a head is chosen anew: mark the head, gather the states that the choice depends on, choose, and write if the mark
still stands.

Two choices need more than the item of the head. If a chosen run turns out to have started earlier, all runs of the job
decide which run is the newest. If two jobs disagree on a facet, the heads of all jobs of the dataset decide which claim
is the newest. Another writer may store such a run or head during the choice. Then the choice must include the other
writer's state, or the other writer must find the mark. Three cases; time runs downwards:

    writer A reselects the head                   writer B stores a run of the job (or the head of a job)
    ---------------------------                   -------------------------------------------------------
                                                  1. stores the run
    mark      head = {..., reselecting: u1}
    gather    reads all runs: B's is there
    choose
    write     if the head's mark is still u1
                                                  2. reads the head: A chose with B's run; nothing to do

    mark      head = {..., reselecting: u1}
    gather    reads all runs: B's is not there
                                                  1. stores the run
                                                  2. reads the head, finds the mark, reselects, too:
                                                     mark   head = {..., reselecting: u2}
    write     the mark is u2: Conflict,              gather, choose, write if the mark is still u2
              A folds again

                                                  0. reads the head before A marks it
    mark      head = {..., reselecting: u1}
    gather    reads all runs: B's is not there
                                                  1. stores the run
                                                  2. leaves the head alone, or writes the head: Conflict by version
    write     the head's mark is still u1: done
                                                  3. reads the head once more (`Preconditions`): another version
                                                     than in step 0: Conflict, B folds again

Each writer first stores its own state, then reads the head: at least one of the two sees the other. A writer that dies
after marking leaves its mark, and the next writer of the head reselects. docs/decisions/0003-choosing-heads.md has the
reasons, and the simpler ways that fail.
"""

import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.job import JobHead
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import Snapshot

Head = TypeVar("Head", JobHead, DatasetHead)


class HeadSelection:
    """Chooses heads anew, each on condition that it has not changed since the snapshot `read`."""

    def __init__(self, store: GraphStore, read: Snapshot) -> None:
        self._store = store
        self._read = read
        self._marked: list[tuple[JobHead | DatasetHead, Snapshot]] = []

    def reselect(
        self, head: Head, choose: Callable[[], Head], keeps_mark: Callable[[Head], object] | None = None
    ) -> Head:
        """Marks the head, then writes the head that `choose` gathers and chooses; with the mark, if it `keeps_mark`
        until `finish`.

        Raises Conflict if the head changed before the mark was written, or the mark changed before the choice was.
        """
        mark = uuid.uuid4().hex
        marked = self._store.save([replace(head, reselecting=mark)], self._read)
        chosen = choose()
        if keeps_mark and keeps_mark(chosen):
            self._marked.append((chosen, self._store.save([replace(chosen, reselecting=mark)], marked)))
        else:
            self._store.save([chosen], marked)
        return chosen

    def finish(self) -> None:
        """Removes the marks, once everything that follows from the chosen heads is stored. Raises Conflict."""
        for head, saved in self._marked:
            self._store.save([head], saved)
