"""Trees of lineage: what is expanded, what is referred to, and what is left out."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.lookup.text import lineage
from headwater.lookup.text.display import Display
from headwater.lookup.text.inert import width_of
from tests import factory
from tests.lookup.requests import after, table_after
from tests.lookup.text.graphs import answer, dataset_id, flow, graph

ORDERS = """
    raw/orders > job clean
    job clean > orders
    orders > job daily
    customers > job daily
    job daily > orders_daily
"""


def drawn(text: str, name: str, direction: str | None = "upstream", display: Display | None = None) -> str:
    """The tree around a dataset, without the heading."""
    return lineage.render(graph(text, nodeId=dataset_id(name)), display or Display(), direction).split("\n\n", 1)[1]


def test_a_tree_tells_jobs_and_datasets_apart() -> None:
    assert lineage.render(graph(ORDERS, nodeId=dataset_id("orders_daily")), Display(), "upstream") == (
        "upstream of orders_daily: 2 jobs, 3 datasets\n"
        "(datasets in s3://lake, jobs in demo)\n"
        "\n"
        "orders_daily\n"
        "└─ job daily\n"
        "   ├─ customers\n"
        "   └─ orders\n"
        "      └─ job clean\n"
        "         └─ raw/orders\n"
    )


def test_without_a_direction_both_are_shown_and_what_is_in_neither_is_counted() -> None:
    around = ORDERS + "orders > job audit\njob audit > audited"
    assert lineage.render(graph(around, nodeId=dataset_id("orders_daily")), Display()).splitlines()[-5:] == [
        "downstream of orders_daily: no job that reads it has reported",
        "Not seen: readers of 1 dataset that send no lineage, such as BI tools and",
        "notebooks.",
        "",
        "and beside it 1 job, 1 dataset, neither upstream nor downstream",
    ]


def test_a_shared_node_is_expanded_where_it_is_nearest_and_referred_to_elsewhere() -> None:
    shared = """
        a > job first
        job first > b
        b > job last
        a > job last
        raw > job extract
        job extract > a
        job last > c
    """
    assert drawn(shared, "c") == (
        "c\n"
        "└─ job last\n"
        "   ├─ a\n"
        "   │  └─ job extract\n"
        "   │     └─ raw\n"
        "   └─ b\n"
        "      └─ job first\n"
        "         └─ a (above)\n"
    )
    assert "   ├─ b\n   │  └─ job first\n   │     └─ z (below)\n" in drawn(shared.replace(" a", " z"), "c")


def test_a_cycle_is_told_and_ends() -> None:
    cycle = "orders > job merge\nraw > job merge\njob merge > orders"
    assert drawn(cycle, "orders") == "orders\n└─ job merge\n   ├─ orders (cycle)\n   └─ raw\n"


def test_nodes_of_other_namespaces_say_so() -> None:
    across = "postgres://db|public.orders > job spark|load\njob spark|load > orders"
    assert drawn(across, "orders") == "orders\n└─ job load\n   └─ public.orders  postgres://db\n"


def test_the_folder_of_all_datasets_is_said_once() -> None:
    text = lineage.render(
        graph("file|/data/lake/raw/orders > job clean\njob clean > file|/data/lake/orders", nodeId="x"), Display()
    )
    assert "(datasets in file below /data/lake/, jobs in demo)" in text
    assert "orders\n└─ job clean\n   └─ raw/orders\n" in text


def test_the_entries_below_a_node_and_the_nodes_of_a_tree_can_be_bounded() -> None:
    wide = "\n".join(["job load > t", *(f"in_{number} > job load" for number in range(9))])
    few = drawn(wide, "t", display=Display(most_entries=3))
    assert few == "t\n└─ job load\n   ├─ in_0\n   ├─ in_1\n   ├─ in_2\n   └─ and 6 more\n"
    assert drawn(wide, "t", display=Display(most_nodes=4)).endswith("   ├─ in_1\n   └─ and 7 more\n")
    assert "more" not in drawn(wide, "t", display=Display(most_entries=8))


def test_a_truncated_answer_says_so() -> None:
    text = lineage.render(graph(ORDERS, nodeId="dataset:s3://lake:orders", truncated=True), Display(), "upstream")
    assert text.endswith("\n\ntruncated: the graph goes on beyond this\n")


def test_a_deep_branch_goes_on_as_a_tree_of_its_own() -> None:
    deep = "\n".join(f"t{number + 1:02} > job j{number:02}\njob j{number:02} > t{number:02}" for number in range(40))
    lines = drawn(deep, "t00").splitlines()
    assert max(map(width_of, lines)) <= 80
    postponed = [line.split()[-2] for line in lines if line.endswith("(below)")]
    assert len(postponed) > 2
    assert [line.removeprefix("job ") for line in lines if not line.startswith((" ", "└"))][1:] == [
        entry for name in postponed for entry in ("", name)
    ]
    assert all(any(f"t{number:02}" in line for line in lines) for number in range(41))


def test_a_graph_without_the_node_in_question_is_drawn_from_its_ends() -> None:
    text = lineage.render(graph(ORDERS + "\nx > job loop\njob loop > x", nodeId="dataset:other:name"), Display())
    assert text.startswith("lineage: 3 jobs, 5 datasets\n")
    assert "\norders_daily\n└─ job daily\n" in text
    assert "\nx\n└─ job loop\n   └─ x (cycle)\n" in text


def test_a_job_shows_its_newest_run_and_a_dataset_that_it_is_a_stream_or_a_model() -> None:
    table = table_after(*flow("raw > clean > orders"))
    asked = answer(table, "lineage", nodeId="job:demo:clean", direction="upstream")
    assert lineage.render({"nodeId": "job:demo:clean", **asked}, Display(), "upstream").endswith(
        "job clean  COMPLETED 2026-11-20 08:00Z\n└─ raw\n"
    )
    model = factory.dataset("churn", datasetType=factory.facet(datasetType="MODEL"))
    get = after(factory.run_event("COMPLETE", job="score", inputs=[model]))
    scoring = {"nodeId": "job:demo:score", **get("lineage", nodeId="job:demo:score")}
    assert "└─ churn  model\n" in lineage.render(scoring, Display(), "upstream")
    stream = graph("clicks > job count", nodeId="job:demo:count")
    stream["graph"][0]["data"]["type"] = "STREAM"
    assert "└─ clicks  stream\n" in lineage.render(stream, Display(), "upstream")


def test_a_long_chain_of_nodes_near_a_shared_one_needs_no_stack() -> None:
    """A hub that all jobs of a chain read makes any node near, but the chain upstream is as long as ever."""
    chain = "\n".join(f"t{number + 1} > job j{number}\njob j{number} > t{number}" for number in range(3_000))
    assert drawn(chain, "t0").count("(below)") > 100
    assert len(drawn(chain, "t0", display=Display(width=100_000)).splitlines()) == 6_001


EDGES = st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40)


@given(EDGES, st.sampled_from([24, 40, 80, 1_000]))
def test_any_graph_is_drawn_with_each_node_expanded_once(edges: set[tuple[int, int]], width: int) -> None:
    text = "\n".join(f"t{origin} > t{end}" for origin, end in sorted(edges))
    lines = lineage.render(graph(text, nodeId="none"), Display(width)).splitlines()[3:]
    expanded = [line.split()[-1] for line in lines if line and not line.endswith(")")]
    referred = [line for line in lines if line.endswith((" (above)", " (cycle)"))]
    postponed = [line for line in lines if line.endswith(" (below)")]
    nodes = {f"t{end}" for edge in edges for end in edge}
    assert sorted(expanded) == sorted(nodes)
    assert all(line.split()[-2] in nodes for line in [*referred, *postponed])
    roots = sum(not line.startswith((" ", "└", "├", "│")) for line in lines if line)
    assert len(lines) - lines.count("") == len(edges) + roots


@given(EDGES, st.integers(1, 4), st.integers(1, 12))
def test_every_entry_is_drawn_or_counted(edges: set[tuple[int, int]], most_entries: int, most_nodes: int) -> None:
    text = "\n".join(f"t{origin} > t{end}" for origin, end in sorted(edges))
    few = Display(80, most_nodes, most_entries)
    answer = graph(text, nodeId=dataset_id(f"t{next(iter(edges))[1]}"))
    _, _, tree = lineage.render(answer, few, "upstream").partition("\n\n")
    entries = [line.lstrip("│├└─ ") for line in tree.splitlines()]
    counted = sum(int(entry.split()[1]) for entry in entries if entry.endswith(" more"))
    drawn = [entry for entry in entries if entry.startswith("t")]
    expanded = [int(entry[1:]) for entry in drawn if not entry.endswith(")")]
    assert len(expanded) <= most_nodes
    root = 1 if drawn else 0
    assert len(drawn) - root + counted == sum(end in expanded for _, end in edges)
