"""The AWS Glue Schema Registry. Its API does not report the compatibility of a registered version: Glue holds each
version to the schema's level when it is registered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headwater.rest import Unreachable
from headwater.retry import Deadline
from headwater.sources.poller import ReadParts, read_each
from headwater.sources.registry.subject import RegisteredSubject, SchemaFormat, SubjectVersion
from headwater.store.aws.client import errors_as

AVAILABLE = "AVAILABLE"
"""The status of schemas and versions that can be read."""
_MISSING = "EntityNotFoundException"


class GlueError(Exception):
    """A call failed; `code` is AWS's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


@dataclass(frozen=True)
class GlueRegistry:
    """`SubjectSource` over a registry of Glue: its schemas are the subjects. `client` is boto's, for the service
    glue."""

    client: Any
    registry: str

    def listed(self, deadline: Deadline) -> ReadParts[RegisteredSubject]:
        pages = self._call(lambda: list(self.client.get_paginator("list_schemas").paginate(RegistryId=self._registry)))
        statuses = {schema["SchemaName"]: schema.get("SchemaStatus") for page in pages for schema in page["Schemas"]}
        whole, partly = read_each((name for name, of in statuses.items() if of == AVAILABLE), self._subject, deadline)
        others = {name: "its status is not AVAILABLE" for name, status in statuses.items() if status != AVAILABLE}
        return ReadParts(whole, {**partly, **others})

    def versions(self, subject: str) -> list[int]:
        try:
            return self._versions(subject)
        except GlueError as error:
            if error.code == _MISSING:
                return []
            raise Unreachable(f"{self.registry}: {error}") from None

    def version(self, subject: str, version: int) -> SubjectVersion:
        return self._version(subject, {"VersionNumber": version})

    def incompatibilities(self, _version: SubjectVersion, _before: int, /) -> list[str]:
        """None: Glue has no such check."""
        return []

    @property
    def _registry(self) -> dict[str, str]:
        return {"RegistryName": self.registry}

    def _subject(self, name: str) -> RegisteredSubject:
        schema = self._call(lambda: self.client.get_schema(SchemaId=self._id(name)))
        return RegisteredSubject(self._version(name, {"LatestVersion": True}), schema["Compatibility"])

    def _versions(self, subject: str) -> list[int]:
        paginator = self.client.get_paginator("list_schema_versions")
        with errors_as(GlueError):
            pages = list(paginator.paginate(SchemaId=self._id(subject)))
        versions = [version for page in pages for version in page["Schemas"]]
        return sorted(version["VersionNumber"] for version in versions if version["Status"] == AVAILABLE)

    def _version(self, subject: str, number: dict[str, Any]) -> SubjectVersion:
        """A version. The latest that is registered may have failed Glue's check: then it is not the newest."""
        answer = self._call(
            lambda: self.client.get_schema_version(SchemaId=self._id(subject), SchemaVersionNumber=number)
        )
        if answer["Status"] != AVAILABLE:
            available = self.versions(subject)
            if "LatestVersion" not in number or not available:
                raise Unreachable(f"{self.registry}: {subject} has no version that is AVAILABLE")
            return self.version(subject, available[-1])
        format_ = SchemaFormat(answer["DataFormat"])
        return SubjectVersion(
            subject, answer["VersionNumber"], answer["SchemaVersionId"], format_, answer["SchemaDefinition"]
        )

    def _id(self, subject: str) -> dict[str, str]:
        return {**self._registry, "SchemaName": subject}

    def _call(self, call: Callable[[], Any]) -> Any:
        """The answer of a call. Raises Unreachable."""
        try:
            with errors_as(GlueError):
                return call()
        except GlueError as error:
            raise Unreachable(f"{self.registry}: {error}") from None
