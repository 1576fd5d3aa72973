"""Runs as a table: those of a job, or the newest of many jobs."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from headwater.lookup.export.graph import Document, ExportKind, ExportNode
from headwater.lookup.text.amounts import count, duration, moment, size
from headwater.lookup.text.display import BLANK, Display, Line, Role, Span, detail
from headwater.lookup.text.inert import cut, inert, quoted, shortened
from headwater.lookup.text.labels import Labels
from headwater.lookup.text.lineage import outcome_of, role_of_state

_HEADINGS = ("STATE", "STARTED", "TOOK")
_INDENT = "    "


class ShownRun(NamedTuple):
    """A run as an answer has it, with its job if the table is of several jobs."""

    run: Document
    job: ExportNode | None = None

    @property
    def cells(self) -> tuple[str, str, str]:
        """State, start and duration."""
        started = moment(self.run.get("startedAt") or self.run.get("createdAt"))
        return outcome_of(self.run), started, duration(self.run.get("durationMs"))


def render(answer: Document, display: Display) -> str:
    """The text of `{"runs": [...]}`, of the `job` that the answer names; or each run has a `job` of its own."""
    runs = [ShownRun(run, _job(run)) for run in answer["runs"]]
    return display.text([*_heading(answer, display), *_lines(runs, answer, display)])


def _heading(answer: Document, display: Display) -> Iterator[Line]:
    if job := _job(answer):
        name = shortened(quoted(job.name), max(20, display.width - 12))
        yield (Span(f"runs of job {name}", Role.HEADING),)
        yield detail(f"(in {inert(job.namespace)})")
        yield BLANK


def _job(document: Document) -> ExportNode | None:
    job = document.get("job")
    return ExportNode(ExportKind.JOB, str(job["namespace"]), str(job["name"])) if job else None


def _lines(runs: Sequence[ShownRun], answer: Document, display: Display) -> Iterator[Line]:
    if not runs:
        yield detail("no run")
        return
    jobs = [run.job for run in runs if run.job]
    called = {run.job.id: str(name) for run in runs if run.job and (name := run.run.get("displayName"))}
    labels = Labels(jobs, displayed=called) if jobs else None
    widths = [max(map(len, column)) for column in zip(_HEADINGS, *(run.cells for run in runs), strict=True)]
    if labels:
        yield detail(labels.where(display.width))
    yield (Span(_row(_HEADINGS, widths) + ("JOB" if jobs else "RUN"), Role.HEADING),)
    for run in runs:
        yield from _run(run, widths, labels, display)
    if (more := answer.get("totalCount", 0) - len(runs)) > 0:
        yield BLANK
        yield detail(f"and {count(more, 'earlier run')}" if not jobs else f"and {more:,} more")


def _run(run: ShownRun, widths: Sequence[int], labels: Labels | None, display: Display) -> Iterator[Line]:
    state, *rest = run.cells
    lead = (Span(f"{state:{widths[0]}}", role_of_state(state)), Span(f"  {_row(rest, widths[1:])}"))
    room = max(20, display.width - sum(widths) - 6)
    if labels and run.job:
        elsewhere = labels.elsewhere(run.job)
        after = detail(f"  {elsewhere}") if elsewhere else ()
        yield (*lead, Span(labels.fit(run.job, max(20, room - len(elsewhere) - 2)), Role.JOB), *after)
    else:
        yield (*lead, *detail(inert(str(run.run.get("id")))))
    if silent := run.run.get("noContactSince"):
        yield detail(f"{_INDENT}no contact since {moment(silent)}")
    room = max(20, display.width - len(_INDENT))
    if message := run.run.get("message"):
        yield (Span(f"{_INDENT}{cut(inert(str(message)), room)}", Role.BAD),)
    for line in _faults(run.run):
        yield (Span(f"{_INDENT}{shortened(inert(line), room)}", Role.BAD),)
    if where := _where(run.run):
        yield detail(f"{_INDENT}{shortened(inert(where), room)}")
    if runtime := run.run.get("runtime"):
        yield detail(f"{_INDENT}{shortened(_runtime(runtime), room)}")
    if progress := run.run.get("progress"):
        behind = f", {progress['lag']:,} behind" if "lag" in progress else ""
        yield detail(f"{_INDENT}{count(progress['rows'], 'row')} by batch {progress['batches']:,}{behind}")


def _faults(run: Document) -> Iterator[str]:
    """The runs below a run that failed, what its lineage lacks, and the run above it that it stands for."""
    for name in dict.fromkeys(child["job"]["name"] for child in run.get("failedChildren") or ()):
        yield f"failed in it: {name}"
    if incomplete := run.get("incomplete"):
        yield f"this producer says that its lineage is incomplete: {incomplete}"
    if parent := run.get("parent"):
        yield f"started by {parent['job']['name']}, which has not reported"


def _where(run: Document) -> str:
    """Where a service ran a run: `on j-VC0KIOO5V5LS, emr-7.1.0, s-07767992IY7VC5NVV854 of EMR, by etl`; empty if no
    service is named."""
    query, place = run.get("query") or {}, run.get("environment") or {}
    if not (query or "cluster" in place or "release" in place):
        return ""
    named = [place.get("release"), " of ".join(filter(None, (query.get("id"), query.get("source"))))]
    cluster = f"on {place['cluster']}" if "cluster" in place else ""
    user = f"by {place['user']}" if "user" in place else ""
    return ", ".join(filter(None, (cluster, *named, user)))


def _runtime(runtime: Document) -> str:
    """What a run's tasks used: `tasks 3 min 20 s, read 43 GB, shuffled 2 GB, spilled 1 GB, 1 of 12 failed`."""
    spent = [("read", "bytesRead"), ("shuffled", "bytesShuffled"), ("spilled", "bytesSpilled")]
    told = [f"tasks {duration(round(1_000 * runtime['executorSeconds']))}"]
    told += [f"{word} {size(runtime[member])}" for word, member in spent if runtime[member]]
    told += [f"{runtime['failedTasks']:,} of {runtime['tasks']:,} failed"] * bool(runtime["failedTasks"])
    return ", ".join(told)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(f"{cell:{width}}  " for cell, width in zip(cells, widths, strict=True))
