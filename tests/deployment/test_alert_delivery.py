"""The delivery of an alert from the bus to the topic and to Datadog, and the queue of undeliverable alerts."""

import json
from typing import Any

import pytest
from hypothesis import given

from local.alerts.datadog_event import parse_event
from local.deploy.template import read_template
from tests.alert_samples import TYPES, Detail, details, schema_changed
from tests.deployment.conftest import ROOT, Properties, Resources
from tests.deployment.input_transformer import in_quotes, rendered

CHATS = ("Slack", "Teams")
RULES = ("AlertsToTopic", "AlertsToDatadog")
FILTERED_BY = ("namespace", "owners", "severity")

RESOURCES = Resources(read_template(ROOT / "template.yaml")["Resources"])
TO_TOPIC, TO_DATADOG = (dict(RESOURCES[rule]["Targets"][0]["InputTransformer"]) for rule in RULES)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_matches_every_alert_and_no_other_event(resources: Resources, rule: str) -> None:
    assert resources[rule]["EventBusName"] == {"Ref": "AlertBus"}
    assert resources[rule]["EventPattern"] == {"source": ["headwater.lineage"]}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_tries_for_a_day_and_then_sets_the_alert_aside(resources: Resources, rule: str) -> None:
    target = target_of(resources, rule)
    assert target["RetryPolicy"] == {"MaximumEventAgeInSeconds": 24 * 60 * 60, "MaximumRetryAttempts": 185}
    assert target["DeadLetterConfig"] == {"Arn": {"Fn::GetAtt": ["AlertDeadLetters", "Arn"]}}


def test_dead_letters_are_kept_as_long_as_sqs_can(resources: Resources) -> None:
    assert resources["AlertDeadLetters"]["MessageRetentionPeriod"] == 14 * 24 * 60 * 60
    assert "FifoQueue" not in resources["AlertDeadLetters"], "EventBridge takes no FIFO queue for dead letters"


def test_every_alert_is_archived_for_as_long_as_is_said(resources: Resources) -> None:
    archive = resources["AlertArchive"]
    assert archive["SourceArn"] == {"Fn::GetAtt": ["AlertBus", "Arn"]}
    assert archive["RetentionDays"] == {"Ref": "AlertRetentionDays"}
    assert "EventPattern" not in archive


def test_the_topic_is_encrypted_with_a_key_that_costs_nothing(resources: Resources) -> None:
    """It may be the key of AWS because the rule publishes with a role: docs/decisions/0010-alerts-with-a-role.md."""
    assert resources["AlertTopic"]["KmsMasterKeyId"] == "alias/aws/sns"
    assert target_of(resources, "AlertsToTopic")["RoleArn"] == {"Fn::GetAtt": ["AlertsToTopicRole", "Arn"]}


def test_the_policy_of_the_topic_permits_no_principal(resources: Resources) -> None:
    policy = resources["AlertTopicOverTlsOnly"]
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert policy["Topics"] == [{"Ref": "AlertTopic"}]
    assert (statement["Effect"], statement["Principal"]) == ("Deny", "*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


@pytest.mark.parametrize("role", ["AlertsToTopicRole", "AlertsToDatadogRole", "AlertsToChatRole"])
def test_a_role_is_taken_by_rules_of_the_bus_alone(resources: Resources, role: str) -> None:
    (statement,) = resources[role]["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "events.amazonaws.com"}
    assert statement["Condition"]["StringEquals"] == {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    (arn,) = statement["Condition"]["ArnLike"].values()
    assert arn["Fn::Sub"].endswith(":${AWS::AccountId}:rule/${AlertBus}/*")


@pytest.mark.parametrize("name", CHATS)
def test_without_a_url_there_are_no_resources_for_a_chat(template: Properties, name: str) -> None:
    conditions = {part: resource.get("Condition") for part, resource in template["Resources"].items()}
    assert {part for part, condition in conditions.items() if condition == f"Has{name}"} == {
        f"{name}Destination",
        f"AlertsTo{name}",
    }
    assert (conditions["ChatConnection"], conditions["AlertsToChatRole"]) == ("HasChat", "HasChat")
    assert template["Parameters"][f"{name}UrlSecretArn"]["Default"] == ""


@pytest.mark.parametrize("name", CHATS)
def test_the_url_of_a_chat_comes_from_a_secret(resources: Resources, name: str) -> None:
    endpoint = resources[f"{name}Destination"]["InvocationEndpoint"]
    assert endpoint == {"Fn::Sub": f"{{{{resolve:secretsmanager:${{{name}UrlSecretArn}}}}}}"}


def test_the_queue_of_dead_letters_accepts_the_rules_over_tls_alone(resources: Resources) -> None:
    policy = resources["AlertDeadLettersFromRules"]
    allowed, refused = policy["PolicyDocument"]["Statement"]
    assert policy["Queues"] == [{"Ref": "AlertDeadLetters"}]
    assert (allowed["Principal"], allowed["Action"]) == ({"Service": "events.amazonaws.com"}, "sqs:SendMessage")
    to_topic, sweep, to_datadog, *to_chat = allowed["Condition"]["ArnEquals"]["aws:SourceArn"]
    assert to_topic == {"Fn::GetAtt": ["AlertsToTopic", "Arn"]}
    assert sweep == {"Fn::GetAtt": ["SweepSchedule", "Arn"]}
    assert to_datadog == {"Fn::If": ["HasDatadog", {"Fn::GetAtt": ["AlertsToDatadog", "Arn"]}, {"Ref": "AWS::NoValue"}]}
    assert to_chat == [
        {"Fn::If": [f"Has{name}", {"Fn::GetAtt": [f"AlertsTo{name}", "Arn"]}, {"Ref": "AWS::NoValue"}]}
        for name in CHATS
    ]
    assert (refused["Effect"], refused["Principal"], refused["Action"]) == ("Deny", "*", "sqs:*")
    assert refused["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_without_a_key_there_are_no_resources_for_datadog(template: Properties) -> None:
    conditional = {
        name for name, resource in template["Resources"].items() if resource.get("Condition") == "HasDatadog"
    }
    assert conditional == {"DatadogConnection", "DatadogDestination", "AlertsToDatadog", "AlertsToDatadogRole"}
    assert template["Parameters"]["DatadogKeySecretArn"]["Default"] == ""
    assert template["Conditions"]["HasDatadog"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "DatadogKeySecretArn"}, ""]}]}


