"""What an answer cannot see, in words and as JSON."""

from typing import Any

import pytest

from headwater.openlineage.instant import parse_instant
from headwater.read.frontier import MAX_NAME, BlindSpot, Frontier, blind_spots, short_names

SINCE = parse_instant("2026-11-20T08:00:36.09Z")


def test_an_answer_that_saw_all_says_nothing_of_it() -> None:
    assert Frontier(SINCE, 3, 4).sentence == ""
    assert blind_spots((BlindSpot.HIDDEN, 0), (BlindSpot.READERS, [])) == ()


def test_the_sentence_says_what_was_looked_at_since_when_and_what_was_not_seen() -> None:
    copies = [f"job:demo:copy_{number}" for number in range(5)]
    unseen = blind_spots(
        (BlindSpot.COLUMNS, ["datasetField:s3://lake:sales/scores:segment"]), (BlindSpot.JOBS_WITHOUT_COLUMNS, copies)
    )
    assert Frontier(SINCE, 1, 2, unseen).sentence == (
        "It looked at 1 job and 2 datasets, since 2026-11-20 08:00Z; not seen: "
        "1 column of unknown origin (scores.segment); "
        "5 jobs without column lineage (copy_0, copy_1, copy_2, ...)."
    )


@pytest.mark.parametrize("kind", BlindSpot)
def test_every_blind_spot_has_words(kind: BlindSpot) -> None:
    assert Frontier(unseen=blind_spots((kind, 1))).sentence.startswith("Not seen: ")


def test_a_long_name_keeps_its_end() -> None:
    (spot,) = blind_spots((BlindSpot.READERS, [f"dataset:s3://lake:{'x' * 9_000}_end"]))
    assert (len(str(spot)) < 200, "x_end)" in str(spot)) == (True, True)


@pytest.mark.parametrize(
    ("node_ids", "names"),
    [
        (["dataset:s3://raw:orders", "dataset:s3://clean:orders"], ["s3://raw:orders", "s3://clean:orders"]),
        (["dataset:kafka://eu:9092:orders", "dataset:kafka://us:9092:stock"], ["orders", "stock"]),
        (["dataset:s3://a:x/orders", "dataset:s3://b:x/orders"], ["s3://a:x/orders", "s3://b:x/orders"]),
        (["dataset:s3://a:orders", "dataset:s3://a:x/orders", "job:x:orders"], ["orders", "x/orders", "orders"]),
        (["dataset:s3://a:eu/sales/orders", "dataset:s3://a:us/sales/orders"], ["s3://a:eu/sales/orders"]),
        (["dataset:s3://a:logs/2020-01-01T00:00:00", "dataset:s3://out:/"], ["2020-01-01T00:00:00", "s3://out:/"]),
        (["job:flink:Source: a -> Sink: b", "job:etl:load"], ["Source: a -> Sink: b", "load"]),
        (["job:etl:2020_load", "dataset:kafka://eu:9092:2020", "dataset:orders"], ["2020_load", "2020", "orders"]),
        (["datasetField:s3://a:x/orders:id", "dataset:s3://a:x/orders"], ["orders.id", "orders"]),
        (["datasetField:s3://raw:orders:id", "datasetField:s3://clean:orders:id"], ["s3://raw:orders.id"]),
    ],
)
def test_a_short_name_distinguishes_a_node_of_the_others(node_ids: list[str], names: list[str]) -> None:
    assert list(short_names(node_ids).values())[: len(names)] == names


def test_of_a_long_name_only_the_tables_end_is_cut() -> None:
    table = "t" * (MAX_NAME + 10)
    field = f"datasetField:s3://a:x/{table}:{'c' * 90}"
    assert short_names([field]) == {field: f"…{'t' * (MAX_NAME - 1)}.{'c' * 90}"}
    others = [f"dataset:s3://a:{folder}/{table}" for folder in ("raw", "clean")]
    assert list(short_names(others).values()) == [f"s3://a:{folder}/{table}" for folder in ("raw", "clean")]


def test_the_json_of_an_analysis_is_read_without_its_examples() -> None:
    frontier = Frontier(SINCE, 3, 4, blind_spots((BlindSpot.JOBS_WITHOUT_DATASETS, ["job:secret:load"])))
    assert Frontier.of_json(frontier.as_json()) == Frontier(
        SINCE, 3, 4, blind_spots((BlindSpot.JOBS_WITHOUT_DATASETS, 1))
    )


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {"since": 1},
        {"since": "soon", "seen": {"jobs": 0, "datasets": 0}, "unseen": [1, {"kind": "X", "count": 1}, {"kind": []}]},
        {"since": None, "seen": {"jobs": 0, "datasets": 0}, "unseen": [{"kind": "NO_ANALYSIS", "count": -1}]},
    ],
)
def test_what_is_no_frontier_is_passed_over(document: Any) -> None:
    assert Frontier.of_json(document) == Frontier()
