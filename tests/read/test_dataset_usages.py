"""A list of datasets says, if asked, which of them a job reads, and when jobs last wrote them."""

import zlib
from typing import Any

import pytest

from headwater.read.dataset_usages import MAX_WRITERS
from headwater.store.aws.dynamodb import READ_LIMIT
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LookupClient, key_of, table_after
from tests.lookup.test_cost import CountedTable, body_and_calls, table_of

LIST = "namespaces/s3%3A%2F%2Flake/datasets"


def run(job: str, reads: str = "", writes: str = "", *, day: int = 0, **more: Any) -> Document:
    """A run that reads and writes the datasets of these names."""
    return factory.run_event(
        "COMPLETE",
        job=job,
        run=zlib.crc32(f"{job} {day}".encode()),
        seconds=day * 86_400,
        inputs=[factory.dataset(name) for name in reads.split()],
        outputs=[factory.dataset(name, **more) for name in writes.split()],
    )


def usages(*events: Document, get: LookupClient | None = None) -> dict[str, tuple[bool, str | None]]:
    client = get or LookupClient(table_after(*events))
    listed = client(LIST, withUsage="true")["datasets"]
    return {each["name"]: (each["isRead"], each["lastWrittenAt"]) for each in listed}


def is_read(*events: Document) -> dict[str, bool]:
    return {name: read for name, (read, _) in usages(*events).items()}


def test_only_who_asks_gets_the_usage() -> None:
    get = LookupClient(table_after(run("load", writes="out")))
    assert "isRead" not in get(LIST)["datasets"][0]
    assert get.refusal(LIST, withUsage="perhaps") == "withUsage"


def test_what_a_job_reads_is_read_and_what_is_only_written_is_not() -> None:
    assert is_read(run("load", "raw", "clean"), run("report", "clean", "out")) == {
        "raw": True,
        "clean": True,
        "out": False,
    }


def inferring(kind: str = "RDD_JOB", query: str = "map_partitions_file_scan", **more: Any) -> Document:
    """Spark looks for the columns of a file in the folder `in`."""
    facet = factory.facet(jobType=kind, integration="SPARK", processingType="BATCH")
    read = factory.dataset("in", **more)
    return factory.run_event(run=9, job=f"app.{query}", job_facets={"jobType": facet}, inputs=[read])


@pytest.mark.parametrize(
    ("events", "is_listed"),
    [
        ([inferring()], False),
        ([inferring(), run("report", "in")], True),
        ([inferring(), run("load", "", "in")], True),
        ([inferring(schema=factory.schema("id:int"))], True),
        ([inferring(), factory.dataset_event(factory.dataset("in"))], True),
        ([inferring("SQL_JOB")], True),
        ([inferring(query="map_partitions_hadoop")], True),
    ],
)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_folder_of_which_spark_only_infers_a_schema_is_in_no_list_with_usage(
    events: list[Document], is_listed: bool, is_reversed: bool
) -> None:
    table = [run("app.query", "in/shops.csv"), *events]
    get = LookupClient(table_after(*(table[::-1] if is_reversed else table)))
    names = ["in"] * is_listed + ["in/shops.csv"]
    listed = get(LIST, withUsage="true")
    assert ([each["name"] for each in listed["datasets"]], listed["totalCount"]) == (names, len(names))
    assert get(LIST)["totalCount"] == 2


def test_a_job_that_reads_its_own_target_is_no_reader() -> None:
    merge = run("merge", "raw out", "out")
    assert is_read(merge) == {"raw": True, "out": False}
    assert is_read(merge, run("report", "out"))["out"]


def test_a_dataset_that_was_read_once_stays_read() -> None:
    assert is_read(run("report", "old", "out"), run("report", "new", "out", day=1)) == {
        "old": True,
        "new": True,
        "out": False,
    }


def test_a_reader_by_another_name_counts() -> None:
    linked = factory.facet(identifiers=[{"namespace": "s3://lake", "name": "db.out", "type": "TABLE"}])
    events = [run("load", writes="out", symlinks=linked), run("report", "db.out")]
    assert all(is_read(*events).values())
    assert is_read(events[0])["out"] is False


@pytest.mark.parametrize("readers", [1, 250, 4_000])
def test_a_dataset_with_any_number_of_readers_is_read(readers: int) -> None:
    events = [run("load", writes="out"), *(run(f"report {number}", "out") for number in range(readers))]
    assert is_read(*events) == {"out": True}


def test_the_last_write_is_the_newest_of_all_writers_and_no_read() -> None:
    events = [run("a", writes="out", day=2), run("b", writes="out", day=1), run("c", "out source", day=3)]
    found = usages(*events)
    assert found["out"] == (True, "2026-11-22T08:00:00Z")
    assert found["source"] == (True, None)


@pytest.mark.parametrize(("datasets", "known"), [(3, "2026-11-20T08:00:00Z"), (4, None)])
def test_of_more_writers_than_are_read_the_last_write_is_unknown(datasets: int, known: str | None) -> None:
    writers = MAX_WRITERS // 3
    events = [run(f"load {name} {number}", writes=str(name)) for name in range(datasets) for number in range(writers)]
    assert set(usages(*events).values()) == {(False, known)}


def test_a_reader_of_another_team_counts_but_is_not_told() -> None:
    events = [run("load", writes="out"), {**run("secret", "out"), "job": {"namespace": "bank", "name": "secret"}}]
    narrow = LookupClient(table_after(*events), key_of("s3://lake", "demo"))
    assert usages(get=narrow)["out"] == (True, "2026-11-20T08:00:00Z")
    assert "secret" not in str(narrow(LIST, withUsage="true"))


def test_a_hundred_datasets_take_three_calls_more_however_large_the_table() -> None:
    def lake(jobs: int) -> CountedTable:
        return table_of(*(run(f"job {number}", f"{number:04}", f"{number + 1:04}") for number in range(jobs)))

    for jobs in (150, 450):
        table = lake(jobs)
        _, plain = body_and_calls(table, LIST, limit=READ_LIMIT)
        answer, calls = body_and_calls(table, LIST, limit=READ_LIMIT, withUsage="true")
        assert [each["isRead"] for each in answer["datasets"]] == [True] * READ_LIMIT
        assert calls <= plain + 3
