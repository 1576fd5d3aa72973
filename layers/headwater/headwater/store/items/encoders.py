"""Encoders of the members of items' documents: each makes JSON of a domain value. `decoders` is the way back."""

from typing import Any

from headwater.graph.facets.dataset_reference import IoDataset, IoDatasets
from headwater.graph.facets.register import Register, Registers
from headwater.graph.names.identity import DatasetId


def register_json(register: Register) -> list[Any]:
    return [register.stamp, register.value]


def registers_json(registers: Registers) -> dict[str, list[Any]]:
    return {member: register_json(register) for member, register in registers.items()}


def io_dataset_json(dataset: IoDataset) -> list[Any]:
    return [dataset.name, dataset.first, registers_json(dataset.facets), registers_json(dataset.io_facets)]


def io_datasets_json(datasets: IoDatasets) -> dict[DatasetId, list[Any]]:
    return {node: io_dataset_json(dataset) for node, dataset in datasets.items()}
