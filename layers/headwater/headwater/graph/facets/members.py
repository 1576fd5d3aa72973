"""Reads members of facets (texts, fields, owners, parents, assertions, errors), whatever a producer put there."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from math import inf
from typing import Any

from headwater.graph.facets.curation import OWNED
from headwater.graph.facets.dataset_reference import ASSERTIONS
from headwater.graph.names.identity import NodeKind, node_id
from headwater.openlineage.event import Facets, Name
from headwater.openlineage.exact_json import JsonObject

MAX_SQL = 100_000
"""Characters of a SQL text that are looked at."""
_COMMENT = re.compile(r"--[^\n]*|/\*(?:.*?\*/|.*\Z)", re.DOTALL)
_GITHUB = re.compile(r"(https?://github\.[\w.-]+/[\w.-]+/[\w.-]+?)(?:\.git)?(?:[/?#]|$)")
"""The URL of a repository on GitHub, or on a GitHub of one's own: `github.` begins its host."""
DROPPED, WAS_DROPPED = "dropped", "the dataset was dropped"
"""In place of the digest of a schema; and in words."""
MAX_FIRST_LINE = 300
"""Characters of the summary of an error message."""
_TRACEBACK = "Traceback (most recent call last):"
_HEADING = re.compile(r"(?:Compilation|Database|Parsing|Runtime) Error in ")
_FRAME = re.compile(r'\s+File "(?P<file>[^"]+)", line (?P<line>\d+)')
_LIBRARIES = ("/site-packages/", "/dist-packages/", "/pyspark", "/lib/python")
"""Folders of code that is not the user's."""
_SECRET = re.compile(
    r"(?i)((?:password|passwd|pwd|secret|token|credential|api.?key|access.?key)\w*\s*[=:]\s*)[^\s;&,]+"
)
"""A secret in an error message, such as a password in a database's URL."""

RUNTIME = "headwater_runtime"
"""A run facet sent beside Spark's listener: the resources that the tasks of a run used."""
_OF_TASKS = ("executorSeconds", "bytesRead", "bytesShuffled", "bytesSpilled", "peakMemoryBytes", "tasks", "failedTasks")
PROGRESS = "headwater_stream"
"""A run facet sent beside Spark's listener: how far a stream has come."""
HEARTBEAT = "headwater_heartbeat"
"""A run facet sent beside Spark's listener: how often, in seconds, the run reports until it ends."""
ENVIRONMENT = "headwater_environment"
"""A run facet sent beside Spark's listener: the cluster and its release, where a service names them."""
INPUTS = "headwater_inputs"
"""A run facet sent beside Spark's listener: whether the job's outputs are known to be made of its inputs."""
GIGABYTE, MANY_TASKS = 10**9, 10
"""A stage is skewed if one of ten tasks or more read a gigabyte, and more than the others together."""
_OF_STAGE = ("stage", "tasks", "medianSeconds", "maxSeconds", "medianBytes", "maxBytes")
LIFECYCLE = "lifecycleStateChange"
"""A facet, and its member."""
OWNERSHIP, DOCUMENTATION, SQL = "ownership", "documentation", "sql"
EXTRACTION_ERROR, JOB_DEPENDENCIES = "extractionError", "jobDependencies"
MAX_DEPENDENCIES = 100
"""Jobs before or after a job that are kept of a run."""
EXPOSURES = "dbt_exposures"
EXTERNAL_QUERY = "externalQuery"
"""A run facet: the id that an engine has of the run's query, and the engine."""


def ownership_of(facets: Facets) -> Any:
    """The facet with the owners of a node: the one set through the API, else the `ownership` facet that was sent."""
    return facets.get(OWNED) or facets.get(OWNERSHIP)


def owners_of(facets: Facets) -> list[str]:
    """The names of the owners of a node."""
    facet = ownership_of(facets)
    owners = facet.get("owners") if isinstance(facet, dict) else None
    names = [owner.get("name") for owner in owners if isinstance(owner, dict)] if isinstance(owners, list) else []
    return [name for name in names if isinstance(name, str)]


def are_candidates(run_facets: Facets) -> bool:
    """Whether a run only may use its inputs: its producer does not know what its outputs are made of."""
    facet = run_facets.get(INPUTS)
    return isinstance(facet, dict) and facet.get("areCandidates") is True


