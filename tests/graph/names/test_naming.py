"""Two names mean one dataset if that is certain, and two datasets if the names are only similar."""

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.graph.names.naming import (
    FILE_SYSTEMS,
    MAX_CACHED_LENGTH,
    ONE_STORE,
    IdentifiedName,
    Naming,
    cached_by_name,
)
from headwater.openlineage.event import Name

ROOT = Path(__file__).parents[3]
PART = "part-00000-0f8fad5b-d9cb-469f-a165-70867728950e.c000.snappy.parquet"
STAGE = "stages/0_VectorAssembler_4b1f9d2e3a1c"
GLUE = "arn:aws:glue:eu-west-1:123456789012"
ALIASES = {
    "hive://ip-10-*:9083": GLUE,
    "hive://metastore.example.com:9083": GLUE + "/",
    "kafka://*": "kafka://any",
    "kafka://b-*.orders.example.com:9092": "kafka://orders",
    "kafka://b-3.orders.example.com:*": "kafka://audit",
    "kafka://b-1.orders.example.com:9092": "kafka://first",
    "s3://old-lake": "s3://lake",
    "s3n://older-*/": "s3://lake",
    "hdfs://[::1]:*": "hdfs://here",
}


def identified(namespace: str, name: str, aliases: Mapping[str, str] = {}) -> IdentifiedName:
    return Naming(aliases).identify(Name(namespace, name))


def streamed(name: str, namespace: str = "s3://lake") -> IdentifiedName:
    return Naming().identify(Name(namespace, name), streams_files=True)


@pytest.mark.parametrize(
    ("path", "dataset", "rules"),
    [
        # OpenLineage issues 714 and 1794: a job reads or writes one partition of a table.
        ("wh/orders/dt=2026-11-20", "wh/orders", "partition"),
        ("wh/orders/year=2026/month=11/day=20", "wh/orders", "partition"),
        ("wh/orders/dt=2026-11-20/", "wh/orders", "partition"),
        ("wh/orders//dt=2026-11-20//hour=1", "wh/orders", "partition"),
        ("wh/orders/country=__HIVE_DEFAULT_PARTITION__", "wh/orders", "partition"),
        ("wh/orders/größe=groß 🚚\n", "wh/orders", "partition"),
        (f"wh/orders/dt=2026-11-20/{PART}", "wh/orders", "part-file partition"),
        # Files of one task.
        (f"wh/orders/{PART}", "wh/orders", "part-file"),
        ("wh/orders/part-00000", "wh/orders", "part-file"),
        ("wh/orders/part-r-00017.gz", "wh/orders", "part-file"),
        ("wh/orders/part-00000-a\nb", "wh/orders", "part-file"),
        ("wh/orders/part-123456-0f8fad5b.json", "wh/orders", "part-file"),
        # OpenLineage issue 4127: what is only there while a job writes, or for the table's own use.
        ("wh/orders/_temporary/0", "wh/orders", "temporary"),
        (f"wh/orders/_temporary/0/_temporary/attempt_2026_m_000000_1/dt=1/{PART}", "wh/orders", "temporary"),
        ("wh/orders/dt=1/_temporary/0", "wh/orders", "temporary partition"),
        ("wh/orders/__magic_job-0f8fad5b/tasks/1", "wh/orders", "temporary"),
        ("wh/orders/.spark-staging-0f8fad5b/dt=2026-11-20", "wh/orders", "temporary"),
        ("wh/orders/.hive-staging_hive_2026-11-20_08-00-00_1-1/-ext-10000", "wh/orders", "temporary"),
        ("wh/orders/_spark_metadata/0", "wh/orders", "temporary"),
        ("wh/orders/_delta_log/00000000000000000010.checkpoint.parquet", "wh/orders", "temporary"),
        ("wh/orders/_symlink_format_manifest/dt=1", "wh/orders", "temporary"),
        ("wh/orders/.hoodie/metadata", "wh/orders", "temporary"),
        # Spark ML: a saved model appears as many datasets, whose names hold random uids.
        (f"models/churn/{STAGE}/data", "models/churn", "model"),
        (f"models/churn/{STAGE}/metadata/part-00000", "models/churn", "model"),
        (f"models/churn/{STAGE}", "models/churn", "model"),
        (f"models/churn/stages/2_PipelineModel_a1b2c3d4e5f6/{STAGE}/data", "models/churn", "model"),
        (f"models/churn/bestModel/{STAGE}/data", "models/churn", "model"),
        ("models/churn/bestModel/data", "models/churn", "model"),
        ("models/churn/bestModel/metadata/part-00000", "models/churn", "model"),
        (f"models/churn/version=3/{STAGE}/data", "models/churn", "model partition"),
    ],
)
def test_a_path_inside_a_dataset_means_the_dataset(path: str, dataset: str, rules: str) -> None:
    name = Name("s3://lake", dataset)
    assert identified("s3://lake", path) == IdentifiedName(name, name, tuple(rules.split()))


