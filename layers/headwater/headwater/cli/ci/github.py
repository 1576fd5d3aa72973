"""What GitHub Actions shows of a report: annotations, and one comment on the pull request, which later runs edit."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote

from headwater.cli.ci.rules import Broken
from headwater.lookup.text.inert import inert

MARKER = "<!-- headwater ci -->"
"""Finds the comment again; nobody sees it."""
MOST_TEXT = 60_000
"""Characters of a comment: GitHub takes 65,536."""
A_PAGE, PAGES = 100, 50
SECONDS = 30
VARIABLES = ("GITHUB_TOKEN", "GITHUB_REPOSITORY", "GITHUB_EVENT_PATH")


def annotations(rules: Sequence[Broken]) -> Iterator[str]:
    """A line for each broken rule, which GitHub shows at the pull request."""
    for each in rules:
        text = inert(f"{each.sentence}: {' -> '.join(each.path)}")
        yield f"::error title=headwater ci%3A {each.rule}::{text.replace('%', '%25')}"


def comment(markdown: str, environment: Mapping[str, str]) -> str:
    """Put a report on the pull request of the environment. Return what became of it: a pull request from a fork may not
    comment, and that is no failure."""
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
        self._token = environment["GITHUB_TOKEN"]

    def put(self, body: str) -> str:
        try:
            known = self._known()
            if known is None:
                self._call("POST", self._of_request, {"body": body})
                return "commented on the pull request"
            self._call("PATCH", f"{self._of_repository}/comments/{known}", {"body": body})
        except urllib.error.HTTPError as error:
            if error.code in (401, 403, 404):
                return f"not commented: the token may not comment here ({error.code}), as that of a fork may not"
            return f"not commented: GitHub answered {error.code}"
        except (OSError, HTTPException, ValueError) as error:
            return f"not commented: GitHub has no answer ({type(error).__name__})"
        return "edited the comment on the pull request"

    def _known(self) -> int | None:
        """The id of the comment of an earlier run. A comment that only quotes the marker is somebody else's."""
        for page in range(1, PAGES + 1):
            found = self._call("GET", f"{self._of_request}?per_page={A_PAGE}&page={page}")
            for each in found:
                if str(each.get("body") or "").startswith(MARKER):
                    return int(each["id"])
            if len(found) < A_PAGE:
                break
        return None

    def _call(self, method: str, url: str, body: Any = None) -> Any:
        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self._token}",
            "Content-Type": "application/json",
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310 - of the environment of a CI
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            return json.loads(answer.read())
