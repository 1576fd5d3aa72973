"""connect on the embedded stack: connectors become jobs, and the secret's credentials reach the worker alone."""

import json
from collections.abc import Iterator

import pytest

from tests.embedded import Deployed
from tests.functions.handlers import Event, Function, function
from tests.functions.test_samples import sample
from tests.sources.connect.recorded_worker import AUTHORIZATION, RecordedWorker, run_worker

pytestmark = pytest.mark.emulator


@pytest.fixture
def worker() -> Iterator[RecordedWorker]:
    with run_worker("running") as worker:
        yield worker


def schedule() -> Event:
    return sample("connect/schedule.json")


def connect(deployed: Deployed, secret: str = "NONE", **urls: str) -> Function:  # noqa: S107 - the word for no secret
    """The function with a cluster of one worker for each namespace and URL."""
    clusters = {namespace: {"workers": [url], "kafka": "broker-1:9092"} for namespace, url in urls.items()}
    more = {"CONNECT_CLUSTERS": json.dumps(clusters), "CONNECT_SECRET": secret}
    return function("connect", deployed.account.endpoint, deployed.environment("connect") | more)


def test_connect_sends_what_is_new_once(deployed: Deployed, worker: RecordedWorker) -> None:
    poll = connect(deployed, recorded=worker.url)
    assert poll(schedule()) == {"sent": 5}
    deployed.wait_for_ingestion()
    assert poll(schedule()) == {"sent": 0}
    worker.show("deleted_and_restarted")
    assert poll(schedule()) == {"sent": 2}
    deployed.wait_for_ingestion()


def test_connect_fails_for_a_cluster_that_is_away_after_it_has_polled_the_others(
    deployed: Deployed, worker: RecordedWorker
) -> None:
    poll = connect(deployed, away="http://127.0.0.1:1", there=worker.url)
    with pytest.raises(Exception, match=r"^away$"):
        poll(schedule())
    deployed.wait_for_ingestion()
    assert connect(deployed, there=worker.url)(schedule()) == {"sent": 0}


def test_without_a_cluster_connect_does_nothing(deployed: Deployed) -> None:
    assert function("connect", deployed.account.endpoint, deployed.environment("connect"))(schedule()) == {"sent": 0}


def test_the_credentials_of_the_secret_reach_the_worker(deployed: Deployed, worker: RecordedWorker) -> None:
    secrets = deployed.account.secretsmanager
    secret = json.dumps({"guarded": AUTHORIZATION})
    arn = secrets.create_secret(Name="headwater-test-connect", SecretString=secret)["ARN"]
    try:
        assert connect(deployed, secret=arn, guarded=worker.url)(schedule()) == {"sent": 5}
        assert set(worker.headers) == {AUTHORIZATION}
    finally:
        secrets.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)


@pytest.mark.parametrize(
    ("clusters", "fault"),
    [
        ({"c": {}}, "c.workers: expected an array of URLs"),
        ({"c": {"workers": []}}, "c.workers: expected an array of URLs"),
        ({"c": {"workers": ["connect-1:8083"]}}, "c.workers: a worker has a URL such as"),
        ({"c": {"workers": ["http://connect-1:8083"], "kafka": 1}}, "c: expected the members workers and"),
        ({"c": {"workers": ["http://connect-1:8083"], "kafak": "b"}}, "c: expected the members workers and"),
        ({"c": {"groups": "yes", "kafka": "b:9092"}}, "c: expected the members workers and"),
        ({"c": {"groups": True}}, "c.kafka: expected the bootstrap server whose consumer groups are followed"),
    ],
)
def test_a_wrong_cluster_is_named(deployed: Deployed, clusters: Event, fault: str) -> None:
    environment = deployed.environment("connect") | {"CONNECT_CLUSTERS": json.dumps(clusters)}
    wrong = function("connect", deployed.account.endpoint, environment)
    with pytest.raises(Exception, match=fault):
        wrong(schedule())
