"""What the commands share that poll sources, and send what is new to a server."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.cli.api import Api
from headwater.cli.endpoint import add_server_options, api_of
from headwater.cli.failure import CommandFailure, reason_of
from headwater.cli.load import sending
from headwater.cli.lookups.terminal import told
from headwater.cli.refusal import NotFoundFailure
from headwater.graph.facets.schema_diff import columns_of
from headwater.ingest.event_files import SentEvent
from headwater.lookup.text.inert import inert
from headwater.openlineage.event import Name
from headwater.openlineage.instant import parse_instant
from headwater.rest import Unreachable
from headwater.retry import Deadline
from headwater.sources.poller import (
    Document,
    PolledSource,
    PollResult,
    ReportedDataset,
    ReportedJob,
    ReportedRun,
    poll_each,
)

PAGE = 100
INTERVAL = 60.0


@dataclass(frozen=True)
class ServedGraph:
    """`PolledGraph` over the API of a server."""

    api: Api

    def jobs(self, namespace: str) -> Iterator[ReportedJob]:
        for job in self._listed(namespace, "jobs"):
            run = job["latestRun"]
            reported = (
                ReportedRun(run["id"], run["state"], run["facets"], parse_instant(run["updatedAt"])) if run else None
            )
            yield ReportedJob(job["name"], job["facets"], reported)

    def datasets(self, namespace: str) -> Iterator[ReportedDataset]:
        for dataset in self._listed(namespace, "datasets"):
            yield ReportedDataset(dataset["name"], dataset["facets"])

    def columns(self, datasets: Sequence[Name]) -> Mapping[Name, Sequence[str]]:
        found = {name: self._answer("namespaces", name.namespace, "datasets", name.name) for name in datasets}
        schemas = {name: of["facets"].get("schema") or {"fields": of["fields"]} for name, of in found.items() if of}
        return {name: columns for name, schema in schemas.items() if (columns := list(columns_of(schema)))}

    def send(self, events: Sequence[Document], /) -> None:
        """Posts events like any producer. Raises Unreachable if the server did not take all of them."""
        sent = sending.Sending(self.api.patient())
        try:
            sent.send(SentEvent((event.get("job") or event["dataset"])["name"], json.dumps(event)) for event in events)
        except (CommandFailure, OSError) as error:
            raise Unreachable(reason_of(error)) from None
        if sent.refused:
            raise Unreachable(f"{self.api.url} refused {len(sent.refused)} events: {sent.refused[0][1]}")

    def _listed(self, namespace: str, kind: str) -> Iterator[dict[str, Any]]:
        """The `jobs` or `datasets` of a namespace, page by page; none of an unknown namespace."""
        cursor: str | None = ""
        while cursor is not None:
            answer = self._answer("namespaces", namespace, kind, limit=PAGE, cursor=cursor or None)
            yield from answer.get(kind, ())
            cursor = answer.get("cursor")

    def _answer(self, *parts: str, **query: str | int | None) -> dict[str, Any]:
        """An answer of the server, empty for what it does not know. Raises Unreachable."""
        try:
            return self.api.ask(*parts, **query).document
        except NotFoundFailure:
            return {}
        except CommandFailure as failure:
            raise Unreachable(reason_of(failure)) from None


def add_options(parser: argparse.ArgumentParser, source: str) -> None:
    """The options of polls, and of the server. `source` is what is asked, such as `the workers`."""
    parser.add_argument("--once", action="store_true", help="poll once, and end")
    parser.add_argument(
        "--interval", type=float, default=INTERVAL, metavar="SECONDS", help="pause between polls (default: %(default)g)"
    )
    parser.add_argument(
        "--authorization-file", type=Path, metavar="FILE", help=f"file with the Authorization header for {source}"
    )
    add_server_options(parser)


def authorization_of(options: argparse.Namespace) -> str:
    """The header for the source; empty if none is needed. Raises OSError."""
    return options.authorization_file.read_text().strip() if options.authorization_file else ""


def poll_again(
    parser: argparse.ArgumentParser,
    arguments: list[str] | None,
    sources_of: Callable[[argparse.Namespace], Sequence[PolledSource]],
    report: Callable[[PollResult], None],
) -> int:
    """Poll the sources of a command line until Ctrl-C. With --once, return 1 if something could not be read, or if the
    server could not be reached. `report` prints what was sent."""
    options = parser.parse_args(arguments)
    try:
        sources, graph = sources_of(options), ServedGraph(api_of(options.url, options.key_file))
    except (OSError, ValueError) as error:
        parser.error(reason_of(error))
    except CommandFailure as failure:
        return told(failure)
    try:
        while True:
            is_whole = [_reported(result, report) for result in poll_each(sources, lambda: graph, Deadline())]
            if options.once:
                return 0 if all(is_whole) else 1
            time.sleep(options.interval)
    except KeyboardInterrupt:
        return 0


def _reported(result: PollResult, report: Callable[[PollResult], None]) -> bool:
    """Whether a poll reported all parts of a source. What prevented it is printed."""
    if result.unreachable:
        print(f"nothing was sent: {inert(str(result.unreachable))}", file=sys.stderr, flush=True)
    for part, reason in result.skipped.items():
        print(f"skipped: {inert(part)}: {inert(reason)}", file=sys.stderr, flush=True)
    if result.sent:
        report(result)
    return not (result.unreachable or result.skipped)
