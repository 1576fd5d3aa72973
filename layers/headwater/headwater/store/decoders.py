"""Decoders of the members of items' documents: each makes a domain value of JSON, or raises TypeError or ValueError.

Without the check of types a wrong value would fail later, in a comparison, and an event would be blamed for the item.
`encoders` is the way back.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from headwater.graph.dataset_reference import IoDataset, IoDatasets
from headwater.graph.identity import DatasetId, JobId
from headwater.graph.register import Register, Registers, Stamp
from headwater.graph.run import ParentRef
from headwater.openlineage.event import Name
from headwater.openlineage.instant import NEVER, Instant

Value = TypeVar("Value")

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", re.ASCII)


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


def instant(value: Any) -> Instant:
    """A moment in the form of `Instant`, or NEVER."""
    if value == NEVER:
        return NEVER
    if not _INSTANT.fullmatch(text(value)):
        raise ValueError("expected a time")
    datetime.fromisoformat(value[:26])
    return Instant(value)


def exactly(expected: str) -> Callable[[Any], str]:
    """A decoder of a text that the item's key has, too."""

    def decode(value: Any) -> str:
        if value != expected:
            raise ValueError(f"expected {expected!r}, which the item's key has")
        return expected

    return decode


def name_of(identify: Callable[[Name], str], expected: str) -> Callable[[Any], Name]:
    """A decoder of the name of the job or dataset with the id `expected`: another name is not this item's own."""

    def decode(value: Any) -> Name:
        decoded = name(value)
        if identify(decoded) != expected:
            raise ValueError("expected the name that the item's key is made of")
        return decoded

    return decode


def job_id(value: Any) -> JobId:
    return JobId(text(value))


def dataset_id(value: Any) -> DatasetId:
    return DatasetId(text(value))


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
    run_id, job = _array(value)
    return ParentRef(text(run_id), name(job))


def register(value: Any) -> Register:
    stamp, register_value = _array(value)
    return Register(Stamp(text(stamp)), register_value)


def registers(value: Any) -> Registers:
    return {member: register(entry) for member, entry in _object(value).items()}


def io_dataset(value: Any) -> IoDataset:
    dataset_name, first, facets, io_facets = _array(value)
    return IoDataset(name(dataset_name), instant(first), registers(facets), registers(io_facets))


def io_datasets(value: Any) -> IoDatasets:
    return {DatasetId(dataset): io_dataset(entry) for dataset, entry in _object(value).items()}


def _array(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("expected an array")
    return value


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("expected an object")
    return value
