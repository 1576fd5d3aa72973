"""The report: one HTML file without scripts and without anything to load, with plots as SVG."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from headwater.openlineage.exact_json import JsonObject

TITLES = {
    "duplicate": "Work done twice",
    "critical": "Single points of failure",
    "waste": "Waste",
    "drift": "Drift",
    "skew": "Skew",
    "sensitive": "Where tagged columns flow",
}
BAR, GAP, LABEL, WIDTH = 18, 6, 320, 420
"""Pixels of the plots."""
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; color: #1b2733; padding: 0 1rem }
h1, h2 { line-height: 1.2 } h2 { margin-top: 2.5rem }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .3rem .6rem; vertical-align: top }
tr + tr { border-top: 1px solid #dde3ea } small { color: #5b6b7b } td.number { text-align: right }
svg text { font-size: 12px; fill: currentColor } svg rect { fill: #2f6f8f }
details { color: #5b6b7b } pre { white-space: pre-wrap; overflow-wrap: anywhere }
"""


class Section(NamedTuple):
    """The first insights of a kind, and how many there are in all."""

    kind: str
    insights: Sequence[JsonObject]
    total: int


def report(day: str, sections: Iterable[Section], ranked: Sequence[tuple[str, float]], frontier: str = "") -> str:
    """The report of a day. `ranked` has the names of the nodes with the most nodes downstream, `frontier` the sentence
    on what the analysis cannot see."""
    parts = [_section(section) for section in sections]
    plot = bars("Nodes downstream", ranked) if ranked else ""
    heading = f"<h1>Insights</h1><p>As of {escape(day)}. {escape(frontier)}</p>"
    body = f"{heading}<h2>What most depends on</h2>{plot}{''.join(parts)}"
    head = f"<meta charset=utf-8><title>Insights of {escape(day)}</title><style>{_STYLE}</style>"
    return f"<!doctype html><html lang=en><head>{head}</head><body>{body}</body></html>\n"


def bars(title: str, values: Sequence[tuple[str, float]]) -> str:
    """A bar chart. A label that is too long is cut; its whole text is the bar's title."""
    most = max((value for _, value in values), default=0) or 1
    lines = []
    for at, (label, value) in enumerate(values):
        top, length = at * (BAR + GAP), max(1.0, WIDTH * value / most)
        shown = label if len(label) <= 44 else f"…{label[-43:]}"
        lines.append(
            f'<g><title>{escape(label)}</title><text x="{LABEL - 8}" y="{top + 13}" text-anchor="end">{escape(shown)}'
            f'</text><rect x="{LABEL}" y="{top}" width="{length:.0f}" height="{BAR}"/>'
            f'<text x="{LABEL + length + 6:.0f}" y="{top + 13}">{value:,.0f}</text></g>'
        )
    height = len(values) * (BAR + GAP)
    size = f'width="{LABEL + WIDTH + 90}" height="{height}"'
    return f'<svg role="img" aria-label="{escape(title)}" {size}>{"".join(lines)}</svg>'


def _section(section: Section) -> str:
    heading = f"<h2>{TITLES[section.kind]}</h2>"
    if not section.insights:
        return f"{heading}<p>Nothing was found.</p>"
    shown = f"<p><small>{len(section.insights):,} of {section.total:,}</small></p>"
    top = [(insight["title"], float(insight["score"])) for insight in section.insights[:10] if insight["score"] > 0]
    plot = bars(TITLES[section.kind], top) if len(top) > 1 else ""
    rows = "".join(map(_row, section.insights))
    return f"{heading}{shown}{plot}<table><tr><th>Insight<th>Nodes</tr>{rows}</table>"


def _row(insight: JsonObject) -> str:
    nodes = "<br>".join(
        f"{node['type'].lower()} {escape(node['namespace'])} {escape(node['name'])}" for node in insight["nodes"]
    )
    facts = "\n".join(_lines(insight["details"]))
    evidence = f"<details><summary>Evidence</summary><pre>{escape(facts)}</pre></details>"
    return f"<tr><td>{escape(insight['title'])}{evidence}<td><small>{nodes}</small></tr>"


def _lines(details: Mapping[str, object]) -> Iterable[str]:
    for name, value in details.items():
        if isinstance(value, list):
            yield f"{name}:"
            yield from (f"  {_text(entry)}" for entry in value)
        else:
            yield f"{name}: {_text(value)}"


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(each)}" for name, each in value.items())
    return f"{value:,.2f}" if isinstance(value, float) else str(value)
