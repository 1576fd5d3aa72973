"""Asks the API what a command line asks, and renders the answer."""

import difflib
import json
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from headwater.cli.api import Answer, Api
from headwater.cli.failure import UNKNOWN, WRONG_COMMAND, CommandFailure
from headwater.cli.lookups.names import COLUMN, DATASET, JOB, KnownNode, Resolved, commands, resolve
from headwater.cli.lookups.parser import time
from headwater.cli.refusal import NotFoundFailure
from headwater.lookup.text import alerts as alerts_text
from headwater.lookup.text import columns as columns_text
from headwater.lookup.text import dataset as dataset_text
from headwater.lookup.text import diff as diff_text
from headwater.lookup.text import expectations as expectations_text
from headwater.lookup.text import impact as impact_text
from headwater.lookup.text import lineage as lineage_text
from headwater.lookup.text import root_cause as root_cause_text
from headwater.lookup.text import runs as runs_text
from headwater.lookup.text.amounts import moment
from headwater.lookup.text.display import Display, Line, Role, Span, detail
from headwater.lookup.text.inert import inert
from headwater.lookup.text.labels import node_of
from headwater.openlineage.instant import NEVER, parse_instant

MOST_AT_RISK = 1_000
MOST_FINDINGS = 200
NEWEST_RUNS = 1_000
"""Runs of a job, among which `headwater runs JOB --failed` looks for those that failed."""
ALERT_DAYS = "7d"
"""How far back the alerts of a table are looked for."""
KNOWN_ALERTS, FULL_ID = 1_000, 32
"""The newest alerts, among which one is looked for by the beginning of its id, or those of a table; and the length of
an id."""

Document = dict[str, Any]


class Reply(NamedTuple):
    """An answer: as JSON, as text for a display, and what is said beside it."""

    json: str
    render: Callable[[Display], str]
    notes: tuple[str, ...] = ()


def reply_to(api: Api, options: Namespace) -> Reply:
    """The reply to a command line. Raises CommandFailure."""
    return _QUESTIONS[options.command](api, options)


def _lineage(api: Api, options: Namespace) -> Reply:
    node = resolve(api, options.name, (DATASET, JOB), _asking(options))
    direction = options.direction or "both"
    text, answer = api.ask("lineage", nodeId=node.node.node_id, direction=direction, **_walk(options))
    answer["nodeId"] = _shown_id(api, node.node, answer)
    return Reply(text, lambda display: lineage_text.render(answer, display, direction), _notes(node, options))


def _columns(api: Api, options: Namespace) -> Reply:
    node, node_id = _node_or_column(api, options, (DATASET, JOB, COLUMN))
    direction = options.direction or "upstream"
    query = {"nodeId": node_id, "direction": direction, **_walk(options)}
    text, document = _asked_for_column(api, options, node, "column-lineage", **query)
    answer = {"nodeId": node_id, **document}
    return Reply(text, lambda display: columns_text.render(answer, display, direction), _notes(node, options))


def _impact(api: Api, options: Namespace) -> Reply:
    node, node_id = _node_or_column(api, options, (DATASET, COLUMN))
    query = {"nodeId": node_id, "limit": MOST_AT_RISK, **_walk(options)}
    text, answer = _asked_for_column(api, options, node, "impact", **query)
    return Reply(text, lambda display: impact_text.render(answer, display), _notes(node, options))


def _why(api: Api, options: Namespace) -> Reply:
    node, node_id = _node_or_column(api, options, (DATASET, JOB))
    if options.good:
        api.send("PUT", "jobs", "runs", options.good, "good", body=_json({"note": options.note}))
    elif options.not_good:
        api.send("DELETE", "jobs", "runs", options.not_good, "good")
    query = {"nodeId": node_id, "limit": MOST_FINDINGS, **_walk(options)}
    text, answer = _asked_for_column(api, options, node, "rootcause", **query)
    return Reply(text, lambda display: root_cause_text.render(answer, display), _notes(node, options))


