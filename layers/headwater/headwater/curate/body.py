"""The bodies of requests to curate, as Marquez's clients send them."""

from typing import Annotated, Literal, TypeVar

from pydantic_core import core_schema

from headwater.http.request import ApiRequest
from headwater.openlineage import exact_json
from headwater.openlineage.body import MAX_WIRE_BYTES
from headwater.openlineage.event import Name, is_uuid
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import parse_instant
from headwater.openlineage.strict_model import (
    OptionalObject,
    OptionalText,
    OptionalTexts,
    Prose,
    StrictModel,
    Text,
    Texts,
    after,
    checked,
    optional,
)


def _uuid(text: str) -> str:
    if not is_uuid(text):
        raise ValueError("not a UUID")
    return text.lower()


def _moment(text: str) -> str:
    """A time, checked but kept as sent: no code compares these times."""
    parse_instant(text)
    return text


_Uuid = Annotated[str | None, optional(after(core_schema.str_schema(), _uuid))]
_Moment = Annotated[str | None, optional(after(core_schema.str_schema(), _moment))]
_DatasetType = Annotated[Literal["DB_TABLE", "STREAM"], core_schema.literal_schema(["DB_TABLE", "STREAM"])]
_JobType = Annotated[Literal["BATCH", "STREAM", "SERVICE"], core_schema.literal_schema(["BATCH", "STREAM", "SERVICE"])]


class NamespaceBody(StrictModel):
    ownerName: Text
    description: Prose


class SourceBody(StrictModel):
    type: Text
    connectionUrl: Text
    description: Prose


class TagBody(StrictModel):
    description: Prose


class OwnersBody(StrictModel):
    owners: Texts


class NoteBody(StrictModel):
    note: Prose


class SilenceBody(StrictModel):
    until: Text
    note: Text


class FieldBody(StrictModel):
    name: Text
    type: Prose
    tags: OptionalTexts
    description: Prose


_Fields = Annotated[list[FieldBody] | None, optional(core_schema.list_schema(FieldBody.schema))]


class DatasetBody(StrictModel):
    type: _DatasetType
    physicalName: Text
    sourceName: Text
    fields: _Fields
    tags: OptionalTexts
    description: Prose
    schemaLocation: OptionalText
    runId: _Uuid


class DatasetName(StrictModel):
    namespace: Text
    name: Text

    @property
    def as_name(self) -> Name:
        return Name(self.namespace, self.name)


_Names = Annotated[list[DatasetName] | None, optional(core_schema.list_schema(DatasetName.schema))]


class JobBody(StrictModel):
    type: _JobType
    inputs: _Names
    outputs: _Names
    location: OptionalText
    description: Prose
    runId: _Uuid


class RunBody(StrictModel):
    id: _Uuid
    nominalStartTime: _Moment
    nominalEndTime: _Moment
    args: OptionalObject


Body = TypeVar("Body", bound=StrictModel)


def read(model: type[Body], request: ApiRequest, *, may_be_empty: bool = False) -> Body:
    """The body of a request. A member that is `null` counts as absent. Raises InvalidRequest (400), which names each
    fault."""
    text = request.text(MAX_WIRE_BYTES) if request.body else ""
    if not text.strip() and not may_be_empty:
        raise InvalidRequest(Fault("body", "empty; expected a JSON object"))
    document = exact_json.loads(text) if text.strip() else {}
    if not isinstance(document, dict):
        raise InvalidRequest(Fault("body", "expected a JSON object"))
    return checked(model, {name: member for name, member in document.items() if member is not None})
