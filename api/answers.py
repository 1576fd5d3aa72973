"""The types of answers, by route."""

from api.json_schema import (
    COUNT,
    FLAG,
    FREE,
    TEXT,
    TIME,
    TRUE,
    UUID,
    Schema,
    array,
    component,
    extended,
    maybe,
    nullable,
    one_of,
    record,
)
from api.nodes import DISPLAY_NAMES, JUDGEMENT, RUN_OF_JOB
from headwater.graph.states.stored_states import Severity
from headwater.http.paths import Path
from headwater.read.frontier import BlindSpot
from headwater.traversal.column_lineage import Relevance
from headwater.traversal.findings import FindingKind
from headwater.traversal.impacted_node import Granularity

_NAME, _EDGES, _FRONTIER = component("Name"), array(component("Edge")), component("Frontier")


def listed(name: str, items: Schema, **more: Schema) -> Schema:
    return record(**{name: array(items)}, totalCount=COUNT, cursor=maybe(TEXT), **more)


def graph(*nodes: str, **more: Schema) -> Schema:
    return record(graph=array({"oneOf": [component(node) for node in nodes]}), cursor=maybe(TEXT), **more)


def graph_node(kind: str, data: str) -> Schema:
    return record(id=TEXT, type={"const": kind}, data=component(data), inEdges=_EDGES, outEdges=_EDGES)


