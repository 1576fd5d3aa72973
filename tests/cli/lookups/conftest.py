"""The command `headwater` in this process, against an API over a small table."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from headwater.cli import endpoint
from headwater.cli.endpoint import KEY_VARIABLE, URL_VARIABLE
from headwater.cli.lookups.__main__ import main
from tests import factory
from tests.cli.lookups.server import KEY, api_over
from tests.factory import Document
from tests.lookup.requests import table_after

LAKE = "s3://lake warehouse"
HOSTILE = "evil\x1b[2J\u202e\nname"


class Said(NamedTuple):
    status: int
    out: str
    err: str


Headwater = Callable[..., Said]


def table(name: str, *, namespace: str = LAKE, **facets: Document) -> Document:
    return factory.dataset(name, namespace, **facets)


def events() -> list[Document]:
    """raw/orders -> clean -> orders_clean -> daily -> orders_daily; two tables called customers; a job called like a
    table; and a table with a hostile name."""
    total = factory.columns(total=(LAKE, "orders_clean", "price"))
    failed = factory.facet(message="no space left on device\n  at Disk.java", programmingLanguage="JAVA")
    lines = [
        ("clean", [table("raw/orders")], [table("orders_clean")]),
        (
            "daily",
            [table("orders_clean"), table("crm/customers")],
            [table("orders_daily", columnLineage=total, schema=factory.schema("total:decimal", "day:date"))],
        ),
        ("load_customers", [table("public.customers", namespace="postgres://db:5432")], [table("crm/customers")]),
        ("orders_clean", [], []),
        ("odd", [table(HOSTILE)], []),
    ]
    runs = [
        factory.run_event("COMPLETE", run=number, seconds=number * 60, job=job, inputs=inputs, outputs=outputs)
        for number, (job, inputs, outputs) in enumerate(lines, start=1)
    ]
    return [*runs, factory.run_event("FAIL", run=9, seconds=900, job="clean", run_facets={"errorMessage": failed})]


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    with api_over(table_after(*events())) as url:
        yield url


@pytest.fixture
def headwater(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Headwater:
    """Runs a command line; the environment has the URL and a key, and no server runs here."""
    monkeypatch.setattr(endpoint, "FILE", tmp_path / "endpoint.json")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv(URL_VARIABLE, url)
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments: str) -> Said:
        try:
            status = main(list(arguments))
        except SystemExit as ended:
            status = int(ended.code or 0)
        captured = capsys.readouterr()
        return Said(status, captured.out, captured.err)

    return run
