"""headwater.yml, as it is put: YAML, which includes JSON.

It is checked as a whole, and becomes a facet of a dataset of a reserved namespace by an event: it is archived, and
rebuilding the table restores it. The functions read the document as JSON.
"""

import json
from collections import Counter
from typing import Any

from headwater.access.people import read_groups
from headwater.curate.curation_events import Document, own_facet
from headwater.graph.expectations.said import Said
from headwater.openlineage import exact_json
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant

MAX_BYTES = 64 * 1024
MAX_DEPTH = 20
OF_CHANGES = frozenset({"names", "policy"})
"""The sections that `headwater ci` reads (graph/expectations/policy.py)."""
GROUPS = "groups"
"""The section that says what people may do (access/people.py)."""


def settings_facet(text: str, at: Instant, by: str) -> Document:
    """The facet that puts settings: the text, its document, when and by whom they were put. What only `headwater ci`
    reads is in the text alone. The groups are beside the document: release 0.2.0 reads that, and knows no groups.
    Raises InvalidRequest."""
    document = {key: value for key, value in document_of(text).items() if key not in OF_CHANGES}
    groups = {GROUPS: document.pop(GROUPS)} if GROUPS in document else {}
    return own_facet(text=text, document=document, at=at, by=by, **groups)


def document_of(text: str) -> Document:
    """The checked document of a text in YAML, all of whose scalars are texts: YAML takes 17:00 for a number. Raises
    InvalidRequest."""
    import yaml  # noqa: PLC0415 - no other request needs it

    class Loader(yaml.BaseLoader):
        """Neither aliases, by which a short text becomes a long document, nor the same key twice."""

        depth = 0

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent) or self.depth > MAX_DEPTH:
                mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                raise yaml.composer.ComposerError(None, None, "an alias, or too deep", mark)
            self.depth += 1
            node: yaml.Node | None = super().compose_node(parent, index)
            self.depth -= 1
            return node

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            counts = Counter(str(key.value) for key, _ in node.value)
            if twice := next((key for key, count in counts.items() if count > 1), None):
                raise yaml.constructor.ConstructorError(None, None, f"{twice} stands there twice", node.start_mark)
            return super().construct_mapping(node, deep)

    try:
        document = yaml.load(text, Loader)  # noqa: S506 - of a base loader
        document = exact_json.loads(
            json.dumps(document)
        )  # refuses what cannot be stored, such as half a surrogate pair
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}" if error.problem_mark else "body"
        raise InvalidRequest(Fault(line, f"no YAML: {error.problem}")) from None
    except yaml.YAMLError as error:
        raise InvalidRequest(Fault("body", f"no YAML: {error}")) from None
    Said.of(document)
    if OF_CHANGES & document.keys():
        from headwater.graph.expectations.policy import Policy  # noqa: PLC0415 - most settings have none

        Policy.of(document)
    if GROUPS in document:
        read_groups(document[GROUPS])
    return dict(document)
