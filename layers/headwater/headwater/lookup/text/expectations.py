"""What is expected of jobs, as a table: which runs are late, and which are due next."""

from collections.abc import Iterator

from headwater.lookup.export.graph import Document, ExportKind, ExportNode
from headwater.lookup.text.amounts import count, duration, moment
from headwater.lookup.text.display import Display, Line, Role, Span, detail
from headwater.lookup.text.inert import inert
from headwater.lookup.text.labels import Labels, node_of

_STATES = {"LATE": "late", "WAITING": "waits", "RUNNING": "running", "ON_TIME": "on time", "UNKNOWN": "unknown"}
_ROLES = {"LATE": Role.BAD, "WAITING": Role.BAD}
_BAD = frozenset({"AT_RISK", "OVERDUE", "MISSED", "STALE"})
_WIDTH, _TIME_WIDTH = 8, 20
_INDENT = " " * (_WIDTH + 2)


def render(answer: Document, display: Display) -> str:
    """The text of an answer of `/expectations`."""
    return display.text(_lines(answer, display))


def _lines(answer: Document, display: Display) -> Iterator[Line]:
    found = answer["expectations"]
    if said := answer.get("said"):
        yield from _said(said, display)
    if not found and not said:
        yield detail("no job is due within a day, as far as is known; headwater expect NAME says why")
    if not found:
        return
    labels = Labels([_job(each) for each in found])
    yield detail(labels.where(display.width))
    yield (Span(f"{'STATE':{_WIDTH}}  {'DUE':{_TIME_WIDTH}}  JOB", Role.HEADING),)
    for each in found:
        state, due = _STATES[each["state"]], moment(each["dueAt"]) if each["dueAt"] else ""
        lead = Span(f"{state:{_WIDTH}}  ", _ROLES.get(each["state"]))
        yield (lead, Span(f"{due:{_TIME_WIDTH}}  "), Span(labels.fit(_job(each), display.width // 2), Role.JOB))
        yield from (detail(f"{_INDENT}{line}") for line in _details(each))
    if (more := answer["totalCount"] - len(found)) > 0:
        yield detail(f"and {count(more, 'job')} more")


def _said(said: list[Document], display: Display) -> Iterator[Line]:
    """What people said, and how it stands."""
    nodes = [node_of(each["nodeId"]) for each in said]
    labels = Labels(nodes)
    yield detail(labels.where(display.width))
    yield (Span(f"{'SAID':{_WIDTH}}  {'BY':{_TIME_WIDTH}}  OF", Role.HEADING),)
    for each, node in zip(said, nodes, strict=True):
        state = each["state"]
        word = state.lower().replace("_", " ")
        lead = Span(f"{word:{_WIDTH}}  ", Role.BAD if state in _BAD else None)
        role = Role.JOB if node.kind is ExportKind.JOB else Role.DATASET
        yield (lead, Span(f"{moment(each['dueAt']):{_TIME_WIDTH}}  "), Span(labels.fit(node, display.width // 2), role))
        told = [each["said"]]
        if each["lastWrittenAt"]:
            told.append(f"written {moment(each['lastWrittenAt'])}")
        if each["estimatedAt"]:
            cause = each["cause"]
            if earliest := each.get("earliestAt"):  # servers of earlier releases have none
                told.append(f"comes {moment(earliest)} or later")
            else:
                told.append(f"comes about {moment(each['estimatedAt'])}")
            told.append(f"{node_of(cause['nodeId']).name} {cause['why']}")
        yield detail(f"{_INDENT}{'; '.join(map(inert, told))}")
    yield detail("")


def _details(each: Document) -> Iterator[str]:
    if each["waitsFor"]:
        yield f"waits for {inert(node_of(each['waitsFor']).name)}"
    told = [each["timetable"] or f"nothing is claimed: {each['reason']}"]
    if each["latestAt"]:
        told.append(f"late after {moment(each['latestAt'])}")
    if took := (each["seconds"] or {}).get("usual"):
        told.append(f"takes {duration(1_000 * took)}")
    if (amount := each["amount"]) and "low" in amount:
        told.append(f"{amount['low']:,} to {amount['high']:,} {amount['unit']}")
    yield "; ".join(map(inert, told))


def _job(each: Document) -> ExportNode:
    return ExportNode(ExportKind.JOB, each["job"]["namespace"], each["job"]["name"])
