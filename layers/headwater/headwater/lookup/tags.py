"""The tags that may be put on nodes, with their descriptions."""

from headwater.answers import Answer
from headwater.graph.curation import TAGS
from headwater.graph.dataset import DatasetHead
from headwater.lookup.described import heads_in, names_in
from headwater.lookup.paging import part_of
from headwater.lookup.question import Question
from headwater.lookup.reader import Reader
from headwater.lookup.shapes import Shape, text

ALWAYS = {"PII": "Personally identifiable information", "SENSITIVE": "Contains sensitive information"}
"""Tags that Marquez comes with; its web UI offers them."""


def tags(reader: Reader, question: Question) -> Answer:
    """The tags by name. They belong to no namespace, so every key sees them all."""
    page = question.page()
    part = part_of(sorted({*ALWAYS, *names_in(reader, TAGS)}), page, str)
    heads = heads_in(reader, TAGS, part.entries)
    found = [tag_shape(name, heads.get(name)) for name in part.entries]
    return Answer(200, {"tags": found, "totalCount": part.total, **part.cursor(page)})


def tag_shape(name: str, head: DatasetHead | None) -> Shape:
    said = text(head.facets, "documentation", "description") if head else None
    return {"name": name, "description": said or ALWAYS.get(name)}
