"""Runs of jobs."""

from collections.abc import Mapping
from typing import Any

from headwater.graph.names.identity import JobRunId, job_id
from headwater.graph.states.run import Ending, Run, RunState
from headwater.openlineage.event import EventType
from headwater.openlineage.instant import NEVER
from headwater.store import keys
from headwater.store.items.codec import Codec, Members, unchanged
from headwater.store.items.values import (
    array,
    boolean,
    digest,
    exactly,
    instant,
    instant_or_never,
    io_datasets,
    io_datasets_json,
    name_of,
    optional,
    parent,
    register,
    register_json,
    registers,
    registers_json,
)
from headwater.store.ranges import run_position, top_run_position
from headwater.store.table import Item, Retention, expiry

OPEN_IN = "open_in"
"""The label of an open run: one of sixteen keys of the index of open runs, none of which is hot."""


def encode(run: Run, retention: Retention) -> Item:
    """The item of a run. The label `at` is the run's position among its job's runs, `place` its position among its
    parent's children, or among the runs without a parent; `run_id` is the key of an index by run id."""
    document = {
        "job": run.job,
        "run": run.run_id,
        "first": run.first,
        "last": run.last,
        "started": run.started,
        "ending": run.ending,
        "producer": register_json(run.producer),
        "facets": registers_json(run.facets),
        "jobFacets": registers_json(run.job_facets),
        "inputs": io_datasets_json(run.inputs),
        "outputs": io_datasets_json(run.outputs),
        "named": run.named,
        "parents": sorted(run.parents),
        "failedChildren": run.failed_children,
    }
    labels = dict(_labels(run))
    if run.state is RunState.RUNNING and run.last:
        labels[OPEN_IN] = keys.open_runs(run.run_id[-1])
    key = keys.run(JobRunId(job_id(run.job), run.run_id))
    return RUN.item(key, document, labels, expiry(run.updated, retention.runs))


def _labels(run: Run) -> Mapping[str, str]:
    """The labels of a run, except `open_in`, which a run that is given up as abandoned loses."""
    labels = {"state": run.stored_state, "run_id": run.run_id, "at": run_position(run)}
    if run.parent is None:
        shard = keys.shard_of(run.run_id)
        return labels | {"listed_in": keys.top_runs(_listed(run), shard), "place": top_run_position(run)}
    place = keys.time_key(*run.order, job_id(run.job))
    return labels | {"listed_in": keys.children_of(run.parent.run_id), "place": place}


def _listed(run: Run) -> RunState:
    """The list of runs without a parent that has the run. One that only its children named stays where 0.1.0 put it."""
    hides_failures = run.state is RunState.COMPLETED or not run.last
    return RunState.FAILED if run.failed_children and hides_failures else run.stored_state


def _decode(item: Item, members: Members) -> Run:
    own = keys.run_of(item.key)
    return Run(
        job=members.read("job", name_of(job_id, own.job)),
        run_id=members.read("run", exactly(own.run_id)),
        first=members.read("first", instant_or_never),
        last=members.read("last", instant_or_never),
        started=members.read("started", optional(instant)),
        ending=members.read("ending", optional(_ending)),
        producer=members.read("producer", register),
        facets=members.read("facets", registers),
        job_facets=members.read("jobFacets", registers),
        inputs=members.read("inputs", io_datasets),
        outputs=members.read("outputs", io_datasets),
        named=members.read("named", instant_or_never, NEVER),
        parents=frozenset(members.read("parents", array(parent), ())),
        failed_children=members.read("failedChildren", array(parent), ()),
    )


def _ending(value: Any) -> Ending:
    failed, time, event, kind = value
    ending = Ending(boolean(failed), instant(time), digest(event), EventType(kind))
    if ending.failed != (ending.type in (EventType.FAIL, EventType.ABORT)):
        raise ValueError("expected a failure, or none")
    return ending


RUN = Codec("run", _decode, (unchanged, unchanged, unchanged), _labels, listed_since=3)
"""A run without a parent is in a list since version 3. Runs before version 4 have their job's name as labels, too."""
