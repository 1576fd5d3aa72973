"""The bodies of requests to curate, as Marquez's clients send them."""

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator

from headwater.http.request import ApiRequest
from headwater.openlineage import exact_json
from headwater.openlineage.body import MAX_WIRE_BYTES
from headwater.openlineage.event import Name, is_uuid
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import parse_instant
from headwater.openlineage.wire import Text, Wire, checked


def _uuid(text: str) -> str:
    if not is_uuid(text):
        raise ValueError("not a UUID")
    return text.lower()


def _moment(text: str) -> str:
    """A time, checked but kept as sent: no code compares these times."""
    parse_instant(text)
    return text


_Uuid = Annotated[str, AfterValidator(_uuid)]
_Moment = Annotated[str, AfterValidator(_moment)]


class NamespaceBody(Wire):
    ownerName: Text
    description: str | None = None


class SourceBody(Wire):
    type: Text
    connectionUrl: Text
    description: str | None = None


class TagBody(Wire):
    description: str | None = None


class FieldBody(Wire):
    name: Text
    type: str | None = None
    tags: list[Text] | None = None
    description: str | None = None


class DatasetBody(Wire):
    type: Literal["DB_TABLE", "STREAM"]
    physicalName: Text
    sourceName: Text
    fields: list[FieldBody] | None = None
    tags: list[Text] | None = None
    description: str | None = None


class DatasetName(Wire):
    namespace: Text
    name: Text

    @property
    def as_name(self) -> Name:
        return Name(self.namespace, self.name)


class JobBody(Wire):
    type: Literal["BATCH", "STREAM", "SERVICE"]
    inputs: list[DatasetName] | None = None
    outputs: list[DatasetName] | None = None
    location: Text | None = None
    description: str | None = None


class RunBody(Wire):
    id: _Uuid | None = None
    nominalStartTime: _Moment | None = None
    nominalEndTime: _Moment | None = None
    args: dict[str, Any] | None = None


Body = TypeVar("Body", bound=Wire)


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
