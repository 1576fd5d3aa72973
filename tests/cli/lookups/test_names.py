"""Names that people type: resolved where they are unique, and otherwise answered with the commands to type next."""

import shlex
import subprocess
from collections.abc import Iterator

import pytest

from headwater.cli.endpoint import URL_VARIABLE
from headwater.cli.lookups.shell import command
from tests import factory
from tests.cli.lookups.conftest import HOSTILE, Headwater
from tests.cli.lookups.server import api_over
from tests.lookup.requests import table_after


@pytest.mark.parametrize(
    "name",
    [
        "orders_daily",
        "ORDERS_DAILY",
        "s3://lake warehouse/orders_daily",
        "s3://lake warehouse:orders_daily",
        "lake warehouse/orders_daily",
        "dataset:s3://lake warehouse:orders_daily",
        "s3a://lake warehouse/orders_daily",
    ],
)
def test_one_dataset_has_many_spellings(headwater: Headwater, name: str) -> None:
    printed = headwater("lineage", name, "--up")
    assert (printed.status, printed.err) == (0, "")
    assert printed.out.startswith("upstream of orders_daily: 3 jobs, 4 datasets\n")


def test_parts_of_a_qualified_name_are_ends_and_parts_of_a_word_are_not(headwater: Headwater) -> None:
    assert headwater("lineage", "public.customers", "--down").out.startswith("downstream of public.customers: ")
    printed = headwater("lineage", "daily_orders")
    assert printed.status == 1
    assert "no dataset or job is called daily_orders; similar names:" in printed.err


def test_of_several_each_is_listed_with_the_command_to_type_next(headwater: Headwater) -> None:
    printed = headwater("lineage", "customers", "--up")
    assert (printed.status, printed.out) == (1, "")
    first, *listed = printed.err.splitlines()
    assert first == "2 nodes are called customers; ask for one of them:"
    assert listed == [
        "  headwater lineage 'dataset:s3://lake warehouse:crm/customers' --up",
        "  headwater lineage dataset:postgres://db:5432:public.customers --up",
    ]
    assert headwater(*shlex.split(listed[0])[1:]).status == 0


def test_the_command_to_type_next_keeps_the_column(headwater: Headwater) -> None:
    assert "crm/customers' id\n" in headwater("impact", "customers", "id").err


def test_a_dataset_is_meant_where_a_job_has_the_same_name_and_the_job_is_told(headwater: Headwater) -> None:
    printed = headwater("lineage", "orders_clean", "--up")
    assert printed.out.startswith("upstream of orders_clean: 1 job, 1 dataset\n")
    assert printed.err == "orders_clean is also the name of:\nheadwater lineage job:demo:orders_clean --up\n"
    assert headwater("runs", "orders_clean").out.startswith("runs of job orders_clean\n")


def test_a_name_with_a_fault_is_answered_with_what_is_near(headwater: Headwater) -> None:
    printed = headwater("why", "ordres_daily")
    assert printed.status == 1
    assert printed.err.splitlines()[:2] == [
        "no dataset or job is called ordres_daily; similar names:",
        "  headwater why 'dataset:s3://lake warehouse:orders_daily'",
    ]


def test_a_name_that_nothing_is_near_names_the_next_steps(headwater: Headwater) -> None:
    printed = headwater("lineage", "zzz")
    assert printed.err.splitlines()[0] == "no dataset or job is called zzz"
    assert "headwater runs" in printed.err
    assert "headwater doctor" in printed.err


def test_a_node_of_another_kind_is_told(headwater: Headwater) -> None:
    printed = headwater("runs", "orders_daily")
    assert printed.status == 1
    assert "no job is called orders_daily, but a dataset is" in printed.err
    wrong = headwater("impact", "job:demo:clean")
    assert (wrong.status, wrong.err.splitlines()[0]) == (2, "job:demo:clean is not a dataset or column")


def test_an_unknown_column_is_answered_with_those_there_are(headwater: Headwater) -> None:
    printed = headwater("columns", "orders_daily", "totl")
    assert (printed.status, printed.err) == (1, "orders_daily has no column totl\nnext: its columns are total ...\n")


def test_an_unknown_node_id_is_not_found(headwater: Headwater) -> None:
    printed = headwater("lineage", "dataset:s3://lake:none")
    assert (printed.status, printed.err.splitlines()[0]) == (1, "Dataset 'none' not found.")


def test_a_hostile_name_is_inert_and_its_command_can_be_typed(headwater: Headwater) -> None:
    printed = headwater("lineage", "evil")
    assert not {"\x1b", "\u202e"} & {*printed.err, *printed.out}
    (listed,) = [line for line in printed.err.splitlines() if line.startswith("  headwater")]
    typed = subprocess.run(  # noqa: S603 - a shell reads what is to be typed
        ["/bin/bash", "-c", f'printf "%s" {listed.split(maxsplit=2)[2]}'], capture_output=True, check=True
    )
    assert typed.stdout.decode() == f"dataset:s3://lake warehouse:{HOSTILE}"
    assert headwater("lineage", typed.stdout.decode()).status == 0


def test_words_of_a_command_are_quoted_for_a_shell() -> None:
    assert command("a b", "c", "it's\n") == "'a b' c $'it\\'s\\U0000000a'"


GLUE = "arn:aws:glue:eu-central-1:123456789012"


@pytest.fixture(scope="module")
def glue_url() -> Iterator[str]:
    """A table at an opaque path, by its path and by its name in Glue; a table in a folder of its database."""
    names = [{"namespace": GLUE, "name": "table/mart/customer_ltv", "type": "TABLE"}]
    value = factory.dataset("x1", symlinks=factory.facet(identifiers=names))
    runs = [
        factory.run_event("COMPLETE", run=1, job="load", outputs=[value]),
        factory.run_event("COMPLETE", run=2, job="read", inputs=[factory.dataset("table/mart/customer_ltv", GLUE)]),
        factory.run_event("COMPLETE", run=3, job="sum", outputs=[factory.dataset("warehouse/sales.db/daily_revenue")]),
    ]
    with api_over(table_after(*runs)) as url:
        yield url


@pytest.mark.parametrize("name", ["mart.customer_ltv", "customer_ltv", "MART.Customer_LTV", "x1", "s3://lake/x1"])
def test_a_table_is_one_node_by_its_name_in_glue_and_by_its_path(
    headwater: Headwater, glue_url: str, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(URL_VARIABLE, glue_url)
    printed = headwater("lineage", name)
    assert (printed.status, printed.err) == (0, "")
    assert "upstream of mart.customer_ltv: 1 job\n" in printed.out
    assert "downstream of mart.customer_ltv: 1 job\n" in printed.out


@pytest.mark.parametrize("name", ["sales.daily_revenue", "warehouse.sales.daily_revenue", "sales/daily_revenue"])
def test_a_table_in_the_folder_of_its_database_is_found_as_people_say_it(
    headwater: Headwater, glue_url: str, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(URL_VARIABLE, glue_url)
    assert "upstream of warehouse/sales.db/daily_revenue: 1 job" in headwater("lineage", name).out
