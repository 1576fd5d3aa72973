"""Descriptions of namespaces, data sources and tags, and the settings. A PUT replaces the earlier one."""

from headwater.access.principal import Principal
from headwater.curate import body
from headwater.curate.curation_events import Document, deleted_facet, facet, of_dataset, time_after, times_of
from headwater.curate.curator import Curator
from headwater.curate.tagging import tag_name
from headwater.graph.facets.curation import NAMESPACES, SETTINGS_FACET, SETTINGS_NAME, SOURCES, TAGS, settings_as_json
from headwater.graph.facets.dataset_reference import DATA_SOURCE
from headwater.graph.facets.members import OWNERSHIP
from headwater.graph.names.identity import dataset_id
from headwater.http.marquez.descriptions import namespace as namespace_as_json
from headwater.http.marquez.descriptions import source as source_as_json
from headwater.http.marquez.descriptions import tag as tag_as_json
from headwater.http.request import ApiRequest
from headwater.openlineage.event import Facets, Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import NEVER, instant_of
from headwater.read.namespace_details import heads_in, read_namespace_details


def put_namespace(curator: Curator, request: ApiRequest, name: str) -> JsonObject:
    """Sets owner and description of a namespace. A missing namespace is created."""
    described = body.read(body.NamespaceBody, request)
    owners = facet("1-0-1/OwnershipDatasetFacet", owners=[{"name": described.ownerName}])
    facets = {OWNERSHIP: owners, **_documentation(described.description)}
    _describe(curator, request, Name(NAMESPACES, name), facets)
    return namespace_as_json(read_namespace_details(curator.reader(), name))


def put_source(curator: Curator, request: ApiRequest, name: str) -> JsonObject:
    """Sets type, URL and description of a data source."""
    described = body.read(body.SourceBody, request)
    source = facet("1-0-1/DatasourceDatasetFacet", name=name, uri=described.connectionUrl, type=described.type)
    _describe(curator, request, Name(SOURCES, name), {DATA_SOURCE: source, **_documentation(described.description)})
    return source_as_json(name, heads_in(curator.reader(), SOURCES, [name])[name])


def put_tag(curator: Curator, request: ApiRequest, _caller: Principal) -> JsonObject:
    """Sets the description of a tag. Tags belong to no namespace."""
    described, name = body.read(body.TagBody, request), tag_name(request)
    _describe(curator, request, Name(TAGS, name), _documentation(described.description))
    return tag_as_json(name, heads_in(curator.reader(), TAGS, [name]).get(name))


def put_settings(curator: Curator, request: ApiRequest, _caller: Principal) -> JsonObject:
    """Replaces headwater.yml. It is checked as a whole: if anything in it is wrong, nothing changes."""
    from headwater.curate.settings import MAX_BYTES, settings_facet  # noqa: PLC0415 - no other request needs YAML

    put = settings_facet(request.text(MAX_BYTES), instant_of(request.received_at), request.principal.shown)
    _describe(curator, request, SETTINGS_NAME, {SETTINGS_FACET: put})
    return settings_as_json(put)


def _describe(curator: Curator, request: ApiRequest, name: Name, facets: Facets) -> None:
    """Gives facets to the dataset that stands for a namespace, data source, tag or the settings."""
    dataset = dataset_id(name)
    before = curator.before.datasets([dataset], deleted=True).get(dataset)
    known = [*times_of(before.facts.own, facets), before.deleted_through or NEVER] if before else []
    curator.apply(request.received_at, [of_dataset(name, facets, time_after(request.received_at, *known))])


def _documentation(description: str | None) -> dict[str, Document]:
    if description is None:
        return {"documentation": deleted_facet()}
    return {"documentation": facet("1-1-0/DocumentationDatasetFacet", description=description)}