def facet_text(facets: Facets, facet: str, member: str) -> str | None:
    """The text in a member of a facet; None if the facet or the member is absent, or the member is not a string."""
    holder = facets.get(facet)
    value = holder.get(member) if isinstance(holder, dict) else None
    return value if isinstance(value, str) else None


def code_of(facets: Facets) -> JsonObject:
    """The version of a job's code by its `sourceCodeLocation`: `version`, `branch`, `pullRequestNumber` and, on GitHub,
    the `link` of the pull request, as far as dbt gives them."""
    members = ("version", "branch", "pullRequestNumber")
    told = {name: text for name in members if (text := facet_text(facets, "sourceCodeLocation", name))}
    repository = _GITHUB.match(facet_text(facets, "sourceCodeLocation", "repoUrl") or "") or _GITHUB.match(
        facet_text(facets, "sourceCodeLocation", "url") or ""
    )
    number = told.get("pullRequestNumber", "").removeprefix("#")
    link = {"link": f"{repository[1]}/pull/{number}"} if repository and number.isascii() and number.isdigit() else {}
    return {**told, **link}


def runtime_of(facets: Facets) -> JsonObject | None:
    """The resources that the tasks of a run used, and for each stage the median and maximum; None for a run without the
    facet."""
    facet = facets.get(RUNTIME)
    totals = _amounts(facet, _OF_TASKS)
    if not isinstance(facet, dict) or totals is None:
        return None
    stages = facet.get("stages")
    told = [*filter(None, map(_stage, stages))] if isinstance(stages, list) else []
    return {**totals, "stages": told}


def _stage(stage: Any) -> JsonObject | None:
    amounts = _amounts(stage, _OF_STAGE)
    operation = stage.get("operation") if isinstance(stage, dict) else None
    told = {"operation": operation} if isinstance(operation, str) else {}
    return amounts and {**amounts, **(_amounts(stage, ("bytes",)) or {}), **told}


def skewed_stage(facets: Facets) -> JsonObject | None:
    """The stage of a run in which one task read most of what all tasks read, if that was much; of several, the one with
    the largest task. None for a run without such a stage."""
    stages = (runtime_of(facets) or {"stages": []})["stages"]
    skewed = [
        stage
        for stage in stages
        if stage["tasks"] >= MANY_TASKS
        and stage["maxBytes"] >= GIGABYTE
        and 2 * stage["maxBytes"] > stage.get("bytes", inf)
    ]
    return max(skewed, key=lambda stage: (stage["maxBytes"], stage["stage"]), default=None)


def environment_of(facets: Facets) -> JsonObject:
    """Where a run of Spark ran, as far as the listener and the jar beside it say: `cluster` and `release` of EMR or
    Glue, the `application` of YARN or Kubernetes, and the `user`."""
    told = {
        "cluster": facet_text(facets, ENVIRONMENT, "cluster"),
        "release": facet_text(facets, ENVIRONMENT, "release"),
        "application": facet_text(facets, "spark_applicationDetails", "applicationId"),
        "user": facet_text(facets, "spark_applicationDetails", "userName"),
    }
    return {name: text for name, text in told.items() if text}


def progress_of(facets: Facets) -> JsonObject | None:
    """The `batches` and `rows` of a stream, and as `lag`, if its source reports it, the messages of a partition that it
    has not read yet; None for a run without the facet."""
    facet = facets.get(PROGRESS)
    lag = _amounts(facet, ("lag",)) or {}
    return {**told, **lag} if (told := _amounts(facet, ("batches", "rows"))) else None


def beat_of(facets: Facets) -> timedelta | None:
    """How often a run reports until it ends, a day at most; None if it did not say."""
    told = _amounts(facets.get(HEARTBEAT), ("everySeconds",))
    return timedelta(seconds=float(min(max(told["everySeconds"], 0), 86_400))) if told else None


def _amounts(facet: Any, members: Sequence[str]) -> JsonObject | None:
    """These members of a facet, as seconds and whole numbers; None if one of them is not such a number, or too large
    for a float."""
    amounts: dict[str, Any] = {name: facet.get(name) if isinstance(facet, dict) else None for name in members}
    kinds = {name: (int, float, Decimal) if name.endswith("Seconds") else (int,) for name in members}
    return amounts if all(type(of) in kinds[name] and abs(of) < 2**1000 for name, of in amounts.items()) else None


def is_canary(facets: Facets) -> bool:
    """Whether a job or dataset is one that the doctor sent to see whether events arrive (cli/doctor/canary.py)."""
    return "CANARY" in (facet_text(facets, "jobType", "jobType"), facet_text(facets, "datasetType", "datasetType"))


