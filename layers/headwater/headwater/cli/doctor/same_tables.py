"""Tables that two engines name differently: a dataset that is only read, and one of the same name that is written."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from headwater.cli.doctor.arrivals import Arrivals
from headwater.cli.doctor.finding import SHOWN, DoctorFinding

QUERY_ENGINES = ("trino", "presto", "awsathena")
"""Schemes of engines that read the tables of other stores: their names are mapped, and never mapped to."""
DATABASES = ("postgres", "mysql", "mssql", "oracle", "redshift", "snowflake", "hive", "arn", *QUERY_ENGINES)
"""Schemes of stores whose names end in a schema and a table."""
TOPICS = ("kafka",)


class NamedTable(NamedTuple):
    """A dataset by the parts of its name: of `shop.public.orders` the beginning `shop.`, and `public.orders`, which
    two engines agree on."""

    namespace: str
    beginning: str
    common: str

    @property
    def scheme(self) -> str:
        return self.namespace.partition(":")[0]

    def __str__(self) -> str:
        in_glue = f"table/{self.common.replace('.', '/')}"
        return f"{self.namespace} {in_glue if self.scheme == 'arn' else self.beginning + self.common}"


def same_tables(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    """Yield a finding for each pair of names of one table, as far as the lineage ends at one and begins at the
    other."""
    told: dict[str, tuple[NamedTable, NamedTable]] = {}
    for read, written in pairs(arrivals):
        told.setdefault(alias_line(*in_order(read, written)), (read, written))
    for line, (read, written) in list(told.items())[:SHOWN]:
        yield DoctorFinding(
            f"these two look like one table: {read} is only read, {written} is written",
            f"if they are one, add to the parameter NamespaceAliases: {line} (docs/identity.md)",
        )


def pairs(arrivals: Arrivals) -> Iterator[tuple[NamedTable, NamedTable]]:
    """The tables that are only read, each with the one table that is written and has the same name at its end."""
    reads = set(tables(name for job in arrivals.jobs for name in names(job["inputs"])))
    writes = set(tables(name for job in arrivals.jobs for name in names(job["outputs"])))
    for read in sorted(reads - writes):
        alike = [table for table in writes if may_be_one(read, table)]
        if len(alike) == 1:
            yield read, alike[0]


def names(datasets: Iterable[dict[str, str]]) -> Iterator[tuple[str, str]]:
    return ((dataset["namespace"], dataset["name"]) for dataset in datasets)


def tables(named: Iterable[tuple[str, str]]) -> Iterator[NamedTable]:
    """The tables and topics among datasets."""
    for namespace, name in named:
        scheme = namespace.partition(":")[0]
        if scheme in TOPICS:
            yield NamedTable(namespace, "", name)
        elif scheme in DATABASES and (match := re.fullmatch(r"(.*?)([^./]+)[./]([^./]+)", name)):
            yield NamedTable(namespace, "" if scheme == "arn" else match[1], f"{match[2]}.{match[3]}")


def may_be_one(read: NamedTable, written: NamedTable) -> bool:
    """Whether two tables of one name may be one: in different stores of one kind, or one of them known to a query
    engine."""
    if read.common != written.common or (read.namespace == written.namespace and read.beginning == written.beginning):
        return False
    kinds = {read.scheme in QUERY_ENGINES, written.scheme in QUERY_ENGINES}
    return read.scheme == written.scheme or kinds == {True, False} or "arn" in (read.scheme, written.scheme)


def in_order(read: NamedTable, written: NamedTable) -> tuple[NamedTable, NamedTable]:
    """The name to map, and the name that it means: a name of a query engine means that of the store, and a name of Hive
    that of the Glue Data Catalog."""
    is_first = written.scheme in QUERY_ENGINES and read.scheme not in QUERY_ENGINES
    return (written, read) if is_first or (read.scheme == "arn" and written.scheme != "arn") else (read, written)


def alias_line(name: NamedTable, meant: NamedTable) -> str:
    """The entry of NamespaceAliases that makes a name mean another: `"trino://h pg.": "postgres://db:5432 shop."`."""
    if name.beginning == meant.beginning and name.namespace != meant.namespace:
        return f"{json.dumps(name.namespace)}: {json.dumps(meant.namespace)}"
    schema = "" if name.beginning else name.common.partition(".")[0] + "."
    source, target = f"{name.namespace} {name.beginning}{schema}", f"{meant.namespace} {meant.beginning}{schema}"
    return f"{json.dumps(source)}: {json.dumps(target)}"