def _diff(api: Api, options: Namespace) -> Reply:
    times = {"from": options.since, "to": options.at}
    if not options.name:
        text, answer = api.ask("diff", namespace=options.namespace, **times)
        about = {"namespace": options.namespace, **answer}
        return Reply(text, lambda display: diff_text.render(about, display))
    if options.namespace:
        raise CommandFailure("give a NAME or --namespace, not both", status=WRONG_COMMAND)
    node = resolve(api, options.name, (DATASET, JOB), _asking(options))
    walk = {"direction": options.direction or "both", "depth": options.depth}
    text, answer = api.ask("diff", nodeId=node.node.node_id, **times, **walk)
    about = {"nodeId": node.node.node_id, **answer}
    return Reply(text, lambda display: diff_text.render(about, display), _notes(node, options))


def _runs(api: Api, options: Namespace) -> Reply:
    if options.job:
        return _runs_of_job(api, options)
    return _top_runs(api, options) if options.failed or options.since else _newest_runs(api, options)


def _newest_runs(api: Api, options: Namespace) -> Reply:
    """The newest run of each of the jobs that reported last."""
    text, answer = api.ask("jobs", limit=options.limit)
    listed = [
        {"job": _job(job), "displayName": job.get("displayName"), **job["latestRun"]}
        for job in answer["jobs"]
        if job["latestRun"]
    ]
    more = {"totalCount": len(listed) + max(0, answer["totalCount"] - len(answer["jobs"]))}
    return Reply(text, lambda display: runs_text.render({"runs": listed, **more}, display))


def _top_runs(api: Api, options: Namespace) -> Reply:
    """The runs that no other run started, with the state of what they started: one request."""
    state = "FAILED" if options.failed else None
    text, answer = api.ask("runs", state=state, after=options.since, limit=options.limit)
    more = (f"the newest {len(answer['runs']):,}; --limit shows more",) if "cursor" in answer else ()
    return Reply(text, lambda display: runs_text.render(answer, display), more)


def _runs_of_job(api: Api, options: Namespace) -> Reply:
    asking = ("runs", "{}", *(["--failed"] if options.failed else []))
    node = resolve(api, options.job, (JOB,), asking)
    job = node.node if node.node.name else _split(node.node)
    of = {"namespace": job.namespace, "name": job.name}
    path = ("namespaces", job.namespace, "jobs", job.name, "runs")
    if not (options.failed or options.since):
        text, answer = api.ask(*path, limit=options.limit)
        return Reply(text, lambda display: runs_text.render({"job": of, **answer}, display))
    answer = api.ask(*path, limit=NEWEST_RUNS).document
    since = parse_instant(options.since) if options.since else NEVER
    asked = [run for run in answer["runs"] if parse_instant(run["endedAt"] or run["createdAt"]) >= since]
    if options.failed:
        asked = [run for run in asked if run["state"] == "FAILED" or run.get("failedChildren")]
    shown = {"job": of, "runs": asked[: options.limit], "totalCount": len(asked)}
    covered = f"covers the newest {len(answer['runs']):,} of the job's {answer['totalCount']:,} runs"
    return Reply(_json(shown), lambda display: runs_text.render(shown, display), (covered,))


def _show(api: Api, options: Namespace) -> Reply:
    """A table by three requests: the dataset with its last write, its writers, and the open alerts of both."""
    found = resolve(api, options.name, (DATASET,), _asking(options))
    graph = api.ask("lineage", nodeId=found.node.node_id, direction="upstream", depth=1).document["graph"]
    name = found.node if found.node.name else _named(found.node, graph)
    dataset = api.ask("namespaces", name.namespace, "datasets", name.name).document
    writers = [node["data"] for node in graph if node["type"] == "JOB"]
    alerts = api.ask("alerts", open="true", after=time(ALERT_DAYS), limit=KNOWN_ALERTS).document["alerts"]
    names = [(DATASET, dataset), *((JOB, writer) for writer in writers)]
    about = {f"{kind}:{named['namespace']}:{named['name']}" for kind, named in names}
    answer = {"dataset": dataset, "writers": writers, "alerts": [alert for alert in alerts if alert["nodeId"] in about]}
    return Reply(_json(answer), lambda display: dataset_text.render(answer, display), _notes(found, options))