def test_the_key_of_datadog_comes_from_a_secret_and_goes_into_its_header(resources: Resources) -> None:
    connection = resources["DatadogConnection"]
    assert connection["AuthorizationType"] == "API_KEY"
    assert connection["AuthParameters"] == {
        "ApiKeyAuthParameters": {
            "ApiKeyName": "DD-API-KEY",
            "ApiKeyValue": {"Fn::Sub": "{{resolve:secretsmanager:${DatadogKeySecretArn}}}"},
        }
    }


def test_datadog_is_posted_to_at_its_site_no_faster_than_it_takes(resources: Resources) -> None:
    destination = resources["DatadogDestination"]
    assert destination["HttpMethod"] == "POST"
    assert destination["InvocationEndpoint"] == {"Fn::Sub": "https://api.${DatadogSite}/api/v1/events"}
    assert destination["InvocationRateLimitPerSecond"] <= 10


@pytest.mark.parametrize("transformer", [TO_TOPIC, TO_DATADOG], ids=RULES)
def test_no_text_of_an_alert_stands_in_quotes_where_nothing_would_be_escaped(transformer: Properties) -> None:
    assert in_quotes(transformer["InputTemplate"]) <= {"link"}


@pytest.mark.parametrize("null", ["", "null"])
@given(detail=details)
def test_the_message_of_any_alert_is_json_with_its_members(null: str, detail: Detail) -> None:
    message = json.loads(rendered(TO_TOPIC, event(detail), null_in_quotes=null))
    assert (message["detail"], message["explanation"]) == (detail, detail["lines"])
    assert message["link"] == (detail["link"] or null)
    for name in ("id", "time", "severity", "namespace", "name", "owners", "title"):
        assert message[name] == detail[name]


@given(detail=details)
def test_datadog_accepts_any_alert(detail: Detail) -> None:
    assert parse_event(rendered(TO_DATADOG, event(detail)).encode(), now=0) == {
        "title": detail["title"],
        "text": detail["text"],
        "tags": detail["tags"],
        "alert_type": detail["alertType"],
        "aggregation_key": detail["aggregationKey"],
        "source_type_name": "my_apps",
    }


def test_the_message_for_a_person_has_the_important_members_first_one_a_line() -> None:
    lines = rendered(TO_TOPIC, event(schema_changed("a" * 32))).splitlines()
    assert [line.split('"')[1] for line in lines[1:4]] == ["alert", "severity", "title"]
    assert lines[-2].startswith('  "detail": {')
    assert (lines[0], lines[-1]) == ("{", "}")
    assert all(line.startswith('  "') for line in lines[1:-1])


def test_a_subscription_can_filter_by_members_of_the_message() -> None:
    assert json.loads(rendered(TO_TOPIC, event(schema_changed("a" * 32)))).keys() >= set(FILTERED_BY)


def target_of(resources: Resources, rule: str) -> Properties:
    (target,) = resources[rule]["Targets"]
    return dict(target)


def event(detail: Detail) -> dict[str, Any]:
    return {"detail-type": TYPES[0], "source": "headwater.lineage", "detail": detail}