@pytest.mark.parametrize(
    "path",
    [
        "wh/metadata",
        "wh/data",
        "wh/stages",
        "wh/bestModel",
        "models/churn/metadata",
        "stages/01_raw/orders",
        "wh/stages/01_raw/data",
        "wh/stages/2_loaded_2026112008/data",
        "wh/dt=2026-11-20/orders",
        "landing/dt=2026-11-20/orders.csv",
        "wh/orders/a=b=c",
        "wh/orders/=1",
        "wh/orders/YWJj=",
        "wh/my_temporary",
        "wh/_temporary_orders",
        "wh/_delta_logs",
        "wh/orders.spark-staging-1",
        "wh/part-time",
        "wh/part-1",
        "wh/part-00000x",
        "wh/orders.csv",
        "wh/Orders",
        "wh/..",
        "wh/2026/11/20",
    ],
)
def test_a_path_only_similar_to_the_inside_of_a_dataset_is_its_own_dataset(path: str) -> None:
    name = Name("s3://lake", path)
    assert identified("s3://lake", path) == IdentifiedName(name, name, ())


@pytest.mark.parametrize("path", ["dt=1", "_temporary", "part-00000", ".spark-staging-1", "bestModel", "stages"])
def test_a_dataset_is_never_the_root(path: str) -> None:
    assert identified("s3://lake", path).identity == ("s3://lake", path)
    assert identified("file", "/" + path).shown == ("file", "/" + path)


def test_the_shown_name_begins_like_the_name_as_sent() -> None:
    assert identified("file", "/data/orders/dt=1").shown == ("file", "/data/orders")


def test_of_partitions_at_the_root_the_first_folder_stays() -> None:
    assert identified("s3://lake", "dt=1/hour=2/part-00000").identity == ("s3://lake", "dt=1")
    assert streamed("orders.json").identity == ("s3://lake", "orders.json")


@pytest.mark.parametrize(
    ("path", "dataset", "rules"),
    [
        ("landing/orders/2026-11-20T08.json", "landing/orders", "stream-file"),
        ("landing/orders/1.csv.gz", "landing/orders", "stream-file"),
        ("landing/orders/a\nb.csv", "landing/orders", "stream-file"),
        ("landing/orders/dt=1/batch 7.jsonl", "landing/orders", "stream-file partition"),
        ("landing/orders.v2/1.json", "landing/orders.v2", "stream-file"),
        (f"landing/orders.parquet/{PART}", "landing/orders.parquet", "part-file"),
        ("landing/orders/v=1.5x", "landing/orders", "partition"),
    ],
)
def test_a_stream_of_files_reads_their_folder(path: str, dataset: str, rules: str) -> None:
    name = Name("s3://lake", dataset)
    assert streamed(path) == IdentifiedName(name, name, tuple(rules.split()))


@pytest.mark.parametrize("path", ["wh/orders", "wh/orders.v2", "wh/sales.db", "wh/a.delta", "wh/1.0", "wh/.x", "wh/x."])
def test_a_stream_may_read_a_table(path: str) -> None:
    assert streamed(path).rules == ()


