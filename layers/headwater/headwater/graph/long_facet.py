"""Facets that are stored under their digest: schema and column lineage.

The arrays of a column lineage are sorted before the facet is stored, and before its digest is made: their order means
nothing. To sort takes longer than all else that is done with an event, hence the digests are kept. An event's long
facets are brought into this form once, when the event is normalised. The fold asks for the digest of each up to four
times.
"""

from functools import lru_cache
from operator import itemgetter
from typing import Any

from headwater.openlineage import exact_json

SCHEMA = "schema"
COLUMN_LINEAGE = "columnLineage"
LONG_FACETS = frozenset({SCHEMA, COLUMN_LINEAGE})
MAX_DIGESTS = 50_000
"""Digests that are kept: some 10 MB."""
_digests: dict[str, str] = {}
"""The digests of sorted column lineages, by the digests of the facets as they were sent."""


class LongFacet(dict[str, Any]):
    """A facet as it was sent, with the digest of its stored form."""

    def __init__(self, name: str, facet: dict[str, Any]) -> None:
        super().__init__(facet)
        self.digest = digest_of(name, facet)


def digest_of(name: str, facet: Any) -> str:
    """The digest under which a long facet is stored."""
    if isinstance(facet, LongFacet):
        return facet.digest
    sent = exact_json.digest(facet)
    if name != COLUMN_LINEAGE:
        return sent
    digest = _digests.get(sent)
    if digest is None:
        if len(_digests) >= MAX_DIGESTS:
            _digests.clear()
        digest = _digests[sent] = exact_json.digest_of(_sorted(facet)[1])
    return digest


def stored_form(name: str, facet: Any) -> Any:
    """A long facet as it is stored."""
    return _sorted(facet)[0] if name == COLUMN_LINEAGE else facet


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
