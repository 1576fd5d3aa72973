"""Graphs to export: tables with folded events, and names that are hard to write."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from headwater.access.principal import Principal
from headwater.fold.fold import fold
from headwater.http.request import ApiRequest
from headwater.lookup.export import FORMATS
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.table import Retention
from tests import factory
from tests.factory import Document
from tests.lookup.requests import response_to

FIXTURES = Path(__file__).parents[2] / "fixtures"
ANYONE = Principal("test", frozenset({"read"}), ("*",))
LAKE = "s3://lake"
NAMESPACE = "kafka://host:9092/ü:#"
NAMES = [
    "plain",
    "with space",
    "  spaces around ",
    "slashes/in/it",
    "co:lons::",
    "ha#sh",
    'quo"te',
    '"',
    "back\\slash",
    "ends with \\",
    "\\N \\G \\n \\\\N",
    '\\"',
    "new\nline",
    "\r\n\t\x01\x7f",
    "🚀 👩‍👩‍👧",
    "表 ü ع",
    "\u202ertl\u2028",
    "x" * 5000,
    "s3/" + "very/" * 200 + "long",
    "a&amp;b &lt; &#65; &",
    "<b>bold</b>",
    "#quot; #35; #",
    "end",
    "subgraph",
    "[x] {y} (z) |p| ;",
    "--> a",
    "__main__ *a* `c`",
    "1. list",
    "https://example.com",
    "style a:#fff;",
    "%%{init: {}}%%",
    "fa:fa-user $$x$$",
]
Get = Callable[..., Any]


def after(*documents: Document) -> Get:
    """Sends lookups to a table that has folded these events."""
    table = MemoryTable()
    fold(factory.received(*documents), GraphStore(table, Retention(timedelta(days=90), timedelta(days=30))))

    def get(path: str, **query: Any) -> Any:
        request = ApiRequest(ANYONE, "GET", f"/api/v1/{path}", {name: str(value) for name, value in query.items()})
        answer = response_to(table, request)
        assert answer.status == 200
        return json.loads(answer.to_gateway()["body"])

    return get


def export(form: str, answer: Any) -> Any:
    return FORMATS[form].render(answer)


def of_any_name(name: str) -> Get:
    """A job, datasets and columns of this name: the job copies a column of that of the same name."""
    flow = {"namespace": NAMESPACE, "name": f"{name} in", "field": name}
    lineage = factory.facet(
        fields={name: {"inputFields": [{**flow, "transformations": [{"type": "DIRECT", "subtype": name}]}]}},
        dataset=[{**flow, "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}]}],
    )
    fields = factory.facet(fields=[{"name": name, "type": "int"}])
    return after(
        factory.run_event(
            "COMPLETE",
            job=name,
            inputs=[factory.dataset(f"{name} in", NAMESPACE, schema=fields)],
            outputs=[factory.dataset(name, NAMESPACE, schema=fields, columnLineage=lineage)],
        )
    )


any_name = pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:12]))
