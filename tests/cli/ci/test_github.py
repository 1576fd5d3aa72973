"""The comment of `headwater ci` on a pull request, by a stub of GitHub's API, and the annotations."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from headwater.cli.ci.github import MARKER
from tests.cli.ci.planted import CHANGES, base, events
from tests.cli.ci.test_ci import ci, served, written

__all__ = ["served"]
TOKEN = "t0ken-of-a-test"
ISSUES = "/repos/shop/jobs/issues"


BOT, ADA = {"login": "github-actions[bot]", "type": "Bot"}, {"login": "ada", "type": "User"}
REFUSED = {
    401: "Bad credentials",
    403: "Resource not accessible by integration",
    404: "Not Found",
    422: "Validation Failed",
    429: "You have exceeded a secondary rate limit",
    500: "Server Error",
    502: "Server Error",
}


@dataclass
class GitHub:
    """The comments of pull request 42, and what was asked: the parts of GitHub's REST and GraphQL APIs that are
    documented for comments of issues. Asked for no number, a page has 30, and never more than 100.

    refuses     the status of the next writes, and how many
    """

    url: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    refuses: int = 0
    times: int = 1_000
    limited: bool = False
    loses_answers: bool = False

    def said(self, number: int, body: str, user: dict[str, str] | None = BOT) -> dict[str, Any]:
        url = f"{self.url}{ISSUES}"
        return {
            "id": number,
            "node_id": f"IC_{number}",
            "url": f"{url}/comments/{number}",
            "html_url": f"https://github.com/shop/jobs/pull/42#issuecomment-{number}",
            "issue_url": f"{url}/42",
            "body": body,
            "user": user,
            "created_at": "2026-11-20T08:00:00Z",
            "updated_at": "2026-11-20T08:00:00Z",
            "author_association": "NONE",
            "performed_via_github_app": None,
        }

    def answer(self, method: str, target: str, body: Any) -> tuple[int, Any]:
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        self.asked.append((method, path))
        if (method, path) == ("POST", "/graphql"):
            assert body == {"query": "query { viewer { login } }"}
            return 200, {"data": {"viewer": {"login": BOT["login"]}}}
        if self.refuses and self.times and method != "GET":
            self.times -= 1
            if self.loses_answers:
                self.comments.append(self.said(2000 + len(self.comments), body["body"]))
            refused = {"documentation_url": "https://docs.github.com/rest/issues/comments", "status": str(self.refuses)}
            return self.refuses, {"message": REFUSED[self.refuses], **refused}
        if (method, path) == ("GET", f"{ISSUES}/42/comments"):
            size, page = min(100, int(query.get("per_page", ["30"])[0])), int(query.get("page", ["1"])[0])
            return 200, self.comments[size * (page - 1) : size * page]
        if (method, path) == ("POST", f"{ISSUES}/42/comments"):
            self.comments.append(self.said(1000 + len(self.comments), body["body"]))
            return 201, self.comments[-1]
        known = next(each for each in self.comments if path == f"{ISSUES}/comments/{each['id']}")
        known.update(body)
        return 200, known


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[GitHub]:
    stub = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            assert self.headers["Authorization"] == f"Bearer {TOKEN}"
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "null")
            status, answer = stub.answer(self.command, self.path, body)
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            if stub.limited and status == stub.refuses:
                self.send_header("Retry-After", "60")
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            self.do_GET()

        def do_PATCH(self) -> None:
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    event = tmp_path / "event.json"
    event.write_text('{"pull_request": {"number": 42}}', encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        stub.url = f"http://127.0.0.1:{server.server_port}"
        environment = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": stub.url,
            "GITHUB_TOKEN": TOKEN,
            "GITHUB_REPOSITORY": "shop/jobs",
            "GITHUB_EVENT_PATH": str(event),
        }
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("headwater.cli.ci.github.PAUSES", (0, 0))
        monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
        monkeypatch.delenv("GITHUB_GRAPHQL_URL", raising=False)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield stub
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    one = written(tmp_path / "before", events(base()))
    return one, written(tmp_path / "after", events(CHANGES["another type"].pipeline))


def test_one_comment_is_edited_in_place(github: GitHub, sides: tuple[Path, Path], served: Path) -> None:
    github.comments = [github.said(at, f"looks good {at}", ADA) for at in range(150)]
    github.comments.append(github.said(150, f"> {MARKER} quoted", ADA))
    answer = ci(*sides, "--data", served, "--comment")
    assert "headwater: commented on the pull request" in answer.errors
    assert len(github.comments) == 152
    first = github.comments[-1]["body"]
    assert first.startswith(MARKER)
    assert "daily.total is retyped" in first
    answer = ci(sides[0], sides[0], "--data", served, "--comment")
    assert "headwater: edited the comment on the pull request" in answer.errors
    assert len(github.comments) == 152
    assert "lineage does not change" in github.comments[-1]["body"]
    assert TOKEN not in answer.output + answer.errors + first


@pytest.mark.parametrize("user", [ADA, {"login": "renovate[bot]", "type": "Bot"}, None])
def test_a_comment_by_another_user_is_not_edited(
    user: dict[str, str] | None, github: GitHub, sides: tuple[Path, Path]
) -> None:
    """A token that may write comments may edit those of all users. A user who is deleted is none."""
    github.comments = [github.said(1, f"{MARKER}\nmine", user)]
    assert "headwater: commented on the pull request" in ci(*sides, "--comment").errors
    assert "headwater: edited the comment on the pull request" in ci(*sides, "--comment").errors
    assert [each["user"] for each in github.comments] == [user, BOT]
    assert github.comments[0]["body"] == f"{MARKER}\nmine"


def test_a_fault_of_github_is_tried_again_and_makes_no_second_comment(github: GitHub, sides: tuple[Path, Path]) -> None:
    github.refuses, github.times = 502, 2
    assert "headwater: commented on the pull request" in ci(*sides, "--comment").errors
    github.comments, github.times, github.loses_answers = [], 1, True
    assert "headwater: edited the comment on the pull request" in ci(*sides, "--comment").errors
    assert len(github.comments) == 1


@pytest.mark.parametrize("status", [403, 429])
def test_too_many_requests_are_no_missing_rights(status: int, github: GitHub, sides: tuple[Path, Path]) -> None:
    github.refuses, github.limited = status, True
    assert f"not commented: GitHub takes no more requests for now ({status})" in ci(*sides, "--comment").errors
    assert len([method for method, _ in github.asked if method == "POST"]) == 1


def test_a_fork_has_its_report_in_the_summary_of_the_job_and_its_status_is_by_the_rules(
    github: GitHub, sides: tuple[Path, Path], served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no key of production, but the file of it, and a token that may only read."""
    (tmp_path / "headwater.yml").write_text("policy: {keep_columns: true}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.delenv("HEADWATER_API_KEY", raising=False)
    github.refuses = 403
    answer = ci(*sides, "--data", served, "--comment")
    assert answer.status == 1
    assert "not commented: the token may not comment here (403)" in answer.errors
    assert "the report is in the summary of the job" in answer.errors
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert summary.startswith("### Headwater: lineage changes: 1 rule broken")
    assert MARKER not in summary
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "none" / "summary.md"))
    assert ci(*sides, "--data", served, "--comment").status == 1
    github.refuses = 0
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    assert ci(*sides, "--data", served, "--comment").status == 1
    assert (tmp_path / "summary.md").read_text(encoding="utf-8") == summary


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_a_comment_that_is_refused_is_said_and_is_no_failure(
    status: int, github: GitHub, sides: tuple[Path, Path], served: Path
) -> None:
    github.refuses = status
    answer = ci(*sides, "--data", served, "--comment")
    assert answer.status == 0
    assert (
        f"not commented: {'GitHub answered 500' if status == 500 else 'the token may not comment here'}"
        in answer.errors
    )
    assert TOKEN not in answer.output + answer.errors


