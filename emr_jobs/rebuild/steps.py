"""The steps between the shuffles: each takes the packets of one task, joins the states of each key, and packs what it
makes: items under their kinds, and states for later steps under the names of their types.

    first_step      events, each once; runs, writes, quality results, documents, aliases, days
    run_step        runs with what their children report, and the heads of their jobs
    job_step        heads of jobs; what they claim of datasets, and their names
    node_step       heads of datasets without schemas, namespaces, search terms
    schema_step     heads of datasets
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from emr_jobs.rebuild.packets import Joins, Packer, Packet
from emr_jobs.rebuild.states import Day, claims_of, edges_of, heads_by, key_of, names_of
from headwater.fold.runs import reported_to_parents, rhythms_of
from headwater.graph.facets.dataset_reference import Document
from headwater.graph.names.identity import SchemaId
from headwater.graph.states.dataset import DatasetFacts
from headwater.graph.states.dataset_claims import DatasetClaims
from headwater.graph.states.rhythm import Rhythm
from headwater.graph.states.run import Run
from headwater.graph.states.search_terms import SearchTerm
from headwater.graph.states.stored_states import DatasetWrite, EventDay, KnownAlias, KnownNamespace, QualityResult
from headwater.store.bulk import Item, Key, Retention, encode

EVENT = "event"
OF_FIRST_STEP = (EVENT, *(each.__name__ for each in (Day, Run, DatasetWrite, QualityResult, Document, KnownAlias)))
"""The kinds of packets for the first step."""
ITEM_KINDS = {DatasetWrite.__name__: "write", QualityResult.__name__: "quality", KnownAlias.__name__: "alias"}
"""The kinds of the items of those states that the first step completes."""


def first_step(packets: Iterable[Packet], retention: Retention, tasks: int) -> Iterator[Packet]:
    events: dict[Key, Item] = {}
    joins = Joins()
    for packet in packets:
        if packet.kind == EVENT:
            events.update((item.key, item) for item in packet.records)
        else:
            _add(joins, packet)
    yield from Packet.all_of(EVENT, 0, [*events.values()])
    packer = _ItemPacker(retention, tasks)
    for (kind, key), state in joins.take():
        if isinstance(state, Run):
            packer.join(kind, key, state)
            for parent, reported in reported_to_parents([state]).items():
                packer.join(kind, parent, reported)
        elif isinstance(state, Day):
            packer.add_item("day", EventDay(state.id))
        elif kind in ITEM_KINDS:
            packer.add_item(ITEM_KINDS[kind], state)
        elif isinstance(key, SchemaId):
            packer.add_item("schema", state)
            packer.add(kind, key, (key, state))
        else:
            packer.add_item("columnLineage", state)
    yield from packer.packets()


def run_step(packets: Iterable[Packet], retention: Retention, tasks: int) -> Iterator[Packet]:
    packer = _ItemPacker(retention, tasks)
    runs = _joined(packets)
    for run in runs:
        packer.add_item("run", run)
    for head in heads_by(runs):
        packer.join("JobHead", head.facts.id, head)
    for job, rhythm in rhythms_of(runs).items():
        packer.join(Rhythm.__name__, job, rhythm.join(None))
    yield from packer.packets()


def job_step(packets: Iterable[Packet], retention: Retention, tasks: int) -> Iterator[Packet]:
    packer = _ItemPacker(retention, tasks)
    for joined in _joined(packets):
        if isinstance(joined, Rhythm):
            packer.add_item("rhythm", joined)
            continue
        head = joined.complete
        packer.add_item("job", head)
        for edge in edges_of(head):
            packer.add("Edge", edge.dataset, edge)
        for dataset, claims in claims_of(head):
            packer.join(DatasetClaims.__name__, dataset, claims)
        for name in names_of(head):
            packer.join(type(name).__name__, key_of(name), name)
    yield from packer.packets()


def node_step(packets: Iterable[Packet], retention: Retention, tasks: int) -> Iterator[Packet]:
    packer = _ItemPacker(retention, tasks)
    claims: dict[Any, DatasetClaims] = {}
    datasets: list[DatasetFacts] = []
    joins = Joins()
    for packet in packets:
        _add(joins, packet)
    for (_, key), state in joins.take():
        match state:
            case DatasetClaims():
                claims[key] = state
            case DatasetFacts():
                datasets.append(state)
            case KnownNamespace():
                packer.add_item("namespace", state)
            case SearchTerm():
                packer.add_item("searchTerm", state)
    for facts in datasets:
        head = claims.get(key_of(facts), DatasetClaims()).head(facts)
        packer.add("DatasetHead", (head.id, head.schema_digest or ""), head)
    yield from packer.packets()


def schema_step(packets: Iterable[Packet], retention: Retention) -> Iterator[Packet]:
    schemas: dict[Any, Any] = {}
    heads = []
    for packet in packets:
        if packet.kind == Document.__name__:
            schemas.update(packet.records)
        else:
            heads += packet.records
    found = ((head, schemas.get((head.id, head.schema_digest))) for head in heads)
    with_schemas = (replace(head, schema=schema.value) if schema else head for head, schema in found)
    yield from Packet.all_of("dataset", 0, [encode(head, retention) for head in with_schemas])


class _ItemPacker(Packer):
    """Packs items, too, which stay where they are."""

    def __init__(self, retention: Retention, tasks: int) -> None:
        super().__init__(tasks)
        self._retention = retention

    def add_item(self, kind: str, state: Any) -> None:
        self.add(kind, "", encode(state, self._retention))


def _joined(packets: Iterable[Packet]) -> list[Any]:
    joins = Joins()
    for packet in packets:
        _add(joins, packet)
    return [state for _, state in joins.take()]


def _add(joins: Joins, packet: Packet) -> None:
    for key, state in packet.records:
        joins.add((packet.kind, key), state)
