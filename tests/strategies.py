"""Generated events with few jobs, datasets and times: races, ties and contradictions are frequent."""

from hypothesis import strategies as st

from tests import factory
from tests.factory import Document

DATASETS = ("a", "b", "c")
JOBS = ("load", "report")
SCHEMAS = (factory.schema("id:long"), factory.schema("id:string"), factory.schema("id:long", "x:int"))
KINDS = ("START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER", None)

QUERY = factory.facet(externalQueryId="query-1", source="athena")

NOMINAL = factory.facet(nominalStartTime="2026-11-19T07:00:02Z", nominalEndTime="2026-11-19T08:00:02Z")
"""A run that begins more than two seconds after the first event is a backfill."""
SCHEDULED = factory.facet(
    dag={"timetable": {"expression": "0 7 * * *", "timezone": "UTC"}}, dagRun={"run_type": "scheduled"}
)

RUN_FACETS: tuple[Document, ...] = (
    {},
    {"x": factory.facet(v=1)},
    {"nominalTime": NOMINAL},
    {"airflowDagRun": SCHEDULED},
    {"parent": factory.parent(3, "report")},
    {"parent": factory.parent(4, "nightly", root=(5, "schedule"))},
    {"tags": factory.facet(tags=[{"key": "owner", "value": "finance"}]), "externalQuery": QUERY},
    {"tags": factory.facet(tags=[{"key": "owner", "value": "orders"}])},
    {"jobDependencies": factory.facet(upstream=[{"job": {"namespace": "demo", "name": "report"}}])},
    {"extractionError": factory.facet(totalTasks=2, failedTasks=1, errors=[])},
)
JOB_FACETS: tuple[Document, ...] = (
    {},
    {"y": factory.facet(v=1)},
    {"y": {"_deleted": True}},
    {"jobType": factory.facet(processingType="STREAMING")},
    {"jobType": factory.facet(integration="DBT")},
    {"sql": factory.facet(query="SELECT loyalty FROM a")},
    {"lineage": factory.facet(entries=[factory.made_of("c", "a")])},
    {"headwater_deleted": {"through": "2026-11-20T08:00:02.000000000Z"}},
)

seconds = st.integers(0, 5)


@st.composite
def datasets(draw: st.DrawFn) -> Document:
    name, namespace = draw(st.sampled_from([*DATASETS, "a/day=1"])), draw(st.sampled_from(["s3://lake", "s3a://lake"]))
    if draw(st.integers(0, 7)) == 0:
        return factory.dataset(name, namespace, headwater_foreign={})
    facets: Document = {}
    if draw(st.booleans()):
        facets["schema"] = draw(st.sampled_from(SCHEMAS))
    if draw(st.booleans()):
        facets["documentation"] = draw(
            st.sampled_from(
                [factory.facet(description="all orders"), factory.facet(description="y"), {"_deleted": True}]
            )
        )
    if draw(st.booleans()):
        facets["columnLineage"] = factory.columns(id=("s3://lake", draw(st.sampled_from(DATASETS)), "id"))
    if draw(st.booleans()):
        facets["symlinks"] = factory.symlinks(draw(st.sampled_from(DATASETS)))
    if draw(st.booleans()):
        facets["dataSource"] = factory.facet(name="lake", uri=draw(st.sampled_from(["s3://lake", "s3a://lake"])))
    if draw(st.booleans()):
        facets["version"] = factory.facet(datasetVersion=str(draw(st.integers(1, 3))))
    if draw(st.booleans()):
        facets["lifecycleStateChange"] = factory.renamed_from(draw(st.sampled_from(DATASETS)))
    named = factory.dataset(name, namespace, **facets)
    if draw(st.booleans()):
        return named
    return {
        **named,
        "inputFacets": {"dataQualityAssertions": factory.facet(assertions=[{"success": draw(st.booleans())}])},
    }


several = st.lists(datasets(), max_size=2)


@st.composite
def run_events(draw: st.DrawFn) -> Document:
    return factory.run_event(
        draw(st.sampled_from(KINDS)),
        seconds=draw(seconds),
        run=draw(st.integers(1, 3)),
        job=draw(st.sampled_from(JOBS)),
        inputs=draw(several),
        outputs=draw(several),
        run_facets=draw(st.sampled_from(RUN_FACETS)),
        job_facets=draw(st.sampled_from(JOB_FACETS)),
    )


