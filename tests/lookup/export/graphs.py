"""Graphs to export: tables with folded events, and names that are hard to write."""

from pathlib import Path
from typing import Any

import pytest

from headwater.lookup.export import FORMATS
from tests import factory
from tests.lookup.requests import LookupClient, after

FIXTURES = Path(__file__).parents[2] / "fixtures"
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


def export(form: str, answer: Any) -> Any:
    return FORMATS[form].render(answer)


Get = LookupClient


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
