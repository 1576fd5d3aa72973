"""The modules that a cold start imports stay within a budget, because each module costs time."""

import json
import os
import subprocess
import sys
from functools import cache

import pytest

from tests.functions.handlers import ROOT

BUDGETS = {
    "authorise": 383,
    "ingest": 475,
    "normalise": 497,
    "lookup": 528,
    "curate": 545,
    "catalog": 440,
    "glue_import": 505,
    "connect": 518,
    "alerts": 450,
    "sweep": 453,
    "web": 108,
}
"""Modules above a bare interpreter's: what they were in November 2026, and up to 5%. Some 350 are third-party or
standard modules; the others are small modules of headwater."""
WITH_PYDANTIC = {"ingest", "normalise", "curate", "glue_import", "connect"}

each_function = pytest.mark.parametrize("name", sorted(BUDGETS))

IMPORT = """
import sys
bare = set(sys.modules)
import app
import json
print(json.dumps(sorted(set(sys.modules) - bare)))
"""
TEXTS = (
    "KEYS_SECRET",
    "QUEUE_URL",
    "ARCHIVE_BUCKET",
    "TABLE_NAME",
    "ARCHIVE_STREAM",
    "CATALOG_ARN",
    "API_URL",
    "ALERT_BUS",
    "CATALOG_DATABASE",
    "PEOPLE_CLAIM",
    "PEOPLE_SEAL",
    "CONNECT_SECRET",
)
NUMBERS = ("MAX_BODY_BYTES", "RUN_RETENTION_DAYS", "EVENT_RETENTION_DAYS", "EMISSION_LATENCY_MILLIS")
MORE_NUMBERS = ("ABANDONED_AFTER_MINUTES",)
OBJECTS = (
    "NAMESPACE_ALIASES",
    "CONNECT_CLUSTERS",
    "PEOPLE_GROUPS",
    "EMISSION_LATENCY_BY_NAMESPACE",
    "ABANDONED_AFTER_BY_NAMESPACE",
)


@cache
def imported_by(name: str) -> frozenset[str]:
    """What importing a function's app.py imports, in an interpreter of its own. It calls no service."""
    path = [ROOT / "functions" / name, ROOT / "layers" / "headwater"]
    environment = dict.fromkeys(TEXTS, "x") | dict.fromkeys(NUMBERS, "1") | {"AWS_DEFAULT_REGION": "us-east-1"}
    environment |= dict.fromkeys(OBJECTS, "{}") | dict.fromkeys(MORE_NUMBERS, "1")
    environment |= {"CREATE_MISSING_TABLES": "OFF", "AUDIT": "OFF"}
    environment |= {"PYTHONPATH": os.pathsep.join(map(str, path)), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-c", IMPORT]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
    return frozenset(json.loads(run.stdout))


@each_function
def test_a_function_imports_no_more_modules_than_its_budget(name: str) -> None:
    assert len(imported_by(name)) <= BUDGETS[name]


@each_function
def test_the_budget_is_not_far_above_the_imported_modules(name: str) -> None:
    assert len(imported_by(name)) >= BUDGETS[name] * 0.9, "a function imports less than it did: lower its budget"


@each_function
def test_no_function_imports_boto3s_resource_layer(name: str) -> None:
    assert not {module for module in imported_by(name) if module.split(".")[0] == "boto3"}


@each_function
def test_pydantic_is_imported_only_where_events_are_read(name: str) -> None:
    assert ("pydantic" in imported_by(name)) == (name in WITH_PYDANTIC)


def test_every_function_has_a_budget() -> None:
    assert BUDGETS.keys() == {app.parent.name for app in ROOT.glob("functions/*/app.py")}
