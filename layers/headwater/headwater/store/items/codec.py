"""How states become items and items become states: each kind of item has a codec, with the version of the kind's form.

The attribute `schema` of an item is the version of the form in which it was written; items of version 1 lack the
attribute. An older item is read through the upgrade steps 1 -> 2, 2 -> 3, ... of its codec, and is written in the
newest form when a fold next changes it. A new form ships in two steps: the release that brings it reads both and writes
the previous one, until `Retention.forms` switches it to the new one. An item of a newer version than this release
knows, and a damaged item, are a CorruptItem: neither a rollback nor a damaged item loses an event. docs/table.md says
how to change a kind.
"""

import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

from headwater.store.errors import CorruptItem
from headwater.store.items.compression import pack, unpack
from headwater.store.keys import Key
from headwater.store.table import FORM, Item

DOC = "doc"
SCHEMA = "schema"
LISTED = ("listed_in", "place")
"""The labels of an item that is in a list."""

State = TypeVar("State")
Value = TypeVar("Value")
Upgrade = Callable[[Any], Any]
"""A step from the document of one version to that of the next."""

_REQUIRED: Final = object()
_VERSION = re.compile(r"[1-9]\d{0,5}", re.ASCII)


class WrongMember(Exception):
    """A member, part or label of an item is missing or has a wrong value. `Codec.read` adds the key of the item."""

    def __init__(self, member: str, reason: str) -> None:
        super().__init__(reason)
        self.member = member


class Members:
    """The members of an item's document. Each member is read by a decoder, which refuses a value of another form."""

    __slots__ = ("document",)

    def __init__(self, document: Any) -> None:
        if not isinstance(document, dict):
            raise WrongMember(DOC, f"expected an object, found {_shown(document)}")
        self.document = document

    def read(self, name: str, decode: Callable[[Any], Value], default: Any = _REQUIRED) -> Value:
        """A member. The default is for items that were written before the member existed. Raises WrongMember."""
        value = self.document.get(name, _REQUIRED)
        if value is _REQUIRED:
            if default is _REQUIRED:
                raise WrongMember(name, "missing")
            return default  # type: ignore[no-any-return]
        try:
            return decode(value)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise WrongMember(name, f"{error} (it is {_shown(value)})") from error


@dataclass(frozen=True)
class Codec(Generic[State]):
    """One kind of item. `decode` makes a state of an item and its members; `upgrades[0]` is the step from version 1.

    `labels` are the labels that follow from a state: an item with other labels is corrupt, since the indexes would
    return it for the wrong node. An item of a version before `listed_since` may be in no list. `former_labels` are the
    labels of older items, each with the version that had others, in the order of versions. `former` is the step back:
    it turns an item in the newest form into the previous one. It comes with the release that brings a form, and goes
    with the next.

    Example: version 3 adds a member to jobs. Then `upgrades` gets a second step, which sets the member; or the step
    `unchanged`, with a default where the member is read.
    """

    kind: str
    decode: Callable[[Item, Members], State]
    upgrades: tuple[Upgrade, ...]
    labels: Callable[[State], Mapping[str, str]] | None = None
    listed_since: int = 1
    former_labels: tuple[tuple[int, Callable[[State], Mapping[str, str]]], ...] = ()
    former: Callable[[Item], Item] | None = None
    unpack: Callable[[bytes], Any] = unpack

    @cached_property
    def schema(self) -> int:
        """The newest version, in which this release writes."""
        return len(self.upgrades) + 1

    def item(
        self, key: Key, document: Any, labels: Mapping[str, str] = {}, expires_at: int | None = None, **parts: bytes
    ) -> Item:
        """The item that holds a document, in the newest form."""
        return Item(
            key, {"kind": self.kind, SCHEMA: str(self.schema), **labels}, {DOC: pack(document), **parts}, expires_at
        )

    def in_former_form(self, item: Item, stored: Item | None) -> Item:
        """A new item as the previous release writes and reads it. An item already stored in the newest form keeps it:
        some functions are switched before others."""
        if self.former is None or (stored and stored.labels.get(SCHEMA) == str(self.schema)):
            return item
        former = self.former(item)
        return replace(former, labels={**former.labels, SCHEMA: str(self.schema - 1)})

    def read(self, item: Item) -> State:
        """The state in an item of this kind. Raises CorruptItem."""
        try:
            return self._read(item)
        except WrongMember as fault:
            raise CorruptItem(item.key, fault.member, str(fault)) from fault

    def check_version(self, item: Item) -> None:
        """Raises CorruptItem if this release does not know the version in which an item was written."""
        try:
            self._version(item)
        except WrongMember as fault:
            raise CorruptItem(item.key, fault.member, str(fault)) from fault

    def _read(self, item: Item) -> State:
        if item.labels.get("kind") != self.kind:
            raise WrongMember("kind", f"expected {self.kind}, found {_shown(item.labels.get('kind'))}")
        version = self._version(item)
        members = Members(self._upgraded(unpacked(item, DOC, self.unpack), version))
        try:
            state = self.decode(item, members)
        except ValueError as error:
            raise WrongMember("kind", f"the key is of another kind than {self.kind}: {error}") from error
        labels = next((former for relabelled_in, former in self.former_labels if version < relabelled_in), self.labels)
        if labels and not item.labels.keys() <= set(FORM):  # read with only one part, an item has no other labels
            _check_labels(item, self._expected_labels(item, labels(state)))
        return state

    def _expected_labels(self, item: Item, labels: Mapping[str, str]) -> Mapping[str, str]:
        is_unlisted = self._version(item) < self.listed_since and not item.labels.keys() & set(LISTED)
        return {name: text for name, text in labels.items() if name not in LISTED} if is_unlisted else labels

    def _upgraded(self, document: Any, version: int) -> Any:
        try:
            for upgrade in self.upgrades[version - 1 :]:
                document = upgrade(document)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise WrongMember(DOC, f"no upgrade from version {version}: {error}") from error
        return document

    def _version(self, item: Item) -> int:
        text = item.labels.get(SCHEMA, "1")
        if not _VERSION.fullmatch(text):
            raise WrongMember(SCHEMA, f"expected a version, found {_shown(text)}")
        if int(text) > self.schema:
            raise WrongMember(SCHEMA, f"written by a newer release: {text}, this one knows {self.schema}")
        return int(text)


def _check_labels(item: Item, expected: Mapping[str, str]) -> None:
    for name in (*expected, *LISTED):
        text, stored = expected.get(name), item.labels.get(name)
        if text != stored:
            raise WrongMember(name, f"expected {text!r}, found {_shown(stored)}")


def unpacked(item: Item, part: str, unpack: Callable[[bytes], Any] = unpack) -> Any:
    """A document of an item. Raises WrongMember."""
    if part not in item.parts:
        raise WrongMember(part, "missing")
    try:
        return unpack(item.parts[part])
    except (ValueError, ArithmeticError, RecursionError, zlib.error) as error:
        raise WrongMember(part, f"no document: {error}") from error


def unchanged(document: Any) -> Any:
    """The step to a version whose documents have the same form."""
    return document


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
