"""Names of any characters and any length: inert, of a known width, and told apart."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.lookup.text import impact, lineage, runs
from headwater.lookup.text.abbreviation import Abbreviations
from headwater.lookup.text.display import Display
from headwater.lookup.text.inert import inert, quoted, shortened, width_of, wrapped
from headwater.lookup.text.labels import node_of
from tests.lookup.text.graphs import graph

HOSTILE = {
    "two\nlines": "two␊lines",
    "\x1b[2Jgone": "␛[2Jgone",
    "\x07\x7f\x85": "␇␡�",
    "\u202egpj.exe": r"\u202egpj.exe",
    "\u2066x\u2069": r"\u2066x\u2069",
    "a\u200bb": r"a\u200bb",
    "a\u200db": r"a\u200db",
    "a\u2028b": r"a\u2028b",
    "\U000e0041": r"\U000e0041",
    "z" + "\u0301" * 5: "z" + "\u0301" * 3 + r"\u0301\u0301",
    "👩\u200d👧 می\u200cخواهم": "👩\u200d👧 می\u200cخواهم",
    "表 ü ع": "表 ü ع",
}


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_names_are_inert_and_what_can_be_seen_stays(name: str) -> None:
    assert inert(name) == HOSTILE[name]


@given(st.text())
def test_no_text_has_a_line_break_a_control_character_or_a_change_of_direction(text: str) -> None:
    shown = inert(text)
    assert shown.splitlines() in ([shown], [])
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Zl", "Zp"}
    assert not {unicodedata.bidirectional(c) for c in shown} & {"RLO", "LRO", "RLE", "LRE", "RLI", "LRI", "FSI", "PDI"}


@given(st.text(), st.integers(4, 40))
def test_a_shortened_text_is_no_wider_than_it_may_be(text: str, width: int) -> None:
    assert width_of(shortened(inert(text), width)) <= width


def test_a_name_that_might_be_taken_for_something_else_is_in_quotes() -> None:
    assert [quoted(name) for name in ("orders", "job x", "orders (above)", 'a"b', "")] == [
        "orders",
        '"job x"',
        '"orders (above)"',
        r'"a\"b"',
        '""',
    ]


def test_wide_characters_take_two_columns() -> None:
    assert [width_of(text) for text in ("abc", "表", "e\u0301", "ع")] == [3, 2, 1, 1]
    assert shortened("表" * 10, 9) == "表表…表表"


@given(st.text("ab 表", max_size=80), st.integers(2, 20))
def test_a_wrapped_text_keeps_every_word_and_fits(text: str, width: int) -> None:
    lines = list(wrapped(text, width))
    assert all(0 < width_of(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_long_paths_lose_their_middle() -> None:
    assert shortened("s3://lake/sales/2026/europe/orders_daily", 24) == "s3://lake…e/orders_daily"


def test_names_that_differ_only_in_their_middle_stay_different() -> None:
    names = [f"warehouse/{'x' * 40}/{region}/{'y' * 40}/orders" for region in ("europe", "asia", "america")]
    assert [Abbreviations(names).fit(name, 30) for name in names] == [
        "warehou…europe/yyyyyyy…/orders",
        "warehou…asia/yyyyyyyyy…/orders",
        "warehou…america/yyyyyy…/orders",
    ]


@given(st.sets(st.text("ab表é", min_size=20), max_size=12), st.integers(8, 30))
def test_no_two_names_have_one_form(names: set[str], width: int) -> None:
    abbreviations = Abbreviations(names)
    forms = [abbreviations.fit(name, width) for name in names]
    assert len(set(forms)) == len(names)
    assert all(width_of(form) <= width for form in forms)


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_a_tree_of_long_names_is_as_wide_as_the_display_and_every_line_differs(width: int) -> None:
    names = [f"lake {'a' * 60} {number} {'b' * 60}" for number in range(5)]
    answer = graph("\n".join(["job load > t", *(f"{name} > job load" for name in names)]), nodeId="dataset:s3://lake:t")
    lines = lineage.render(answer, Display(width), "upstream").splitlines()
    assert max(map(width_of, lines)) <= width
    assert len(set(lines)) == len(lines) == 10


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_no_renderer_shows_a_hostile_name_as_it_is(name: str) -> None:
    node = f"dataset:{name}:{name}"
    item = {"nodeId": node, "type": "DATASET", "distance": 1, "path": [node, f"job:{name}:{name}", node]}
    texts = [
        lineage.render(graph(f"{name} > job {name}") if "\n" not in name else graph("a > job b"), Display()),
        impact.render({"nodeId": node, "totalCount": 1, "owners": [{"owner": name, "items": [item]}]}, Display()),
        runs.render({"runs": [{"state": name, "id": name, "facets": {"errorMessage": {"message": name}}}]}, Display()),
    ]
    for text in texts:
        assert not {c for c in text if unicodedata.category(c) == "Cc"} - {"\n"}
        assert "\u202e" not in text


@pytest.mark.parametrize(
    ("node_id", "parts"),
    [
        ("dataset:s3://lake:orders", ("s3://lake", "orders", None)),
        ("dataset:postgres://db:5432:shop.public.orders", ("postgres://db:5432", "shop.public.orders", None)),
        ("datasetField:file:/data/orders:id", ("file", "/data/orders", "id")),
        (
            "dataset:arn:aws:glue:eu-west-1:1234:table/shop/orders",
            ("arn:aws:glue:eu-west-1:1234", "table/shop/orders", None),
        ),
        ("job:prod:load", ("prod", "load", None)),
        ("dataset:nonsense", ("", "nonsense", None)),
    ],
)
def test_a_node_id_is_split_where_it_most_likely_is_to_be_split(
    node_id: str, parts: tuple[str, str, str | None]
) -> None:
    assert tuple(node_of(node_id))[1:] == parts
