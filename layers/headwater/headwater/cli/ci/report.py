"""A comparison as people read it: text for a terminal, Markdown with a picture for a pull request."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from headwater.cli.ci.comparison import ChangeComparison
from headwater.cli.ci.consequences import Consequence
from headwater.cli.ci.rules import Broken
from headwater.lookup.export import mermaid
from headwater.lookup.export.graph import ExportEdge, ExportGraph, ExportKind
from headwater.lookup.text import diff as diff_text
from headwater.lookup.text.amounts import count
from headwater.lookup.text.display import BLANK, Display, Line, Role, Span, detail, sentence
from headwater.lookup.text.inert import inert
from headwater.lookup.text.labels import node_of
from headwater.openlineage.exact_json import JsonObject

MOST_DRAWN = 60
"""Edges of a picture: more is no picture."""
MOST_NAMED = 10
UNKNOWN = "production has no record of it, so it cannot say who reads it"
_PLAIN = re.compile(r"[\w ./,;()→-]")


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """What `headwater ci` found. `production` says where it was asked, if it was; `notes` are what was not checked."""

    compared: ChangeComparison
    production: str | None = None
    lost: Sequence[Consequence] = ()
    broken: Sequence[Broken] = ()
    acknowledged: Sequence[str] = ()
    notes: Sequence[str] = field(default_factory=tuple)

    @property
    def differs(self) -> bool:
        found = self.compared.difference
        return bool(found.added or found.removed or found.changed or found.edges_added or found.edges_removed) or bool(
            found.flows_added or found.flows_removed
        )

    def as_json(self) -> JsonObject:
        return {
            **self.compared.as_json(),
            "differs": self.differs,
            "production": self.production,
            "consequences": [each.as_json() for each in self.lost],
            "broken": [each.as_json() for each in self.broken],
            "acknowledged": list(self.acknowledged),
            "notes": list(self.notes),
        }

    def text(self, display: Display) -> str:
        return diff_text.render(self.compared.as_json(), display) + display.text(self._lines(display))

    def _lines(self, display: Display) -> Iterator[Line]:
        for said, alike in groupby(self.lost, lambda each: [*_said(each)]):
            yield BLANK
            for each in alike:
                yield (Span(inert(_title(each)), Role.HEADING),)
            for text in said:
                yield from sentence(f"  {text}", display)
        for rule in self.broken:
            yield BLANK
            yield (Span(f"rule {rule.rule} is broken: {inert(rule.sentence)}", Role.BAD),)
            yield detail(f"  {inert(' → '.join(rule.path))}")
        if self.acknowledged:
            yield BLANK
            yield from sentence(f"acknowledged: {', '.join(self.acknowledged)}", display)
        for note in self.notes:
            yield BLANK
            yield from sentence(note, display)

    def markdown(self) -> str:
        """The report as GitHub shows it. Names of producers are escaped: none is markup, a mention or a link."""
        return "\n".join(self._markdown())

    def _markdown(self) -> Iterator[str]:
        verdict = (
            f"{count(len(self.broken), 'rule')} broken" if self.broken else "no rule broken" if self.differs else ""
        )
        title = f"lineage changes: {verdict}" if self.differs else "lineage does not change"
        yield f"### Headwater: {title}"
        for rule in self.broken:
            yield f"\n**{escaped(rule.rule)}**: {escaped(rule.sentence)}  "
            yield " → ".join(map(escaped, rule.path))
        if self.lost:
            yield "\n| what goes | certainly used by | may be used by | owners |"
            yield "|---|---|---|---|"
            yield from map(_row, self.lost)
            dashboards = sorted({str(each["exposure"]["name"]) for of in self.lost for each in of.exposures})
            if dashboards:
                yield f"\nDashboards and other exposures: {', '.join(map(escaped, dashboards))}"
        shown_edges = self._picture()
        if shown_edges.edges:
            yield f"\n```mermaid\n{mermaid.flowchart(shown_edges).rstrip()}\n```"
        for text in [*self.notes, *([f"acknowledged: {', '.join(self.acknowledged)}"] if self.acknowledged else [])]:
            yield f"\n{escaped(text)}"
        text = diff_text.render(self.compared.as_json(), Display(100)) + Display(100).text(self._lines(Display(100)))
        fence = "`" * max([3, *(len(found) + 1 for found in re.findall("`+", text))])
        yield f"\n<details><summary>All that differs</summary>\n\n{fence}\n{text}{fence}\n</details>\n"

    def _picture(self) -> ExportGraph:
        """The flows that came and went, and the ways to what uses what goes. Where there are columns, ways are of
        columns only."""
        found = self.compared.difference
        edges: dict[tuple[str, str], list[str]] = {}
        for sign, flows in (("-", found.flows_removed), ("+", found.flows_added)):
            for flow in flows:
                edges.setdefault((flow.origin, flow.target), []).append(
                    f"{sign} {flow.kind.partition(' ')[2] or flow.kind}"
                )
        for item in (item for each in self.lost for item in (*each.certain, *each.may)):
            way = [step for step in item["path"] if not step.startswith("job:")]
            for ends in pairwise(way):
                edges.setdefault(ends, [])
        if not edges:
            edges = {ends: [sign] for sign, of in (("-", found.edges_removed), ("+", found.edges_added)) for ends in of}
        shown_edges = [
            ExportEdge(node_of(origin), node_of(target), tuple({"subtype": kind} for kind in kinds))
            for (origin, target), kinds in sorted(edges.items())[:MOST_DRAWN]
        ]
        nodes = tuple(sorted({node for edge in shown_edges for node in (edge.origin, edge.target)}))
        return ExportGraph(nodes, tuple(shown_edges), {}, truncated=len(edges) > MOST_DRAWN)


def escaped(text: str) -> str:
    """A text that Markdown takes for nothing else: `__main__` is not bold, `@team` is nobody, `<b>` no element."""
    shown = inert(text).replace("_", "\0")
    return "".join(letter if _PLAIN.match(letter) else f"&#{ord(letter) or 95};" for letter in shown)


def _title(each: Consequence) -> str:
    loss = each.loss
    what = f"{loss.dataset.name}{'.' * bool(loss.column)}{loss.column}"
    types = f": {loss.before} → {loss.after}" if loss.change == "retyped" else f" to {loss.after}" if loss.after else ""
    return f"{what} is {loss.change}{types}"


def _said(each: Consequence) -> Iterator[str]:
    if not each.is_known:
        yield UNKNOWN
        return
    yield f"certainly used by {_named(each.certain)}" if each.certain else "nothing certainly uses it"
    if each.owners:
        yield f"owners: {', '.join(each.owners)}"
    if each.may:
        yield f"may be used by {_named(each.may)}"
    if each.adapted:
        yield f"no longer depends on it after this change: {_named(each.adapted)}"
    for job, runs in each.runs_a_day.items():
        yield f"{_name(job)} runs {_often(runs)}"
    if each.hidden:
        yield f"{count(each.hidden, 'more node')}, in namespaces that the key may not read"
    if each.unseen:
        yield each.unseen


def _often(runs: float) -> str:
    return "once a day" if runs == 1 else f"{runs:g} times a day"


def _row(each: Consequence) -> str:
    if not each.is_known:
        return f"| {escaped(_title(each))} | {escaped(UNKNOWN)} | | |"
    runs = "".join(f"; {_name(job)} runs {_often(number)}" for job, number in each.runs_a_day.items())
    cells = (_title(each), _named(each.certain) + runs, _named(each.may), ", ".join(each.owners))
    return f"| {' | '.join(map(escaped, cells))} |"


def _named(items: Sequence[JsonObject]) -> str:
    names = [(item.get("exposure") or {}).get("name") or _name(item["nodeId"]) for item in items[:MOST_NAMED]]
    return ", ".join(names) + (f" and {len(items) - MOST_NAMED} more" if len(items) > MOST_NAMED else "")


def _name(node_id: str) -> str:
    node = node_of(node_id)
    kind = "job " if node.kind is ExportKind.JOB else ""
    return f"{kind}{node.name}{f'.{node.field}' if node.field else ''}"
