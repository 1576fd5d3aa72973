"""The runs that one run of a parent started make their job's edges together, in any order of events."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.fold.fold import fold
from headwater.graph.facets.long_facet import COLUMN_LINEAGE
from headwater.graph.facets.register import values
from headwater.graph.names.identity import DatasetId, job_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.edges import Edges
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import Run
from headwater.openlineage.event import Name
from headwater.openlineage.instant import to_datetime
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.snapshot import ReadRequest
from tests import factory, strategies
from tests.factory import RETENTION, Document

LOAD = job_id(Name("demo", "load"))
Flow = tuple[DatasetId | None, DatasetId | None]


def stored(batches: list[list[Document]]) -> MemoryTable:
    table = MemoryTable()
    for batch in batches:
        fold(factory.received(*batch), GraphStore(table, RETENTION))
    return table


def head_in(table: MemoryTable) -> JobHead:
    head = GraphStore(table, RETENTION).read(ReadRequest(jobs=[LOAD])).jobs.get(LOAD)
    assert head
    return head


def flows(edges: Edges) -> set[Flow]:
    made = {(source, output) for output in edges.output_ids for source in edges.upstream_of(output)}
    return {*made, *((source, None) for source in edges.input_ids), *((None, output) for output in edges.output_ids)}


def generation(runs: list[Run]) -> list[Run]:
    """The newest run that names a dataset, and those beside it: read from all runs, without any of the short cuts."""
    by_start = sorted((run for run in runs if run.names_datasets), key=lambda run: run.order)
    if not by_start:
        return []
    newest = by_start[-1]
    since = to_datetime(newest.started_at) - timedelta(days=1)
    beside = [run for run in by_start if run.parent and run.parent == newest.parent and run.started_at >= run.first]
    return [run for run in by_start if run == newest or (run in beside and to_datetime(run.started_at) >= since)]


def expected(runs: list[Run]) -> tuple[set[Flow], dict[DatasetId, set[Any]]]:
    """The flows and the digests of column lineage of a generation: a failed run counts for outputs of no other."""
    good = [run for run in runs if not (run.ending and run.ending.failed)]
    named = {output for run in good for output in run.outputs}
    every = {flow for run in (good or runs) for flow in flows(Edges.of(run))}
    counted = [(run, set(run.outputs)) for run in good or runs]
    if good:
        counted += [(run, run.outputs.keys() - named) for run in runs if run not in good]
        for run, outputs in counted[len(good) :]:
            made = {flow for flow in flows(Edges.of(run)) if flow[1] in outputs}
            every |= made | {(source, None) for source, _ in made if source}
    digests: dict[DatasetId, set[Any]] = {}
    for run, outputs in counted:
        for output in outputs:
            if digest := values(run.outputs[output].facets).get(COLUMN_LINEAGE):
                digests.setdefault(output, set()).add(digest)
    return every, digests


@given(st.data(), st.lists(strategies.runs_of_parents(), min_size=1, max_size=9))
@settings(max_examples=400, deadline=None)
def test_the_runs_of_one_parent_run_count_together_in_any_order(data: st.DataObject, sent: list[Document]) -> None:
    table = stored([sent])
    head, runs = head_in(table), Reader(GraphStore(table, RETENTION), Naming()).newest_runs(LOAD, 10)
    expected_flows, digests = expected(generation(runs))
    assert flows(head.current) == expected_flows
    for output, of_output in digests.items():
        assert set(head.column_lineages(output)) == of_output
    shuffled = data.draw(st.permutations(sent + data.draw(st.lists(st.sampled_from(sent), max_size=2))))
    assert stored([[event] for event in shuffled]).items == table.items


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_a_run_that_a_child_says_began_before_its_parent_leaves_the_same_items(order: Sequence[int]) -> None:
    nightly: Any = {"run_facets": {"parent": factory.parent(8, "nightly")}}
    sent = [
        factory.run_event(seconds=0, run=5, job="task", run_facets={"parent": factory.parent(1, "load")}),
        factory.run_event("RUNNING", seconds=3, run=1, outputs=[factory.dataset("out")], **nightly),
        factory.run_event("COMPLETE", seconds=5, run=2, outputs=[factory.dataset("other")], **nightly),
    ]
    assert stored([[sent[place]] for place in order]).items == stored([sent]).items


def test_runs_of_the_first_day_of_the_calendar_are_folded() -> None:
    loop: Any = {"run_facets": {"parent": factory.parent(8, "nightly")}}
    first = [
        factory.run_event("COMPLETE", run=run, outputs=[factory.dataset(f"out{run}")], **loop)
        | {"eventTime": f"0001-01-01T0{run}:00Z"}
        for run in (1, 2)
    ]
    assert len(head_in(stored([[event] for event in first])).current.output_ids) == 2
    assert stored([first[::-1]]).items == stored([first]).items
