"""The schema of a schema registry counts before the schemas of jobs, in whatever order the events come."""

from itertools import permutations

import pytest

from headwater.fold.fold import fold
from headwater.graph.facets.schema import REGISTRY
from headwater.graph.names.identity import dataset_id
from headwater.openlineage.event import Name
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.snapshot import ReadRequest
from tests import factory
from tests.factory import Document
from tests.lookup.requests import RETENTION

TOPIC = {"namespace": "kafka://broker-1:9092", "name": "orders"}


def registered(seconds: float, *fields: str) -> Document:
    facets = {"schema": factory.schema(*fields), REGISTRY: factory.facet(registry="shop", subjects=[])}
    dataset = {**TOPIC, "facets": facets}
    return {"eventTime": factory.at(seconds), "producer": factory.PRODUCER, "dataset": dataset}


def claimed(seconds: float, *fields: str, side: str) -> Document:
    topic = {**TOPIC, "facets": {"schema": factory.schema(*fields)}}
    return factory.run_event(
        "RUNNING",
        seconds=seconds,
        run=int(seconds),
        job=side,
        inputs=[topic] if side == "inputs" else [],
        outputs=[topic] if side == "outputs" else [],
    )


EVENTS = [
    registered(10, "id:long"),
    registered(20, "id:long", "email:string"),
    claimed(5, "id:INT", side="inputs"),
    claimed(30, "id:STRING", "extra:INT", side="outputs"),
]


@pytest.mark.parametrize("is_one_batch", [True, False])
def test_the_head_has_the_registrys_newest_schema_in_any_order(is_one_batch: bool) -> None:
    heads = set()
    for events in permutations(EVENTS):
        store = GraphStore(MemoryTable(), RETENTION)
        for batch in [events] if is_one_batch else [[event] for event in events]:
            fold(factory.received(*batch), store)
        (head,) = store.read(ReadRequest(datasets=[dataset_id(Name(**TOPIC))])).datasets.all().values()
        heads.add((head.written, head.schema_digest, tuple(field["name"] for field in head.schema["fields"])))
    ((written, digest, columns),) = heads
    assert (written == digest, columns) == (True, ("id", "email"))