_RETYPED = array(record(field=TEXT, before=nullable(TEXT), after=nullable(TEXT), change=TEXT))
_FINDING = record(
    kind=one_of(*FindingKind),
    at=TIME,
    distance=COUNT,
    nodeId=TEXT,
    summary=TEXT,
    relevance=maybe(one_of(*Relevance)),
    codeBefore=maybe(component("Code")),
    codeAfter=maybe(component("Code")),
    runId=maybe(TEXT),
    message=maybe(TEXT),
    assertions=maybe(array(FREE)),
    dueAt=maybe(TIME),
    latestAt=maybe(TIME),
    unit=maybe(one_of("rows", "bytes", "datasets")),
    amount=maybe(COUNT),
    usual=maybe(record(low=COUNT, usual=COUNT, high=COUNT)),
    failedChildren=maybe(array(record(runId=UUID, job=_NAME))),
    causes=maybe(array(record(nodeId=TEXT, columns=array(TEXT)))),
    retyped=maybe(_RETYPED),
    renamed=maybe(array(record(before=TEXT, after=TEXT))),
    **{
        name: maybe(array(TEXT))
        for name in ("added", "removed", "inputsAdded", "inputsRemoved", "outputsAdded", "outputsRemoved")
    },
)
_AT_RISK = record(
    nodeId=TEXT,
    type=one_of("JOB", "DATASET", "DATASET_FIELD", "EXPOSURE"),
    distance=COUNT,
    by=one_of(*Granularity),
    indirect=FLAG,
    possible=FLAG,
    path=array(TEXT),
    transformations=maybe(array(component("Transformation"))),
    criticality=maybe(FREE),
    caution=maybe(TEXT),
    exposure=maybe(component("Exposure")),
)
_SUM = {"columns": COUNT, "datasets": COUNT, "jobs": COUNT, "exposures": maybe(COUNT)}
_ACKNOWLEDGEMENT = record(at=TIME, by=TEXT, note=TEXT)
_SILENCE = record(since=TIME, until=TIME, by=TEXT, note=TEXT)
GRAPHS: dict[str, Schema] = {
    "Frontier": record(
        since=nullable(TIME),
        seen=record(jobs=COUNT, datasets=COUNT),
        unseen=array(record(kind=one_of(*BlindSpot), count=COUNT, examples=array(TEXT))),
        sentence=TEXT,
    ),
    "Edge": record(origin=TEXT, destination=TEXT, foreign=maybe(TRUE), candidate=maybe(TRUE)),
    "JobNode": graph_node("JOB", "JobInGraph"),
    "DatasetNode": graph_node("DATASET", "DatasetInGraph"),
    "ExposureNode": graph_node("EXPOSURE", "ExposureInGraph"),
    "ExposureInGraph": record(
        namespace=TEXT, name=TEXT, displayName=TEXT, type=nullable(TEXT), url=nullable(TEXT), owners=array(TEXT)
    ),
    "ColumnNode": graph_node("DATASET_FIELD", "Column"),
    "Column": record(
        namespace=TEXT,
        dataset=TEXT,
        datasetVersion=nullable(TEXT),
        field=TEXT,
        fieldType=TEXT,
        transformationDescription=nullable(TEXT),
        transformationType=nullable(TEXT),
        inputFields=array(component("ColumnSource")),
    ),
    "ColumnSource": record(
        namespace=TEXT,
        dataset=TEXT,
        datasetVersion=nullable(TEXT),
        field=TEXT,
        transformationDescription=nullable(TEXT),
        transformationType=nullable(TEXT),
        transformations=array(component("Transformation")),
    ),
    "IndirectInput": record(
        namespace=TEXT,
        dataset=TEXT,
        inputField=record(namespace=TEXT, dataset=TEXT, field=TEXT, transformations=array(component("Transformation"))),
    ),
    "UnknownOrigin": record(
        namespace=TEXT,
        dataset=TEXT,
        fields=array(TEXT),
        job=_NAME,
        inputs=array(record(namespace=TEXT, dataset=TEXT)),
        reason=one_of(BlindSpot.COLUMNS, BlindSpot.JOBS_WITHOUT_COLUMNS),
        candidates=maybe(array(TEXT)),
    ),
    "NodeAtRisk": _AT_RISK,
    "Breaks": record(**_SUM, possible=record(**_SUM), by=nullable(one_of(*Granularity)), sentence=TEXT),
    "Finding": _FINDING,
    "AuditEntry": record(
        time=TIME,
        requestId=TEXT,
        key=maybe(TEXT),
        subject=maybe(TEXT),
        method=TEXT,
        route=maybe(TEXT),
        path=TEXT,
        query=maybe(FREE),
        status=COUNT,
        namespaces=maybe(array(TEXT)),
        moreNamespaces=maybe(COUNT),
        node=maybe(TEXT),
        events=maybe(record(taken=COUNT, refused=COUNT, setAside=COUNT)),
    ),
    "Alert": record(
        type=TEXT,
        id=TEXT,
        time=TIME,
        severity=one_of(*Severity),
        namespace=TEXT,
        name=TEXT,
        nodeId=TEXT,
        owners=array(TEXT),
        title=TEXT,
        lines=array(TEXT),
        link=nullable(TEXT),
        details=FREE,
        hidden=maybe(TRUE),
        acknowledged=maybe(_ACKNOWLEDGEMENT),
        silenced=maybe(_SILENCE),
        silence=maybe(_SILENCE),
    ),
    "Error": record(code=COUNT, message=TEXT, details=TEXT, faults=array(TEXT)),
}
_NODE = record(nodeId=TEXT, type=one_of("JOB", "DATASET"), namespace=TEXT, name=TEXT, displayName=maybe(TEXT))
_FOUND = {"matchedIn": maybe(array(TEXT)), "runId": maybe(UUID)}
_TYPED = array(record(field=TEXT, type=nullable(TEXT)))
_RENAMED = array(record(before=TEXT, after=TEXT, evidence=TEXT))
_COLUMNS_DIFF = record(added=_TYPED, removed=_TYPED, retyped=_RETYPED, renamed=maybe(_RENAMED))
_AMOUNT = record(amount=nullable(COUNT), low=maybe(COUNT), usual=maybe(COUNT), high=maybe(COUNT))
_USUAL = record(newest=COUNT, low=maybe(COUNT), usual=maybe(COUNT), high=maybe(COUNT))
_COUNTS = array(record(startInterval=TIME, endInterval=TIME, count=COUNT))
_HIGHLIGHTS = {"highlights": array(record(name=array(TEXT)))}
_HIT = {"run_id": nullable(TEXT), "name": TEXT, "namespace": TEXT, "eventType": nullable(TEXT), "facets": FREE}
_RUN_UPSTREAM = record(
    job=record(namespace=TEXT, name=TEXT, version=nullable(TEXT)),
    run=record(id=UUID, start=nullable(TIME), end=nullable(TIME), status=TEXT),
    inputs=array(record(namespace=TEXT, name=TEXT, version=nullable(TEXT), producedByRunId=nullable(TEXT))),
)
ANSWERS: dict[str, Schema] = {
    Path.NAMESPACES: listed("namespaces", component("Namespace")),
    Path.NAMESPACE: component("Namespace"),
    Path.ALL_JOBS: listed("jobs", component("Job")),
    Path.JOBS: listed("jobs", component("Job")),
    Path.JOB: component("Job"),
    Path.JOB_RUNS: listed("runs", component("Run")),
    Path.JOB_VERSIONS: listed("versions", component("JobVersion")),
    Path.JOB_VERSION: component("JobVersion"),
    Path.RUNS: record(runs=array(component("TopRun")), cursor=maybe(TEXT)),
    Path.RUN: component("RunOfJob"),
    Path.RUN_FACETS: record(runId=UUID, facets=FREE),
    Path.RUN_CHILDREN: listed("runs", component("RunOfJob")),
    Path.RUN_EVENTS: record(events=array(FREE), cursor=maybe(TEXT)),
    Path.DATASETS: listed("datasets", component("ListedDataset")),
    Path.DATASET: component("Dataset"),
    Path.DATASET_VERSIONS: listed("versions", component("DatasetVersion")),
    Path.DATASET_VERSION: component("DatasetVersion"),
    Path.QUALITY: listed("history", component("QualityResult"), last=nullable(component("QualityResult"))),
    Path.LINEAGE: graph("JobNode", "DatasetNode", "ExposureNode", deleted=maybe(array(_NAME))),
    Path.COLUMN_LINEAGE: graph(
        "ColumnNode",
        indirect=array(component("IndirectInput")),
        unknown=maybe(array(component("UnknownOrigin"))),
        displayNames=maybe(DISPLAY_NAMES),
        frontier=_FRONTIER,
    ),
    Path.EXPORT: {
        "oneOf": [record(nodes=array(FREE), edges=array(FREE), truncated=FLAG), array(FREE)],
        "description": "with format=json, and with format=openlineage; else a text",
    },
    Path.IMPACT: record(
        nodeId=TEXT,
        displayNames=maybe(DISPLAY_NAMES),
        caution=maybe(TEXT),
        totalCount=COUNT,
        breaks=component("Breaks"),
        owners=array(record(owner=nullable(TEXT), items=array(component("NodeAtRisk")))),
        possibleCount=maybe(COUNT),
        hiddenCount=maybe(COUNT),
        frontier=_FRONTIER,
        cursor=maybe(TEXT),
    ),
    Path.DIFF: record(
        **{"from": TIME},
        to=TIME,
        nodes=record(
            added=array(extended(_NODE, isNew=maybe(FLAG))),
            removed=array(extended(_NODE, dropped=maybe(TRUE), deleted=maybe(TRUE))),
            changed=array(
                extended(
                    _NODE,
                    columns=maybe(_COLUMNS_DIFF),
                    renamedFrom=maybe(_NAME),
                    code=maybe(record(before=FREE, after=FREE)),
                )
            ),
            changedBack=maybe(array(_NODE)),
        ),
        edges=record(added=_EDGES, removed=_EDGES),
        frontier=maybe(_FRONTIER),
    ),
    Path.ROOT_CAUSE: record(
        nodeId=TEXT,
        displayNames=maybe(DISPLAY_NAMES),
        asOf=nullable(TIME),
        suspect=nullable(component("RunOfJob")),
        lastGood=nullable(
            extended(
                RUN_OF_JOB,
                confirmed=FLAG,
                calledGood=maybe(nullable(record(runId=UUID, job=_NAME, judgement=JUDGEMENT))),
            )
        ),
        findings=array(component("Finding")),
        affected=nullable(TEXT),
        earlier=nullable(record(count=COUNT, since=TIME, sentence=TEXT, changes=array(component("Finding")))),
        amount=nullable(
            record(
                rows=nullable(COUNT),
                medianRows=nullable(COUNT),
                bytes=nullable(COUNT),
                medianBytes=nullable(COUNT),
                sentence=TEXT,
            )
        ),
        successfulRuns=array(record(nodeId=TEXT, count=COUNT)),
        cautions=maybe(array(record(nodeId=TEXT, caution=TEXT))),
        foreignEdges=maybe(_EDGES),
        candidateEdges=maybe(_EDGES),
        frontier=_FRONTIER,
    ),
    Path.RUN_LINEAGE: record(runs=array(_RUN_UPSTREAM)),
    Path.INSIGHTS: listed("insights", FREE, frontier=_FRONTIER),
    Path.EXPECTATIONS: listed(
        "expectations",
        record(
            nodeId=TEXT,
            job=_NAME,
            state=one_of("LATE", "WAITING", "RUNNING", "ON_TIME", "UNKNOWN"),
            timetable=nullable(TEXT),
            reason=nullable(TEXT),
            dueAt=nullable(TIME),
            latestAt=nullable(TIME),
            lastStartedAt=nullable(TIME),
            waitsFor=nullable(TEXT),
            seconds=nullable(_USUAL),
            amount=nullable(extended(_USUAL, unit=one_of("rows", "bytes"))),
            history=maybe(
                array(
                    record(
                        run=TEXT,
                        startedAt=TIME,
                        endedAt=TIME,
                        failed=FLAG,
                        dueAt=nullable(TIME),
                        latestAt=nullable(TIME),
                        seconds=_AMOUNT,
                        rows=_AMOUNT,
                        bytes=_AMOUNT,
                    )
                )
            ),
        ),
        said=maybe(
            array(
                record(
                    nodeId=TEXT,
                    said=TEXT,
                    state=one_of("MET", "EXPECTED", "AT_RISK", "OVERDUE", "MISSED", "STALE"),
                    dueAt=TIME,
                    lastWrittenAt=nullable(TIME),
                    earliestAt=nullable(TIME),
                    estimatedAt=nullable(TIME),
                    cause=nullable(record(nodeId=TEXT, why=TEXT)),
                )
            )
        ),
        truncated=maybe(TRUE),
    ),
    Path.SETTINGS: record(text=TEXT, settings=FREE, updatedAt=nullable(TIME), updatedBy=nullable(TEXT)),
    Path.ALERTS: record(alerts=array(component("Alert")), cursor=maybe(TEXT)),
    Path.ALERT: component("Alert"),
    Path.CALLER: record(scopes=array(TEXT), reads=array(TEXT), writes=array(TEXT)),
    Path.AUDIT: record(
        entries=array(component("AuditEntry")), isAudited=FLAG, cursor=maybe(TEXT), truncated=maybe(TRUE)
    ),
    Path.EVENTS: listed("events", FREE),
    Path.SEARCH: listed("results", extended(_NODE, **_FOUND, otherNames=maybe(array(_NAME)), updatedAt=TIME)),
    Path.SEARCH_GROUPS: record(
        results=array(
            {
                "oneOf": [
                    record(
                        type={"const": "COLUMN"},
                        name=TEXT,
                        nodeId=TEXT,
                        namespace=TEXT,
                        dataset=TEXT,
                        displayName=maybe(TEXT),
                    ),
                    extended(_NODE, **_FOUND),
                    record(type=one_of("OWNER", "TAG"), name=TEXT, nodes=array(_NODE)),
                ]
            }
        ),
        corrected=maybe(TEXT),
        truncated=maybe(TRUE),
    ),
    Path.SEARCH_JOBS: listed("hits", record(**_HIT, type=TEXT, runFacets=FREE), **_HIGHLIGHTS),
    Path.SEARCH_DATASETS: listed("hits", record(**_HIT), **_HIGHLIGHTS),
    Path.EVENT_STATISTICS: array(
        record(startInterval=TIME, endInterval=TIME, fail=COUNT, start=COUNT, complete=COUNT, abort=COUNT)
    ),
    Path.JOB_STATISTICS: _COUNTS,
    Path.DATASET_STATISTICS: _COUNTS,
    Path.SOURCE_STATISTICS: _COUNTS,
    Path.SET_ASIDE: record(jobs=array(record(job=_NAME, lastAt=TIME, paths=nullable(array(TEXT)), key=nullable(TEXT)))),
    Path.REFUSALS: record(
        refusals=array(
            record(
                producer=nullable(TEXT),
                key=nullable(TEXT),
                status=COUNT,
                path=nullable(TEXT),
                count=COUNT,
                firstAt=TIME,
                lastAt=TIME,
            )
        ),
        setAside=array(record(producer=nullable(TEXT), jobs=COUNT, lastAt=TIME)),
    ),
    Path.SOURCES: listed("sources", component("Source")),
    Path.SOURCE: component("Source"),
    Path.TAGS: listed("tags", component("Tag")),
    Path.ALIASES: listed(
        "aliases",
        record(namespace=TEXT, name=TEXT, rules=array(TEXT), evidence=TEXT, firstSeenAt=nullable(TIME)),
        dataset=_NAME,
    ),
    Path.OPENAPI: FREE,
}
"""The answers of lookups. An answer that is cut has `truncated`, too (`api.document.answer_schema`)."""
