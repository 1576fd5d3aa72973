"""Which code a program is, by the environment of GitHub Actions, GitLab, Jenkins or CodeBuild: repository, commit,
branch and the number of the pull request. It becomes the facet sourceCodeLocation of the jobs of a submission, for
"Why?".
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

SCHEMA = "https://openlineage.io/spec/facets/1-1-0/SourceCodeLocationJobFacet.json"
EVENT = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
_MERGED = re.compile(r"\(#(\d+)\)$|^Merge pull request #(\d+) |See merge request \S*!(\d+)$", re.MULTILINE)
"""The number in the message of a commit that merges a pull request: squashed or not, or GitLab's."""
_OF_REF = re.compile(r"(?:refs/pull|pr)/(\d+)(?:/|$)")


class SubmittedRun(NamedTuple):
    """A run of a job, its producer, the time of its last event, and whether the program itself tells its code."""

    namespace: str
    job: str
    run_id: str
    producer: str
    time: str
    tells_code: bool = False


def code_of(environment: Mapping[str, str]) -> dict[str, str] | None:
    """The members of the facet; None outside of these, and where repository or commit are not told."""
    told = environment.get
    url, version, branch, number, message = "", "", "", "", ""
    if told("GITHUB_ACTIONS"):
        url = f"{told('GITHUB_SERVER_URL', 'https://github.com')}/{told('GITHUB_REPOSITORY', '')}"
        version, branch = told("GITHUB_SHA", ""), told("GITHUB_HEAD_REF") or told("GITHUB_REF_NAME", "")
        number, message = _of_ref(told("GITHUB_REF", "")), _message(told("GITHUB_EVENT_PATH", ""))
    elif told("GITLAB_CI"):
        url, version, branch = told("CI_PROJECT_URL", ""), told("CI_COMMIT_SHA", ""), told("CI_COMMIT_REF_NAME", "")
        number, message = told("CI_MERGE_REQUEST_IID", ""), told("CI_COMMIT_MESSAGE", "")
    elif told("JENKINS_URL"):
        url, version = told("GIT_URL", ""), told("GIT_COMMIT", "")
        branch, number = told("CHANGE_BRANCH") or told("GIT_BRANCH", ""), told("CHANGE_ID", "")
    elif told("CODEBUILD_BUILD_ID"):
        url, version = told("CODEBUILD_SOURCE_REPO_URL", ""), told("CODEBUILD_RESOLVED_SOURCE_VERSION", "")
        branch = told("CODEBUILD_WEBHOOK_HEAD_REF", "").removeprefix("refs/heads/")
        number = _of_ref(told("CODEBUILD_WEBHOOK_TRIGGER") or told("CODEBUILD_SOURCE_VERSION", ""))
    if not (url and version):
        return None
    merged = next(filter(None, match.groups()), "") if (match := _MERGED.search(message)) else ""
    members = {"version": version, "branch": branch, "pullRequestNumber": number or merged}
    shown = _without_credentials(url)
    return {"type": "git", "url": shown, "repoUrl": shown, **{name: text for name, text in members.items() if text}}


def code_events(runs: Iterable[SubmittedRun], code: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """An event for each run that tells no code itself, which says which code it ran, and nothing else."""
    for run in (run for run in runs if not run.tells_code):
        facet = {"_producer": run.producer, "_schemaURL": SCHEMA, **code}
        yield {
            "eventTime": run.time,
            "eventType": "OTHER",
            "producer": run.producer,
            "schemaURL": EVENT,
            "run": {"runId": run.run_id},
            "job": {"namespace": run.namespace, "name": run.job, "facets": {"sourceCodeLocation": facet}},
        }


def _of_ref(ref: str) -> str:
    match = _OF_REF.match(ref)
    return match[1] if match else ""


def _message(path: str) -> str:
    """The message of the commit that was pushed, by the event of GitHub Actions."""
    try:
        event = json.loads(Path(path).read_text(encoding="utf-8"))
        return str(event["head_commit"]["message"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _without_credentials(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl() if parts.scheme in ("http", "https") else url
