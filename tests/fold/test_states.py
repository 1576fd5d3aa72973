"""States after events of real producers: each case is one that an existing lineage server gets wrong."""

from headwater.graph.names.identity import dataset_id, job_id
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import Run, RunState
from headwater.openlineage.event import Name
from headwater.store import keys
from headwater.store.items.datasets import DATASET, SCHEMAS
from headwater.store.items.jobs import JOB
from headwater.store.items.runs import RUN
from headwater.store.memory import MemoryTable
from tests import factory
from tests.factory import Document
from tests.lookup.requests import table_after

A, B = factory.dataset("a"), factory.dataset("b")


def folded(*documents: Document) -> MemoryTable:
    return table_after(*documents, one_by_one=True)


def run_of(table: MemoryTable, number: int = 1) -> Run:
    (key,) = table.runs(factory.run_id(number))
    return RUN.read(table.items[key])


def job_of(table: MemoryTable, name: str = "load") -> JobHead:
    return JOB.read(table.items[keys.job_head(job_id(Name("demo", name)))])


def dataset_of(table: MemoryTable, name: str) -> DatasetHead:
    return DATASET.read(table.items[keys.dataset_head(dataset_id(Name("s3://lake", name)))])


def edges(table: MemoryTable, name: str = "load") -> tuple[list[str], list[str]]:
    current = job_of(table, name).current
    names = {dataset_id(Name("s3://lake", name)): name for name in "abc"}
    return [names[dataset.id] for dataset in current.inputs], [names[dataset.id] for dataset in current.outputs]


def test_a_failed_run_stays_failed_when_complete_follows() -> None:
    """The Spark listener sends COMPLETE a tenth of a second after FAIL."""
    run = run_of(
        folded(
            factory.run_event("START", seconds=0),
            factory.run_event("FAIL", seconds=10),
            factory.run_event("COMPLETE", seconds=10.1),
        )
    )
    assert (run.state, run.ended_at) == (RunState.FAILED, "2026-11-20T08:00:10.000000000Z")


def test_a_late_start_does_not_reopen_a_run() -> None:
    run = run_of(folded(factory.run_event("COMPLETE", seconds=10), factory.run_event("START", seconds=0)))
    assert run.state is RunState.COMPLETED
    assert run.started_at == "2026-11-20T08:00:00.000000000Z"


def test_a_running_event_does_not_move_the_start() -> None:
    run = run_of(folded(factory.run_event("START", seconds=0), factory.run_event("RUNNING", seconds=5)))
    assert run.started_at == "2026-11-20T08:00:00.000000000Z"


def test_a_run_known_by_its_end_alone_has_times() -> None:
    run = run_of(folded(factory.run_event("COMPLETE", seconds=3)))
    assert run.started_at == run.ended_at == "2026-11-20T08:00:03.000000000Z"


def test_empty_inputs_and_outputs_remove_nothing() -> None:
    table = folded(
        factory.run_event("START", seconds=0, inputs=[A]),
        factory.run_event("RUNNING", seconds=1, outputs=[B]),
        factory.run_event("COMPLETE", seconds=2),
    )
    assert edges(table) == (["a"], ["b"])


def test_a_job_that_is_still_running_has_lineage() -> None:
    assert edges(folded(factory.run_event("START", inputs=[A], outputs=[B]))) == (["a"], ["b"])


def test_a_new_run_without_datasets_keeps_the_edges_of_the_one_before() -> None:
    table = folded(
        factory.run_event("COMPLETE", seconds=0, run=1, inputs=[A], outputs=[B]),
        factory.run_event("START", seconds=60, run=2),
    )
    assert edges(table) == (["a"], ["b"])
    latest = job_of(table).latest
    assert latest
    assert latest.run_id == factory.run_id(2)


def test_of_two_interleaved_runs_the_later_start_counts_whichever_ends_last() -> None:
    table = folded(
        factory.run_event("START", seconds=0, run=1, outputs=[A]),
        factory.run_event("START", seconds=1, run=2, outputs=[B]),
        factory.run_event("COMPLETE", seconds=2, run=2),
        factory.run_event("COMPLETE", seconds=3, run=1),
    )
    assert edges(table) == ([], ["b"])


def test_a_chosen_run_that_turns_out_to_be_older_gives_way() -> None:
    """Its START comes late: until then it was taken for the newest."""
    table = folded(
        factory.run_event("START", seconds=10, run=1, outputs=[A]),
        factory.run_event("RUNNING", seconds=20, run=2, outputs=[B]),
        factory.run_event("START", seconds=0, run=2),
    )
    assert edges(table) == ([], ["a"])


