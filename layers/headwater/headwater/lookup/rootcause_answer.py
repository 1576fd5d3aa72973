"""GET /rootcause: what happened upstream since the last good run."""

from headwater.answers import Answer
from headwater.graph.run import Run
from headwater.lookup import shapes
from headwater.lookup.asking import asked_node, asked_time
from headwater.lookup.findings import Finding
from headwater.lookup.names import Kind
from headwater.lookup.paging import fitting
from headwater.lookup.question import DEFAULT_LIMIT, MAX_LIMIT, Question
from headwater.lookup.reader import Reader
from headwater.lookup.rootcause import root_cause
from headwater.lookup.shapes import Shape
from headwater.openlineage.instant import shown


def rootcause(reader: Reader, question: Question) -> Answer:
    """The suspect, the last good run before it, and at most `limit` of what happened since, newest first."""
    node = asked_node(reader, question, {Kind.DATASET, Kind.JOB})
    as_of, limit = asked_time(reader, question, node), question.number("limit", DEFAULT_LIMIT, MAX_LIMIT)
    cause = root_cause(reader, node, question.depth(), as_of)
    findings = fitting(map(_finding, cause.findings[:limit]))
    answer: Shape = {
        "nodeId": shapes.node_id(node.kind, node.name),
        "asOf": shown(as_of) if as_of else None,
        "suspect": _run(cause.suspect),
        "lastGood": _run(cause.last_good),
        "findings": findings,
        "successfulRuns": [{"nodeId": place.node_id, "count": count} for place, count in cause.went_well],
    }
    if cause.is_truncated or len(cause.findings) > len(findings):
        answer["truncated"] = True
    return Answer(200, answer)


def _run(run: Run | None) -> Shape | None:
    return {"job": shapes.name(run.job), **shapes.run(run)} if run else None


def _finding(of: Finding) -> Shape:
    return {
        "kind": of.what.value,
        "at": shown(of.at),
        "distance": of.place.distance,
        "nodeId": of.place.node_id,
        **({"runId": of.run_id} if of.run_id else {}),
        "summary": of.summary,
        **of.details,
    }