def _named(node: KnownNode, graph: list[Document]) -> KnownNode:
    """A dataset with the name by which a graph has it, which was asked for by its nodeId."""
    data = next((each["data"] for each in graph if each["id"] == node.node_id), None)
    split = node_of(node.node_id)
    return KnownNode(node.node_id, *((data["namespace"], data["name"]) if data else (split.namespace, split.name)))


def _expect(api: Api, options: Namespace) -> Reply:
    if options.put:
        try:
            text = Path(options.put).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise CommandFailure(f"{options.put} cannot be read: {reason}", status=WRONG_COMMAND) from None
        api.send("PUT", "settings", body=text)
    found = resolve(api, options.name, (DATASET, JOB), _asking(options)) if options.name else None
    node_id = found.node.node_id if found else None
    text, answer = api.ask("expectations", nodeId=node_id, namespace=options.namespace, limit=options.limit)
    notes = _notes(found, options) if found else ()
    return Reply(text, lambda display: expectations_text.render(answer, display), notes)


def _search(api: Api, options: Namespace) -> Reply:
    kind = options.kind.upper() if options.kind else None
    text, answer = api.ask("search", q=options.text, filter=kind, namespace=options.namespace, limit=options.limit)
    return Reply(text, lambda display: display.text(_found(answer, options.text)))


def _found(answer: Document, text: str) -> Iterator[Line]:
    """A nodeId a line, which the other commands take as a name."""
    found = answer["results"]
    for each in found:
        role = Role.JOB if each["type"] == "JOB" else Role.DATASET
        where = f"  in {', '.join(each['matchedIn'])}" if each.get("matchedIn") else ""
        run = f"  run {each['runId']}" if each.get("runId") else ""
        told = inert(f"  updated {moment(each['updatedAt'])}{where}{run}")
        yield (Span(inert(each["nodeId"]), role), *detail(told))
    if more := answer["totalCount"] - len(found):
        yield detail(f"and {more:,} more")
    if not answer["totalCount"]:
        yield detail(f"no dataset or job has {inert(text)} in its name")


def _alerts(api: Api, options: Namespace) -> Reply:
    """The newest alerts. With an act, the alerts that it changed, as they are then."""
    act = next((name for name in _ACTS if getattr(options, name)), None)
    if act is None:
        text, answer = api.ask("alerts", limit=options.limit, open="true" if options.active else None)
        return Reply(text, lambda display: alerts_text.render(answer, display))
    if act == "silence" and not (options.until and options.note):
        what = "a silence needs an end and a reason"
        step = f'headwater alerts --silence {options.silence} --for 2h --note "..."'
        raise CommandFailure(what, step, status=WRONG_COMMAND)
    method, part = _ACTS[act]
    known = api.ask("alerts", limit=KNOWN_ALERTS).document["alerts"]
    alert = _alert_id(known, getattr(options, act))
    also = alerts_text.following(known, alert) if act == "ack" and options.following else []
    members = {"note": options.note, **({"until": options.until} if act == "silence" else {})}
    for each in (alert, *also):
        api.send(method, "alerts", each, part, body=_json(members) if method == "PUT" else "")
    changed = {"alerts": [api.ask("alerts", each).document for each in (alert, *also)]}
    return Reply(_json(changed), lambda display: alerts_text.render(changed, display))


_ACTS = {
    "ack": ("PUT", "acknowledgement"),
    "reopen": ("DELETE", "acknowledgement"),
    "silence": ("PUT", "silence"),
    "end_silence": ("DELETE", "silence"),
}