def test_a_job_event_counts_by_its_time_among_the_runs() -> None:
    declared = factory.job_event(seconds=5, inputs=[A], outputs=[B])
    assert edges(folded(factory.run_event("START", seconds=0, outputs=[A]), declared)) == (["a"], ["b"])
    assert edges(folded(declared, factory.run_event("START", seconds=10, outputs=[A]))) == ([], ["a"])


def test_a_facet_is_replaced_by_the_newest_and_a_deleted_one_stays_deleted() -> None:
    old = factory.dataset("a", documentation=factory.facet(description="old"))
    again = factory.dataset("a", documentation=factory.facet(description="new"))
    older, newer, deletion = (
        factory.run_event("RUNNING", seconds=seconds, outputs=[dataset])
        for seconds, dataset in enumerate([old, again, factory.dataset("a", documentation={"_deleted": True})])
    )
    assert dataset_of(folded(newer, older), "a").facets["documentation"]["description"] == "new"
    assert "documentation" not in dataset_of(folded(deletion, newer, older), "a").facets


def test_the_newest_schema_wins_whichever_job_saw_it() -> None:
    old, new = factory.schema("id:long"), factory.schema("id:string")
    table = folded(
        factory.run_event("COMPLETE", seconds=0, job="load", run=1, outputs=[factory.dataset("a", schema=old)]),
        factory.run_event("COMPLETE", seconds=9, job="load", run=2, outputs=[factory.dataset("a", schema=old)]),
        factory.run_event("COMPLETE", seconds=5, job="report", run=3, inputs=[factory.dataset("a", schema=new)]),
    )
    assert dataset_of(table, "a").schema == old
    assert dataset_of(table, "a").reselecting is None


def test_an_alternating_schema_is_the_newest() -> None:
    one, two = factory.schema("id:long"), factory.schema("id:string")
    seen = [
        factory.run_event("COMPLETE", seconds=number, run=number, inputs=[factory.dataset("a", schema=schema)])
        for number, schema in enumerate([one, two, one], start=1)
    ]
    for order in (seen, seen[::-1], [seen[2], seen[0], seen[1]]):
        assert dataset_of(folded(*order), "a").schema == one


def test_each_distinct_schema_is_kept_with_when_it_was_first_seen() -> None:
    one = factory.dataset("a", schema=factory.schema("id:long"))
    table = folded(*(factory.run_event("RUNNING", seconds=seconds, outputs=[one]) for seconds in (5, 2, 9)))
    (schema,) = [item for item in table.items.values() if item.labels["kind"] == "schema"]
    assert schema.labels["first"] == "2026-11-20T08:00:02.000000000Z"
    assert SCHEMAS.read(schema).value == one["facets"]["schema"]


def test_one_run_id_under_two_job_names_is_one_run_of_each() -> None:
    table = folded(
        factory.run_event("START", job="load", outputs=[A]), factory.run_event("START", job="report", inputs=[A])
    )
    assert len(table.runs(factory.run_id(1))) == 2


def test_a_dataset_event_needs_no_job() -> None:
    table = folded(factory.dataset_event(factory.dataset("a", documentation=factory.facet(description="x"))))
    assert dataset_of(table, "a").facets["documentation"]["description"] == "x"


def test_namespaces_are_known_since_their_earliest_event() -> None:
    table = folded(factory.run_event("START", seconds=9, inputs=[A]), factory.run_event("START", seconds=3, inputs=[A]))
    first = {item.labels["first"] for item in table.items.values() if item.labels["kind"] == "namespace"}
    assert first == {"2026-11-20T08:00:03.000000000Z"}


def test_long_facets_are_stored_once_for_all_runs() -> None:
    wide = factory.columns(**{f"column_{number}": ("s3://lake", "b", "x") for number in range(3000)})
    output = factory.dataset("a", columnLineage=wide, schema=factory.schema(*[f"column_{n}:int" for n in range(3000)]))
    table = folded(*(factory.run_event("COMPLETE", seconds=n, run=n, outputs=[output]) for n in range(1, 4)))
    kinds = [item.labels["kind"] for item in table.items.values()]
    assert (kinds.count("columnLineage"), kinds.count("schema"), kinds.count("run")) == (1, 1, 3)
    runs = [item for item in table.items.values() if item.labels["kind"] == "run"]
    assert max(len(run.parts["doc"]) for run in runs) < 1024