def is_drop(facets: Facets) -> bool:
    """Whether facets say that the dataset was dropped."""
    return (facet_text(facets, LIFECYCLE, LIFECYCLE) or "").upper() == "DROP"


def without_comments(query: str) -> str:
    """The first `MAX_SQL` characters of a SQL text, with a space for each comment. This takes time in proportion to the
    text, also for a comment without an end."""
    return _COMMENT.sub(" ", query[:MAX_SQL])


def assertions_of(facets: JsonObject) -> list[dict[str, Any]]:
    """The assertions among the quality facets of a dataset."""
    return assertions_in(facets.get(ASSERTIONS)) or []


def assertions_in(facet: Any) -> list[dict[str, Any]] | None:
    """The assertions in a facet; None if the facet has another form."""
    assertions = facet.get("assertions") if isinstance(facet, dict) else None
    return [check for check in assertions if isinstance(check, dict)] if isinstance(assertions, list) else None


def tests_of(run_facets: Facets) -> list[dict[str, Any]]:
    """The tests of a run's facet `test`, as assertions."""
    facet = run_facets.get("test")
    tests = facet.get("tests") if isinstance(facet, dict) else None
    named = [test for test in tests if isinstance(test, dict)] if isinstance(tests, list) else []
    return [{**test, "assertion": test.get("name"), "success": test.get("status") != "fail"} for test in named]


def describe_assertion(assertion: Mapping[str, Any]) -> str:
    """An assertion as text: `not_null of email`."""
    column = f" of {assertion['column']}" if assertion.get("column") else ""
    return f"{assertion.get('assertion')}{column}"


def describe_failure(assertion: Mapping[str, Any]) -> str:
    """A failed assertion as text, with what it found: `not_null of email (3, expected 0)`."""
    actual, expected = assertion.get("actual"), assertion.get("expected")
    found = f" ({actual}, expected {expected})" if isinstance(actual, str) and isinstance(expected, str) else ""
    return f"{describe_assertion(assertion)}{found}"


def incompleteness(run_facets: Facets) -> str:
    """What the producer of a run says it could not read, with secrets masked; empty if it says nothing.

    Example: `1 of 3 tasks could not be read: SELCT * FROM orders (Expected an SQL statement)`.
    """
    facet = run_facets.get(EXTRACTION_ERROR)
    facet = facet if isinstance(facet, dict) else {}
    listed = facet.get("errors")
    errors = [error for error in listed if isinstance(error, dict)] if isinstance(listed, list) else []
    counts = facet.get("failedTasks"), facet.get("totalTasks")
    failed, total = (count if type(count) is int and count > 0 else 0 for count in counts)
    failed = failed or len(errors)
    if not failed:
        return ""
    of = max(failed, total)
    texts = [[error_summary(str(error.get(member) or "")) for member in ("task", "errorMessage")] for error in errors]
    first = next((f"{task} ({why})" if task and why else task or why for task, why in texts if task or why), "")
    told = f"{failed:,} of {of:,} task{'s' * (of != 1)} could not be read"
    return f"{told}: {first}" if first else told


def job_dependencies_of(run_facets: Facets) -> JsonObject:
    """The jobs that a run's scheduler runs before and after its job, as `upstream` and `downstream`, each with the
    members that the facet has of it, and the `triggerRule`; empty without any. This is control flow, not data."""
    facet = run_facets.get(JOB_DEPENDENCIES)
    facet = facet if isinstance(facet, dict) else {}
    sides = {side: [*filter(None, map(_dependency, _entries(facet.get(side))))] for side in ("upstream", "downstream")}
    rule = facet.get("trigger_rule")
    told = {**sides, **({"triggerRule": rule} if isinstance(rule, str) else {})}
    return told if any(sides.values()) else {}


def _dependency(entry: Any) -> JsonObject | None:
    match entry:
        case {"job": {"namespace": str(namespace), "name": str(name)}} if namespace and name:
            run = entry.get("run")
            more = {
                "runId": run.get("runId") if isinstance(run, dict) else None,
                "dependencyType": entry.get("dependency_type"),
                "sequenceTriggerRule": entry.get("sequence_trigger_rule"),
                "statusTriggerRule": entry.get("status_trigger_rule"),
            }
            return {
                "namespace": namespace,
                "name": name,
                **{member: text for member, text in more.items() if isinstance(text, str)},
            }
    return None


