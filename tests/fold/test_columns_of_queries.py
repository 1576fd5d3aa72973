"""Columns of a query that an older release took for all columns of a table are withdrawn, without an alert."""

import pytest

from headwater.alerts.schema_transition import schema_transition
from headwater.fold.fold import fold
from headwater.graph.facets.schema import fields_of
from headwater.graph.names.identity import dataset_id
from headwater.graph.producers.producer import Strength
from headwater.graph.producers.spark import Spark
from headwater.graph.states.dataset import DatasetHead
from headwater.openlineage.event import Name
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.snapshot import ReadRequest
from tests import factory
from tests.store.golden import RETENTION

ORDERS = Name("postgres://db:5432", "shop.public.orders")
SPARK = {"jobType": factory.facet(integration="SPARK", jobType="SQL_JOB")}


def read_by(job: str, *columns: str, seconds: int) -> factory.Document:
    orders = factory.dataset(ORDERS.name, ORDERS.namespace, schema=factory.schema(*columns))
    return factory.run_event("COMPLETE", seconds=seconds, run=seconds, job=job, job_facets=SPARK, inputs=[orders])


def head_after(store: GraphStore, *events: factory.Document) -> DatasetHead:
    """The head of `orders` after the events were folded, one by one."""
    for event in events:
        fold(factory.received(event), store)
    orders = dataset_id(ORDERS)
    return store.read(ReadRequest(datasets=[orders])).datasets.all()[orders]


def columns_of(head: DatasetHead) -> set[str]:
    return {field["name"] for field in fields_of(head.schema)}


def written_before(store: GraphStore, patch: pytest.MonkeyPatch, *jobs: str) -> DatasetHead:
    """The head that an older release left, which took the columns of a query for all columns of the table."""
    with patch.context() as older:
        older.setattr(Spark, "strength_of_input", lambda *_: Strength.COMPLETE)
        return head_after(store, *(read_by(job, "id:long", f"{job}:long", seconds=at) for at, job in enumerate(jobs)))


@pytest.fixture
def store() -> GraphStore:
    return GraphStore(MemoryTable(), RETENTION)


def test_the_columns_that_the_only_reader_named_are_some_once_it_reports_again(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = written_before(store, monkeypatch, "a")
    new = head_after(store, read_by("a", "id:long", seconds=10))
    assert (old.schema_digest is None, columns_of(old)) == (False, {"id", "a"})
    assert (new.schema_digest, columns_of(new)) == (None, {"id"})
    assert schema_transition(old, new) is None


def test_one_of_many_readers_that_names_another_column_is_enough(
    store: GraphStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = ("a", "b", "c", "d")
    old = written_before(store, monkeypatch, *jobs)
    new = head_after(store, *(read_by(job, "id:long", f"{job}:long", seconds=10) for job in jobs))
    assert (old.schema_digest is None, columns_of(old)) == (False, {"id", "d"})
    assert (new.schema_digest, columns_of(new)) == (None, {"id", *jobs})
    assert schema_transition(old, new) is None


def test_two_queries_over_jdbc_add_up_and_change_nothing(store: GraphStore) -> None:
    first = head_after(store, read_by("a", "id:long", seconds=1))
    second = head_after(store, read_by("a", "note:string", seconds=2))
    assert (columns_of(first), columns_of(second)) == ({"id"}, {"id", "note"})
    assert schema_transition(first, second) is None
