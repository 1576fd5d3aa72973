"""The reads of the table and the items written by a fold."""

from collections.abc import Collection, Iterable, Sequence

from headwater.fold.fold import fold
from headwater.graph.facets.long_facet import SCHEMA, digest_of
from headwater.graph.names.identity import DatasetId, dataset_id
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.neighbours import PAGE_SIZE, Side
from headwater.openlineage.event import Name
from headwater.store.graph_store import GraphStore
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.snapshot import ReadRequest
from headwater.store.table import ConditionalPut, Item
from tests import factory
from tests.caches import CheckedCache
from tests.factory import RETENTION, Document

INPUT = factory.dataset("orders", schema=factory.schema("id:long", "total:double"))
OUTPUT = factory.dataset(
    "revenue",
    schema=factory.schema("total:double"),
    columnLineage=factory.columns(total=("s3://lake", "orders", "total")),
    version=factory.facet(datasetVersion="1"),
)


class CountedTable(MemoryTable):
    def __init__(self) -> None:
        super().__init__()
        self.reads: list[int] = []
        self.written: list[Key] = []

    def read(self, keys: Collection[Key], only: str | None = None) -> dict[Key, Item]:
        if keys:
            self.reads.append(len(keys))
        return super().read(keys, only)

    def change(self, changes: Sequence[ConditionalPut]) -> None:
        self.written += [change.item.key for change in changes]
        super().change(changes)

    def put(self, items: Iterable[Item]) -> None:
        items = list(items)
        self.written += [item.key for item in items]
        super().put(items)


def run(number: int, *, version: str = "1") -> list[Document]:
    """A run of a known job: one input, one output, a START and a COMPLETE."""
    output = {**OUTPUT, "facets": {**OUTPUT["facets"], "version": factory.facet(datasetVersion=version)}}
    return [
        factory.run_event(kind, seconds=60 * number + after, run=number, inputs=[INPUT], outputs=[output])
        for kind, after in (("START", 0), ("COMPLETE", 30))
    ]


def after_some_runs() -> CountedTable:
    table = CountedTable()
    for number in (1, 2):
        fold(factory.received(*run(number)), GraphStore(table, RETENTION, CheckedCache()))
    table.reads.clear()
    table.written.clear()
    return table


def kinds(written: Iterable[Key]) -> list[str]:
    return sorted(key.pk[:2] + key.sk[:2] for key in written)


def test_a_repeated_run_writes_its_run_its_events_the_job_s_head_and_one_write_for_each_output() -> None:
    table = after_some_runs()
    fold(factory.received(*run(3, version="3")), GraphStore(table, RETENTION, CheckedCache()))
    assert kinds(table.written) == ["D#W#", "J#ME", "J#R#", "R#E#", "R#E#", "X#RH"]


def test_a_batch_is_folded_with_two_reads() -> None:
    table = after_some_runs()
    fold(factory.received(*run(3), *run(4), *run(5)), GraphStore(table, RETENTION, CheckedCache()))
    assert len(table.reads) == 2


def first_writes(*jobs: str) -> CountedTable:
    """A table whose schema a reader has said before jobs write it, one after the other, the first one last."""
    table = CountedTable()
    said = factory.dataset("revenue", schema=OUTPUT["facets"]["schema"])
    reader = factory.run_event("COMPLETE", job="reader", run=1, inputs=[said])
    starts = [factory.run_event("START", job=job, run=2, outputs=[factory.dataset("revenue")]) for job in jobs]
    fold(factory.received(reader, *starts), GraphStore(table, RETENTION, CheckedCache()))
    for number, job in enumerate(jobs):
        table.written.clear()
        write = factory.run_event("COMPLETE", job=job, seconds=60 - number, run=2, outputs=[said])
        fold(factory.received(write), GraphStore(table, RETENTION, CheckedCache()))
    return table


def head_of_revenue(table: CountedTable) -> DatasetHead:
    revenue = dataset_id(Name("s3://lake", "revenue"))
    return GraphStore(table, RETENTION).read(ReadRequest(datasets=[revenue])).datasets.of([revenue])[0]


def test_the_first_write_of_a_dataset_writes_its_head_once() -> None:
    table = first_writes("writer")
    assert kinds(table.written).count("D#ME") == 1
    assert head_of_revenue(table).written == head_of_revenue(table).schema_digest


