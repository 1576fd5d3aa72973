"""PUT /settings: puts headwater.yml in place of the one before.

The text is YAML, of which JSON is a part. It is checked as a whole before anything is stored, and stored as an event
about a dataset of a reserved namespace: it is archived, and a rebuild of the table has it again. The functions read the
document as JSON.
"""

from collections import Counter
from typing import Any

from headwater.access.principal import Principal
from headwater.curate.curation_events import Document, of_dataset, own_facet, time_after, times_of
from headwater.curate.curator import Curator
from headwater.graph.expectations.said import Said
from headwater.graph.facets.curation import SETTINGS_FACET, SETTINGS_NAME
from headwater.graph.names.identity import dataset_id
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, instant_of, shown

MAX_BYTES = 64 * 1024
MAX_DEPTH = 20


def put_settings(curator: Curator, request: ApiRequest, _caller: Principal) -> JsonObject:
    """Puts the settings in the body of a request. Raises InvalidRequest, which names each fault."""
    text = request.text(MAX_BYTES)
    document = document_of(text)
    head = curator.before.datasets([dataset_id(SETTINGS_NAME)]).get(dataset_id(SETTINGS_NAME))
    known = times_of(head.facts.own, [SETTINGS_FACET]) if head else ()
    at, by = instant_of(request.received_at), request.principal.shown
    event_time = time_after(request.received_at, *known)
    curator.apply(request.received_at, [settings_event(text, document, at, by, event_time)])
    return {"text": text, "settings": document, "updatedAt": shown(at), "updatedBy": by}


def settings_event(text: str, document: Document, at: Instant, by: str, event_time: Instant) -> Document:
    """The event that puts settings: their text and document, when and by whom they were put."""
    facet = own_facet(text=text, document=document, at=at, by=by)
    return of_dataset(SETTINGS_NAME, {SETTINGS_FACET: facet}, event_time)


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
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}" if error.problem_mark else "body"
        raise InvalidRequest(Fault(line, f"no YAML: {error.problem}")) from None
    except yaml.YAMLError as error:
        raise InvalidRequest(Fault("body", f"no YAML: {error}")) from None
    Said.of(document)
    return dict(document)
