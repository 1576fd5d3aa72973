"""The impact as text: by owner, the nearest first, with the way there."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from headwater.lookup.text import impact
from headwater.lookup.text.display import Display
from headwater.lookup.text.impact import shares
from headwater.lookup.text.inert import width_of

RAW = "dataset:s3://lake:raw"


def item(node_id: str, *between: str, distance: int = 1, **members: Any) -> dict[str, Any]:
    return {"nodeId": node_id, "distance": distance, "by": "dataset", "path": [RAW, *between, node_id], **members}


def answer(*owned: tuple[str | None, list[dict[str, Any]]], **members: Any) -> dict[str, Any]:
    total = len({node["nodeId"] for _, nodes in owned for node in nodes})
    owners = [{"owner": owner, "items": items} for owner, items in owned]
    breaks = {**counts(node for _, nodes in owned for node in nodes), "possible": counts([])}
    return {"nodeId": RAW, "totalCount": total, "breaks": breaks, "owners": owners, **members}


def counts(nodes: Iterable[dict[str, Any]]) -> dict[str, int]:
    kinds = Counter(node_id.partition(":")[0] for node_id in {node["nodeId"] for node in nodes})
    return {"columns": kinds["datasetField"], "datasets": kinds["dataset"], "jobs": kinds["job"]}


def test_nodes_at_risk_stand_under_their_owners_with_the_way_there() -> None:
    clean, daily = "dataset:s3://lake:clean", "dataset:s3://lake:daily"
    document = answer(
        ("sales", [item(clean, "job:demo:load"), item(daily, "job:demo:load", clean, "job:demo:sum", distance=2)]),
        (None, [item("job:demo:load")]),
    )
    assert impact.render(document, Display()) == (
        "what a change of raw would break: 2 datasets, 1 job, by table lineage\n"
        "(datasets in s3://lake, jobs in demo)\n"
        "\n"
        "sales: 2 nodes\n"
        "  1 hop   clean\n"
        "          via job load\n"
        "  2 hops  daily\n"
        "          via job load → clean → job sum\n"
        "\n"
        "no owner is known: 1 node\n"
        "  1 hop   job load\n"
    )


def test_a_column_says_how_it_is_made_and_how_sure_the_way_is() -> None:
    step = {"type": "INDIRECT", "subtype": "FILTER"}
    column = item("datasetField:s3://lake:clean:total", transformations=[step, step], indirect=True)
    document = answer((None, [column])) | {"nodeId": "datasetField:s3://lake:raw:price"}
    assert "  1 hop   clean.total  (FILTER)  indirect  columns unknown\n" in impact.render(document, Display(100))


def test_a_way_that_is_too_long_loses_its_middle() -> None:
    steps = [f"job:demo:{'very_long_name_of_a_job_' * 3}{number}" for number in range(12)]
    (way,) = [
        line
        for line in impact.render(answer((None, [item("job:demo:end", *steps)])), Display()).splitlines()
        if "via" in line
    ]
    assert width_of(way) <= 80
    assert "_0 → (" in way
    assert " more) → job " in way
    assert way.endswith("_11")


def test_short_names_leave_room_for_long_ones() -> None:
    assert shares([5, 60, 70], 90) == [5, 42, 43]
    assert shares([5, 6], 90) == [5, 6]


def test_what_is_left_out_is_counted() -> None:
    many = [item(f"dataset:s3://lake:t{number}") for number in range(9)]
    assert impact.render(answer(("sales", many), totalCount=40, truncated=True), Display(most_entries=2)).endswith(
        "  1 hop   t1\n  and 7 more\n\nand 31 more, further away\n\ntruncated: the graph goes on beyond this\n"
    )


def test_nothing_downstream_is_said() -> None:
    assert impact.render(answer(), Display()) == "what a change of raw would break: nothing downstream is known\n"


def test_a_step_that_no_column_tells_is_a_step_of_the_table() -> None:
    column, rides = "datasetField:s3://lake:prices:surcharge", "dataset:s3://lake:rides"
    changed = "datasetField:s3://lake:trips:minutes"
    document = answer((None, [item(column, "job:demo:fares", rides, "job:demo:prices", distance=2)]))
    assert "via job fares → table rides → job prices\n" in impact.render(document | {"nodeId": changed}, Display(100))


def test_many_readers_of_many_owners_are_a_screen() -> None:
    tables = [item(f"dataset:s3://lake:t{number}", "job:demo:load", possible=number < 20) for number in range(110)]
    one = impact.render(answer((None, tables)), Display(most_entries=12))
    assert len(one.splitlines()) < 40
    assert "\n  and 98 more\n" in one
    owned = [(f"team {number}", [table]) for number, table in enumerate(tables)]
    many = impact.render(answer(*owned), Display(most_entries=12))
    assert len(many.splitlines()) < 60
    assert "\n\nteam 20: 1 node\n" in many, "what certainly breaks comes first"
    assert many.endswith("and 98 more owners, of 98 nodes\n")
