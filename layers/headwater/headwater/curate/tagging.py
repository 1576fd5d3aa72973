"""Tags: put on datasets, their fields and jobs, and taken off again."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from headwater.curate.curation_events import Document, moment, no_facet, of_dataset, of_job, own_facet, said_of
from headwater.curate.curator import Command, Curator
from headwater.curate.naming import known_node
from headwater.graph.curation import TAGS, sent_tags, tag_facet
from headwater.graph.dataset import DatasetHead
from headwater.graph.facets import fields_of
from headwater.graph.identity import NodeId, NodeKind, dataset_id
from headwater.graph.register import values
from headwater.http.response import ApiResponse
from headwater.lookup.nodes.datasets import dataset_as_json
from headwater.lookup.nodes.jobs import job_as_json
from headwater.lookup.request_nodes import permit
from headwater.openlineage.event import Name
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.read.name_resolution import NamedNode, NotFound
from headwater.read.reader import Reader


def tag_dataset(curator: Curator, command: Command, path: str, tag: str) -> ApiResponse:
    """Puts a tag on a dataset; a tag that is not known is from then on."""
    return _tag(curator, command, path, tag_name(tag), None)


def untag_dataset(curator: Curator, command: Command, path: str, tag: str) -> ApiResponse:
    return _untag(curator, command, path, [tag_name(tag)], None)


def tag_field(curator: Curator, command: Command, path: str, field: str, tag: str) -> ApiResponse:
    """Puts a tag, in capitals as Marquez does, on a field of a dataset."""
    return _tag(curator, command, path, tag_name(tag).upper(), unquote(field))


def untag_field(curator: Curator, command: Command, path: str, field: str, tag: str) -> ApiResponse:
    """Takes a tag off a field of a dataset, as it is spelled and in capitals: a producer may have sent it small."""
    name = tag_name(tag)
    return _untag(curator, command, path, [*dict.fromkeys([name, name.upper()])], unquote(field))


def tag_job(curator: Curator, command: Command, path: str, tag: str) -> ApiResponse:
    reader, name = curator.reader(), tag_name(tag)
    node = known_node(reader, command.request, NodeKind.JOB, path)
    facets = {tag_facet(name): tagged(name)}
    curator.apply(command.now, [*made_known(reader, command, [name]), _of_job(reader, command, node, facets)])
    return ApiResponse(200, job_as_json(curator.reader(), node.id))


def untag_job(curator: Curator, command: Command, path: str, tag: str) -> ApiResponse:
    reader, name = curator.reader(), tag_name(tag)
    node = known_node(reader, command.request, NodeKind.JOB, path)
    facets = {tag_facet(name): _taken_off(values(reader.jobs([node.id])[node.id].facts.facets), name, None)}
    curator.apply(command.now, [_of_job(reader, command, node, facets)])
    return ApiResponse(200, job_as_json(curator.reader(), node.id))


def tagged(tag: str, field: str | None = None) -> Document:
    """The facet that stands for a tag."""
    return own_facet(tag=tag) if field is None else own_facet(tag=tag, field=field)


def made_known(reader: Reader, command: Command, tags: Iterable[str]) -> list[Document]:
    """The events that make tags known, of those that are not."""
    names = {dataset_id(Name(TAGS, tag)): Name(TAGS, tag) for tag in tags}
    known = reader.datasets(names)
    return [of_dataset(name, {}, moment(command.now)) for node, name in names.items() if node not in known]


def _tag(curator: Curator, command: Command, path: str, tag: str, field: str | None) -> ApiResponse:
    reader = curator.reader()
    node = known_node(reader, command.request, NodeKind.DATASET, path)
    heads, shown = _names_of(reader, node)
    _require_field(shown, field)
    said = _of_dataset(command, heads[dataset_id(shown.facts.name)], {tag_facet(tag, field): tagged(tag, field)})
    curator.apply(command.now, [*made_known(reader, command, [tag]), said])
    return ApiResponse(200, dataset_as_json(curator.reader(), node.id))


def _untag(curator: Curator, command: Command, path: str, tags: Iterable[str], field: str | None) -> ApiResponse:
    """Under those of the dataset's names that have it, since the tag may have been put on any."""
    reader = curator.reader()
    node = known_node(reader, command.request, NodeKind.DATASET, path)
    heads, shown = _names_of(reader, node)
    _require_field(shown, field)
    facets = {tag_facet(tag, field): _taken_off(shown.facets, tag, field) for tag in tags}
    holders = [head for head in heads.values() if facets.keys() & head.facets.keys()]
    told = holders or [heads[dataset_id(shown.facts.name)]]
    curator.apply(command.now, [_of_dataset(command, head, facets) for head in told])
    return ApiResponse(200, dataset_as_json(curator.reader(), node.id))


def _names_of(reader: Reader, node: NamedNode) -> tuple[Mapping[NodeId, DatasetHead], DatasetHead]:
    """A dataset under each of its names, and as it is shown under all of them."""
    neighbourhood = reader.neighbourhood([node.id], ())
    one = neighbourhood.same.get(node.id, node.id)
    return reader.datasets(neighbourhood.ids_of(one)), neighbourhood.heads[one]


def _require_field(head: DatasetHead, field: str | None) -> None:
    if field is not None and all(each["name"] != field for each in fields_of(head.schema)):
        raise NotFound(f"Field '{field}' not found in dataset '{head.facts.name.name}'.")


def _taken_off(facets: Mapping[str, Any], tag: str, field: str | None) -> Document:
    """In place of the facet of a tag; of one that a producer sends, that it is not to be shown."""
    return {**tagged(tag, field), "isRemoved": True} if tag in sent_tags(facets, field) else no_facet()


def _of_dataset(command: Command, head: DatasetHead, facets: Mapping[str, Document]) -> Document:
    permit(command.request, head.facts.name.namespace)
    return of_dataset(head.facts.name, facets, moment(command.now, *said_of(head.facts.own, facets)))


def _of_job(reader: Reader, command: Command, node: NamedNode, facets: Mapping[str, Document]) -> Document:
    facts = reader.jobs([node.id])[node.id].facts
    return of_job(facts.name, facets, moment(command.now, *said_of(facts.facets, facets)))


def tag_name(part: str) -> str:
    name = unquote(part).rstrip("/")
    if not name:
        raise InvalidRequest(Fault("tag", "empty"))
    return name
