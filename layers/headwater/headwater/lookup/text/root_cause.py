"""The answer of GET /rootcause: the failures and changes upstream that may explain a wrong number."""

from collections.abc import Iterator, Sequence
from typing import Any

from headwater.lookup.export.graph import Document, ExportKind, ExportNode
from headwater.lookup.export.label import TRUNCATED
from headwater.lookup.text.amounts import count, duration, moment
from headwater.lookup.text.display import BLANK, Display, Line, Role, Span, detail, frontier, sentence
from headwater.lookup.text.inert import ELLIPSIS, beginning, inert, quoted, shortened, wrapped
from headwater.lookup.text.labels import Labels, node_of
from headwater.lookup.text.lineage import outcome_of, role_of_state

_BAD = ("RUN_FAILED", "RUN_ABORTED", "RUN_MISSING", "CHILD_FAILED", "ASSERTION_FAILED")
_RELEVANCES = {
    "FLOWS_IN": ", flows into the column",
    "FILTERS": ", filters or joins the column",
    "UNKNOWN": ", may bear on the column",
    "OTHER": ", not known to bear on the column",
}
_INDENT = "    "
_MOST_LINES = 4
"""Lines of a summary: the error message in it may be a stack trace without line breaks."""


def render(answer: Document, display: Display) -> str:
    """The text of an answer about the job or dataset `nodeId`."""
    return display.text(_lines(answer, display))


def _lines(answer: Document, display: Display) -> Iterator[Line]:
    node = node_of(str(answer["nodeId"]))
    job = "job " if node.kind is ExportKind.JOB else ""
    start, findings = f"what may explain a wrong number in {job}", f": {count(len(answer['findings']), 'finding')}"
    called = _called(answer, node)
    whole = f"{called}.{node.field}" if node.field else called
    name = shortened(quoted(whole), max(20, display.width - len(start + findings)))
    yield (Span(start + name, Role.HEADING), *detail(findings))
    path = f", {inert(node.name)}" if called != node.name else ""
    yield detail(f"(in {inert(node.namespace)}{path}{_until(answer)})")
    yield BLANK
    yield _run("newest run", answer.get("suspect"), "no run is known to have written the dataset", display)
    if answer.get("suspect"):
        yield from _last_good(answer, display)
    for doubt in answer.get("cautions") or ():
        dataset = node_of(str(doubt["nodeId"]))
        told = f": {inert(str(doubt['caution']))}"
        yield (Span(shortened(quoted(_called(answer, dataset)), max(20, display.width - len(told))) + told, Role.BAD),)
    if amount := answer.get("amount"):
        yield from sentence(str(amount["sentence"]), display)
    yield BLANK
    yield from _findings(answer, display)
    yield from _earlier(answer, display)
    yield from _successful(answer, display)
    yield from _edges("edges of producers that may not write the dataset", answer.get("foreignEdges"), display)
    yield from _edges("jobs that only may use a dataset", answer.get("candidateEdges"), display)
    if answer.get("truncated"):
        yield BLANK
        yield detail(TRUNCATED)
    yield from frontier(answer, display)


def _called(answer: Document, node: ExportNode) -> str:
    """What people call a node: a dataset by its name in a catalogue."""
    is_job = node.kind is ExportKind.JOB
    return node.name if is_job else (answer.get("displayNames") or {}).get(node.dataset.id, node.name)


def _until(answer: Document) -> str:
    return f", as of {moment(answer['asOf'])}" if answer.get("asOf") else ""


def _run(what: str, run: Document | None, missing: str, display: Display) -> Line:
    """A run in a line: its state, since when, how long it took, and its job."""
    if not run:
        return detail(f"{what:12}{missing}")
    state, took = outcome_of(run), duration(run.get("durationMs"))
    when = f" {moment(run.get('endedAt') or run.get('startedAt') or run.get('createdAt'))}" + (
        f", {took}" if took else ""
    )
    room = display.width - 12 - len(state) - len(when) - 6
    job = shortened(quoted(str(run["job"]["name"])), max(20, room))
    return (*detail(f"{what:12}"), Span(state, role_of_state(state)), *detail(f"{when}  job "), Span(job, Role.JOB))


