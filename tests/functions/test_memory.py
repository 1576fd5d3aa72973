"""The largest accepted body fits into the memory of ingest, whatever the body contains.

A function that runs out of memory sends no response, and API Gateway answers 500.
"""

import tracemalloc

import pytest

from headwater.openlineage import exact_json
from local.deploy.template import Template, read_template
from tests.end_to_end.recorded import recorded
from tests.functions.handlers import ROOT

MIB = 1024 * 1024
FLOOR = 100
"""MB that Python and what is imported take."""


@pytest.fixture(scope="module")
def template() -> Template:
    return read_template(ROOT / "template.yaml")


def needed(text: str, template: Template) -> float:
    """MB that reading a body of the largest size takes, if every part of it takes as much as `text`."""
    largest: int = template["Parameters"]["MaxBodyBytes"]["Default"]
    tracemalloc.start()
    document = exact_json.loads(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert document
    return FLOOR + peak / len(text) * largest / MIB


def test_events_of_a_real_producer_fit(template: Template) -> None:
    memory = template["Resources"]["IngestFunction"]["Properties"]["MemorySize"]
    assert needed(f"[{','.join(map(bytes.decode, recorded()))}]", template) < memory


@pytest.mark.parametrize("repeated", ["0,", "[],", "{},", '"a",', "1.5,"])
def test_as_many_values_as_are_let_in_fit(template: Template, repeated: str) -> None:
    memory = template["Resources"]["IngestFunction"]["Properties"]["MemorySize"]
    most = exact_json.MAX_VALUES // sum(map(repeated.count, ",[{"))
    tracemalloc.start()
    document = exact_json.loads(f"[{repeated * (most - 2)}0]")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert document
    assert FLOOR + peak / MIB < memory / 2
