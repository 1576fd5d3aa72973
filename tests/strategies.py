"""Any events over a small world: so small that races, ties and disagreements are the rule."""

from hypothesis import strategies as st

from tests import factory
from tests.factory import Document

DATASETS = ("a", "b", "c")
JOBS = ("load", "report")
SCHEMAS = (factory.schema("id:long"), factory.schema("id:string"), factory.schema("id:long", "x:int"))
KINDS = ("START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER", None)

seconds = st.integers(0, 5)


@st.composite
def datasets(draw: st.DrawFn) -> Document:
    facets: Document = {}
    if draw(st.booleans()):
        facets["schema"] = draw(st.sampled_from(SCHEMAS))
    if draw(st.booleans()):
        facets["documentation"] = draw(
            st.sampled_from([factory.facet(description="x"), factory.facet(description="y"), {"_deleted": True}])
        )
    if draw(st.booleans()):
        facets["columnLineage"] = factory.columns(id=("s3://lake", draw(st.sampled_from(DATASETS)), "id"))
    if draw(st.booleans()):
        facets["version"] = factory.facet(datasetVersion=str(draw(st.integers(1, 3))))
    return factory.dataset(draw(st.sampled_from(DATASETS)), **facets)


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
        run_facets=draw(st.sampled_from([{}, {"x": factory.facet(v=1)}, {"x": factory.facet(v=2)}])),
        job_facets=draw(st.sampled_from([{}, {"y": factory.facet(v=1)}, {"y": {"_deleted": True}}])),
    )


job_events = st.builds(
    lambda seconds, job, inputs, outputs: factory.job_event(seconds=seconds, job=job, inputs=inputs, outputs=outputs),
    seconds,
    st.sampled_from(JOBS),
    several,
    several,
)
dataset_events = st.builds(lambda named, seconds: factory.dataset_event(named, seconds=seconds), datasets(), seconds)
events = st.one_of(run_events(), run_events(), run_events(), job_events, dataset_events)