def _last_good(answer: Document, display: Display) -> Iterator[Line]:
    good = answer.get("lastGood")
    if good and _is_doubtful(good):
        yield _run("before that", good, "", display)
        yield detail(f"{_INDENT}may be as wrong; if it was good: --good {inert(str(good['id']))}")
    else:
        yield _run("last good", good, "none is stored: all stored runs are searched", display)
    above = (good or {}).get("calledGood") or {}
    if judgement := (good or {}).get("judgement") or above.get("judgement"):
        note = f": {oneline}" if (oneline := inert(str(judgement.get("note") or ""))) else ""
        whole = f", with run {inert(str(above['runId']))} of job {inert(str(above['job']['name']))}" if above else ""
        yield detail(f"{_INDENT}called good by {inert(str(judgement['by']))}{whole}{note}")


def _is_doubtful(good: Any) -> bool:
    """Whether the last good run only completed, without anyone calling it good."""
    return bool(good) and good.get("confirmed") is False


def _findings(answer: Document, display: Display) -> Iterator[Line]:
    findings = answer["findings"]
    if not findings:
        yield detail(_nothing(answer))
    yield from _listed(findings, display)


def _nothing(answer: Document) -> str:
    """Only a run that a person called good, or all stored runs, can show that nothing changed."""
    good = answer.get("lastGood")
    if _is_doubtful(good):
        return "no finding since the last run that completed, which nobody called good"
    if answer.get("earlier"):
        return "no finding: the changes that are known count no more"
    since = "since the last good run" if good else "in all stored runs"
    return f"no failure and no change of the node or upstream of the node, {since}"


def _earlier(answer: Document, display: Display) -> Iterator[Line]:
    if earlier := answer.get("earlier"):
        yield BLANK
        yield from sentence(str(earlier["sentence"]), display)
        yield from _listed(earlier["changes"], display)


def _listed(findings: Sequence[Document], display: Display) -> Iterator[Line]:
    shown = display.shown(len(findings))
    for finding in findings[:shown]:
        kind, distance = str(finding["kind"]), finding["distance"]
        far = "here" if distance == 0 else f"{count(distance, 'hop')} upstream"
        relevance = _RELEVANCES.get(str(finding.get("relevance")), "")
        yield (
            *detail(f"{moment(finding['at'])}  "),
            Span(inert(kind), Role.BAD if kind in _BAD else Role.OPEN),
            *detail(f"  {far}{relevance}"),
        )
        yield from _summary(inert(str(finding["summary"])), display)
        if link := (finding.get("codeAfter") or {}).get("link"):
            yield detail(f"{_INDENT}{inert(str(link))}")
    if shown < len(findings):
        yield detail(f"and {len(findings) - shown:,} more, earlier")


def _summary(text: str, display: Display) -> Iterator[Line]:
    """A sentence, on a few lines. It names jobs and datasets in full."""
    width = max(20, display.width - len(_INDENT))
    lines = list(wrapped(text, width))
    shown = lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        shown[-1] = f"{beginning(shown[-1], width - 2)} {ELLIPSIS}"
    yield from ((Span(f"{_INDENT}{line}"),) for line in shown)


def _successful(answer: Document, display: Display) -> Iterator[Line]:
    """The jobs upstream whose runs went well: these are not to blame."""
    successful = answer.get("successfulRuns") or ()
    if not successful:
        return
    jobs = [node_of(str(entry["nodeId"])) for entry in successful]
    labels = Labels(jobs)
    yield BLANK
    yield detail("runs without a failure meanwhile")
    shown = display.shown(len(jobs))
    for job, entry in list(zip(jobs, successful, strict=True))[:shown]:
        runs = count(entry["count"], "run")
        yield (*detail(f"{_INDENT}{runs:8}  job "), Span(labels.fit(job, max(20, display.width - 18)), Role.JOB))
    if shown < len(jobs):
        yield detail(f"{_INDENT}and {len(jobs) - shown:,} more jobs")


def _edges(heading: str, edges: Sequence[Document] | None, display: Display) -> Iterator[Line]:
    """Edges upstream that are not certain, below what they are."""
    if edges:
        yield BLANK
        yield detail(heading)
        shown = display.shown(len(edges))
        for edge in edges[:shown]:
            origin, destination = (node_of(str(edge[end])) for end in ("origin", "destination"))
            labels = Labels([origin, destination], destination)
            room = max(20, (display.width - len(_INDENT) - 3) // 2)
            line = f"{labels.fit(origin, room)} → {labels.fit(destination, room)}"
            yield (Span(f"{_INDENT}{line}", Role.OPEN),)
        if shown < len(edges):
            yield detail(f"{_INDENT}and {len(edges) - shown:,} more")
