"""GET /openapi.json: the description of every route, its parameters and its answers.

The description is a file, since it also has the routes of ingest and curate, whose modules lookup does not have.
`python -m api` builds it from the tables of the routers, and a test keeps the two in step.
"""

import json
from functools import cache
from pathlib import Path

from headwater.access.principal import Principal
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader

FILE = Path(__file__).with_name("openapi.json")


def openapi(_reader: Reader, _request: ApiRequest, _caller: Principal) -> JsonObject:
    """The description of the API, in OpenAPI 3.1."""
    return _document()


@cache
def _document() -> JsonObject:
    document: JsonObject = json.loads(FILE.read_bytes())
    return document