def _alert_id(known: list[Document], text: str) -> str:
    """The id of an alert, of which the beginning was given. Raises CommandFailure."""
    found = [str(alert["id"]) for alert in known if alert["id"].startswith(text)]
    if len(found) == 1 or len(text) == FULL_ID:
        return found[0] if found else text
    which = "several alerts have" if found else "no alert has"
    among = f" among the newest {KNOWN_ALERTS:,}" if len(known) == KNOWN_ALERTS else ""
    what = f"{which} an id that begins with {inert(text)}{among}"
    raise CommandFailure(what, "`headwater alerts` lists them with their ids", status=UNKNOWN)


_QUESTIONS: Mapping[str, Callable[[Api, Namespace], Reply]] = {
    "lineage": _lineage,
    "columns": _columns,
    "impact": _impact,
    "why": _why,
    "diff": _diff,
    "runs": _runs,
    "show": _show,
    "search": _search,
    "alerts": _alerts,
    "expect": _expect,
}


def _asking(options: Namespace) -> tuple[str, ...]:
    """The words of the command, with {} for the node: to be typed again with the name of one."""
    words = [options.command, "{}"]
    if getattr(options, "column", None):
        words.append(options.column)
    words += {"upstream": ["--up"], "downstream": ["--down"]}.get(getattr(options, "direction", None) or "", [])
    words += ["--since", options.since] if options.command == "diff" else []
    return tuple(words)


def _walk(options: Namespace) -> dict[str, Any]:
    return {"depth": options.depth, "asOf": options.at}


def _node_or_column(api: Api, options: Namespace, kinds: tuple[str, ...]) -> tuple[Resolved, str]:
    """The node of a command line, and the nodeId to ask for: that of one of its columns if one is named."""
    node = resolve(api, options.name, (DATASET,) if options.column else kinds, _asking(options))
    return node, node.node.column(options.column) if options.column else node.node.node_id


def _asked_for_column(api: Api, options: Namespace, node: Resolved, path: str, **query: Any) -> Answer:
    """An answer. Where the column is unknown, the failure names the columns that are near. Raises CommandFailure."""
    try:
        return api.ask(path, **query)
    except NotFoundFailure:
        if not options.column or not node.node.name:
            raise
        dataset = api.ask("namespaces", node.node.namespace, "datasets", node.node.name).document
        names = [str(field["name"]) for field in dataset.get("fields") or ()]
        near = difflib.get_close_matches(options.column, names, n=5, cutoff=0.5) or names[:10]
        what = f"{inert(node.node.name)} has no column {inert(options.column)}"
        steps = (
            [f"its columns are {', '.join(map(inert, near))}{' ...' if len(names) > len(near) else ''}"] if near else []
        )
        raise CommandFailure(what, *steps, status=UNKNOWN) from None


def _shown_id(api: Api, node: KnownNode, answer: Document) -> str:
    """The nodeId by which an answer has a node: a dataset may have been asked for by another of its names."""
    if node.kind != DATASET or any(entry["id"] == node.node_id for entry in answer["graph"]):
        return node.node_id
    return str(api.ask("impact", nodeId=node.node_id, depth=0, limit=0).document["nodeId"])


def _notes(resolved: Resolved, options: Namespace) -> tuple[str, ...]:
    """What else a name may mean."""
    if not resolved.others:
        return ()
    return (f"{inert(options.name)} is also the name of:", *commands(_asking(options), resolved.others))


def _split(node: KnownNode) -> KnownNode:
    split = node_of(node.node_id)
    if not (split.namespace and split.name):
        what = f"{inert(node.node_id)} is not the nodeId of a job"
        raise CommandFailure(what, "write job:NAMESPACE:NAME", status=WRONG_COMMAND)
    return KnownNode(node.node_id, split.namespace, split.name)


def _job(job: Document) -> Document:
    return {"namespace": job["namespace"], "name": job["name"]}


def _json(document: Document) -> str:
    return json.dumps(document, ensure_ascii=False)
