"""No password or token of a configuration is in an event, whatever its key is called."""

import pytest

from headwater.sources.connect.redaction import told_settings, without_secrets
from tests.sources.connect.conftest import World
from tests.sources.connect.recorded_worker import LIST

SECRET = "hunter2-and-more"
CONFIG = {
    "connection.password": SECRET,
    "my.api.key": SECRET,
    "connection.user": "etl",
    "producer.override.sasl.jaas.config": f'PlainLoginModule required password="{SECRET}";',
    "connection.url": f"jdbc:postgresql://db/shop?user=etl&password={SECRET}",
    "errors.deadletterqueue.topic.name": "dead",
    "transforms.insert.static.value": SECRET,
    "query": f"select '{SECRET}'",
    "anything": SECRET,
}
TRACES = [
    f"FATAL: password authentication failed for {SECRET}",
    f"cannot open jdbc:postgresql://etl:{SECRET}@db/shop",
    f"Invalid url jdbc:postgresql://db/shop?password={SECRET}&ssl=true",
    f"token: {SECRET}",
]


def test_settings_of_the_allow_list_are_told_and_no_others() -> None:
    assert told_settings(CONFIG) == {"errors.deadletterqueue.topic.name": "dead"}


@pytest.mark.parametrize("trace", TRACES)
def test_a_trace_that_repeats_a_secret_is_told_without_it(trace: str) -> None:
    assert SECRET not in without_secrets(trace, CONFIG)
    assert "***" in without_secrets(trace, CONFIG)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("basic.auth.user.info", f"KEY:{SECRET}"),
        ("producer.override.sasl.jaas.config", f'PlainLoginModule required password="{SECRET}";'),
        ("connection.url", f"jdbc:postgresql://db/shop?user=etl&password={SECRET}"),
        ("connection.uri", f"mongodb://etl:{SECRET}@docs/shop"),
        ("snowflake.private.key", SECRET),
    ],
)
def test_a_trace_that_repeats_a_part_of_a_setting_is_told_without_it(key: str, text: str) -> None:
    assert without_secrets(f"cannot log in with {SECRET}!", {key: text}) == "cannot log in with ***!"


def test_no_event_has_a_secret_of_the_configuration(world: World) -> None:
    entry = world.worker.answers[LIST][1]["write-nowhere"]
    entry["info"]["config"] |= CONFIG
    entry["status"]["tasks"][0]["trace"] += "\nCaused by: " + "; ".join(TRACES)
    entry["info"]["config"]["file"] = f"ftp://etl:{SECRET}@files/orders.txt"
    offset = {"partition": {"url": f"ftp://etl:{SECRET}@files", "password": SECRET}, "offset": {"position": 1}}
    world.worker.answers["/connectors/write-nowhere/offsets"][1]["offsets"] = [offset]
    world.poll()
    assert ("write-nowhere", "FAIL") in world.told()
    assert SECRET not in world.text()
    assert "hunter2" not in world.text()
