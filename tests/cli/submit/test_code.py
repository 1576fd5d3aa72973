"""The code of a submission: by the environments of the services that run builds, and in the answer of "Why?"."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from headwater.cli.submit.code import SubmittedRun, code_events, code_of
from tests import factory
from tests.factory import Document
from tests.lookup.requests import after

GITHUB = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "shop/jobs",
    "GITHUB_SHA": "b2",
    "GITHUB_REF": "refs/heads/main",
    "GITHUB_REF_NAME": "main",
}
OF_REQUEST = {"GITHUB_REF": "refs/pull/42/merge", "GITHUB_REF_NAME": "42/merge", "GITHUB_HEAD_REF": "cents"}
GITLAB = {
    "GITLAB_CI": "true",
    "CI_PROJECT_URL": "https://gitlab.com/shop/jobs",
    "CI_COMMIT_SHA": "b2",
    "CI_COMMIT_REF_NAME": "main",
}
JENKINS = {
    "JENKINS_URL": "https://ci.example.com/",
    "GIT_URL": "https://robot:s3cret@github.com/shop/jobs.git",
    "GIT_COMMIT": "b2",
    "GIT_BRANCH": "PR-42",
    "CHANGE_BRANCH": "cents",
    "CHANGE_ID": "42",
}
CODEBUILD = {
    "CODEBUILD_BUILD_ID": "jobs:1",
    "CODEBUILD_SOURCE_REPO_URL": "https://github.com/shop/jobs.git",
    "CODEBUILD_RESOLVED_SOURCE_VERSION": "b2",
    "CODEBUILD_WEBHOOK_HEAD_REF": "refs/heads/cents",
    "CODEBUILD_WEBHOOK_TRIGGER": "pr/42",
}


@pytest.mark.parametrize(
    ("environment", "url", "branch", "number"),
    [
        ({**GITHUB, **OF_REQUEST}, "https://github.com/shop/jobs", "cents", "42"),
        (GITHUB, "https://github.com/shop/jobs", "main", None),
        ({**GITHUB, "GITHUB_REF": "refs/heads/pr/42"}, "https://github.com/shop/jobs", "main", None),
        ({**GITLAB, "CI_MERGE_REQUEST_IID": "42"}, "https://gitlab.com/shop/jobs", "main", "42"),
        (
            {**GITLAB, "CI_COMMIT_MESSAGE": "Cents\n\nSee merge request shop/jobs!42"},
            "https://gitlab.com/shop/jobs",
            "main",
            "42",
        ),
        (GITLAB, "https://gitlab.com/shop/jobs", "main", None),
        (JENKINS, "https://github.com/shop/jobs.git", "cents", "42"),
        (CODEBUILD, "https://github.com/shop/jobs.git", "cents", "42"),
        ({**CODEBUILD, "CODEBUILD_WEBHOOK_TRIGGER": "branch/main"}, "https://github.com/shop/jobs.git", "cents", None),
    ],
)
def test_the_code_is_told_by_the_environment(
    environment: Mapping[str, str], url: str, branch: str, number: str | None
) -> None:
    code = code_of(environment) or {}
    assert (code["url"], code["repoUrl"], code["version"], code["branch"]) == (url, url, "b2", branch)
    assert code.get("pullRequestNumber") == number


@pytest.mark.parametrize(
    ("message", "number"),
    [
        ("Prices are in cents (#42)\n\nSome text", "42"),
        ("Merge pull request #42 from shop/cents", "42"),
        ("Fixes what #41 broke", None),
        ("Reverts (#41) for now", None),
    ],
)
def test_the_request_that_was_merged_is_told_by_the_commit(message: str, number: str | None, tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"head_commit": {"message": message}}), encoding="utf-8")
    code = code_of({**GITHUB, "GITHUB_EVENT_PATH": str(event)}) or {}
    assert code.get("pullRequestNumber") == number


@pytest.mark.parametrize(
    "environment", [{}, {"GIT_COMMIT": "b2"}, {**GITHUB, "GITHUB_SHA": ""}, {**JENKINS, "GIT_URL": ""}]
)
def test_elsewhere_no_code_is_told(environment: Mapping[str, str]) -> None:
    assert code_of(environment) is None


def run_of(day: int, environment: Mapping[str, str]) -> list[Document]:
    orders, daily = [factory.dataset("orders")], [factory.dataset("daily")]
    kinds = {"START": day * 86_400, "COMPLETE": day * 86_400 + 60}
    sent = [factory.run_event(kind, seconds=at, run=day, inputs=orders, outputs=daily) for kind, at in kinds.items()]
    run = SubmittedRun("demo", "load", factory.run_id(day), factory.PRODUCER, sent[-1]["eventTime"])
    return [*sent, *code_events([run], code_of(environment) or {})]


def test_a_run_that_tells_its_code_is_told_nothing() -> None:
    run = SubmittedRun("demo", "load", factory.run_id(1), factory.PRODUCER, factory.at(0), tells_code=True)
    assert list(code_events([run], code_of(GITHUB) or {})) == []


def test_why_says_which_request_changed_a_job() -> None:
    answer = after(*run_of(1, {**GITHUB, "GITHUB_SHA": "a1"}), *run_of(2, {**GITHUB, **OF_REQUEST}))(
        "rootcause", nodeId="dataset:s3://lake:daily"
    )
    (finding,) = [each for each in answer["findings"] if each["kind"] == "CODE_CHANGED"]
    assert finding["summary"] == "load was changed by #42: version b2 of cents, was a1"
    assert finding["codeAfter"]["link"] == "https://github.com/shop/jobs/pull/42"
    assert answer["suspect"]["state"] == "COMPLETED"