def _entries(value: Any) -> list[Any]:
    return value[:MAX_DEPENDENCIES] if isinstance(value, list) else []


def place_of(facets: Facets) -> JsonObject:
    """Where a dataset belongs, by its facets `catalog` and `hierarchy`: the `catalog`, its `warehouse`, and the name at
    each level, such as `database`, `schema` and `table`; empty if its producer does not say. For grouping."""
    catalog = {
        "catalog": facet_text(facets, "catalog", "name"),
        "warehouse": facet_text(facets, "catalog", "warehouseUri"),
    }
    facet = facets.get("hierarchy")
    levels = facet.get("hierarchy") if isinstance(facet, dict) else None
    told = {name: text for name, text in catalog.items() if text}
    for level in levels if isinstance(levels, list) else ():
        match level:
            case {"type": str(kind), "name": str(name)} if kind and name:
                told[kind.lower()] = name
    return told


def exposures_of(facets: Facets) -> list[JsonObject]:
    """What dbt declares to use a dataset: dashboards, notebooks and the like, each with its `id`, `name`, `type`, `url`
    and `owner`, as far as dbt gives them."""
    facet = facets.get(EXPOSURES)
    listed = facet.get("exposures") if isinstance(facet, dict) else None
    return [*filter(None, map(_exposure, listed if isinstance(listed, list) else ()))]


def exposure_nodes(dataset: Name, facets: Facets) -> dict[str, JsonObject]:
    """The exposures of a dataset by nodeId: `exposure:NAMESPACE:ID`, with the namespace of the dataset and dbt's id."""
    return {
        node_id(NodeKind.EXPOSURE, Name(dataset.namespace, exposure["id"])): exposure
        for exposure in exposures_of(facets)
    }


def _exposure(entry: Any) -> JsonObject | None:
    match entry:
        case {"unique_id": str(unique_id), "name": str(name)} if unique_id and name:
            owner = entry.get("owner")
            owners = [owner.get(member) for member in ("name", "email")] if isinstance(owner, dict) else [owner]
            more = {
                "type": entry.get("type"),
                "url": entry.get("url"),
                "owner": next((text for text in owners if isinstance(text, str) and text), None),
            }
            told = {member: text for member, text in more.items() if isinstance(text, str) and text}
            return {"id": unique_id, "name": name, **told}
    return None


def query_of(run_facets: Facets) -> JsonObject:
    """The `id` that an engine has of a run's query, and the engine as the `source`; empty without an id."""
    query = facet_text(run_facets, EXTERNAL_QUERY, "externalQueryId")
    return {"id": query, "source": facet_text(run_facets, EXTERNAL_QUERY, "source")} if query else {}


def error_message(facets: Facets) -> str:
    """The error message of a failed run, usually with a stack trace; the Spark listener has its own facet for it."""
    return facet_text(facets, "errorMessage", "message") or facet_text(facets, "spark.exception", "message") or ""


def error_summary(message: str) -> str:
    """The line of a message that says what went wrong, with secrets masked. Other lines may hold source code.

    This is the first line. For a Python traceback, which Spark passes on from a UDF, it is the exception with the last
    line of the user's code: `ZeroDivisionError: division by zero (prices.py, line 12)`.
    """
    lines = _without_heading(message.strip().splitlines())
    start = next((at for at, line in enumerate(lines) if line.rstrip().endswith(_TRACEBACK)), None)
    line = (_exception(lines[start + 1 :]) if start is not None else "") or next(iter(lines), "")
    return _SECRET.sub(r"\1***", line)[:MAX_FIRST_LINE]


def _without_heading(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a message, without dbt's heading: `Runtime Error in model orders (models/orders.sql)`."""
    return [line.strip() for line in lines[1:]] if len(lines) > 1 and _HEADING.match(lines[0]) else lines


def _exception(lines: Sequence[str]) -> str:
    """The exception of a traceback, by the lines that follow its heading; empty if the traceback is cut off."""
    frames = [match for line in lines if (match := _FRAME.match(line))]
    exception = next((line for line in lines if line.strip() and not line[0].isspace()), "")
    own = [frame for frame in frames if not any(folder in frame["file"] for folder in _LIBRARIES)]
    where = f" ({own[-1]['file'].rpartition('/')[2]}, line {own[-1]['line']})" if own else ""
    return f"{exception}{where}" if exception else ""
