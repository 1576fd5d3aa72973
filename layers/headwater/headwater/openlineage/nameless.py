"""Datasets and columns without a usable name.

Flink sends tables of connectors that report no lineage with an empty namespace, beside datasets with good names. The
rest of such an event is good, so these references are left out, and the sender is notified. So are fields of a schema
without a name: no column lineage can name them.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple


class NamedDatasets(NamedTuple):
    """A document whose inputs and outputs all have a namespace and a name, and their fields a name; and the faults of
    those left out."""

    document: Any
    faults: tuple[str, ...]


def with_named_datasets(document: Any) -> NamedDatasets:
    """The document of an event without the inputs and outputs whose namespace or name is missing or empty, and without
    fields of a schema whose name is.

    The document is the same object if nothing is left out. Members of another type are left as they are: the check of
    the event names their faults.
    """
    if not isinstance(document, dict):
        return NamedDatasets(document, ())
    kept, faults = dict(document), list[str]()
    for member in ("inputs", "outputs"):
        if isinstance(references := document.get(member), list):
            kept[member] = list(_named(references, member, faults))
    if "dataset" in document:
        kept["dataset"] = _with_named_fields(document["dataset"], "dataset", faults)
    return NamedDatasets(kept if faults else document, tuple(faults))


def _named(references: list[Any], member: str, faults: list[str]) -> Iterator[Any]:
    for index, reference in enumerate(references):
        if fault := _fault(reference):
            faults.append(f"{member}[{index}].{fault}")
        else:
            yield _with_named_fields(reference, f"{member}[{index}]", faults)


def _fault(reference: Any) -> str | None:
    """The fault of a reference with half a name: `namespace: empty`. An object without both halves is not a reference
    to a dataset, and stays: the check of the event refuses it."""
    if not isinstance(reference, dict):
        return None
    unusable = [member for member in ("namespace", "name") if reference.get(member) in (None, "")]
    return _unusable(reference, unusable[0]) if len(unusable) == 1 else None


def _with_named_fields(reference: Any, path: str, faults: list[str]) -> Any:
    match reference:
        case {"facets": {"schema": {"fields": list(fields)} as schema} as facets}:
            nameless = [at for at, field in enumerate(fields) if isinstance(field, dict) and not field.get("name")]
            if nameless:
                place = f"{path}.facets.schema.fields"
                faults += [f"{place}[{at}].{_unusable(fields[at], 'name')}" for at in nameless]
                named = [field for field in fields if not isinstance(field, dict) or field.get("name")]
                return {**reference, "facets": {**facets, "schema": {**schema, "fields": named}}}
    return reference


def _unusable(holder: dict[str, Any], member: str) -> str:
    return f"{member}: {'empty' if holder.get(member) == '' else 'missing'}"
