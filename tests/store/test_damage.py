"""Whatever is wrong with an item, the error names the item and the member; no event is blamed, and none is lost."""

import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.fold.fold import NO_THRESHOLDS, fold
from headwater.fold.normalise import BatchResult, Delivery, Normaliser
from headwater.graph.names.identity import dataset_id, job_id
from headwater.graph.names.naming import Naming
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.openlineage.wire import read_event
from headwater.store import keys
from headwater.store.errors import CorruptItem
from headwater.store.graph_store import GraphStore
from headwater.store.items.codec import DOC, SCHEMA
from headwater.store.items.compression import pack, unpack
from headwater.store.items.jobs import USAGES
from headwater.store.kinds import CODECS
from headwater.store.memory import MemoryTable
from headwater.store.messages import write_message
from headwater.store.table import FORM, Item
from tests import factory
from tests.fakes import FakeArchive, FakeBucket
from tests.store import golden

EVENTS = (
    factory.run_event(
        "START",
        run_facets={"parent": factory.parent(9, "nightly")},
        inputs=[factory.dataset("a", "s3a://lake", schema=factory.schema("id:long"), symlinks=factory.symlinks("b"))],
        outputs=[factory.dataset("c", columnLineage=factory.columns(id=("s3://lake", "a", "id")))],
    ),
    factory.run_event(
        "COMPLETE",
        seconds=5,
        inputs=[factory.dataset("a") | {"inputFacets": {"dataQualityAssertions": factory.facet(assertions=[])}}],
    ),
    factory.dataset_event(factory.dataset("c", schema=factory.schema("id:string")), seconds=7),
    factory.job_event(seconds=8, job="declared", inputs=[factory.dataset("c")], outputs=[factory.dataset("d")]),
)
AT = Instant("2026-11-20T08:00:09.000000000Z")
FOLDED = MemoryTable()
fold(factory.received(*EVENTS), GraphStore(FOLDED, golden.RETENTION))
ITEMS = [item for item in FOLDED.items.values() if item.labels["kind"] in CODECS]
each_item = pytest.mark.parametrize("item", ITEMS, ids=lambda item: "/".join((item.labels["kind"], item.key.sk[:7])))
DEEP = zlib.compress(b"[" * 100_000)
NOTHINGS = [b"", DEEP, zlib.compress(b"1e9999999999999999999"), zlib.compress(b"9" * 5_000), zlib.compress(b"\xff")]
DATES = ["2026-11-20", "2026-13-40T99:00:00.000000000Z", "2026-11-20T08:00:00.000000000Z"]
ANYTHING: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 7, -1, 10**30, "", "x", "\x00", "0" * 3_000, [], {}, [[]], {"x": ["", None]}, *DATES]
)
DECLARED = job_id(Name("demo", "declared"))


class World:
    """A table to which the events come once more."""

    def __init__(self, table: MemoryTable) -> None:
        self.table = table
        self.bucket = FakeBucket()
        self.faults: list[BaseException] = []
        self.deliveries = [self._delivery(document, number) for number, document in enumerate(EVENTS)]

    def normalise(self) -> BatchResult:
        store = GraphStore(self.table, golden.RETENTION)
        return Normaliser(store, self.bucket, FakeArchive(), Naming(), NO_THRESHOLDS, lambda: AT, self._log).normalise(
            self.deliveries
        )

    def _log(self, _message: str, error: BaseException, *, run: str | None = None) -> None:
        self.faults.append(error)

    def _delivery(self, document: Any, number: int) -> Delivery:
        canonical = exact_json.dumps(document)
        message = write_message(read_event(exact_json.loads(canonical)), canonical, AT, self.bucket)
        return Delivery(str(number), message.group, message.body)


def relabelled(item: Item, **labels: str) -> Item:
    return Item(item.key, {**item.labels, **labels}, item.parts, item.expires_at)


def with_part(item: Item, name: str, part: bytes) -> Item:
    return Item(item.key, item.labels, {**item.parts, name: part}, item.expires_at)


def table_with(item: Item) -> MemoryTable:
    table = MemoryTable()
    table.items |= {**FOLDED.items, item.key: item}
    return table


def refused(item: Item) -> CorruptItem:
    """The error of reading an item of the table as what it is by its key."""
    kind = FOLDED.items[item.key].labels["kind"]
    with pytest.raises(CorruptItem) as fault:
        CODECS[kind].read(item)
    assert fault.value.key == item.key
    return fault.value


@each_item
def test_an_item_of_another_kind_is_refused_and_not_passed_over(item: Item) -> None:
    for kind in ("", "day", "dataset" if item.labels["kind"] != "dataset" else "job"):
        other = relabelled(item, kind=kind)
        assert refused(other).member == "kind"
        result = World(table_with(other)).normalise()
        assert (result.quarantined, bool(result.failed)) == (0, bool(result.corrupt))


