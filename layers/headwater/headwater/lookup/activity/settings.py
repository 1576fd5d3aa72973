"""GET /settings: headwater.yml as it was put last. For administrators of all namespaces."""

from headwater.access.principal import Principal
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant, shown
from headwater.read.reader import Reader


def settings(reader: Reader, _request: ApiRequest, _caller: Principal) -> JsonObject:
    """The settings as text and as JSON, and who put them when; empty if nobody has."""
    match reader.store.settings():
        case {"text": str(text), "document": document, "at": str(at), "by": str(by)}:
            return {"text": text, "settings": document, "updatedAt": shown(Instant(at)), "updatedBy": by}
    return {"text": "", "settings": {}, "updatedAt": None, "updatedBy": None}
