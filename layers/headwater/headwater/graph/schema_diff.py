"""What is different between two schemas of a dataset, column by column; a nested one is `address.zip`."""

from collections.abc import Iterator
from typing import Any, NamedTuple


class Retyped(NamedTuple):
    """A column whose type is another now; the types as the producer sent them."""

    name: str
    before: Any
    after: Any


class SchemaDiff(NamedTuple):
    """Columns by name. What has another order or description alone is no difference."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    retyped: tuple[Retyped, ...]

    def __bool__(self) -> bool:
        return any(map(len, self))


def schema_diff(before: Any, after: Any) -> SchemaDiff:
    """The difference between two schema facets; what is no field in them is passed over."""
    old, new = dict(_types(before)), dict(_types(after))
    return SchemaDiff(
        added=tuple(name for name in new if name not in old),
        removed=tuple(name for name in old if name not in new),
        retyped=tuple(
            Retyped(name, old[name], kind) for name, kind in new.items() if name in old and old[name] != kind
        ),
    )


def _types(holder: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """Each column and its type, in their order."""
    fields = holder.get("fields") if isinstance(holder, dict) else None
    for each in fields if isinstance(fields, list) else ():
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            yield above + each["name"], each.get("type")
            yield from _types(each, f"{above}{each['name']}.")
