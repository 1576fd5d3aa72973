"""Writes and quality results, both in the partition of the dataset, by time."""

from collections.abc import Mapping
from typing import Any

from headwater.graph.facets.dataset_reference import IoDataset
from headwater.graph.facets.register import Registers
from headwater.graph.names.identity import dataset_id
from headwater.graph.states.stored_states import DatasetWrite, QualityResult
from headwater.store import keys
from headwater.store.items.codec import Codec, Members, unchanged
from headwater.store.items.values import dataset_registers, instant, name_of, registers, registers_json
from headwater.store.ranges import quality_position, write_position
from headwater.store.table import Item, Retention, expiry


def encode(write: DatasetWrite, retention: Retention) -> Item:
    """The item of a write, by the time of the first event that names the output."""
    output = write.output
    document = {
        "name": output.name,
        "first": output.first,
        "facets": registers_json(output.facets),
        "ioFacets": registers_json(output.io_facets),
    }
    return WRITE.item(keys.write(write.id), document, _labels(write), expiry(output.first, retention.runs))


def _labels(write: DatasetWrite) -> Mapping[str, str]:
    return {"at": write_position(write)}


def _decode(item: Item, members: Members) -> DatasetWrite:
    output = IoDataset(
        name=members.read("name", name_of(dataset_id, keys.dataset_of(item.key))),
        first=members.read("first", instant),
        facets=members.read("facets", dataset_registers),
        io_facets=members.read("ioFacets", registers),
    )
    return DatasetWrite(keys.write_of(item.key), output)


def _write_with_names(document: Any) -> Any:
    """Version 1 of the document was an array."""
    return dict(zip(("name", "first", "facets", "ioFacets"), document, strict=True))


WRITE = Codec("write", _decode, (_write_with_names, unchanged), _labels)


def encode_quality(result: QualityResult, retention: Retention) -> Item:
    """The item of a quality result, by the time of its newest event."""
    document = {"facets": registers_json(result.facets)}
    labels = _quality_labels(result)
    return QUALITY.item(keys.quality(result.id), document, labels, expiry(result.time, retention.runs))


def _quality_labels(result: QualityResult) -> Mapping[str, str]:
    return {"at": keys.QUALITY + quality_position(result)}


def _decode_quality(item: Item, members: Members) -> QualityResult:
    return QualityResult(keys.quality_of(item.key), members.read("facets", _quality))


def _quality(value: Any) -> Registers:
    """The registers of a quality result: the item has its time by the newest of them."""
    facets = registers(value)
    if not facets:
        raise ValueError("expected a facet")
    for register in facets.values():
        instant(register.time)
    return facets


def _quality_with_facets(document: Any) -> Any:
    """The document of version 1 was the facets themselves."""
    return {"facets": document}


QUALITY = Codec("quality", _decode_quality, (_quality_with_facets, unchanged), _quality_labels)