def test_a_topic_of_a_stream_is_no_file() -> None:
    assert streamed("raw/orders.json", "kafka://b:9092").identity == ("kafka://b:9092", "raw/orders.json")


@pytest.mark.parametrize(
    ("sent", "identity", "rules"),
    [
        (("s3a://lake", "wh/orders"), ("s3://lake", "wh/orders"), "scheme"),
        (("s3n://lake", "wh/orders"), ("s3://lake", "wh/orders"), "scheme"),
        (("gcs://lake", "wh/orders"), ("gs://lake", "wh/orders"), "scheme"),
        (("abfss://c@a.dfs.example.com", "o"), ("abfs://c@a.dfs.example.com", "o"), "scheme"),
        (("wasbs://c@a.blob.example.com", "o"), ("wasb://c@a.blob.example.com", "o"), "scheme"),
        (("s3://lake/", "/wh//orders/"), ("s3://lake", "wh/orders"), "slash"),
        (("s3a://lake/", "wh/orders/"), ("s3://lake", "wh/orders"), "scheme slash"),
        (("file", "/data/orders"), ("file", "/data/orders"), ""),
        (("file", "data//orders"), ("file", "/data/orders"), "slash"),
        (("file:///", "/data/orders"), ("file", "/data/orders"), "slash"),
        (("hdfs://nn:8020/", "/data/orders"), ("hdfs://nn:8020", "/data/orders"), "slash"),
        (("s3://lake", "///"), ("s3://lake", "/"), "slash"),
        ((GLUE + "/", "/table/sales/orders/"), (GLUE, "table/sales/orders"), "slash"),
    ],
)
def test_schemes_and_slashes_do_not_matter_to_the_identity_alone(
    sent: tuple[str, str], identity: tuple[str, str], rules: str
) -> None:
    is_of_client = sent[0].startswith(("s3a:", "s3n:", "gcs:"))
    shown = Name(identity[0], sent[1]) if is_of_client else Name(*sent)
    assert identified(*sent) == IdentifiedName(shown, Name(*identity), tuple(rules.split()))


@pytest.mark.parametrize(
    "name",
    [
        ("postgres://db:5432", "shop.public.a/"),
        ("postgres://db:5432/", "shop.public.orders"),
        ("kafka://b:9092", "a=b/c"),
        ("kafka://b:9092", "raw/dt=1"),
        ("bigquery", "p.d.t/_temporary/0"),
        ("s3tables://lake/", "/a"),
        ("profile:x/", "/a/"),
        ("default", "s3a://lake/orders/"),
        (GLUE, "table/sales/dt=1"),
        (GLUE, "sales.orders"),
        ("", ""),
    ],
)
def test_outside_of_file_systems_nothing_is_touched(name: tuple[str, str]) -> None:
    assert identified(*name) == IdentifiedName(Name(*name), Name(*name), ())


@pytest.mark.parametrize(
    "names",
    [
        {("s3://lake", "wh/orders"), ("s3://lake2", "wh/orders"), ("gs://lake", "wh/orders")},
        {("hdfs://nn:8020", "/a"), ("webhdfs://nn:8020", "/a"), ("hdfs://nn", "/a"), ("file", "/a")},
        {("s3://lake", "wh/orders"), ("s3://lake", "wh/Orders"), ("s3://lake", "wh/orders2"), ("s3://lake", "wh")},
    ],
)
def test_two_datasets_are_never_one(names: set[tuple[str, str]]) -> None:
    assert len({identified(*name).identity for name in names}) == len(names)


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        # OpenLineage issue 4163.
        (("hive://ip-10-1-2-3.ec2.internal:9083", "sales.orders"), (GLUE, "table/sales/orders")),
        (("hive://metastore.example.com:9083", "sales.orders"), (GLUE + "/", "table/sales/orders")),
        (("hive://ip-10-1-2-3:9083", "hive.sales.orders"), (GLUE, "hive.sales.orders")),
        (("hive://ip-10-1-2-3:9083", "table/sales/orders"), (GLUE, "table/sales/orders")),
        # One cluster, whichever broker was asked first.
        (("kafka://b-2.orders.example.com:9092", "a.b"), ("kafka://orders", "a.b")),
        # Exact before patterns, longer patterns before shorter.
        (("kafka://b-1.orders.example.com:9092", "a.b"), ("kafka://first", "a.b")),
        (("kafka://b-3.orders.example.com:9092", "a.b"), ("kafka://orders", "a.b")),
        (("kafka://b-3.orders.example.com:9094", "a.b"), ("kafka://audit", "a.b")),
        (("kafka://b-1.orders.example.com:9094", "a.b"), ("kafka://any", "a.b")),
        # However the namespace is spelled.
        (("s3a://old-lake/", "wh/orders"), ("s3://lake", "wh/orders")),
        (("s3a://older-lake", "wh/orders"), ("s3://lake", "wh/orders")),
        (("hdfs://[::1]:8020", "wh/orders"), ("hdfs://here", "wh/orders")),
    ],
)
def test_a_mapped_namespace_is_the_one_that_is_meant(sent: tuple[str, str], shown: tuple[str, str]) -> None:
    assert identified(*sent, ALIASES).shown == shown
    assert identified(*sent, ALIASES).rules[0] == "alias"


