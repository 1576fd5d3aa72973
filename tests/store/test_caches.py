"""The state cache: an item is decoded once, a changed item is decoded anew, and memory is bounded."""

from dataclasses import replace
from typing import Any

import pytest

from headwater.graph.states.stored_states import KnownNamespace
from headwater.openlineage.instant import Instant
from headwater.store.caches import MEMORY_OF_PACKED, StateCache
from headwater.store.errors import CorruptItem
from headwater.store.items import names
from headwater.store.items.codec import Codec
from headwater.store.table import Item

NOON = Instant("2026-11-20T12:00:00.000000000Z")


class CountingCodec:
    """The codec of namespaces, which counts the items that it decodes."""

    def __init__(self) -> None:
        self.decoded: list[Item] = []
        self.codec: Codec[KnownNamespace] = replace(names.NAMESPACE, decode=self._decode)

    def _decode(self, item: Item, members: Any) -> KnownNamespace:
        self.decoded.append(item)
        return names.NAMESPACE.decode(item, members)


def item_of(name: str) -> Item:
    return names.encode_namespace(KnownNamespace(name, NOON))


def test_an_item_is_decoded_once() -> None:
    counting, cache = CountingCodec(), StateCache()
    states = [cache.read(item_of("shop"), counting.codec) for _ in range(3)]
    assert states == [KnownNamespace("shop", NOON)] * 3
    assert len(counting.decoded) == 1


def test_an_item_of_the_same_key_with_other_labels_or_another_document_is_decoded_anew() -> None:
    cache, item = StateCache(), item_of("shop")
    cache.read(item, names.NAMESPACE)
    later = "2026-11-20T13:00:00.000000000Z"
    assert cache.read(replace(item, labels={**item.labels, "first": later}), names.NAMESPACE).first == later
    with pytest.raises(CorruptItem):
        cache.read(replace(item, parts=item_of("bank").parts), names.NAMESPACE)


def test_a_corrupt_item_is_refused_each_time() -> None:
    cache, damaged = StateCache(), replace(item_of("shop"), parts={})
    for _ in range(2):
        with pytest.raises(CorruptItem):
            cache.read(damaged, names.NAMESPACE)


def test_the_states_used_last_are_kept_within_the_bound() -> None:
    items = [item_of(f"team-{number}") for number in range(20)]
    size = max(sum(map(len, item.parts.values())) for item in items)
    counting, cache = CountingCodec(), StateCache(max_packed_bytes=5 * size)
    for item in items:
        cache.read(items[0], counting.codec)
        cache.read(item, counting.codec)
    assert len(counting.decoded) == len(items)
    cache.read(items[0], counting.codec)
    cache.read(items[-1], counting.codec)
    assert len(counting.decoded) == len(items)
    cache.read(items[1], counting.codec)
    assert len(counting.decoded) == len(items) + 1


def test_an_item_larger_than_the_bound_is_decoded_and_not_kept() -> None:
    counting, cache = CountingCodec(), StateCache(max_packed_bytes=1)
    assert [cache.read(item_of("shop"), counting.codec) for _ in range(2)] == [KnownNamespace("shop", NOON)] * 2
    assert len(counting.decoded) == 2


def test_a_state_that_was_kept_is_not_decoded() -> None:
    counting, cache = CountingCodec(), StateCache()
    cache.keep(item_of("shop"), counting.codec, KnownNamespace("shop", NOON))
    assert cache.read(item_of("shop"), counting.codec) == KnownNamespace("shop", NOON)
    assert counting.decoded == []


def test_a_text_is_made_once_for_a_state_and_what_else_is_given() -> None:
    made: list[str] = []

    def make(_: object, given: str) -> str:
        made.append(given)
        return given

    cache = StateCache()
    state = cache.read(item_of("shop"), names.NAMESPACE)
    assert [cache.made(make, state, given) for given in "aabbaa"] == list("aabbaa")
    assert made == ["a", "b", "a"]
    like_it = KnownNamespace("shop", NOON)
    assert [cache.made(make, like_it, "a") for _ in range(2)] == ["a", "a"]
    assert made == ["a", "b", "a", "a", "a"], "a state that is not in the cache has no text of its own"


def test_what_two_functions_make_of_a_state_is_kept_beside_each_other() -> None:
    cache = StateCache()
    state = cache.read(item_of("shop"), names.NAMESPACE)

    def as_document(known: KnownNamespace) -> dict[str, str]:
        return {"name": known.name}

    document = cache.made(as_document, state)
    assert cache.made(repr, state) == repr(state)
    assert cache.made(as_document, state) is document


def test_texts_count_for_the_bound_and_go_with_their_states() -> None:
    items = [item_of(f"team-{number}") for number in range(20)]
    size = max(sum(map(len, item.parts.values())) for item in items)
    counting, cache = CountingCodec(), StateCache(max_packed_bytes=20 * size)

    def long_text(_: object) -> str:
        return "x" * 4 * size * MEMORY_OF_PACKED

    for item in items:
        cache.made(long_text, cache.read(item, counting.codec))
    for item in reversed(items):
        cache.read(item, counting.codec)
    assert len(counting.decoded) == len(items) + len(items) - 4


def test_documents_count_for_the_bound() -> None:
    items = [item_of(f"team-{number}") for number in range(10)]
    size = max(sum(map(len, item.parts.values())) for item in items)
    counting, cache = CountingCodec(), StateCache(max_packed_bytes=10 * size)
    for item in items:
        cache.made(lambda _: {}, cache.read(item, counting.codec))
    for item in reversed(items):
        cache.read(item, counting.codec)
    assert len(counting.decoded) > len(items)
