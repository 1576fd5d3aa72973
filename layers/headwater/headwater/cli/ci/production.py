"""Production's graph, which is asked for what a change would break there: a server, or a file of `headwater serve`, by
the same routes. A file needs no key: a pull request from a fork has no secrets."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from headwater.access.principal import Principal, Scope
from headwater.cli.api import Api
from headwater.cli.ci.comparison import Loss, without_common_name
from headwater.cli.ci.side import ChangeSide
from headwater.cli.endpoint import api_of
from headwater.cli.failure import UNREACHABLE, CommandFailure, reason_of
from headwater.cli.file import opened
from headwater.cli.refusal import NotFoundFailure, Response
from headwater.graph.names.naming import Naming
from headwater.http.request import ApiRequest
from headwater.http.response import response_or_error
from headwater.lookup.routes import Lookups, respond
from headwater.openlineage.event import Name
from headwater.openlineage.instant import milliseconds_between, parse_instant
from headwater.process_settings import read_settings
from headwater.store.errors import StorageError
from headwater.store.graph_store import GraphReader
from headwater.store.sqlite.database import RefusedDatabase
from headwater.store.table import TableReader

MOST_AT_RISK = 1_000
MOST_ASKED = 200
"""Names of a side that production is asked for, until it knows one."""
NEWEST_RUNS, DAY = 50, 86_400_000
DEPTH = 100


@dataclass(frozen=True)
class _FileApi(Api):
    """The API over a table in this process."""

    table: TableReader = field(kw_only=True)

    def _call(self, method: str, url: str, body: bytes | None = None, encoding: str = "") -> Response:  # noqa: ARG002
        parts = urlsplit(url)
        repeated = {name: tuple(values) for name, values in parse_qs(parts.query).items()}
        query = {name: values[-1] for name, values in repeated.items()}
        everyone = Principal("headwater ci", frozenset({Scope.READ}), ("*",))
        request = ApiRequest(everyone, method, parts.path, query, repeated, is_encoded=True)
        lookups = Lookups(GraphReader(self.table), Naming(read_settings().namespace_aliases), _ignore)
        response = response_or_error(lambda: respond(lookups, request), _ignore)
        return Response(response.status, response.content()[1].decode(), 0)


class Production:
    """Answers about production. What it does not know is None."""

    def __init__(self, api: Api, source: str) -> None:
        self.api, self.source = api, source
        self.runs_a_day = cache(self._runs_a_day)

    @classmethod
    def opened(cls, url: str | None, key_file: Path | None, data: Path | None, stack: ExitStack) -> "Production":
        """The server at a URL, or a file, which the stack closes. Raises CommandFailure."""
        if data is None:
            api = api_of(url, key_file).patient()
            return cls(api, api.url)
        try:
            home = stack.enter_context(opened(data))
        except (RefusedDatabase, StorageError, OSError) as error:
            raise CommandFailure(reason_of(error), status=UNREACHABLE) from None
        return cls(_FileApi("http://file", table=home.table), str(data))

    def ask(self, *parts: str, **query: Any) -> dict[str, Any] | None:
        """The answer of a lookup. Raises CommandFailure if there is none."""
        try:
            return self.api.ask(*parts, **query).document
        except NotFoundFailure:
            return None

    def dataset(self, name: Name) -> dict[str, Any] | None:
        return self.ask("namespaces", name.namespace, "datasets", name.name)

    def check_names(self, side: ChangeSide) -> None:
        """Raises CommandFailure if production knows none of the datasets of a side: it would miss none of them."""
        asked = side.datasets[:MOST_ASKED]
        if not any(self.dataset(side.names[node]) for node in asked):
            known = (self.ask("namespaces") or {"namespaces": ()})["namespaces"]
            theirs = [f"the namespace {each['name']}" for each in known if not each.get("isHidden")]
            raise without_common_name(side.source, asked, self.source, theirs)

    def impact(self, loss: Loss) -> dict[str, Any] | None:
        return self.ask("impact", nodeId=loss.node, limit=MOST_AT_RISK)

    def upstream(self, column: str) -> Mapping[str, list[str]]:
        """Of a column and those upstream, the columns whose values they have, by nodeIds."""
        answer = self.ask("column-lineage", nodeId=column, direction="upstream", depth=DEPTH) or {"graph": ()}
        return {
            entry["id"]: [
                f"datasetField:{source['namespace']}:{source['dataset']}:{source['field']}"
                for source in entry["data"]["inputFields"]
                if not all(step.get("type") == "INDIRECT" for step in source.get("transformations") or [{}])
            ]
            for entry in answer["graph"]
            if entry["type"] == "DATASET_FIELD"
        }

    def _runs_a_day(self, job: Name) -> float | None:
        """How often a job runs, by its newest runs; None of fewer than three."""
        answer = self.ask("namespaces", job.namespace, "jobs", job.name, "runs", limit=NEWEST_RUNS) or {"runs": ()}
        starts = sorted(parse_instant(run["startedAt"]) for run in answer["runs"] if run.get("startedAt"))
        length = milliseconds_between(starts[0], starts[-1]) if len(starts) > 2 else 0
        return round((len(starts) - 1) * DAY / length, 1) if length else None


def _ignore(_message: str, _error: BaseException, /, *, run: str | None = None) -> None:
    """What cannot be read is left out, and the answer says so."""
