"""Curation as OpenLineage events, which are ordered by time, archived and replayed like all events.

The events have OpenLineage's own facets, and facets `headwater_*` where OpenLineage defines none.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import starmap
from typing import Any

from headwater.graph.facets.register import Register
from headwater.openlineage.event import EventType, Facets, Name
from headwater.openlineage.instant import Instant, instant_of, to_datetime
from headwater.openlineage.own_events import OwnProducer

CURATE = OwnProducer("curate", "routes.md")
"""Its own facets are `headwater_*` (headwater.graph.facets.curation)."""
facet, own_facet = CURATE.facet, CURATE.own_facet

_NO_FACETS: Facets = {}

Document = dict[str, Any]


def of_dataset(name: Name, facets: Facets, at: Instant) -> Document:
    return {**CURATE.event("DatasetEvent", at), "dataset": _named(name, facets)}


def of_job(
    name: Name, facets: Facets, at: Instant, inputs: Iterable[Name] = (), outputs: Iterable[Name] = ()
) -> Document:
    datasets = {"inputs": [_named(dataset) for dataset in inputs], "outputs": [_named(dataset) for dataset in outputs]}
    return {**CURATE.event("JobEvent", at), "job": _named(name, facets), **datasets}


def of_run(transition: EventType, run_id: str, job: Name, at: Instant, facets: Facets = _NO_FACETS) -> Document:
    run = {"runId": run_id, "facets": dict(facets)}
    event = {**CURATE.event("RunEvent", at), "eventType": transition.value, "run": run, "job": _named(job)}
    return {**event, "inputs": [], "outputs": []}


def naming(event: Document, inputs: Iterable[Name], outputs: Mapping[Name, Facets]) -> Document:
    """The event of a run with inputs, and with outputs and their facets."""
    return {**event, "inputs": list(map(_named, inputs)), "outputs": list(starmap(_named, outputs.items()))}


def deleted_facet() -> Document:
    """The replacement of a facet that is deleted (spec: `_deleted`)."""
    return own_facet(_deleted=True)


def time_after(now: datetime, *known: Instant) -> Instant:
    """The event time of a curation: now, or just after the `known` times, if one of these is later than now.

    A known event may have a later time, since the clock of its producer may be ahead.
    """
    newest, at = max(known, default=Instant("")), instant_of(now)
    return at if at > newest else instant_of(to_datetime(newest).astimezone(UTC) + timedelta(microseconds=1))


def times_of(registers: Mapping[str, Register], facets: Iterable[str]) -> list[Instant]:
    return [registers[name].time for name in facets if name in registers]


def _named(name: Name, facets: Facets = _NO_FACETS) -> Document:
    return {"namespace": name.namespace, "name": name.name, "facets": dict(facets)}