def test_a_write_beside_another_writer_has_all_jobs_read() -> None:
    """The batch has the claims of one writer, which agrees with what was read last. The other wrote later."""
    table = CountedTable()
    newer, older = (factory.dataset("revenue", schema=factory.schema(column)) for column in ("a:int", "b:int"))
    events = [
        factory.run_event("COMPLETE", job="one", seconds=60, run=1, outputs=[newer]),
        factory.run_event("COMPLETE", job="reader", seconds=90, run=2, inputs=[older]),
        factory.run_event("COMPLETE", job="other", seconds=30, run=3, outputs=[older]),
    ]
    for event in events:
        fold(factory.received(event), GraphStore(table, RETENTION, CheckedCache()))
    assert head_of_revenue(table).schema_digest == digest_of(SCHEMA, older["facets"]["schema"])
    assert head_of_revenue(table).written == digest_of(SCHEMA, newer["facets"]["schema"])


class LaggingTable(CountedTable):
    """A table whose reads that may lag do not show any item yet."""

    def read_eventually(self, keys: Collection[Key]) -> dict[Key, Item]:
        self.reads.append(len(keys))
        return {}


def test_a_fold_whose_first_read_lags_reads_again_and_stores_the_same() -> None:
    lagging = LaggingTable()
    for number in (1, 2):
        fold(factory.received(*run(number)), GraphStore(lagging, RETENTION, CheckedCache()))
    assert lagging.items == after_some_runs().items


def test_an_event_delivered_again_writes_the_event_alone() -> None:
    table = after_some_runs()
    fold(factory.received(*run(2)), GraphStore(table, RETENTION, CheckedCache()))
    assert kinds(table.written) == ["R#E#", "R#E#"]


def test_only_a_new_name_is_written_into_the_lists_of_the_search() -> None:
    table = after_some_runs()
    wider = {**OUTPUT, "facets": {**OUTPUT["facets"], "schema": factory.schema("total:double", "tax:double")}}
    for number in (3, 4):
        fold(
            factory.received(factory.run_event("COMPLETE", seconds=60 * number, run=number, outputs=[wider])),
            GraphStore(table, RETENTION, CheckedCache()),
        )
    assert [key for key in table.written if key.pk.startswith("T#")] == [
        Key("T#c:ta", "tax\x1f"),
        Key("T#c=tax", next(key.sk for key in table.items if key.pk == "T#c=tax")),
    ]


def test_the_cost_of_a_run_does_not_depend_on_earlier_runs() -> None:
    table = after_some_runs()
    for number in range(3, 200):
        fold(factory.received(*run(number)), GraphStore(table, RETENTION, CheckedCache()))
    table.reads.clear()
    fold(factory.received(*run(200)), GraphStore(table, RETENTION, CheckedCache()))
    assert sum(table.reads) <= 11


def test_a_table_with_many_readers_is_many_small_items() -> None:
    table = CountedTable()
    readers = [factory.job_event(job=f"reader {number}", inputs=[INPUT]) for number in range(1000)]
    for start in range(0, len(readers), 100):
        fold(factory.received(*readers[start : start + 100]), GraphStore(table, RETENTION, CheckedCache()))
    (dataset,) = {key.pk for key in table.items if key.pk.startswith("D#")}
    pages = [item for key, item in table.items.items() if key.sk.startswith("ADJ#")]
    assert len(pages) > 1000 / PAGE_SIZE
    assert max(sum(map(len, page.parts.values())) for page in pages) < 8 * 1024
    assert len(GraphStore(table, RETENTION).neighbours(DatasetId(dataset[2:]))[Side.READS]) == 1000


def test_the_pages_of_a_wide_table_do_not_depend_on_the_order_its_readers_came_in() -> None:
    readers = [factory.job_event(job=f"reader {number}", inputs=[INPUT]) for number in range(300)]
    one, other = MemoryTable(), MemoryTable()
    fold(factory.received(*readers), GraphStore(one, RETENTION))
    for start in range(0, len(readers), 7):
        fold(factory.received(*reversed(readers[start : start + 7])), GraphStore(other, RETENTION))
    assert one.items == other.items


def test_column_lineage_whose_arrays_the_listener_shuffled_is_known() -> None:
    inputs = [{"namespace": "s3://lake", "name": "orders", "field": field} for field in ("a", "b", "c")]
    table = CountedTable()
    for number, order in enumerate([inputs, inputs[::-1]], start=1):
        lineage = factory.facet(fields={"total": {"inputFields": order}}, dataset=order)
        output = factory.dataset("revenue", columnLineage=lineage)
        table.written.clear()
        fold(
            factory.received(factory.run_event("COMPLETE", run=number, outputs=[output])), GraphStore(table, RETENTION)
        )
    assert kinds(table.written) == ["D#W#", "J#ME", "J#R#", "R#E#", "X#RH"]