@pytest.mark.parametrize(
    "namespace", ["hive://ip-10-1:9084", "hive://ip-101:9083", "xhive://ip-10-1:9083", "kafka://audit"]
)
def test_a_namespace_that_no_pattern_matches_is_meant_as_it_is(namespace: str) -> None:
    assert identified(namespace, "a.b", ALIASES) == IdentifiedName(Name(namespace, "a.b"), Name(namespace, "a.b"), ())


def test_the_paths_of_a_mapped_namespace_follow_the_rules_of_its_target() -> None:
    assert identified("s3a://old-lake", "wh/orders/dt=1", {"s3://old-lake": "hdfs://nn:8020/"}) == IdentifiedName(
        Name("hdfs://nn:8020/", "wh/orders"), Name("hdfs://nn:8020", "/wh/orders"), ("alias", "partition", "slash")
    )


def test_a_catch_all_leaves_the_other_targets_be() -> None:
    naming = Naming({"s3://a": "s3a://lake/", "s3://*": "s3://rest"})
    assert [
        naming.identify(Name(f"s3://{bucket}", "t")).identity.namespace for bucket in ("a", "lake", "b", "rest")
    ] == ["s3://lake", "s3://lake", "s3://rest", "s3://rest"]


def test_a_target_may_be_mapped_further_and_a_ring_is_one_namespace() -> None:
    chain = Naming({"a": "b", "b": "c", "c*": "c", "*": "z"})
    assert {chain.identify(Name(namespace, "t")).identity for namespace in ("a", "b", "c", "cc")} == {("c", "t")}
    ring = Naming({"x": "a", "a": "b", "b": "a"})
    assert {ring.identify(Name(namespace, "t")).identity for namespace in ("x", "a", "b")} == {("a", "t")}


segments = st.one_of(
    st.sampled_from(["", "a", "dt=1", "x.json", PART, "part-00000", "_temporary", "_delta_log", ".hive-staging_1"]),
    st.sampled_from(["stages", "0_X_0123456789ab", "bestModel", "data", "metadata", "db.t", "é\n", "🚚", "a=b=c", ":"]),
    st.text(max_size=8),
)
paths = st.one_of(st.lists(segments, max_size=8).map("/".join), st.text(), st.text(alphabet="/.=_", max_size=5000))
schemes = st.sampled_from([*sorted(FILE_SYSTEMS), "arn", "kafka", "hive", ""])
namespaces = st.one_of(
    st.builds(lambda scheme, rest: scheme + rest, schemes, st.sampled_from(["", ":", "://", "://b", "://b/", ":///"])),
    st.sampled_from([GLUE, GLUE + "/", "hive://a", "hive://b", "s3a://b/", "s3:/:/", "*", "s3*", "*b*"]),
    st.text(),
)
alias_maps = st.dictionaries(namespaces, namespaces, max_size=4)
names = st.builds(Name, namespaces, paths)


