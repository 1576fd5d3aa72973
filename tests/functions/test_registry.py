"""registry on the embedded stack: subjects become schemas, and the secret's credentials reach the registry alone."""

import json
from collections.abc import Iterator

import pytest

from tests.embedded import Deployed
from tests.functions.handlers import Event, Function, function
from tests.functions.test_samples import sample
from tests.sources.registry.conftest import record
from tests.sources.registry.fake_registry import AUTHORIZATION, FakeRegistry, run_registry

pytestmark = pytest.mark.emulator


@pytest.fixture
def shop() -> Iterator[FakeRegistry]:
    with run_registry() as registry:
        registry.register("orders-value", record("id:long"))
        yield registry


def schedule() -> Event:
    return sample("registry/schedule.json")


def following(deployed: Deployed, secret: str = "NONE", **urls: str) -> Function:  # noqa: S107 - the word for no secret
    """The function with a registry for each name and URL, and a Kafka cluster of that name."""
    registries = {name: {"urls": [url], "kafka": f"{name}:9092"} for name, url in urls.items()}
    more = {"REGISTRIES": json.dumps(registries), "REGISTRY_SECRET": secret}
    return function("registry", deployed.account.endpoint, deployed.environment("registry") | more)


def test_registry_sends_what_is_new_once(deployed: Deployed, shop: FakeRegistry) -> None:
    poll = following(deployed, recorded=shop.url)
    assert poll(schedule()) == {"sent": 1}
    deployed.wait_for_ingestion()
    assert poll(schedule()) == {"sent": 0}
    shop.register("orders-value", record("id:long", "email:string?"))
    assert poll(schedule()) == {"sent": 1}
    deployed.wait_for_ingestion()


def test_registry_fails_for_one_that_is_away_after_it_has_polled_the_others(
    deployed: Deployed, shop: FakeRegistry
) -> None:
    poll = following(deployed, away="http://127.0.0.1:1", there=shop.url)
    with pytest.raises(Exception, match=r"^away$"):
        poll(schedule())
    deployed.wait_for_ingestion()
    assert following(deployed, there=shop.url)(schedule()) == {"sent": 0}


def test_without_a_registry_the_function_does_nothing(deployed: Deployed) -> None:
    assert function("registry", deployed.account.endpoint, deployed.environment("registry"))(schedule()) == {"sent": 0}


@pytest.mark.parametrize("credentials", [AUTHORIZATION, {"key": "reader", "secret": "hunter2"}])
def test_the_credentials_of_the_secret_reach_the_registry(
    deployed: Deployed, shop: FakeRegistry, credentials: str | Event
) -> None:
    secrets = deployed.account.secretsmanager
    secret = json.dumps({"guarded": credentials})
    arn = secrets.create_secret(Name="headwater-test-registry", SecretString=secret)["ARN"]
    try:
        following(deployed, secret=arn, guarded=shop.url)(schedule())
        assert set(shop.headers) == {AUTHORIZATION}
    finally:
        secrets.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)


@pytest.mark.parametrize("text", ["hunter2", '["hunter2"]', '{"guarded": ["hunter2"]}'])
def test_a_wrong_secret_is_named_and_not_repeated(deployed: Deployed, shop: FakeRegistry, text: str) -> None:
    secrets = deployed.account.secretsmanager
    arn = secrets.create_secret(Name="headwater-test-registry", SecretString=text)["ARN"]
    try:
        with pytest.raises(Exception, match="REGISTRIES: the secret") as error:
            following(deployed, secret=arn, guarded=shop.url)(schedule())
        assert ("hunter2" in str(error.value), shop.headers) == (False, [])
    finally:
        secrets.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)


@pytest.mark.parametrize(
    ("registries", "fault"),
    [
        ({"r": {}}, "r.kafka: expected the bootstrap server of the topics"),
        ({"r": {"kafka": "b:9092"}}, "r: expected urls, an array of URLs, or glue"),
        ({"r": {"kafka": "b:9092", "urls": []}}, "r: expected urls, an array of URLs, or glue"),
        ({"r": {"kafka": "b:9092", "urls": ["registry:8081"]}}, "r.urls: a registry has a URL such as"),
        ({"r": {"kafka": "b:9092", "urls": ["http://r"], "glue": "g"}}, "r: expected urls, an array of URLs, or glue"),
        ({"r": {"kafka": "b:9092", "url": "http://r"}}, "r.url: expected no other members"),
        ({"r": {"kafka": "b:9092", "urls": ["http://r"], "topics": {"a": "b"}}}, "r.topics: expected arrays of topics"),
    ],
)
def test_a_wrong_registry_is_named(deployed: Deployed, registries: Event, fault: str) -> None:
    environment = deployed.environment("registry") | {"REGISTRIES": json.dumps(registries)}
    wrong = function("registry", deployed.account.endpoint, environment)
    with pytest.raises(Exception, match=fault):
        wrong(schedule())