def test_without_a_token_or_a_pull_request_nothing_is_asked(
    github: GitHub, sides: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "push.json").write_text('{"ref": "refs/heads/main"}', encoding="utf-8")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "push.json"))
    assert "not commented: the event is not one of a pull request" in ci(*sides, "--comment").errors
    monkeypatch.delenv("GITHUB_TOKEN")
    assert "not commented: GITHUB_TOKEN is not set" in ci(*sides, "--comment").errors
    assert github.asked == []


def test_a_server_that_is_gone_is_no_failure(
    github: GitHub, sides: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:1")
    answer = ci(*sides, "--comment")
    assert answer.status == 0
    assert "not commented: GitHub has no answer" in answer.errors


def test_a_broken_rule_is_an_annotation_on_one_line(
    github: GitHub, sides: tuple[Path, Path], served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "headwater.yml").write_text("policy: {keep_columns: true}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    answer = ci(*sides, "--data", served)
    (line,) = [line for line in answer.errors.splitlines() if line.startswith("::error")]
    assert line.startswith("::error title=headwater ci%3A keep_columns::daily.total is retyped")
    assert "datasetField:s3://lake:daily:total -> job:demo:report -> datasetField:s3://lake:report:total" in line
    assert answer.status == 1
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert "::error" not in ci(*sides, "--data", served).errors


def test_names_are_no_markup(tmp_path: Path) -> None:
    """A name may hold what Markdown, HTML or GitHub take for something."""
    named = "@team/__x__|<img src=x>`[a](//b)\n## t ```"
    jobs = base()
    jobs["clean"].types[named] = "string"
    one, other = written(tmp_path / "a", events(base())), written(tmp_path / "b", events(jobs))
    del jobs["clean"].types[named]
    jobs["clean"].types["id"] = named
    for after in (other, written(tmp_path / "c", events(jobs))):
        shown, _, details = ci(one, after, "--format", "markdown").output.partition("<details>")
        assert "@team" not in shown
        assert "<img" not in shown
        fence = details.splitlines()[2]
        assert set(fence) == {"`"}
        assert details.count(fence) == 2
