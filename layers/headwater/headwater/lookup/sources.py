"""Data sources: those that datasets name in their dataSource facets, and those that somebody put."""

import re

from headwater.answers import Answer
from headwater.graph.curation import SOURCES
from headwater.graph.dataset import DatasetHead
from headwater.graph.mention import DATA_SOURCE
from headwater.lookup.asking import namespace_names, permit
from headwater.lookup.described import heads_in, names_in
from headwater.lookup.names import NotFound
from headwater.lookup.paging import part_of
from headwater.lookup.question import Question
from headwater.lookup.reader import Reader
from headwater.lookup.shapes import Shape, text
from headwater.openlineage.instant import shown

_SCHEME = re.compile(r"(?:jdbc:|arn:aws[^:]*:)?([A-Za-z][A-Za-z0-9.-]{0,30})(?:\+[^:]*)?(?::(?!\d)|\Z)")
UNKNOWN_TYPE = "UNKNOWN"


def sources(reader: Reader, question: Question) -> Answer:
    """The sources by name. A key sees those that are named like a namespace of its own, as the spec asks for."""
    page = question.page()
    names = [name for name in names_in(reader, SOURCES) if question.principal.may_use(name)]
    part = part_of(names, page, str)
    heads = heads_in(reader, SOURCES, part.entries)
    found = [_shape(name, heads[name]) for name in part.entries if name in heads]
    return Answer(200, {"sources": found, "totalCount": part.total, **part.cursor(page)})


def source(reader: Reader, question: Question, path: str) -> Answer:
    """One source, by its name."""
    names = namespace_names(path)
    heads = heads_in(reader, SOURCES, names)
    for name in names:
        if name in heads:
            permit(question, name)
            return Answer(200, _shape(name, heads[name]))
    raise NotFound(f"Source '{names[0]}' not found.")


def _shape(name: str, head: DatasetHead) -> Shape:
    created = head.facts.created
    uri = text(head.facets, DATA_SOURCE, "uri") or ""
    return {
        "type": text(head.facets, DATA_SOURCE, "type") or type_of(uri),
        "name": name,
        "createdAt": shown(created),
        "updatedAt": shown(max(created, head.facts.said)),
        "connectionUrl": uri,
        "description": text(head.facets, "documentation", "description"),
    }


def type_of(uri: str) -> str:
    """A source's kind by the scheme of its URI, in capitals. Marquez calls every source POSTGRESQL."""
    match = _SCHEME.match(uri)
    scheme = match[1].upper() if match else UNKNOWN_TYPE
    return "POSTGRESQL" if scheme.startswith("POSTGRES") else scheme
