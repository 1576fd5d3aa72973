"""Facets that are stored under their digest: schema and column lineage, in the form in which they are stored.

An event's long facets are brought into this form once, when the event is normalised. The fold asks for the digest of
each up to four times.
"""

from functools import lru_cache
from operator import itemgetter
from typing import Any

from headwater.openlineage import exact_json

SCHEMA = "schema"
COLUMN_LINEAGE = "columnLineage"
LONG_FACETS = frozenset({SCHEMA, COLUMN_LINEAGE})


class LongFacet(dict[str, Any]):
    """A facet with its digest. A column lineage has sorted arrays: their order means nothing."""

    def __init__(self, name: str, facet: dict[str, Any]) -> None:
        stored, text = _sorted(facet) if name == COLUMN_LINEAGE else (facet, exact_json.dumps(facet))
        super().__init__(stored)
        self.digest = exact_json.digest_of(text)


def stored_form(name: str, facet: Any) -> tuple[Any, str]:
    """A long facet as it is stored, and its digest."""
    if isinstance(facet, LongFacet):
        return facet, facet.digest
    stored, text = _sorted(facet) if name == COLUMN_LINEAGE else (facet, exact_json.dumps(facet))
    return stored, exact_json.digest_of(text)


def _sorted(value: Any) -> tuple[Any, str]:
    """A document with all its arrays sorted by the JSON of their entries, and its JSON.

    The JSON of a document is put together from the JSON of its members, so that each value is written once, however
    deep it is.
    """
    if isinstance(value, str):
        return value, _text(value)
    if isinstance(value, dict):
        members = {
            name: (member, _text(member)) if isinstance(member, str) else _sorted(member)  # saves most of the calls
            for name, member in value.items()
        }
        texts = [f"{_text(name)}:{members[name][1]}" for name in sorted(members)]
        return {name: member for name, (member, _) in members.items()}, f"{{{','.join(texts)}}}"
    if isinstance(value, list):
        entries = sorted(map(_sorted, value), key=itemgetter(1))
        return [entry for entry, _ in entries], f"[{','.join([text for _, text in entries])}]"
    return value, _LITERALS[value] if isinstance(value, bool) else exact_json.dumps(value)


_LITERALS = {True: "true", False: "false"}
"""Nearly every scalar of a column lineage that is no text is its `masking`."""


@lru_cache(maxsize=10_000)
def _text(value: str) -> str:
    """The JSON of a text: of namespaces, names and columns there are few, each many times."""
    return exact_json.dumps(value)
