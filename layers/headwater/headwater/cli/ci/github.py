"""What GitHub Actions shows of a report: annotations, and one comment on the pull request, which later runs edit. Where
the token may not comment, as that of a fork, the report is in the summary of the job."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote

from headwater.cli.ci.rules import Broken
from headwater.lookup.text.inert import inert
from headwater.rest import opened

MARKER = "<!-- headwater ci -->"
"""Finds the comment again; nobody sees it."""
MOST_TEXT = 60_000
"""Characters of a comment: GitHub takes 65,536."""
A_PAGE, PAGES = 100, 50
SECONDS = 30
PAUSES = (1, 4)
"""Seconds until GitHub is asked again that answered with a fault of its own."""
VARIABLES = ("GITHUB_TOKEN", "GITHUB_REPOSITORY", "GITHUB_EVENT_PATH")


def annotations(rules: Sequence[Broken]) -> Iterator[str]:
    """A line for each broken rule, which GitHub shows at the pull request."""
    for each in rules:
        text = inert(f"{each.sentence}: {' -> '.join(each.path)}")
        yield f"::error title=headwater ci%3A {each.rule}::{text.replace('%', '%25')}"


def comment(markdown: str, environment: Mapping[str, str]) -> str:
    """Put a report on the pull request of the environment, else into the summary of the job. Return what became of it:
    a pull request from a fork may not comment, and that is no failure."""
    said = _comment(markdown, environment)
    summary = environment.get("GITHUB_STEP_SUMMARY")
    if not said.startswith("not") or not summary:
        return said
    try:
        with Path(summary).open("a", encoding="utf-8") as stream:
            stream.write(f"{markdown}\n")
    except OSError as error:
        return f"{said}; the summary of the job cannot be written ({type(error).__name__})"
    return f"{said}; the report is in the summary of the job"


def _comment(markdown: str, environment: Mapping[str, str]) -> str:
    missing = [name for name in VARIABLES if not environment.get(name)]
    if missing:
        return f"not commented: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set"
    try:
        event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
        number = int(event["pull_request"]["number"])
    except (OSError, ValueError, KeyError, TypeError):
        return "not commented: the event is not one of a pull request"
    body = f"{MARKER}\n{markdown}"
    if len(body) > MOST_TEXT:
        body = f"{body[:MOST_TEXT]}\n\n…"
    return _Comments(environment, number).put(body)


class _Comments:
    """The comments of a pull request."""

    def __init__(self, environment: Mapping[str, str], number: int) -> None:
        url = environment.get("GITHUB_API_URL") or "https://api.github.com"
        self._of_repository = f"{url.rstrip('/')}/repos/{quote(environment['GITHUB_REPOSITORY'])}/issues"
        self._of_request = f"{self._of_repository}/{number}/comments"
        self._graphql = environment.get("GITHUB_GRAPHQL_URL") or f"{url.rstrip('/')}/graphql"
        self._token = environment["GITHUB_TOKEN"]

    def put(self, body: str) -> str:
        """Each try looks for the comment anew: GitHub may have made one and failed to say so."""
        pauses = iter(PAUSES)
        while True:
            try:
                return self._put(body)
            except urllib.error.HTTPError as error:
                pause = next(pauses, None) if error.code >= 500 else None
                if pause is None:
                    return f"not commented: {_refusal(error)}"
                time.sleep(pause)
            except (OSError, HTTPException, ValueError, TypeError, LookupError) as error:
                return f"not commented: GitHub has no answer ({type(error).__name__})"

    def _put(self, body: str) -> str:
        known = self._known()
        if known is None:
            self._call("POST", self._of_request, {"body": body})
            return "commented on the pull request"
        self._call("PATCH", f"{self._of_repository}/comments/{known}", {"body": body})
        return "edited the comment on the pull request"

    def _known(self) -> int | None:
        """The id of the comment of an earlier run. A comment that only quotes the marker is somebody else's, and so is
        one of another author: the token may be allowed to edit it."""
        found = [each for each in self._all() if str(each.get("body") or "").startswith(MARKER)]
        if not found:
            return None
        viewer = self._call("POST", self._graphql, {"query": "query { viewer { login } }"})["data"]["viewer"]["login"]
        return next((int(each["id"]) for each in found if (each.get("user") or {}).get("login") == viewer), None)

    def _all(self) -> Iterator[Any]:
        for page in range(1, PAGES + 1):
            found = self._call("GET", f"{self._of_request}?per_page={A_PAGE}&page={page}")
            yield from found
            if len(found) < A_PAGE:
                break

    def _call(self, method: str, url: str, body: Any = None) -> Any:
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310 - of the environment of a CI
        with opened(request, SECONDS) as answer:
            return json.loads(answer.read())


def _refusal(error: urllib.error.HTTPError) -> str:
    """Why GitHub refuses: the number of requests has the status of missing rights."""
    if error.headers.get("Retry-After") or error.headers.get("X-RateLimit-Remaining") == "0":
        return f"GitHub takes no more requests for now ({error.code})"
    if error.code in (401, 403, 404):
        return f"the token may not comment here ({error.code}), as that of a fork may not"
    return f"GitHub answered {error.code}"
