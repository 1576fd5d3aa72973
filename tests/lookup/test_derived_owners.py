"""A dataset without an owner is shown with the owner of the job that writes it, marked as derived."""

from typing import Any

from headwater.access.principal import Principal
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, key_of, table_after
from tests.producer_records import recorded

OUT = "namespaces/s3%3A%2F%2Flake/datasets/out"


def owned(*names: str) -> Document:
    return factory.facet(owners=[{"name": name} for name in names])


def wrote(job: str, *owners: str, run: int = 1, **facets: Any) -> Document:
    """A run that reads `raw` and writes `out`, of a job with these owners."""
    return factory.run_event(
        "COMPLETE",
        job=job,
        run=run,
        seconds=60 * run,
        inputs=[factory.dataset("raw")],
        outputs=[factory.dataset("out", **facets)],
        job_facets={"ownership": owned(*owners)} if owners else {},
    )


def owners(*events: Document, principal: Principal | None = None) -> tuple[list[str], Any]:
    """The owners of `out`, alone and in a list, and the job that they are derived from."""
    table = table_after(*events)
    get = LookupClient(table, principal) if principal else LookupClient(table)
    listed = next(each for each in get("namespaces/s3%3A%2F%2Flake/datasets")["datasets"] if each["name"] == "out")
    facets = [document["facets"].get("ownership", {"owners": []}) for document in (get(OUT), listed)]
    assert facets[0] == facets[1]
    return [owner["name"] for owner in facets[0]["owners"]], facets[0].get("headwater_derivedFrom", {}).get("name")


def test_the_owner_of_the_writing_job_is_the_owner_of_the_dataset() -> None:
    assert owners(wrote("load", "bea", "ann")) == (["bea", "ann"], "load")


def test_an_owner_of_the_dataset_itself_comes_first() -> None:
    assert owners(wrote("load", "bea", ownership=owned("carl"))) == (["carl"], None)
    described = factory.dataset_event(factory.dataset("out", ownership=owned("dora")), seconds=1)
    assert owners(wrote("load", "bea"), described) == (["dora"], None)


def test_of_several_writers_it_is_the_one_that_ran_last_and_has_an_owner() -> None:
    events = [wrote("a", "ann", run=1), wrote("b", "bea", run=2), wrote("c", run=3)]
    assert owners(*events) == owners(*events[::-1]) == (["bea"], "b")


def test_a_reader_owns_nothing() -> None:
    reads = factory.run_event(
        "COMPLETE", job="report", inputs=[factory.dataset("out")], job_facets={"ownership": owned("eve")}
    )
    assert owners(wrote("load"), reads) == ([], None)


def test_a_job_that_the_caller_may_not_read_gives_no_owner() -> None:
    assert owners(wrote("load", "bea"), principal=key_of(LAKE)) == ([], None)
    assert owners(wrote("load", "bea"), principal=key_of(LAKE, "demo")) == (["bea"], "load")


def test_airflows_tasks_own_the_tables_that_they_write() -> None:
    get = LookupClient(table_after(*recorded("airflow", "sql")))
    facets = get("namespaces/postgres%3A%2F%2Fdb.shop%3A5432/datasets/shop.public.revenue")["facets"]["ownership"]
    assert facets["headwater_derivedFrom"]["name"] == "shop.revenue"
    assert [owner["name"] for owner in facets["owners"]]
