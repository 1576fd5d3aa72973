"""The workflow that docs/upgrading.md shows calls what there is, and deploys to prod what dev has tried."""

import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / "examples" / "github" / "deploy.yml").read_text())
JOBS = WORKFLOW["jobs"]
COMMANDS = [step["run"] for job in JOBS.values() for step in job["steps"] if "run" in step]


def test_it_calls_targets_and_environments_that_there_are() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = {name for made in re.findall(r"\bmake ([a-z ]+)", "\n".join(COMMANDS)) for name in made.split()}
    assert called == {"validate", "checkov", "build", "doctor"}
    assert called <= targets
    deployed = tomllib.loads((ROOT / "samconfig.toml").read_text())
    stacks = {deployed[stage]["deploy"]["parameters"]["stack_name"]: stage for stage in ("dev", "prod")}
    assert stacks == {JOBS[stage]["env"]["STACK"]: stage for stage in ("dev", "prod")}
    assert stacks == {f"headwater-{stage}": stage for stage in ("dev", "prod")}  # as ${STACK#headwater-} assumes


def test_prod_gets_the_build_that_dev_has_tried_and_its_alarms_are_watched() -> None:
    assert (JOBS["dev"]["needs"], JOBS["prod"]["needs"], JOBS["back"]["needs"]) == ("build", "dev", "prod")
    assert JOBS["dev"]["steps"] == JOBS["prod"]["steps"]
    assert not any("make build" in step.get("run", "") for step in JOBS["prod"]["steps"])
    assert JOBS["prod"]["env"]["WATCHED_MINUTES"] == 10
    assert ("ALERT" in JOBS["dev"]["env"], "ALERT" in JOBS["prod"]["env"]) == (True, False)


def test_the_way_back_is_at_once_since_an_alarm_may_ring() -> None:
    checkout, _, change, deploy = (step["run"] for step in JOBS["back"]["steps"] if "run" in step)
    assert ("git checkout" in checkout, "sam deploy" in deploy) == (True, True)
    sed, in_place, script, name = shlex.split(change)
    assert (sed, in_place, name) == ("sed", "-i", "samconfig.toml")
    committed = (ROOT / name).read_text()
    program = ["/usr/bin/env", sed, script]
    changed = subprocess.run(program, input=committed, capture_output=True, text=True, check=True).stdout  # noqa: S603
    before, after = (tomllib.loads(text)["prod"]["deploy"]["parameters"] for text in (committed, changed))
    differ = set(after.pop("parameter_overrides")) ^ set(before.pop("parameter_overrides"))
    assert differ == {"DeploymentType=Canary10Percent10Minutes", "DeploymentType=AllAtOnce"}
    assert before == after


def test_a_job_that_calls_aws_has_a_role_and_no_lasting_credentials() -> None:
    for name, job in JOBS.items():
        uses = [step["uses"].partition("@")[0] for step in job["steps"] if "uses" in step]
        assert ("aws-actions/configure-aws-credentials" in uses) == (name != "build")
        assert ("id-token" in job.get("permissions", WORKFLOW["permissions"])) == (name != "build")
    assert "AWS_SECRET" not in (ROOT / "examples" / "github" / "deploy.yml").read_text()


def test_the_page_names_what_was_tried() -> None:
    for named in re.findall(r"`(tests/[\w/]+\.py)`", (ROOT / "docs" / "upgrading.md").read_text()):
        assert (ROOT / named).exists(), named
