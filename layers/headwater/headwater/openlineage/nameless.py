"""Inputs and outputs without a usable name.

Flink sends tables of connectors that report no lineage with an empty namespace, beside datasets with good names. The
rest of such an event is good, hence these references are left out, and the sender is told.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple


class NamedDatasets(NamedTuple):
    """A document whose inputs and outputs all have a namespace and a name, and the faults of those left out."""

    document: Any
    faults: tuple[str, ...]


def with_named_datasets(document: Any) -> NamedDatasets:
    """The document of an event without the inputs and outputs whose namespace or name is missing or empty.

    The document is the same object if nothing is left out. Members of another type are left as they are: the check of
    the event names their faults.
    """
    if not isinstance(document, dict):
        return NamedDatasets(document, ())
    kept, faults = dict(document), []
    for member in ("inputs", "outputs"):
        references = document.get(member)
        nameless = dict(_nameless(references))
        if nameless and isinstance(references, list):
            kept[member] = [reference for index, reference in enumerate(references) if index not in nameless]
            faults += [f"{member}[{index}].{fault}" for index, fault in nameless.items()]
    return NamedDatasets(kept if faults else document, tuple(faults))


def _nameless(references: Any) -> Iterator[tuple[int, str]]:
    """The indices of references with half a name, each with its fault: `namespace: empty`. An object without both
    halves is no reference to a dataset, and stays: the check of the event refuses it."""
    for index, reference in enumerate(references if isinstance(references, list) else ()):
        if isinstance(reference, dict):
            unusable = [member for member in ("namespace", "name") if reference.get(member) in (None, "")]
            if len(unusable) == 1:
                fault = "empty" if reference.get(unusable[0]) == "" else "missing"
                yield index, f"{unusable[0]}: {fault}"
