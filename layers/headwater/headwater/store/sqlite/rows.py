"""Items as rows of the table `items`.

The labels that an index has are columns of their own; the column `labels` has the others as JSON. The part `doc` is a
column, too, so it can be read without the others.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from headwater.store.items.codec import DOC
from headwater.store.keys import Key
from headwater.store.table import FORM, Item

INDEXED = ("at", "listed_in", "place", "name", "run_id", "open_in")
COLUMNS = ("pk", "sk", "version", "labels", *INDEXED, "expires_at", DOC, "parts")
FORM_COLUMNS = ("pk", "sk", "labels")
_FORM, _NOT_INDEXED = frozenset(FORM), (None,) * len(INDEXED)

Row = tuple[Any, ...]


def row_of(item: Item) -> Row:
    """The row of an item, in the order of COLUMNS. An item without parts has only its key and labels: its version is
    stored as an empty text, and computed from them when needed."""
    labels = item.labels
    if not item.parts and labels.keys() <= _FORM:  # a search term, as most items of a new name are
        return (*item.key, "", _labels_text(tuple(labels.items())), *_NOT_INDEXED, item.expires_at, None, None)
    others = tuple([(name, text) for name, text in labels.items() if name not in INDEXED])
    parts = {name: part for name, part in item.parts.items() if name != DOC}
    return (
        *item.key,
        item.version if item.parts else "",
        _labels_text(others),
        *map(labels.get, INDEXED),
        item.expires_at,
        item.parts.get(DOC),
        _packed(parts) if parts else None,
    )


def item_of(row: Row) -> Item:
    """The item of a row in the order of COLUMNS."""
    pk, sk, version, others, *indexed, expires_at, doc, packed = row
    own = {name: text for name, text in zip(INDEXED, indexed, strict=True) if text is not None}
    parts = {} if doc is None else {DOC: doc}
    parts = parts | _unpacked(packed) if packed else parts
    return Item(Key(pk, sk), {**_labels(others), **own}, parts, expires_at, version or None)


def part_of(row: Row, name: str) -> Item:
    """The item with only one part. The row has FORM_COLUMNS, then the column of the part."""
    pk, sk, others, content = row
    parts = {DOC: content} if name == DOC else _unpacked(content) if content else {}
    labels = {label: text for label, text in _labels(others).items() if label in FORM}
    return Item(Key(pk, sk), labels, {name: parts[name]} if parts.get(name) is not None else {})


@lru_cache(maxsize=1_000)
def _labels_text(labels: tuple[tuple[str, str], ...]) -> str:
    return json.dumps(dict(labels))


@lru_cache(maxsize=1_000)
def _labels(text: str) -> Mapping[str, str]:
    """The labels that no index has. Thousands of items share them: kind, version, namespace, state."""
    labels: dict[str, str] = json.loads(text)
    return labels


def _packed(parts: Mapping[str, bytes]) -> bytes:
    """Parts as one text of bytes: their lengths as JSON, a NUL, their contents."""
    lengths = json.dumps({name: len(part) for name, part in parts.items()})
    return b"\0".join((lengths.encode(), b"".join(parts.values())))


def _unpacked(packed: bytes) -> dict[str, bytes]:
    head, _, content = packed.partition(b"\0")
    parts, start = {}, 0
    for name, length in orjson.loads(head).items():
        parts[name] = content[start : start + length]
        start += length
    return parts
