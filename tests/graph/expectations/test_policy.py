"""The map of names of headwater.yml: which names a rule is for, and what it makes of them."""

import pytest

from headwater.graph.expectations.policy import Policy
from headwater.openlineage.event import Name


@pytest.mark.parametrize(
    ("begins", "becomes", "name", "meant"),
    [
        ("file:/scratch/lake", "s3://lake", "file /scratch/lake/a/b", "s3://lake a/b"),
        ("file:/scratch/lake/", "s3://lake/", "file /scratch/lake/a", "s3://lake a"),
        ("file:/scratch/lake", "s3://lake/raw", "file /scratch/lake/a", "s3://lake raw/a"),
        ("file:/scratch/*/lake", "s3://lake", "file /scratch/x1/lake/a", "s3://lake a"),
        ("s3://test", "file:/data", "s3://test a/b", "file /data/a/b"),
        ("s3://test-*", "s3://lake", "s3://test-7 a/b", "s3://lake a/b"),
        ("postgres://localhost:5433", "postgres://db:5432", "postgres://localhost:5433 a.b", "postgres://db:5432 a.b"),
        ("file:/scratch/lake/old", "file:/scratch/lake/new", "file /scratch/lake/old", "file /scratch/lake/new"),
        ("ci", "prod", "ci load", "prod load"),
        (
            "duckdb://TMP/shop.duckdb",
            "postgres://db:5432",
            "duckdb://TMP/shop.duckdb shop.main.a",
            "postgres://db:5432 shop.main.a",
        ),
        (
            "duckdb:/scratch/*/shop.duckdb",
            "duckdb:///srv/shop.duckdb",
            "duckdb:/scratch/x1/shop.duckdb a",
            "duckdb:///srv/shop.duckdb a",
        ),
    ],
)
def test_a_name_is_mapped(begins: str, becomes: str, name: str, meant: str) -> None:
    policy = Policy.of({"names": [{"from": begins, "to": becomes}]})
    assert policy.meant(Name(*name.split(" "))) == Name(*meant.split(" "))


@pytest.mark.parametrize(
    ("begins", "name"),
    [
        ("file:/scratch/lake", ("file", "/scratch/lakehouse/a")),
        ("file:/scratch/lake", ("file", "/scratch/lake.bak/a")),
        ("file:/scratch/lake", ("file", "/scratch/lake")),
        ("file:/scratch/lake", ("file", "/data/scratch/lake/a")),
        ("file:/scratch/*/lake", ("file", "/scratch/x/y/lake/a")),
        ("file:/scratch/l.ke", ("file", "/scratch/lake/a")),
        ("file:/scratch/lake", ("s3://tmp", "lake/a")),
        ("s3://test", ("s3://test-7", "a")),
        ("s3://te[s]t", ("s3://test", "a")),
        ("ci", ("ci-2", "load")),
        ("duckdb://TMP/shop.duckdb", ("duckdb://TMP/shop.duckdb.old", "a")),
    ],
)
def test_another_name_stays(begins: str, name: tuple[str, str]) -> None:
    assert Policy.of({"names": [{"from": begins, "to": "s3://lake"}]}).meant(Name(*name)) == Name(*name)


def test_the_first_rule_that_fits_counts() -> None:
    names = [{"from": "file:/a/b", "to": "s3://first"}, {"from": "file:/a", "to": "s3://second"}]
    policy = Policy.of({"names": names})
    assert policy.meant(Name("file", "/a/b/c")) == Name("s3://first", "c")
    assert policy.meant(Name("file", "/a/c")) == Name("s3://second", "c")
