"""How events and facets begin that Headwater makes itself: each part of Headwater is a producer with a URI."""

from typing import Any, NamedTuple

_SPEC = "https://openlineage.io/spec"
_HOME = "https://github.com/headwater-lineage/headwater"


class OwnProducer(NamedTuple):
    """A part of Headwater that makes events: the end of its URI, and the page of docs/ about its own facets."""

    part: str = ""
    page: str = ""

    @property
    def uri(self) -> str:
        return f"{_HOME}/{self.part}".rstrip("/")

    def event(self, kind: str, at: str) -> dict[str, Any]:
        """The beginning of a RunEvent, JobEvent or DatasetEvent."""
        return {"eventTime": at, "producer": self.uri, "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/{kind}"}

    def facet(self, schema: str, definition: str = "", **members: Any) -> dict[str, Any]:
        """A facet that OpenLineage defines, by version and name: `1-1-0/DocumentationJobFacet`."""
        name = definition or schema.rpartition("/")[2]
        return {"_producer": self.uri, "_schemaURL": f"{_SPEC}/facets/{schema}.json#/$defs/{name}", **members}

    def own_facet(self, **members: Any) -> dict[str, Any]:
        """A facet that only Headwater defines."""
        return {"_producer": self.uri, "_schemaURL": f"{_HOME}/tree/main/docs/{self.page}", **members}
