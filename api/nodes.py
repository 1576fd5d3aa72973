"""The types of namespaces, jobs, datasets and runs in answers, in the form of Marquez's API."""

from api.json_schema import (
    ANYTHING,
    COUNT,
    FLAG,
    FREE,
    NUMBER,
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

_NAME = component("Name")
_STATES = one_of("NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED")
_OUTCOMES = one_of("NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED", "NOT_REPORTED")
_DATASET_VERSION = record(datasetVersionId=component("VersionedName"), facets=FREE)
_DEPENDENCY = record(
    namespace=TEXT,
    name=TEXT,
    runId=maybe(TEXT),
    dependencyType=maybe(TEXT),
    sequenceTriggerRule=maybe(TEXT),
    statusTriggerRule=maybe(TEXT),
)
DISPLAY_NAMES = {"type": "object", "additionalProperties": TEXT}
_JOB_CORE = record(
    id=_NAME,
    type=one_of("BATCH", "STREAM", "SERVICE"),
    name=TEXT,
    displayName=maybe(TEXT),
    simpleName=TEXT,
    parentJobName=nullable(TEXT),
    parentJobUuid=nullable(UUID),
    createdAt=nullable(TIME),
    updatedAt=nullable(TIME),
    namespace=TEXT,
    inputs=array(_NAME),
    outputs=array(_NAME),
    location=nullable(TEXT),
    description=nullable(TEXT),
    jobLineage=maybe(record(upstream=array(_NAME), downstream=array(_NAME))),
    jobDependencies=maybe(record(upstream=array(_DEPENDENCY), downstream=array(_DEPENDENCY), triggerRule=maybe(TEXT))),
    candidateInputs=maybe(TRUE),
    foreign=maybe(TRUE),
)
_DATASET_CORE = record(
    id=_NAME,
    type=one_of("DB_TABLE", "STREAM"),
    name=TEXT,
    physicalName=TEXT,
    displayName=maybe(TEXT),
    place=maybe(FREE),
    exposures=maybe(array(component("Exposure"))),
    schemaLocation=maybe(TEXT),
    createdAt=nullable(TIME),
    namespace=TEXT,
    sourceName=TEXT,
    fields=array(component("Field")),
    tags=array(TEXT),
    tagSources=maybe(FREE),
    description=nullable(TEXT),
)
_DATASET_NODE = extended(
    _DATASET_CORE,
    updatedAt=nullable(TIME),
    lastModifiedAt={"type": "null"},
    lastLifecycleState=TEXT,
    foreign=maybe(TRUE),
)
_DATASET = extended(
    _DATASET_NODE,
    currentVersion=nullable(TEXT),
    criticality=maybe(FREE),
    columnLineage=nullable(array(component("ColumnLineage"))),
    facets=FREE,
    deleted=FLAG,
)
_RUN_CORE = record(
    id=UUID,
    createdAt=TIME,
    updatedAt=TIME,
    nominalStartTime=nullable(TEXT),
    nominalEndTime=nullable(TEXT),
    state=_STATES,
    startedAt=nullable(TIME),
    endedAt=nullable(TIME),
    durationMs=nullable(COUNT),
    args=FREE,
    jobVersion=nullable(component("VersionedName")),
    inputDatasetVersions=array(_DATASET_VERSION),
    outputDatasetVersions=array(_DATASET_VERSION),
    facets=FREE,
)
JUDGEMENT = record(good=TRUE, by=TEXT, at=TIME, note=maybe(TEXT))
_STAGE = record(
    stage=COUNT,
    operation=maybe(TEXT),
    tasks=COUNT,
    medianSeconds=NUMBER,
    maxSeconds=NUMBER,
    medianBytes=COUNT,
    maxBytes=COUNT,
    bytes=maybe(COUNT),
)
_RUNTIME = record(
    executorSeconds=NUMBER,
    bytesRead=COUNT,
    bytesShuffled=COUNT,
    bytesSpilled=COUNT,
    peakMemoryBytes=COUNT,
    tasks=COUNT,
    failedTasks=COUNT,
    stages=array(_STAGE),
)
_QUERY = record(id=TEXT, source=nullable(TEXT))
_ENVIRONMENT = record(cluster=maybe(TEXT), release=maybe(TEXT), application=maybe(TEXT), user=maybe(TEXT))
_RUN = extended(
    _RUN_CORE,
    outcome=_OUTCOMES,
    message=nullable(TEXT),
    noContactSince=maybe(TIME),
    failedChildren=array(record(runId=UUID, job=_NAME)),
    tags=maybe(array(TEXT)),
    tagSources=maybe(FREE),
    incomplete=maybe(TEXT),
    query=maybe(_QUERY),
    environment=maybe(_ENVIRONMENT),
    runtime=maybe(_RUNTIME),
    progress=maybe(record(batches=COUNT, rows=COUNT, lag=maybe(COUNT))),
    judgement=maybe(JUDGEMENT),
)
RUN_OF_JOB = extended(_RUN, job=_NAME, code=maybe(component("Code")))
_TRANSFORMED = record(transformationDescription=nullable(TEXT), transformationType=nullable(TEXT))

NODES: dict[str, Schema] = {
    "Name": record(namespace=TEXT, name=TEXT),
    "VersionedName": record(namespace=TEXT, name=TEXT, version=TEXT),
    "Namespace": record(
        name=TEXT, createdAt=TIME, updatedAt=TIME, ownerName=TEXT, description=nullable(TEXT), isHidden=FLAG
    ),
    "Source": record(
        type=TEXT, name=TEXT, createdAt=TIME, updatedAt=TIME, connectionUrl=TEXT, description=nullable(TEXT)
    ),
    "Tag": record(name=TEXT, description=nullable(TEXT)),
    "Field": record(
        name=TEXT,
        type=nullable(TEXT),
        description=nullable(TEXT),
        tags=array(TEXT),
        tagSources=maybe(FREE),
        fields=maybe(array(component("Field"))),
    ),
    "Exposure": record(id=TEXT, name=TEXT, type=maybe(TEXT), url=maybe(TEXT), owner=maybe(TEXT)),
    "Run": _RUN,
    "RunOfJob": RUN_OF_JOB,
    "Code": record(version=maybe(TEXT), branch=maybe(TEXT), pullRequestNumber=maybe(TEXT), link=maybe(TEXT)),
    "TopRun": record(
        id=UUID,
        job=_NAME,
        displayName=maybe(TEXT),
        state=_STATES,
        ownState=_STATES,
        startedAt=nullable(TIME),
        endedAt=nullable(TIME),
        durationMs=nullable(COUNT),
        producer=nullable(TEXT),
        message=nullable(TEXT),
        noContactSince=maybe(TIME),
        failedChildren=array(record(runId=UUID, job=_NAME)),
        parent=nullable(record(runId=UUID, job=_NAME)),
        runtime=maybe(_RUNTIME),
        query=maybe(_QUERY),
        environment=maybe(_ENVIRONMENT),
    ),
    "RunInGraph": extended(_RUN_CORE, outcome=_OUTCOMES, failedChildren=COUNT),
    "Job": extended(
        _JOB_CORE,
        latestRun=nullable(component("Run")),
        latestRuns=nullable(array(component("Run"))),
        displayNames=maybe(DISPLAY_NAMES),
        currentVersion=nullable(TEXT),
        facets=FREE,
        labels=array(TEXT),
        tags=array(TEXT),
        tagSources=maybe(FREE),
        criticality=maybe(FREE),
    ),
    "JobInGraph": extended(
        _JOB_CORE, currentRunUuid=nullable(TEXT), latestRun=nullable(component("RunInGraph")), owners=array(TEXT)
    ),
    "JobVersion": record(
        id=component("VersionedName"),
        name=TEXT,
        createdAt=TIME,
        version=TEXT,
        namespace=TEXT,
        location=nullable(TEXT),
        inputs=array(_NAME),
        outputs=array(_NAME),
        latestRun=nullable(component("Run")),
    ),
    "Transformation": record(type=ANYTHING, subtype=ANYTHING, description=ANYTHING, masking=ANYTHING),
    "ColumnInput": extended(
        _TRANSFORMED, namespace=TEXT, dataset=TEXT, field=TEXT, transformations=array(component("Transformation"))
    ),
    "ColumnLineage": extended(_TRANSFORMED, name=TEXT, inputFields=array(component("ColumnInput"))),
    "QualityResult": record(runId=TEXT, at=TIME, dataQualityAssertions=ANYTHING, dataQualityMetrics=ANYTHING),
    "ListedDataset": extended(
        _DATASET,
        isRead=maybe(FLAG),
        lastWrittenAt=maybe(nullable(TIME)),
        caution=maybe(TEXT),
        frontier=maybe(component("Frontier")),
    ),
    "Dataset": extended(
        _DATASET,
        aliases=array(_NAME),
        dataQuality=nullable(component("QualityResult")),
        lastWrittenAt=nullable(TIME),
        caution=maybe(TEXT),
    ),
    "DatasetInGraph": extended(
        _DATASET_NODE,
        datasetType=nullable(TEXT),
        owners=array(TEXT),
        estimatedReaders=maybe(COUNT),
        estimatedWriters=maybe(COUNT),
        lastWrittenAt=nullable(TIME),
        caution=maybe(TEXT),
    ),
    "DatasetVersion": extended(
        _DATASET_CORE,
        lifecycleState=TEXT,
        version=TEXT,
        facets=FREE,
        currentSchemaVersion=nullable(TEXT),
        createdByRun=nullable(component("Run")),
    ),
}
