"""The values of items' documents. A decoder makes a domain value of JSON, or raises TypeError or ValueError; the
functions `..._json` are the way back.

Without type checks, a wrong value would only fail later, in a comparison, and an event would be blamed for the item.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar

from headwater.graph.facets.dataset_reference import IoDataset, IoDatasets
from headwater.graph.facets.long_facet import LONG_FACETS
from headwater.graph.facets.register import Register, Registers, Stamp
from headwater.graph.names.identity import DatasetId, JobId
from headwater.graph.names.identity import dataset_id as id_of_dataset
from headwater.graph.states.run import ParentRef
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name, is_uuid
from headwater.openlineage.instant import NEVER, Instant

Value = TypeVar("Value")

KEPT = 1_000
"""Texts that are not checked again: an item has the same few times and stamps many times."""

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{32}")
_STAMP = re.compile(rf"(?:{_INSTANT.pattern}[012]|0{{30}}){_DIGEST.pattern}[io]?|", re.ASCII)
"""The stamps of an event, of a data source, and of a run that only its children named."""


def text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("expected a text")
    return value


def boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("expected true or false")
    return value


def number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("expected a whole number")
    return value


def anything(value: Any) -> Any:
    return value


def instant_or_never(value: Any) -> Instant:
    return NEVER if value == NEVER else instant(value)


def instant(value: Any) -> Instant:
    """A moment in the form of `Instant`."""
    return _instant(text(value))


@lru_cache(maxsize=KEPT)
def _instant(value: str) -> Instant:
    if not _INSTANT.fullmatch(value):
        raise ValueError("expected a time")
    datetime.fromisoformat(value[:26])
    return Instant(value)


def exactly(expected: str) -> Callable[[Any], str]:
    """A decoder of a text that is also in the item's key."""

    def decode(value: Any) -> str:
        if value != expected:
            raise ValueError(f"expected {expected!r}, which the item's key has")
        return expected

    return decode


def name_of(identify: Callable[[Name], str], expected: str) -> Callable[[Any], Name]:
    """A decoder of the name of the job or dataset with the id `expected`."""

    def decode(value: Any) -> Name:
        decoded = name(value)
        if identify(decoded) != expected:
            raise ValueError(f"expected the name with the id {expected}")
        return decoded

    return decode


def digest(value: Any) -> str:
    """The digest of a document, or the id of a node."""
    if not _DIGEST.fullmatch(text(value)):
        raise ValueError("expected 32 hex digits")
    return str(value)


def job_id(value: Any) -> JobId:
    return JobId(digest(value))


def dataset_id(value: Any) -> DatasetId:
    return DatasetId(digest(value))


def run_id(value: Any) -> str:
    if not is_uuid(text(value)):
        raise ValueError("expected a run's id")
    return str(value)


def facet_of(expected: str) -> Callable[[Any], Any]:
    """A decoder of the facet with a digest, which the item's key has."""

    def decode(value: Any) -> Any:
        if exact_json.digest(value) != expected:
            raise ValueError("expected the facet whose digest the item's key has")
        return value

    return decode


def optional(decode: Callable[[Any], Value]) -> Callable[[Any], Value | None]:
    return lambda value: None if value is None else decode(value)


def array(decode: Callable[[Any], Value]) -> Callable[[Any], tuple[Value, ...]]:
    return lambda value: tuple(decode(entry) for entry in _array(value))


def object_of(decode: Callable[[Any], Value]) -> Callable[[Any], dict[str, Value]]:
    return lambda value: {member: decode(entry) for member, entry in _object(value).items()}


def name(value: Any) -> Name:
    namespace, own_name = _array(value)
    return Name(text(namespace), text(own_name))


def parent(value: Any) -> ParentRef:
    parent_id, job = _array(value)
    return ParentRef(run_id(parent_id), name(job))


def register(value: Any) -> Register:
    stamp, register_value = _array(value)
    return Register(_stamp(text(stamp)), register_value)


@lru_cache(maxsize=KEPT)
def _stamp(value: str) -> Stamp:
    if not _STAMP.fullmatch(value):
        raise ValueError("expected a stamp")
    return Stamp(value)


def registers(value: Any) -> Registers:
    return {member: register(entry) for member, entry in _object(value).items()}


def dataset_registers(value: Any) -> Registers:
    """The facets of a dataset: of a long facet the digest, of a deleted one None."""
    facets = registers(value)
    for facet in LONG_FACETS & facets.keys():
        optional(digest)(facets[facet].value)
    return facets


def io_datasets(value: Any) -> IoDatasets:
    return {
        DatasetId(dataset): _io_dataset(entry, name_of(id_of_dataset, dataset))
        for dataset, entry in _object(value).items()
    }


def _io_dataset(value: Any, own_name: Callable[[Any], Name]) -> IoDataset:
    dataset_name, first, facets, io_facets = _array(value)
    return IoDataset(own_name(dataset_name), instant(first), dataset_registers(facets), registers(io_facets))


def register_json(register: Register) -> list[Any]:
    return [register.stamp, register.value]


def registers_json(registers: Registers) -> dict[str, list[Any]]:
    return {member: [register.stamp, register.value] for member, register in registers.items()}


def io_dataset_json(dataset: IoDataset) -> list[Any]:
    return [dataset.name, dataset.first, registers_json(dataset.facets), registers_json(dataset.io_facets)]


def io_datasets_json(datasets: IoDatasets) -> dict[DatasetId, list[Any]]:
    return {node: io_dataset_json(dataset) for node, dataset in datasets.items()}


def _array(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("expected an array")
    return value


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("expected an object")
    return value
