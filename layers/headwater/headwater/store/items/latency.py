"""The emission latency of jobs."""

from collections.abc import Mapping
from typing import Any

from headwater.graph.names.identity import job_id
from headwater.graph.states.latency import Latency
from headwater.store import keys
from headwater.store.items.codec import Codec, Members, unchanged
from headwater.store.items.values import boolean, instant, name_of, number, run_id
from headwater.store.table import Item


def encode(latency: Latency) -> Item:
    """The item of a job's emission latency. Only readers of the table's stream use it."""
    document = {
        "job": latency.job,
        "run": latency.run_id,
        "at": latency.at,
        "millis": latency.millis,
        "threshold": latency.threshold,
        "isExceeded": latency.is_exceeded,
    }
    return LATENCY.item(keys.latency(job_id(latency.job)), document, _labels(latency))


def _labels(latency: Latency) -> Mapping[str, str]:
    return {"namespace": latency.job.namespace, "name": latency.job.name}


def _decode(item: Item, members: Members) -> Latency:
    return Latency(
        job=members.read("job", name_of(job_id, keys.job_of(item.key))),
        run_id=members.read("run", run_id),
        at=members.read("at", instant),
        millis=members.read("millis", number),
        threshold=members.read("threshold", number),
        is_exceeded=members.read("isExceeded", boolean),
    )


def _latency_with_names(document: Any) -> Any:
    """Version 1 of the document was an array."""
    return dict(zip(("job", "run", "at", "millis", "threshold", "isExceeded"), document, strict=True))


LATENCY = Codec("latency", _decode, (_latency_with_names, unchanged), _labels)
