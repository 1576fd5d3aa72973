"""Descriptions of namespaces, data sources and tags. A PUT replaces all that was said of one before."""

from urllib.parse import unquote

from headwater.curate import body
from headwater.curate.curation_events import Document, facet, moment, no_facet, of_dataset, said_of
from headwater.curate.curator import Command, Curator
from headwater.curate.naming import namespace_of
from headwater.curate.tagging import tag_name
from headwater.graph.curation import NAMESPACES, SOURCES, TAGS
from headwater.graph.dataset_reference import DATA_SOURCE
from headwater.graph.identity import dataset_id
from headwater.http.response import ApiResponse
from headwater.lookup.nodes import namespaces, sources
from headwater.lookup.nodes.tags import tag_as_json
from headwater.lookup.request_nodes import permit
from headwater.openlineage.event import Facets, Name
from headwater.openlineage.instant import Instant
from headwater.read.reserved_namespaces import heads_in


def put_namespace(curator: Curator, command: Command, path: str) -> ApiResponse:
    """Says whose a namespace is and what it is for; one that nobody has named yet exists from then on."""
    said = body.read(body.NamespaceBody, command.body)
    name = namespace_of(curator.reader(), command.request, path)
    owners = facet("1-0-1/OwnershipDatasetFacet", owners=[{"name": said.ownerName}])
    _describe(curator, command, Name(NAMESPACES, name), {"ownership": owners, **_documentation(said.description)})
    return namespaces.namespace(curator.reader(), command.request, path)


def put_source(curator: Curator, command: Command, path: str) -> ApiResponse:
    """Says what a data source is. A key may do so of those that are named like a namespace of its own."""
    said, name = body.read(body.SourceBody, command.body), unquote(path)
    permit(command.request, name)
    source = facet("1-0-1/DatasourceDatasetFacet", name=name, uri=said.connectionUrl, type=said.type)
    _describe(curator, command, Name(SOURCES, name), {DATA_SOURCE: source, **_documentation(said.description)})
    return sources.source(curator.reader(), command.request, path)


def put_tag(curator: Curator, command: Command, path: str) -> ApiResponse:
    said, name = body.read(body.TagBody, command.body), tag_name(path)
    _describe(curator, command, Name(TAGS, name), _documentation(said.description))
    return ApiResponse(200, tag_as_json(name, heads_in(curator.reader(), TAGS, [name]).get(name)))


def _describe(curator: Curator, command: Command, name: Name, facets: Facets) -> None:
    """Says it of the dataset that stands for what is described."""
    node = dataset_id(name)
    before = curator.reader().datasets([node], deleted=True).get(node)
    known = [*said_of(before.facts.own, facets), before.deleted_through or Instant("")] if before else []
    curator.apply(command.now, [of_dataset(name, facets, moment(command.now, *known))])


def _documentation(description: str | None) -> dict[str, Document]:
    said = facet("1-1-0/DocumentationDatasetFacet", description=description) if description is not None else no_facet()
    return {"documentation": said}
