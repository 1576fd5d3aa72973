"""GET /impact: what would break downstream if a dataset or a column changed, by owner, in pages."""

from collections.abc import Iterable

from headwater.answers import Answer
from headwater.graph.identity import dataset_id
from headwater.lookup import shapes
from headwater.lookup.asking import asked_node, asked_time
from headwater.lookup.impact import AtRisk, Impact, Reach, impact
from headwater.lookup.names import Kind, Node, NotFound
from headwater.lookup.paging import fitting
from headwater.lookup.question import Page, Question
from headwater.lookup.reader import Reader
from headwater.lookup.shapes import Shape
from headwater.lookup.spread import By
from headwater.openlineage.faults import Fault, Refused
from headwater.openlineage.instant import Instant

_TYPES = {Kind.JOB: "JOB", Kind.DATASET: "DATASET", Kind.FIELD: "DATASET_FIELD"}


def at_risk(reader: Reader, question: Question) -> Answer:
    """The jobs, datasets and columns downstream, a page of at most `limit`, the nearest first."""
    node = asked_node(reader, question, {Kind.DATASET, Kind.FIELD})
    page, reach = _page(question), Reach(question.depth(), as_of=asked_time(reader, question, node))
    found = impact(reader, node.id, None if node.field is None else [node.field], reach)
    if found.head is None:
        raise NotFound(f"Dataset '{node.name.name}' not found.")
    if not _is_known(reader, node, found, reach.as_of):
        raise NotFound(f"Column '{node.field}' of dataset '{node.name.name}' not found.")
    shown = shapes.node_id(node.kind, found.head.facts.name)
    return Answer(200, {"nodeId": shown if node.field is None else f"{shown}:{node.field}", **_paged(found, page)})


def _page(question: Question) -> Page:
    page = question.page()
    if page.after is None:
        return page
    if not page.after.isdigit():
        raise Refused(Fault("cursor", "expected the cursor of an earlier answer"))
    return page._replace(offset=int(page.after))


def _is_known(reader: Reader, node: Node, found: Impact, as_of: Instant | None) -> bool:
    """Whether there is such a column: by the schema, or by somebody who uses it."""
    if node.field is None or found.head is None or any(each.by is By.COLUMN for each in found.at_risk):
        return True
    heads = {dataset_id(found.head.facts.name): found.head}
    (head,) = (reader.datasets_at(heads, as_of) if as_of else heads).values()
    return any(field["name"] == node.field for field in shapes.fields_of(head.schema))


def _paged(found: Impact, page: Page) -> Shape:
    asked, total = found.at_risk[page.offset :][: page.limit], len(found.at_risk)
    items = fitting(map(item_of, asked))
    end = page.offset + len(items)
    answer: Shape = {"totalCount": total, "owners": _by_owner(zip(asked, items, strict=False))}
    if found.is_truncated:
        answer["truncated"] = True
    if items and end < total:
        answer["cursor"] = page.cursor(str(end), total)
    return answer


def _by_owner(items: Iterable[tuple[AtRisk, Shape]]) -> list[Shape]:
    """What is at risk under each of its owners; what nobody owns comes last."""
    owned: dict[str | None, list[Shape]] = {}
    for each, item in items:
        for owner in each.owners or (None,):
            owned.setdefault(owner, []).append(item)
    ranked = sorted(owned, key=lambda owner: (owner is None, owner or ""))
    return [{"owner": owner, "items": owned[owner]} for owner in ranked]


def item_of(of: AtRisk) -> Shape:
    """One thing at risk, without its owners."""
    transformations = {"transformations": of.transformations} if of.transformations else {}
    return {
        "nodeId": of.node_id,
        "type": _TYPES[of.kind],
        "distance": of.distance,
        "by": of.by.value,
        "indirect": of.is_indirect,
        "path": list(of.path),
        **transformations,
    }
