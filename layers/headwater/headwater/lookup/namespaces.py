"""Namespaces, one by one and in lists."""

from collections.abc import Mapping
from itertools import islice

from headwater.answers import Answer
from headwater.graph.curation import NAMESPACES
from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, dataset_id
from headwater.lookup import shapes
from headwater.lookup.asking import known_namespace, permit
from headwater.lookup.question import Question
from headwater.lookup.reader import Reader
from headwater.lookup.shapes import Shape
from headwater.openlineage.event import Name
from headwater.store import keys


def namespaces(reader: Reader, question: Question) -> Answer:
    page = question.page()
    found = [each for each in reader.namespaces() if question.principal.may_use(each[0])]
    part = found[page.offset : page.offset + page.limit]
    described = reader.datasets([dataset_id(Name(NAMESPACES, name)) for name, _ in part], deleted=True)
    return Answer(
        200, {"namespaces": [_namespace(reader, *each, described) for each in part], "totalCount": len(found)}
    )


def namespace(reader: Reader, question: Question, path: str) -> Answer:
    name = known_namespace(reader, path)
    permit(question, name)
    item = reader.table.read([keys.namespace(name)])[keys.namespace(name)]
    described = reader.datasets([dataset_id(Name(NAMESPACES, name))], deleted=True)
    return Answer(200, _namespace(reader, name, item.labels["first"], described))


def _namespace(reader: Reader, name: str, first: str, described: Mapping[NodeId, DatasetHead]) -> Shape:
    head = described.get(dataset_id(Name(NAMESPACES, name)))
    is_hidden = head is not None and head.is_deleted and _is_empty(reader, name)
    return shapes.namespace(name, first, head, is_hidden=is_hidden)


def _is_empty(reader: Reader, name: str) -> bool:
    lists = (keys.jobs_of(name), keys.datasets_of(name))
    return not any(True for each in lists for _ in islice(reader.table.listed(each, limit=1), 1))