@each_item
def test_an_item_that_claims_another_kind_than_its_key_has_is_refused(item: Item) -> None:
    for kind, codec in CODECS.items():
        if kind not in (item.labels["kind"], "catalogReading"):
            with pytest.raises(CorruptItem):
                codec.read(relabelled(item, kind=kind))


def test_the_heads_that_were_read_are_all_given_or_refused() -> None:
    store = GraphStore(table_with(relabelled(FOLDED.items[_head()], kind="day")), golden.RETENTION)
    read = store.read_heads(datasets=[keys.dataset_of(_head())])
    with pytest.raises(CorruptItem):
        read.datasets.all()


@each_item
def test_a_label_that_does_not_follow_from_the_state_is_refused(item: Item) -> None:
    own = item.labels.keys() - {*FORM, "open_in"}
    for name in own if item.labels["kind"] != "event" else ():
        assert refused(relabelled(item, **{name: item.labels[name] + "!"})).member == name


@each_item
@pytest.mark.parametrize("version", ["9" * 5_000, "٢", "1.0", ""])
def test_a_version_that_is_no_number_is_refused(item: Item, version: str) -> None:
    assert refused(relabelled(item, schema=version)).member == SCHEMA


@each_item
def test_a_part_that_is_no_document_or_missing_is_refused(item: Item) -> None:
    for name in item.parts:
        for part in NOTHINGS:
            assert refused(with_part(item, name, part)).member == name
        others = {other: part for other, part in item.parts.items() if other != name}
        gone = Item(item.key, item.labels, others, item.expires_at)
        assert refused(gone).member == name
        assert World(table_with(gone)).normalise().quarantined == 0


def test_a_head_without_its_usages_is_not_taken_for_a_job_without_datasets() -> None:
    for head in [item for item in ITEMS if USAGES in item.parts]:
        gone = Item(head.key, head.labels, {DOC: head.parts[DOC]}, head.expires_at)
        world = World(table_with(gone))
        result = world.normalise()
        assert world.table.items[head.key] is gone
        assert result.corrupt == len(result.failed) or result.corrupt > 0


@each_item
def test_an_item_with_the_document_of_another_is_refused_if_it_can_be_told(item: Item) -> None:
    for other in ITEMS:
        is_page = other.labels["kind"] == item.labels["kind"] == "neighbours"  # a page has nothing of its dataset
        is_same = other.parts[DOC] == item.parts[DOC]
        if not (is_page or is_same):
            refused(with_part(item, DOC, other.parts[DOC]))


@given(data=st.data())
@settings(max_examples=300)
def test_damage_at_any_depth_is_never_held_against_an_event(data: st.DataObject) -> None:
    item = data.draw(st.sampled_from(ITEMS))
    name = data.draw(st.sampled_from(sorted(item.parts)))
    document = unpack(item.parts[name])
    damaged = _replaced(document, data.draw(st.sampled_from([*_paths(document)])), data.draw(ANYTHING))
    result = World(table_with(with_part(item, name, pack(damaged)))).normalise()
    assert result.quarantined == 0
    assert len(result.failed) + result.folded >= len(EVENTS)
    assert bool(result.failed) == bool(result.corrupt)


@each_item
def test_an_item_of_a_newer_release_stays_byte_for_byte_and_no_event_is_lost(item: Item) -> None:
    newer = relabelled(item, schema=str(CODECS[item.labels["kind"]].schema + 1))
    world = World(table_with(newer))
    result = world.normalise()
    assert world.table.items[item.key] is newer
    assert (result.quarantined, bool(result.failed)) == (0, bool(result.corrupt))
    assert {(each.key, each.member) for each in world.faults if isinstance(each, CorruptItem)} <= {(item.key, SCHEMA)}
    world.table.items[item.key] = item
    assert world.normalise().failed == []
    assert _states(world.table) == _states(FOLDED)


def test_what_follows_from_its_id_is_not_written_over_a_newer_form_either() -> None:
    put = [
        item for item in ITEMS if item.labels["kind"] in ("event", "columnLineage") or item.key.sk.endswith(DECLARED)
    ]
    assert {item.labels["kind"] for item in put} == {"event", "columnLineage", "write"}
    for item in put:
        newer = relabelled(item, schema="99")
        world = World(MemoryTable())
        world.table.put([newer])
        assert world.normalise().corrupt > 0
        assert world.table.items[item.key] is newer


def _head() -> keys.Key:
    return keys.dataset_head(dataset_id(Name("s3://lake", "c")))


def _states(table: MemoryTable) -> dict[keys.Key, Any]:
    """What the items stand for, but for emission latency, which depends on the times of receipt."""
    kinds = {key: item.labels["kind"] for key, item in table.items.items()}
    read = {key: kind for key, kind in kinds.items() if kind in CODECS and kind != "latency"}
    return {key: CODECS[kind].read(table.items[key]) for key, kind in read.items()}


def _replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    if not path:
        return by
    copy = value.copy()
    copy[path[0]] = _replaced(value[path[0]], path[1:], by)
    return copy


def _paths(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to each member of a document, at every depth."""
    yield above
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield from _paths(member, (*above, name))
