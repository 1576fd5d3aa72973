"""A client of AWS times out before its function does, which leaves the function the time to answer 503.

All of OpenLineage's clients retry 503. A function at its timeout is answered 500, which some clients do not retry.
"""

import pytest
from botocore.session import Session

from headwater.store.aws.client import client
from local.deploy.template import read_template
from tests.functions.handlers import ROOT


@pytest.mark.parametrize("name", ["authorise", "ingest", "lookup", "curate"])  # which someone waits for
def test_a_call_that_hangs_is_given_up_before_the_function_is(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    function = read_template(ROOT / "template.yaml")["Resources"][f"{name.capitalize()}Function"]["Properties"]
    config = client(Session(), "sqs").meta.config
    assert (config.connect_timeout + config.read_timeout) * config.retries["total_max_attempts"] < function["Timeout"]