@given(alias_maps, names, st.booleans())
def test_an_identity_is_its_own_whatever_the_name_and_the_map(
    aliases: Mapping[str, str], name: Name, streams_files: bool
) -> None:
    naming = Naming(aliases)
    result = naming.identify(name, streams_files=streams_files)
    assert naming.identify(result.identity) == IdentifiedName(result.identity, result.identity, ())
    assert naming.identify(result.shown).identity == result.identity


@given(alias_maps, names, st.booleans())
def test_rules_are_named_exactly_where_something_changed(
    aliases: Mapping[str, str], name: Name, streams_files: bool
) -> None:
    result = Naming(aliases).identify(name, streams_files=streams_files)
    assert bool(result.rules) == (result.identity != name)
    is_shown_as_sent = result.shown == name
    assert is_shown_as_sent <= ({*result.rules} <= {"scheme", "slash"})
    assert is_shown_as_sent >= ({*result.rules} <= {"slash"})
    assert len({*result.rules}) == len(result.rules)


@given(names)
def test_a_path_never_loses_all_of_it(name: Name) -> None:
    if name.name.strip("/"):
        assert Naming().identify(name, streams_files=True).identity.name.strip("/")


@given(st.text(), paths, st.booleans())
def test_without_a_map_only_file_systems_and_arns_are_touched(namespace: str, path: str, streams_files: bool) -> None:
    name = Name("x" + namespace, path)
    assert Naming().identify(name, streams_files=streams_files) == IdentifiedName(name, name, ())


@given(st.sampled_from(sorted(ONE_STORE.items())), paths, st.booleans())
def test_a_store_s_schemes_are_one(schemes: tuple[str, str], path: str, streams_files: bool) -> None:
    identities = {
        Naming().identify(Name(f"{scheme}://b", path), streams_files=streams_files).identity for scheme in schemes
    }
    assert len(identities) == 1


@pytest.mark.parametrize(
    "repeated",
    [
        "/",
        "a=b/",
        "=",
        "part-00000/",
        "_temporary",
        "/bestModel",
        "/stages/1_",
        "_0123456789a",
        "1",
        ".json",
        ".v1",
        "a",
    ],
)
@pytest.mark.parametrize("start", ["", "/a", "/a/stages/1", "/a/stages/1_", "/a/part-00000", "/a/.v", "/a/k="])
def test_names_take_time_in_proportion_to_their_length(start: str, repeated: str) -> None:
    """Were it to their square, 10^11 steps would not be done in a second."""
    long = start + repeated * (300_000 // len(repeated))
    began = time.process_time()
    Naming({"*a*a*a*a*b": "c"}).identify(Name("file:" + long, long), streams_files=True)
    assert time.process_time() - began < 1


def test_of_a_very_long_name_nothing_is_kept() -> None:
    looked_at: list[Name] = []

    @cached_by_name
    def rule(name: Name, end: str) -> str:
        looked_at.append(name)
        return name.name + end

    short, long = Name("ns", "n"), Name("n" * MAX_CACHED_LENGTH, "n")
    for name in (short, short, long, long):
        assert rule(name, "!") == name.name + "!"
    assert looked_at == [short, long, long]


def set_ups() -> list[list[str]]:
    """The rows of the table of set-ups in docs/identity.md, without the first column."""
    section = (ROOT / "docs" / "identity.md").read_text(encoding="utf-8").split("## Six common set-ups")[1]
    return [line.split(" | ")[1:] for line in section.splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize("row", set_ups(), ids=lambda row: row[0].strip("`"))
def test_the_names_of_each_documented_set_up_are_one_table(row: list[str]) -> None:
    one, other, line = row
    aliases = json.loads("{" + line.strip("`| ") + "}") if "`" in line else {}
    names = [re.findall("`([^`]+)`", named) for named in (one, other)]
    assert len({identified(namespace, name, aliases).identity for namespace, name in names}) == 1


def test_six_set_ups_are_documented() -> None:
    assert len(set_ups()) == 6
