"""A small pipeline, and changes of its code: each with what is to be found, written by hand."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests import factory
from tests.factory import Document

LAKE, OUTSIDE = "s3://lake", "s3://outside"
Types = dict[str, str]
Source = tuple[str, str, str]
"""A dataset, a column and a kind: `IDENTITY`, `FILTER`."""


@dataclass
class Job:
    """What a job reads, the table that it writes, what each column of it is made of, and what chooses its rows."""

    reads: dict[str, Types]
    writes: str
    types: Types
    made: dict[str, list[Source]]
    chosen: list[Source] = field(default_factory=list)


Pipeline = dict[str, Job]

ORDERS = {"id": "string", "amount": "decimal(10,2)", "status": "string", "email": "string"}
CLEAN = {"id": "string", "amount": "decimal(10,2)", "status": "string"}
DAILY = {"status": "string", "total": "decimal(20,2)", "orders": "long"}


def base() -> Pipeline:
    """raw -> clean -> daily."""
    return {
        "clean": Job(
            {"raw": {**ORDERS}},
            "clean",
            {**CLEAN},
            {name: [("raw", name, "IDENTITY")] for name in CLEAN},
            [("raw", "status", "FILTER")],
        ),
        "daily": Job(
            {"clean": {**CLEAN}},
            "daily",
            {**DAILY},
            {
                "status": [("clean", "status", "IDENTITY")],
                "total": [("clean", "amount", "AGGREGATION")],
                "orders": [("clean", "id", "AGGREGATION")],
            },
            [("clean", "status", "GROUP_BY")],
        ),
    }


def production() -> Pipeline:
    """The pipeline, and two readers that are not in its repository."""
    report = Job(
        {"daily": {**DAILY}}, "report", {"total": "decimal(20,2)"}, {"total": [("daily", "total", "IDENTITY")]}
    )
    export = Job({"clean": {**CLEAN}}, "export", {"status": "string"}, {"status": [("clean", "status", "IDENTITY")]})
    return {**base(), "report": report, "export": export}


def node(name: str) -> str:
    """The nodeId of a table or, with a dot, of a column."""
    dataset, _, column = name.partition(".")
    namespace = OUTSIDE if dataset == "outside" else LAKE
    return f"datasetField:{namespace}:{dataset}:{column}" if column else f"dataset:{namespace}:{dataset}"


def events(
    pipeline: Mapping[str, Job], namespace: str = LAKE, folder: str = "", facets: Mapping[str, Document] | None = None
) -> list[Document]:
    """The events of one run of each job, with more facets of some tables."""
    return [
        event
        for number, (name, job) in enumerate(sorted(pipeline.items()), start=1)
        for event in _events(number, name, job, lambda of: _place(of, namespace, folder), facets or {})
    ]


def _place(table: str, namespace: str, folder: str) -> tuple[str, str]:
    return (OUTSIDE, table) if table == "outside" else (namespace, folder + table)


def _events(
    number: int, name: str, job: Job, place: Callable[[str], tuple[str, str]], facets: Mapping[str, Document]
) -> Sequence[Document]:
    def dataset(of: str, types: Types, **more: Any) -> Document:
        schema = factory.schema(*(f"{column}:{kind}" for column, kind in types.items()))
        namespace, table = place(of)
        return factory.dataset(table, namespace, **({"schema": schema} if types else {}), **more)

    def source(of: Source, kind: str) -> Document:
        step = {"type": kind, "subtype": of[2], "description": "", "masking": of[2] == "HASH"}
        namespace, table = place(of[0])
        return {"namespace": namespace, "name": table, "field": of[1], "transformations": [step]}

    lineage = factory.facet(
        fields={of: {"inputFields": [source(each, "DIRECT") for each in sources]} for of, sources in job.made.items()},
        dataset=[source(each, "INDIRECT") for each in job.chosen],
    )
    told = {"columnLineage": lineage} if job.made or job.chosen else {}
    inputs = [dataset(of, types) for of, types in job.reads.items()]
    outputs = [dataset(job.writes, job.types, **told, **facets.get(job.writes, {}))]
    return [
        factory.run_event(kind, seconds=number * 60 + at, run=number, job=name, inputs=inputs, outputs=outputs)
        for at, kind in enumerate(("START", "COMPLETE"))
    ]


@dataclass(frozen=True)
class Change:
    """A change of code.

    gone     the columns and tables that it takes away
    breaks   of these, those that production certainly reads, with the datasets that read them beyond the change
    rules    the rules that it breaks, each with the node
    told     lines of the text
    """

    pipeline: Pipeline = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    breaks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    rules: frozenset[tuple[str, str]] = frozenset()
    told: Sequence[str] = ()


def _without_status() -> Change:
    """The clean table loses a column, and the daily one with it."""
    jobs = base()
    del jobs["clean"].types["status"], jobs["clean"].made["status"]
    jobs["daily"] = Job(
        {"clean": {**jobs["clean"].types}},
        "daily",
        {"total": DAILY["total"], "orders": "long"},
        {"total": [("clean", "amount", "AGGREGATION")], "orders": [("clean", "id", "AGGREGATION")]},
    )
    breaks = {"clean.status": frozenset({"export.status"})}
    gone = frozenset({"clean.status", "daily.status"})
    return Change(jobs, gone, breaks, frozenset({("keep_columns", "clean.status")}), ["- status, string"])


def _retype() -> Change:
    jobs = base()
    jobs["daily"].types["total"] = "double"
    breaks = {"daily.total": frozenset({"report.total"})}
    told = ["~ total: decimal(20,2) → double, incompatible"]
    return Change(jobs, frozenset({"daily.total"}), breaks, frozenset({("keep_columns", "daily.total")}), told)


def _rename() -> Change:
    jobs = base()
    jobs["daily"].types = {"status": "string", "revenue": DAILY["total"], "orders": "long"}
    jobs["daily"].made["revenue"] = jobs["daily"].made.pop("total")
    breaks = {"daily.total": frozenset({"report.total"})}
    told = ["~ total seems renamed to revenue: made of the same columns in the same way"]
    return Change(jobs, frozenset({"daily.total"}), breaks, frozenset({("keep_columns", "daily.total")}), told)


def _rename_and_adapt() -> Change:
    """A column of the clean table has another name, and its only reader follows."""
    jobs = base()
    jobs["clean"].types = {"id": "string", "price": CLEAN["amount"], "status": "string"}
    jobs["clean"].made["price"] = jobs["clean"].made.pop("amount")
    jobs["daily"].reads = {"clean": {**jobs["clean"].types}}
    jobs["daily"].made["total"] = [("clean", "price", "AGGREGATION")]
    told = ["total: now made of clean.price (AGGREGATION)", "total: no longer made of clean.amount (AGGREGATION)"]
    return Change(jobs, frozenset({"clean.amount"}), told=told)


def _filter(change: str) -> Change:
    jobs = base()
    if change in ("removed", "moved"):
        jobs["clean"].chosen = []
    if change in ("added", "moved"):
        jobs["daily"].chosen.append(("clean", "amount", "FILTER"))
    told = ["rows: no longer chosen by raw.status (FILTER)"] if change != "added" else []
    told += ["rows: now chosen by clean.amount (FILTER)"] if change != "removed" else []
    return Change(jobs, told=told)


def _made(name: str, sources: list[Source], *told: str) -> Change:
    """The daily table has a column that is made otherwise."""
    jobs = base()
    jobs["daily"].made[name] = sources
    return Change(jobs, told=told)


def _join() -> Change:
    jobs = base()
    jobs["daily"].reads["rates"] = {"day": "date", "rate": "double"}
    jobs["daily"].made["total"].append(("rates", "rate", "AGGREGATION"))
    jobs["daily"].chosen.append(("rates", "day", "JOIN"))
    told = ["total: now made of rates.rate (AGGREGATION)", "rows: now chosen by rates.day (JOIN)", "now reads rates"]
    return Change(jobs, told=told)


def _union() -> Change:
    jobs = base()
    jobs["clean"].reads["returns"] = {**ORDERS}
    for name in CLEAN:
        jobs["clean"].made[name].append(("returns", name, "IDENTITY"))
    return Change(jobs, told=["amount: now made of returns.amount (IDENTITY)", "now reads returns"])


def _select_all() -> Change:
    """The clean table has all columns of the raw one, an e-mail address too."""
    jobs = base()
    jobs["clean"].types["email"] = "string"
    jobs["clean"].made["email"] = [("raw", "email", "IDENTITY")]
    rules = frozenset({("never", "clean.email")})
    return Change(jobs, rules=rules, told=["+ email, string", "email: now made of raw.email (IDENTITY)"])


def _new_source() -> Change:
    """A table outside of the lake is joined."""
    jobs = base()
    jobs["daily"].reads["outside"] = {"rate": "double"}
    jobs["daily"].made["total"].append(("outside", "rate", "TRANSFORMATION"))
    rules = frozenset({("sources", "outside")})
    return Change(jobs, rules=rules, told=["now reads outside", "total: now made of outside.rate (TRANSFORMATION)"])


def _lost_lineage() -> Change:
    """A UDF hides what a column is made of."""
    jobs = base()
    del jobs["daily"].made["total"]
    rules = frozenset({("keep_lineage", "daily.total")})
    return Change(jobs, rules=rules, told=["total: no longer made of clean.amount (AGGREGATION)"])


def _dropped_job() -> Change:
    jobs = base()
    del jobs["daily"]
    breaks = {"daily": frozenset({"report"})}
    return Change(
        jobs, frozenset({"daily"}), breaks, frozenset({("keep_columns", "daily")}), ["removed: 1 dataset, 1 job"]
    )


def _new_column() -> Change:
    jobs = base()
    jobs["daily"].types["mean"] = "double"
    jobs["daily"].made["mean"] = [("clean", "amount", "AGGREGATION")]
    return Change(jobs, told=["+ mean, double", "mean: now made of clean.amount (AGGREGATION)"])


def _new_table() -> Change:
    jobs = base()
    jobs["copy"] = Job({"daily": {**DAILY}}, "copy", {"total": "double"}, {"total": [("daily", "total", "IDENTITY")]})
    return Change(jobs, told=["added: 1 dataset, 1 job"])


def _recorded(change: Change) -> Change:
    """What is to be found of the same change as Spark ran it."""
    return replace(change, pipeline={})


CHANGES = {
    "a dropped column": _without_status(),
    "another type": _retype(),
    "another name": _rename(),
    "another name, and the reader follows": _rename_and_adapt(),
    "a filter less": _filter("removed"),
    "a filter more": _filter("added"),
    "a filter moved": _filter("moved"),
    "a hash": _made(
        "status", [("clean", "status", "HASH")], "status: made of clean.status by HASH masked, was by IDENTITY"
    ),
    "a count in place of a sum": _made(
        "total", [("clean", "id", "AGGREGATION")], "total: now made of clean.id (AGGREGATION)"
    ),
    "no sum any more": _made(
        "total", [("clean", "amount", "IDENTITY")], "total: made of clean.amount by IDENTITY, was by AGGREGATION"
    ),
    "a join": _join(),
    "a union": _union(),
    "select *": _select_all(),
    "a new source": _new_source(),
    "a UDF": _lost_lineage(),
    "a job less": _dropped_job(),
    "a column more": _new_column(),
    "a table more": _new_table(),
}

RECORDINGS = Path(__file__).parents[2] / "fixtures" / "pull-requests"
RECORDED = {
    "drop": _recorded(_without_status()),
    "retype": _recorded(_retype()),
    "rename": _recorded(_rename()),
    "move_a_filter": Change(
        told=["rows: no longer chosen by raw.status (FILTER)", "rows: now chosen by clean.status (FILTER)"]
    ),
    "hash": Change(told=["status: made of raw.status by TRANSFORMATION masked, was by IDENTITY"]),
    "count": Change(
        rules=frozenset({("keep_lineage", "daily.orders")}),
        told=["orders: no longer made of clean.id (AGGREGATION masked)"],
    ),
    "join": Change(told=["total: now made of rates.rate (AGGREGATION)", "now reads rates"]),
    "union": _recorded(_union()),
    "select_all": _recorded(_select_all()),
}
"""Changes that Spark ran."""
RECORDED_UNCHANGED = ("another_plan", "as_data_frames", "other_values", "python_udf", "repartitioned_and_cached")


def _reordered() -> Pipeline:
    jobs = base()
    daily = jobs["daily"]
    daily.types = dict(reversed(daily.types.items()))
    daily.made = dict(reversed(daily.made.items()))
    return jobs


def unchanged() -> dict[str, list[Document]]:
    """The events of refactorings that change nothing."""
    again = [
        {**event, "run": {**event["run"], "runId": factory.run_id(90 + at // 2)}}
        for at, event in enumerate(events(base()))
    ]
    later = deepcopy(events(base()))
    for at, event in enumerate(later):
        event["eventTime"] = factory.at(50_000 + at)
    started = [event for event in events(base()) if event["eventType"] == "COMPLETE"]
    described = deepcopy(events(base()))
    for event in described:
        for output in event["outputs"]:
            output["facets"]["documentation"] = factory.facet(description="written anew")
            for fields in output["facets"]["columnLineage"]["fields"].values():
                for source in fields["inputFields"]:
                    source["transformations"][0]["description"] = "another expression"
    located = deepcopy(events(base()))
    for event in located:
        code = factory.facet(type="git", url="https://example.com/repo", version="b2")
        event["job"]["facets"] = {"sourceCodeLocation": code}
    empty = [{**events(base())[0], "inputs": [], "outputs": []}, *events(base())]
    return {
        "the same": events(base()),
        "run twice": [*events(base()), *again],
        "run later": later,
        "columns in another order": events(_reordered()),
        "without START": started,
        "other descriptions and expressions": described,
        "other code": located,
        "an event without datasets": empty,
        "a failed attempt before": [
            {**events(base())[0], "eventType": "FAIL", "run": {"runId": factory.run_id(80)}},
            *events(base()),
        ],
        "queries of an application": _queries("adaptive_spark_plan"),
        "queries by another plan": _queries("overwrite_by_expression"),
    }


def _queries(plan: str) -> list[Document]:
    """The events of Spark: each job is an application, and its query is named by how it is planned."""
    found = []
    for event in events(base()):
        number, name = int(event["run"]["runId"][-2:], 16), event["job"]["name"]
        kind = factory.facet(jobType="SQL_JOB", integration="SPARK", processingType="BATCH")
        query = deepcopy(event)
        query["job"] |= {"name": f"{name}.{plan}.lake_{name}", "facets": {"jobType": kind}}
        query["run"] |= {"runId": factory.run_id(40 + number), "facets": {"parent": factory.parent(number, name)}}
        application = {**event, "inputs": [], "outputs": []}
        found += [application, query]
    return found
