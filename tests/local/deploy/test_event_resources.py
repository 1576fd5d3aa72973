"""The resources that the emulator's CloudFormation refuses leave the template, and are created with its properties."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from local.alerts.datadog import Datadog
from local.deploy.event_resources import create, extract
from local.deploy.template import Template, read_template
from local.emulator.account import Account
from local.layout import Layout

SECRET = "arn:aws:secretsmanager:us-east-1:000000000000:secret:datadog"
DATADOG = Datadog("http://127.0.0.1:9", "unused", Path())
OUTPUTS = {
    "AlertArchiveSourceArn": "arn:aws:events:us-east-1:000000000000:event-bus/headwater",
    "AlertArchiveRetentionDays": "90",
    "DatadogConnectionAuthParametersApiKeyAuthParametersApiKeyValue": f"{{{{resolve:secretsmanager:{SECRET}}}}}",
    "DatadogDestinationInvocationEndpoint": "https://api.datadoghq.eu/api/v1/events",
}


class AlreadyThere(Exception):
    pass


class FakeEvents:
    """Keeps the resources, and refuses to create one twice."""

    class exceptions:  # noqa: N801 - as botocore's clients have it
        ResourceAlreadyExistsException = AlreadyThere

    def __init__(self) -> None:
        self.made: dict[str, dict[str, Any]] = {}
        self.updated: dict[str, dict[str, Any]] = {}

    def __getattr__(self, call: str) -> Any:
        verb, _, kind = call.partition("_")

        def answer(**properties: Any) -> None:
            if verb == "create" and kind in self.made:
                raise AlreadyThere
            (self.made if verb == "create" else self.updated)[kind] = properties

        return answer


class FakeAccount:
    def __init__(self) -> None:
        self.events = FakeEvents()
        self.secretsmanager = self

    def get_secret_value(self, SecretId: str) -> dict[str, str]:  # noqa: N803
        assert SecretId == SECRET
        return {"SecretString": "the-key"}


@pytest.fixture
def template() -> Template:
    return read_template(Layout.here().template)


def test_nothing_but_what_is_refused_leaves_the_template(template: Template) -> None:
    before = set(template["Resources"])
    taken = {resource.name for resource in extract(template, "headwater")}
    assert taken == {"AlertArchive", "DatadogConnection", "DatadogDestination"}
    of_chats = {"ChatConnection", "AlertsToChatRole"} | {
        part for name in ("Slack", "Teams") for part in (f"{name}Destination", f"AlertsTo{name}")
    }
    assert set(template["Resources"]) == before - taken - of_chats


def test_what_refers_to_it_gets_its_arn(template: Template) -> None:
    arn = "arn:aws:events:us-east-1:000000000000:api-destination/headwater-DatadogDestination"
    extract(template, "headwater")
    resources = template["Resources"]
    assert resources["AlertsToDatadog"]["Properties"]["Targets"][0]["Arn"] == arn
    (statement,) = resources["AlertsToDatadogRole"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]
    assert statement["Resource"] == arn
    assert "DatadogDestination" not in json.dumps(template["Resources"]).replace(arn, "")


def test_what_it_refers_to_is_asked_back_as_outputs(template: Template) -> None:
    before = dict(template["Outputs"])
    extract(template, "headwater")
    assert template["Outputs"].keys() == before.keys() | OUTPUTS.keys()
    assert template["Outputs"]["AlertArchiveSourceArn"] == {"Value": {"Fn::GetAtt": ["AlertBus", "Arn"]}}


def test_it_is_made_as_the_template_says_with_the_local_datadog_in_the_place_of_datadog(template: Template) -> None:
    account = FakeAccount()
    created = list(create(cast(Account, account), extract(template, "headwater"), OUTPUTS, DATADOG))
    made = account.events.made
    assert created[:2] == ["the archive AlertArchive", "the connection DatadogConnection"]
    assert created[2:] == ["the api-destination DatadogDestination"]
    assert made["archive"]["ArchiveName"] == "headwater-AlertArchive"
    assert made["archive"]["RetentionDays"] == 90
    assert made["archive"]["EventSourceArn"] == OUTPUTS["AlertArchiveSourceArn"]
    assert made["connection"]["AuthParameters"]["ApiKeyAuthParameters"]["ApiKeyValue"] == "the-key"
    assert made["api_destination"]["InvocationEndpoint"] == "http://127.0.0.1:9/api/v1/events"
    assert made["api_destination"]["ConnectionArn"].endswith(":connection/headwater-DatadogConnection")


def test_what_was_kept_is_brought_up_to_date(template: Template) -> None:
    account = FakeAccount()
    taken = extract(template, "headwater")
    for _ in range(2):
        list(create(cast(Account, account), taken, OUTPUTS, DATADOG))
    assert account.events.updated.keys() == {"archive", "connection", "api_destination"}
    assert "EventSourceArn" not in account.events.updated["archive"], "an archive stays with its bus"
