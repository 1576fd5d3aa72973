"""A service that hangs leaves a function the time to say so: what is cut off at its timeout is a 500, which is lost.

Of the statuses that OpenLineage's clients get, 503 is the one that all of them try again.
"""

import pytest
from botocore.session import Session

from headwater.store.aws import client
from local.deploy.template import read_template
from tests.functions.handlers import ROOT

AWAITED = ("authorise", "ingest", "lookup", "curate")
"""The functions that someone waits for."""


@pytest.mark.parametrize("name", AWAITED)
def test_a_call_that_hangs_is_given_up_before_the_function_is(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    function = read_template(ROOT / "template.yaml")["Resources"][f"{name.capitalize()}Function"]["Properties"]
    config = client(Session(), "sqs").meta.config
    assert (config.connect_timeout + config.read_timeout) * config.retries["total_max_attempts"] < function["Timeout"]
