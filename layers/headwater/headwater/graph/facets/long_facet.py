"""Facets that are stored under their digest: schema and column lineage.

The arrays of a column lineage are sorted before the facet is stored, and before its digest is made: their order means
nothing. A formula loses its dates, times and long numbers, and the random ids of Spark's estimators, which belong to a
run and not to its code: a job that filters by day would have a new column lineage every day. Sorting takes longer than
everything else done with an event, so the digests are cached. An event's long facets are brought into this form once,
when the event is normalised. The fold asks for the digest of each up to four times.
"""

import re
from typing import Any

from headwater.openlineage import exact_json

SCHEMA = "schema"
COLUMN_LINEAGE = "columnLineage"
LONG_FACETS = frozenset({SCHEMA, COLUMN_LINEAGE})
MAX_DIGESTS = 50_000
"""Digests that are kept: some 10 MB."""
_OF_A_RUN = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?|\d{8,}"
    r"|(?<=[A-Za-z])_(?:_[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_)?[0-9a-f]{12}(?![0-9A-Za-z])"
)
"""An id as in VectorAssembler_052a7c363ac6, or vector_assembler__a6764a0b_c363_4dfb_be5e_05f67ebf5c9b of sparklyr."""
_digests: dict[str, str] = {}
"""The digests of sorted column lineages, by the digests of the facets as they were sent."""


class LongFacet(dict[str, Any]):
    """A facet as it was sent, with the digest of its stored form, and that form if it was made for the digest."""

    def __init__(self, name: str, facet: dict[str, Any]) -> None:
        super().__init__(facet)
        self.stored: Any = None
        sent = exact_json.digest(facet)
        digest = _digests.get(sent) if name == COLUMN_LINEAGE else sent
        if digest is None:
            self.stored = _sorted(facet)
            digest = _keep(sent, exact_json.digest(self.stored))
        self.digest = digest


def digest_of(name: str, facet: Any) -> str:
    """The digest under which a long facet is stored."""
    if isinstance(facet, LongFacet):
        return facet.digest
    sent = exact_json.digest(facet)
    if name != COLUMN_LINEAGE:
        return sent
    return _digests.get(sent) or _keep(sent, exact_json.digest(_sorted(facet)))


def _keep(sent: str, digest: str) -> str:
    if len(_digests) >= MAX_DIGESTS:
        _digests.clear()
    _digests[sent] = digest
    return digest


def stored_form(name: str, facet: Any) -> Any:
    if isinstance(facet, LongFacet) and facet.stored is not None:
        return facet.stored
    return _sorted(facet) if name == COLUMN_LINEAGE else facet


def _sorted(value: Any) -> Any:
    """A document with all its arrays sorted by the JSON of their entries, and no dates in formulas."""
    if isinstance(value, dict):
        plain = {
            name: _sorted(member) if isinstance(member, _CONTAINERS) else member  # saves most of the calls
            for name, member in value.items()
        }
        if isinstance(formula := plain.get("description"), str):
            plain["description"] = _OF_A_RUN.sub("…", formula)
        return plain
    if isinstance(value, list):
        entries = [_sorted(entry) for entry in value]
        return sorted(entries, key=exact_json.dumps) if len(entries) > 1 else entries
    return value


_CONTAINERS = (dict, list)
