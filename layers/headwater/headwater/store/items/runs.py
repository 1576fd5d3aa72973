"""Runs of jobs."""

from typing import Any

from headwater.graph.identity import JobRunId, job_id
from headwater.graph.run import Ending, Run, RunState
from headwater.openlineage.event import EventType
from headwater.openlineage.instant import NEVER
from headwater.store import keys
from headwater.store.codec import Codec, Members, unchanged
from headwater.store.decoders import (
    array,
    exactly,
    instant,
    io_datasets,
    name_of,
    optional,
    parent,
    register,
    registers,
    text,
)
from headwater.store.encoders import io_datasets_json, register_json, registers_json
from headwater.store.positions import run_position
from headwater.store.retention import Retention, expiry
from headwater.store.table import Item

OPEN_IN = "open_in"
"""The label of an open run: one of sixteen keys of the index of open runs, none of which is hot."""


def encode(run: Run, retention: Retention) -> Item:
    """The item of a run. The label `at` is the run's position among its job's runs, `place` its position among its
    parent's children; `run_id` is the key of an index by run id."""
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
    job = job_id(run.job)
    labels = {
        "namespace": run.job.namespace,
        "name": run.job.name,
        "state": run.state,
        "run_id": run.run_id,
        "at": run_position(run),
    }
    if run.state is RunState.RUNNING and run.last:
        labels[OPEN_IN] = keys.open_runs(run.run_id[-1])
    if run.parent:
        labels |= {"listed_in": keys.children_of(run.parent.run_id), "place": keys.time_key(*run.order, job)}
    return RUN.item(keys.run(JobRunId(job, run.run_id)), document, labels, expiry(run.updated, retention.runs))


def _decode(item: Item, members: Members) -> Run:
    own = keys.run_of(item.key)
    return Run(
        job=members.read("job", name_of(job_id, own.job)),
        run_id=members.read("run", exactly(own.run_id)),
        first=members.read("first", instant),
        last=members.read("last", instant),
        started=members.read("started", optional(instant)),
        ending=members.read("ending", optional(_ending)),
        producer=members.read("producer", register),
        facets=members.read("facets", registers),
        job_facets=members.read("jobFacets", registers),
        inputs=members.read("inputs", io_datasets),
        outputs=members.read("outputs", io_datasets),
        named=members.read("named", instant, NEVER),
        parents=frozenset(members.read("parents", array(parent), ())),
        failed_children=members.read("failedChildren", array(parent), ()),
    )


def _ending(value: Any) -> Ending:
    failed, time, digest, kind = value
    return Ending(bool(failed), instant(time), text(digest), EventType(kind))


RUN = Codec("run", _decode, (unchanged,))
