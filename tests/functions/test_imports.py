"""The modules that a cold start imports, and botocore's JSON documents that it reads, stay within a budget, because
each costs time. `make bench-cold` measures the time."""

import json
import subprocess
import sys
from functools import cache
from typing import NamedTuple

import pytest

from tests.functions.environment import environment
from tests.functions.handlers import ROOT

BUDGETS = {
    "authorise": 377,
    "ingest": 432,
    "normalise": 464,
    "lookup": 555,
    "curate": 512,
    "catalog": 450,
    "glue_import": 465,
    "pickup": 447,
    "forward": 380,
    "connect": 482,
    "registry": 474,
    "alerts": 476,
    "sweep": 480,
    "web": 95,
}
"""Modules above a bare interpreter's: what they were in November 2026, and up to 2%. Some 350 are third-party or
standard modules; the others are small modules of headwater."""
CLIENTS = {
    "authorise": {"secretsmanager"},
    "ingest": {"sqs"},
    "normalise": {"dynamodb", "firehose"},
    "lookup": {"dynamodb"},
    "curate": {"dynamodb", "sqs"},
    "catalog": {"dynamodb", "glue"},
    "glue_import": {"dynamodb", "glue", "sqs"},
    "pickup": {"s3", "secretsmanager", "sqs"},
    "forward": {"datazone"},
    "connect": {"dynamodb", "sqs"},
    "registry": {"dynamodb", "sqs"},
    "alerts": {"dynamodb"},
    "sweep": {"dynamodb"},
    "web": set(),
}
"""The services that a start makes a client of: those that nearly each invocation calls."""
GENERAL = {"endpoints", "partitions", "sdk-default-configuration"}
"""The documents of botocore that each client needs."""
PYDANTIC_CORE = {"ingest", "normalise", "curate", "glue_import", "pickup", "connect", "registry"}

each_function = pytest.mark.parametrize("name", sorted(BUDGETS))

IMPORT = """
import sys
bare = set(sys.modules)
opened = []
sys.addaudithook(lambda event, arguments: opened.append(str(arguments[0])) if event == "open" else None)
import app
imported = set(sys.modules) - bare
import json
print(json.dumps({"modules": sorted(imported), "opened": opened}))
"""


class Start(NamedTuple):
    """What a start imports and reads: modules, and documents of botocore without their versions and endings."""

    modules: frozenset[str]
    documents: frozenset[str]


@cache
def start_of(name: str) -> Start:
    """What importing a function's app.py does, in an interpreter of its own. It calls no service."""
    command = [sys.executable, "-c", IMPORT]
    variables = environment(name, ROOT / "layers" / "headwater")
    run = subprocess.run(command, env=variables, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
    start = json.loads(run.stdout)
    documents = [path.partition("botocore/data/")[2] for path in start["opened"]]
    return Start(frozenset(start["modules"]), frozenset(filter(None, documents)))


@each_function
def test_a_function_imports_no_more_modules_than_its_budget(name: str) -> None:
    assert len(start_of(name).modules) <= BUDGETS[name]


@each_function
def test_the_budget_is_not_far_above_the_imported_modules(name: str) -> None:
    assert len(start_of(name).modules) >= BUDGETS[name] * 0.9, "a function imports less than it did: lower its budget"


@each_function
def test_a_function_reads_the_models_of_the_services_that_each_invocation_calls_and_of_no_other(name: str) -> None:
    assert {document.split("/")[0] for document in start_of(name).documents if "/" in document} == CLIENTS[name]


@each_function
def test_a_function_reads_two_documents_of_a_service_and_three_of_botocore(name: str) -> None:
    of_services = [document for document in start_of(name).documents if "/" in document and "extras" not in document]
    assert len(of_services) == 2 * len(CLIENTS[name])
    assert {document.split(".")[0] for document in start_of(name).documents if "/" not in document} <= GENERAL


@each_function
def test_the_garbage_collector_rests_until_the_parts_of_a_function_are_made(name: str) -> None:
    assert ("headwater.start" in start_of(name).modules) == (name != "web")


@each_function
def test_no_function_imports_boto3s_resource_layer(name: str) -> None:
    assert not {module for module in start_of(name).modules if module.split(".")[0] == "boto3"}


@each_function
def test_pydantic_core_is_imported_only_where_events_are_read(name: str) -> None:
    assert ("pydantic_core" in start_of(name).modules) == (name in PYDANTIC_CORE)


@each_function
def test_no_function_imports_pydantic_itself(name: str) -> None:
    assert "pydantic" not in start_of(name).modules


def test_every_function_has_a_budget() -> None:
    assert BUDGETS.keys() == {app.parent.name for app in ROOT.glob("functions/*/app.py")}
