"""Requests that were recorded, such as `GET /api/v1/jobs?limit=2`, sent to a table."""

import json
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from headwater.http.request import ApiRequest
from headwater.store.memory import MemoryTable
from tests.lookup.requests import ANYONE, NOON, response_to


def answer_to(table: MemoryTable, request: str, at: datetime = NOON) -> tuple[int, Any]:
    """The status and the body."""
    url = urlsplit(request.removeprefix("GET "))
    pairs = parse_qsl(url.query)
    repeated = {name: tuple(value for other, value in pairs if other == name) for name, _ in pairs}
    response = response_to(table, ApiRequest(ANYONE, "GET", url.path, dict(pairs), repeated, at))
    return response.status, json.loads(response.to_gateway()["body"])
