"""The Connect clusters of a deployment, their consumer groups, and their credentials."""

from typing import Any

import pytest

from headwater.rest import Unreachable
from headwater.retry import Deadline
from headwater.sources.connect.clusters import ConnectCluster, read_clusters
from headwater.sources.connect.consumer_groups import ConsumerGroups, KafkaBroker
from headwater.sources.connect.worker import Workers

WORKERS = ["http://connect-1:8083"]
SASL = {"security_protocol": "SASL_SSL", "sasl_plain_password": "hunter2"}


def read(secret: Any = None, **members: Any) -> list[ConnectCluster]:
    return read_clusters({"shop": members}, {"shop": secret} if secret else {})


def test_the_groups_of_a_broker_are_jobs_in_the_namespace_of_its_topics() -> None:
    connectors, groups = read(workers=WORKERS, kafka="broker-1:9092,broker-2:9092", groups=True)
    assert isinstance(connectors.followed, Workers)
    assert isinstance(groups.followed, ConsumerGroups)
    assert (connectors.name, groups.name) == ("shop", "kafka://broker-1:9092")
    assert groups.followed.broker == KafkaBroker(["broker-1:9092", "broker-2:9092"])


def test_groups_need_no_worker_and_a_worker_no_groups() -> None:
    (groups,) = read(kafka="broker-1:9092", groups=True)
    (connectors,) = read(workers=WORKERS, kafka="broker-1:9092")
    assert isinstance(groups.followed, ConsumerGroups)
    assert isinstance(connectors.followed, Workers)


def test_a_secret_has_a_header_for_workers_and_settings_for_the_broker() -> None:
    connectors, groups = read(
        {"authorization": "Basic x", "kafka": SASL}, workers=WORKERS, kafka="broker-1:9092", groups=True
    )
    assert isinstance(connectors.followed, Workers)
    assert [dict(url.headers) for url in connectors.followed.urls] == [{"Authorization": "Basic x"}]
    assert isinstance(groups.followed, ConsumerGroups)
    assert groups.followed.broker == KafkaBroker(["broker-1:9092"], SASL)
    assert "hunter2" not in repr(groups)


@pytest.mark.parametrize("secret", [["hunter2"], {"header": "hunter2"}, {"kafka": "hunter2"}, {"authorization": 1}])
def test_a_wrong_secret_is_not_repeated(secret: Any) -> None:
    with pytest.raises(ValueError, match="no JSON object of headers") as error:
        read(secret, workers=WORKERS)
    assert "hunter2" not in str(error.value)


def test_a_broker_that_is_away_is_unreachable() -> None:
    (groups,) = read(
        {"kafka": {"request_timeout_ms": 500, "bootstrap_timeout_ms": 500}}, kafka="127.0.0.1:1", groups=True
    )
    with pytest.raises(Unreachable):
        groups.followed.cluster(Deadline())
