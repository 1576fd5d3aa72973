"""A dataset as text: its columns, owners, writers, last write and alerts."""

from collections.abc import Iterator, Sequence

from headwater.lookup.export.graph import Document
from headwater.lookup.text.amounts import count, moment
from headwater.lookup.text.display import BLANK, Display, Line, Role, Span, detail
from headwater.lookup.text.inert import cut, inert, quoted, shortened
from headwater.lookup.text.lineage import state_of

_LABEL = 12
_NONE = "none is known"


def render(answer: Document, display: Display) -> str:
    """The text of a `dataset` with its `writers` (jobs) and the newest `alerts` of all."""
    return display.text(_lines(answer, display))


def _lines(answer: Document, display: Display) -> Iterator[Line]:
    dataset = answer["dataset"]
    called = dataset.get("displayName") or dataset["name"]
    path = f", {inert(dataset['name'])}" if called != dataset["name"] else ""
    yield (Span(shortened(quoted(called), max(20, display.width)), Role.HEADING),)
    yield detail(f"({inert(str(dataset['type']))} in {inert(dataset['namespace'])}{path})")
    yield BLANK
    yield _labelled("owner", *detail(_owners(dataset)))
    yield from _listed("tag", [detail(tag) for tag in _tags(dataset)], "none") if dataset.get("tags") else ()
    if place := dataset.get("place"):
        yield _labelled("belongs to", *detail(inert(", ".join(f"{level} {name}" for level, name in place.items()))))
    if exposures := dataset.get("exposures"):
        yield from _listed("used by", [detail(_exposure(exposure)) for exposure in exposures])
    yield from _listed("writer", [_writer(job, display) for job in answer["writers"]])
    yield _labelled("last write", *_write(dataset))
    yield from _listed("alert", [_alert(alert, display) for alert in answer["alerts"]], "none open in the last 7 days")
    if caution := dataset.get("caution"):
        yield _labelled("caution", Span(inert(caution), Role.BAD))
    yield BLANK
    yield from _columns(dataset.get("fields") or (), display)


def _labelled(label: str, *spans: Span) -> Line:
    return (*detail(f"{label:{_LABEL}}"), *spans)


def _listed(label: str, lines: Sequence[Line], missing: str = _NONE) -> Iterator[Line]:
    for number, line in enumerate(lines or [detail(missing)]):
        yield _labelled("" if number else label, *line)


def _owners(dataset: Document) -> str:
    owners = (dataset["facets"].get("ownership") or {}).get("owners") or ()
    return ", ".join(inert(str(owner.get("name"))) for owner in owners) or _NONE


def _tags(dataset: Document) -> list[str]:
    """The tags, each with who gave it, if its producer says so."""
    sources = dataset.get("tagSources") or {}
    return [inert(f"{tag}  ({sources[tag]})" if tag in sources else tag) for tag in dataset["tags"]]


def _exposure(exposure: Document) -> str:
    """Example: `dashboard weekly_report, https://bi.tool/1`."""
    named = f"{exposure.get('type') or 'exposure'} {exposure['name']}"
    owner = exposure.get("owner") and f"of {exposure['owner']}"
    return inert(", ".join(filter(None, [named, owner, exposure.get("url")])))


def _writer(job: Document, display: Display) -> Line:
    state = state_of(job.get("latestRun"))
    room = display.width - _LABEL - sum(len(span.text) for span in state)
    return (Span(shortened(quoted(job.get("displayName") or job["name"]), max(20, room)), Role.JOB), *state)


def _write(dataset: Document) -> Line:
    if not dataset.get("lastWrittenAt"):
        return detail("no run is known to have written it")
    return detail(f"{moment(dataset['lastWrittenAt'])}  run {inert(str(dataset['currentVersion']))}")


def _alert(alert: Document, display: Display) -> Line:
    when, severity = moment(alert["time"]), inert(alert["severity"])
    title = cut(inert(alert["title"]), max(20, display.width - _LABEL - len(when) - len(severity) - 4))
    return (*detail(f"{when}  "), Span(severity, Role.BAD), Span(f"  {title}"))


def _columns(fields: Sequence[Document], display: Display) -> Iterator[Line]:
    yield (Span(count(len(fields), "column") if fields else "its columns are not known", Role.HEADING),)
    names = [shortened(quoted(field["name"]), max(20, display.width // 2)) for field in fields]
    width = max(map(len, names), default=0)
    for name, field in zip(names, fields, strict=True):
        tags = "".join(f"  {inert(tag)}" for tag in field.get("tags") or ())
        kind = shortened(inert(str(field.get("type") or "")), max(20, display.width - width - 4 - len(tags)))
        yield (Span(f"{name:{width}}  ", Role.COLUMN), *detail(kind + tags))
