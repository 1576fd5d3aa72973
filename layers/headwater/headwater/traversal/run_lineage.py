"""Run lineage: the runs that made the inputs of a run, the runs that made the inputs of those runs, and so on."""

import time as clock
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from headwater.concurrent import concurrent_map
from headwater.graph.names.identity import JobRunId
from headwater.graph.states.run import Run, joined_in_earliest_namespace
from headwater.read.input_writes import RunInput, input_writes
from headwater.read.reader import Reader

MAX_RUNS = 1_000
MAX_INPUTS = 10_000
"""How many inputs have their producers searched."""
MAX_SECONDS = 15


@dataclass
class RunLineage:
    """The runs in the order in which the walk reached them, and the producer of each input (`made_by`: a run id)."""

    runs: dict[str, Run] = field(default_factory=dict)
    made_by: dict[RunInput, str] = field(default_factory=dict)
    inputs: int = 0
    is_truncated: bool = False

    def add(self, runs: Iterable[Run]) -> list[Run]:
        """Adds the runs that are new, up to the bounds. Returns the runs that were added."""
        new = [run for run in runs if run.run_id not in self.runs]
        added = [run for run in new if self._adds(run)]
        self.is_truncated |= len(added) < len(new)
        return added

    def drop(self, runs: Iterable[Run]) -> None:
        """Removes runs, if there is no time left to find their producers."""
        for run in runs:
            del self.runs[run.run_id]
        self.is_truncated = True

    def _adds(self, run: Run) -> bool:
        has_room = len(self.runs) < MAX_RUNS and self.inputs + len(run.inputs) <= MAX_INPUTS
        if has_room or not self.runs:
            self.runs[run.run_id] = run
            self.inputs += len(run.inputs)
        return run.run_id in self.runs


def walk_run_lineage(reader: Reader, start: Run, depth: int) -> RunLineage:
    """The runs upstream of a run, nearest first, at most `depth` hops away."""
    walk, deadline = RunLineage(), clock.monotonic() + MAX_SECONDS
    level = walk.add([start])
    for step in range(depth + 1):
        if level and clock.monotonic() > deadline:
            walk.drop(level)
            break
        writes = input_writes(reader, level)
        walk.made_by |= {run_input: write.version for run_input, write in writes.items()}
        producers = _runs(reader, {write.run for write in writes.values()}) if step < depth else {}
        level = walk.add(sorted(producers.values(), key=lambda run: (run.job, run.order))) if step < depth else []
    return walk


def _runs(reader: Reader, writers: Collection[JobRunId]) -> dict[str, Run]:
    """Runs by run id; the states of a run under several jobs are joined. A write without a run is left out."""
    run_ids = sorted({writer.run_id for writer in writers})
    ids = set(writers).union(*concurrent_map(reader.store.runs_with_id, run_ids))
    runs: dict[str, list[Run]] = defaultdict(list)
    for run in reader.runs(sorted(ids)):
        runs[run.run_id].append(run)
    earliest = {run_id: joined_in_earliest_namespace(parts) for run_id, parts in runs.items()}
    return {run_id: run for run_id, run in earliest.items() if run}
