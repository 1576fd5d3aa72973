"""The kinds of items, as the rows of `ItemTypes` tell them."""

import pytest

from headwater.graph.names.identity import JobId, JobRunId
from headwater.store import keys
from headwater.store.item_type import States
from headwater.store.kinds import CODECS, ROWS, ItemTypes
from headwater.store.snapshot import ReadRequest, Snapshot

JOB = JobId("a" * 32)


def test_every_row_is_another_kind_whose_keys_begin_alike() -> None:
    assert len({row.codec.kind for row in ROWS.values()}) == len({row.beginning for row in ROWS.values()}) == len(ROWS)
    assert CODECS.keys() - {row.codec.kind for row in ROWS.values()} == {"catalogReading"}


def test_a_request_has_the_keys_of_its_ids_by_the_rows() -> None:
    request = ReadRequest(jobs=[JOB], runs=[JobRunId(JOB, "r")], latencies=[JOB], days=["2026-11-20"])
    assert request.keys == {keys.job_head(JOB), keys.run(JobRunId(JOB, "r")), keys.latency(JOB), keys.day("2026-11-20")}
    assert (request.jobs, request.datasets) == ([JOB], ())


def test_a_request_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(KeyError, match="jbos"):
        ReadRequest(jbos=[JOB])  # type: ignore[call-arg]


def test_a_snapshot_has_states_of_each_row() -> None:
    snapshot = Snapshot()
    assert all(isinstance(getattr(snapshot, name), States) for name in ROWS)
    assert snapshot.runs is snapshot.runs
    assert snapshot.runs.type is ItemTypes.runs