job_events = st.builds(
    lambda seconds, job, inputs, outputs: factory.job_event(seconds=seconds, job=job, inputs=inputs, outputs=outputs),
    seconds,
    st.sampled_from(JOBS),
    several,
    several,
)
dataset_events = st.builds(lambda named, seconds: factory.dataset_event(named, seconds=seconds), datasets(), seconds)
derivations = st.builds(
    lambda made_of, seconds: factory.dataset_event(
        factory.dataset("b", lineage=factory.facet(**made_of)), seconds=seconds
    ),
    st.sampled_from([factory.made_of("b", "a"), factory.made_of("b"), {"_deleted": True}]),
    seconds,
)
deletions = st.builds(
    lambda name, through, seconds: factory.dataset_event(
        factory.dataset(name, headwater_deleted={"through": f"2026-11-20T08:00:0{through}.000000000Z"}), seconds=seconds
    ),
    st.sampled_from(DATASETS),
    seconds,
    seconds,
)
job_deletions = st.builds(
    lambda job, through, seconds: (
        factory.job_event(seconds=seconds, job=job)
        | {
            "job": {
                "namespace": "demo",
                "name": job,
                "facets": {"headwater_deleted": {"through": f"2026-11-20T08:00:0{through}.000000000Z"}},
            }
        }
    ),
    st.sampled_from(JOBS),
    seconds,
    seconds,
)
descriptions = st.builds(
    lambda reserved, facets, seconds: factory.dataset_event(
        factory.dataset("s3://lake", reserved, **facets), seconds=seconds
    ),
    st.sampled_from(["headwater:namespaces", "headwater:sources"]),
    st.sampled_from([{}, {"documentation": {"description": "d"}}, {"headwater_deleted": {"through": factory.at(2)}}]),
    seconds,
)
judgements = st.builds(
    lambda run, job, good, seconds: factory.run_event(
        "OTHER", run=run, job=job, seconds=seconds, run_facets={"headwater_judgement": factory.facet(good=good)}
    ),
    st.integers(1, 3),
    st.sampled_from(JOBS),
    st.booleans(),
    seconds,
)
curation = st.one_of(deletions, job_deletions, descriptions, judgements)
events = st.one_of(
    run_events(), run_events(), run_events(), run_events(), job_events, dataset_events, derivations, curation
)


HOUR = 3600


@st.composite
def runs_of_parents(draw: st.DrawFn) -> Document:
    """An event of one of four runs of a job, of two parents or none, with some of three inputs and two outputs."""
    parent, lineage = draw(st.sampled_from([None, 8, 8, 8, 9])), draw(st.sampled_from([None, "x", "y"]))
    facets: Document = {"columnLineage": factory.columns(id=("s3://lake", "in0", lineage))} if lineage else {}
    facets |= draw(st.sampled_from([{}, {}, {"headwater_foreign": {}}]))
    inputs = draw(st.sets(st.sampled_from(["in0", "in1", "in2"])))
    outputs = draw(st.sets(st.sampled_from(["out", "other"])))
    return factory.run_event(
        draw(st.sampled_from(["START", "START", "RUNNING", "COMPLETE", "FAIL"])),
        seconds=draw(st.sampled_from([0, 1, 5, 9, 20 * HOUR, 25 * HOUR, 26 * HOUR])),
        run=draw(st.integers(1, 4)),
        inputs=[factory.dataset(name) for name in sorted(inputs)],
        outputs=[factory.dataset(name, **facets) for name in sorted(outputs)],
        run_facets={"parent": factory.parent(parent, "nightly")} if parent else {},
    )


@st.composite
def ended_runs(draw: st.DrawFn) -> list[Document]:
    """START and COMPLETE of one of four runs; one, both or none have the nominal time and the schedule."""
    run, nominal, schedule = draw(st.integers(1, 4)), {"nominalTime": NOMINAL}, {"airflowDagRun": SCHEDULED}
    return [
        factory.run_event(
            kind,
            seconds=draw(st.sampled_from([0, 2, 3, 5])),
            run=run,
            job="load",
            run_facets=draw(st.sampled_from([{}, nominal, schedule, nominal | schedule])),
        )
        for kind in ("START", "COMPLETE")
    ]
