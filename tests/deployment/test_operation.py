"""Alarms, logs and outputs of the stack, and one processor for all functions."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from headwater.store.table import FORMS
from local.deploy.template import read_template
from tests.deployment.conftest import ROOT, Properties, Resources, watched_metric

WATCHED = {
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "DeadLetterQueue"),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "AlertDeadLetters"),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "StreamDeadLetters"),
    ("AWS/SQS", "ApproximateAgeOfOldestMessage", "EventQueue"),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "PickupDeadLetters"),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "ForwardDeadLetters"),
    ("AWS/ApiGateway", "4xx", "HttpApi"),
    ("AWS/ApiGateway", "5xx", "HttpApi"),
    ("Headwater/${AWS::StackName}", "RequestsThrottled", "HttpApi"),
    ("AWS/Lambda", "Errors", "NormaliseFunction"),
    ("AWS/Firehose", "DeliveryToS3.DataFreshness", "ArchiveStream"),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "CatalogDeadLetterQueue"),
    ("AWS/Lambda", "Errors", "GlueImportFunction"),
    ("AWS/Lambda", "Errors", "ConnectFunction"),
    ("AWS/Lambda", "Errors", "RegistryFunction"),
    ("AWS/Lambda", "Errors", "AlertsFunction"),
    ("AWS/Lambda", "IteratorAge", "AlertsFunction"),
    ("AWS/Lambda", "Errors", "CatalogFunction"),
    ("AWS/Lambda", "IteratorAge", "CatalogFunction"),
    ("AWS/Lambda", "Errors", "SweepFunction"),
    ("Headwater/${AWS::StackName}", "TablesRefused", "catalog"),
    ("Headwater/${AWS::StackName}", "EventsNotForwarded", "forward"),
    ("Headwater/${AWS::StackName}", "EventsQuarantined", "normalise"),
    ("Headwater/${AWS::StackName}", "EmissionLatency", "normalise"),
    ("Headwater/${AWS::StackName}", "RecordsQuarantined", "alerts"),
    ("Headwater/${AWS::StackName}", "CorruptItems", "headwater"),
    ("Headwater/${AWS::StackName}", "AuditEntriesLost", "headwater"),
    ("Headwater/${AWS::StackName}", "KeysRefused", "authorise"),
    ("AWS/ApiGateway", "5XXError", "${AWS::StackName}-private"),
}
OUTPUTS = {
    "AgentJarUri",
    "ApiUrl",
    "DomainTarget",
    "PrivateApiUrl",
    "TableName",
    "QueueUrl",
    "DeadLetterQueueUrl",
    "ArchiveBucketName",
    "ArchiveStreamName",
    "KeysSecretArn",
    "PickupQueueArn",
    "AlertBusName",
    "AlarmTopicArn",
    "AlertTopicArn",
    "FunctionNames",
}


def test_each_fault_raises_an_alarm(resources: Resources) -> None:
    assert {watched(alarm) for alarm in resources.of_type("AWS::CloudWatch::Alarm").values()} == WATCHED


def test_alarms_go_to_the_topic_and_prod_has_one_of_its_own(template: Properties, resources: Resources) -> None:
    own = {"Fn::If": ["MakesAlarmTopic", [{"Ref": "AlarmTopic"}], {"Ref": "AWS::NoValue"}]}
    actions = {"Fn::If": ["HasAlarmTopic", [{"Ref": "AlarmTopicArn"}], own]}
    for alarm in resources.of_type("AWS::CloudWatch::Alarm").values():
        assert alarm["AlarmActions"] == alarm["OKActions"] == actions
    without_topic = {"Fn::Not": [{"Condition": "HasAlarmTopic"}]}
    assert template["Conditions"]["MakesAlarmTopic"] == {"Fn::And": [{"Condition": "IsProduction"}, without_topic]}


def test_cloudwatch_of_this_account_may_publish_to_the_topic_of_alarms(resources: Resources) -> None:
    """CloudWatch cannot use the key of AWS for topics, and a policy of ours replaces the one that lets it publish."""
    assert "KmsMasterKeyId" not in resources["AlarmTopic"]
    allowed, denied = resources["AlarmTopicOverTlsOnly"]["PolicyDocument"]["Statement"]
    assert (allowed["Principal"], allowed["Action"]) == ({"Service": "cloudwatch.amazonaws.com"}, "sns:Publish")
    assert allowed["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_silence_is_no_alarm(resources: Resources) -> None:
    """A collector that nobody uses has no data, and costs nothing."""
    for alarm in resources.of_type("AWS::CloudWatch::Alarm").values():
        assert alarm["TreatMissingData"] == "notBreaching"


def test_one_failure_is_enough_where_an_event_or_an_alert_is_at_stake(resources: Resources) -> None:
    watched = ("DeadLettersAlarm", "AlertDeadLettersAlarm", "EventsQuarantinedAlarm", "RecordsQuarantinedAlarm")
    for name in (*watched, "CorruptItemsAlarm", "AuditEntriesLostAlarm"):
        assert (resources[name]["Threshold"], resources[name]["EvaluationPeriods"]) == (1, 1)
        assert resources[name]["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"


@pytest.mark.parametrize(
    ("name", "bad", "of", "rings"),
    [
        ("ApiServerErrorsAlarm", 1, 3, True),
        ("ApiServerErrorsAlarm", 2, 17_400, False),  # 0.01 % of 58 requests a second
        ("ApiServerErrorsAlarm", 18, 17_400, True),
        ("PrivateApiServerErrorsAlarm", 1, 3, True),
        ("ApiThrottledAlarm", 1, 900, True),
        ("ApiThrottledAlarm", 1, 17_400, False),
        ("ApiClientErrorsAlarm", 99, 99, False),  # somebody mistypes a name
        ("ApiClientErrorsAlarm", 100, 1_000, True),
        ("ApiClientErrorsAlarm", 100, 17_400, False),
        ("NormaliseErrorsAlarm", 1, 50, True),
        ("NormaliseErrorsAlarm", 1, 17_400, False),
        ("AlertsErrorsAlarm", 1, 50, True),
        ("CatalogErrorsAlarm", 1, 50, True),
    ],
)
def test_what_is_called_often_has_a_rate_of_errors(
    resources: Resources, name: str, bad: int, of: int, rings: bool
) -> None:
    alarm = resources[name]
    (expression,) = [metric["Expression"] for metric in alarm["Metrics"] if "Expression" in metric]
    names = {"bad": bad, "all": of, "IF": lambda condition, then, otherwise: then if condition else otherwise}
    rate = eval(expression, names)  # noqa: S307 - the template's own arithmetic, which is Python's, too
    assert (rate >= alarm["Threshold"]) is rings


def test_a_rate_is_of_counts_of_the_same_resource_and_time(resources: Resources) -> None:
    rates = [alarm for alarm in resources.of_type("AWS::CloudWatch::Alarm").values() if "Metrics" in alarm]
    assert len(rates) == 7
    for alarm in rates:
        shown, *counts = alarm["Metrics"]
        assert "ReturnData" not in shown
        assert [metric["Id"] for metric in counts] == ["bad", "all"]
        assert all(metric["ReturnData"] is False for metric in counts)
        assert all((metric["MetricStat"]["Stat"], metric["MetricStat"]["Period"]) == ("Sum", 300) for metric in counts)
        bad, of = (metric["MetricStat"]["Metric"]["Dimensions"] for metric in counts)
        assert bad == of


def test_logs_do_not_pile_up(resources: Resources) -> None:
    for logs in resources.of_type("AWS::Logs::LogGroup").values():
        assert logs["RetentionInDays"] == {"Ref": "LogRetentionDays"}


def test_outputs_name_the_resources(template: Properties) -> None:
    assert template["Outputs"].keys() == OUTPUTS
    assert all(output["Description"] for output in template["Outputs"].values())


NAMES = {"AWS::Events::Archive": 48, "AWS::Events::Connection": 64, "AWS::Events::ApiDestination": 64}
NAMES |= {"AWS::IAM::Role": 64, "AWS::Serverless::Function": 64, "AWS::Events::Rule": 64, "AWS::SQS::Queue": 75}
"""The longest name of a resource, by its type; a FIFO queue's ends with .fifo."""
STACK_NAME = 22
"""What docs/operating.md allows a stack, and MADE what CloudFormation adds: two hyphens and twelve characters."""
MADE = 14


def test_no_made_name_is_too_long_for_a_stack_with_a_name_as_documented(template: Properties) -> None:
    assert f"at most {STACK_NAME} characters" in (ROOT / "docs" / "operating.md").read_text()
    for name, resource in template["Resources"].items():
        assert STACK_NAME + len(name) + MADE <= NAMES.get(resource["Type"], 100), name


def test_the_documented_command_takes_out_what_some_regions_lack_and_all_that_names_it(tmp_path: Path) -> None:
    said = re.search(r"^\$ (sed [^`]+) template\.yaml$", (ROOT / "docs" / "operating.md").read_text(), re.MULTILINE)
    assert said
    copy = tmp_path / "template.yaml"
    copy.write_bytes((ROOT / "template.yaml").read_bytes())
    subprocess.run(["/usr/bin/env", *shlex.split(said[1].replace("\\\n", "")), str(copy)], check=True)  # noqa: S603
    before, left = read_template(ROOT / "template.yaml"), read_template(copy)
    gone = before["Resources"].keys() - left["Resources"].keys()
    lacking = {"AWS::Events::Connection", "AWS::Events::ApiDestination"}
    assert not lacking & {resource["Type"] for resource in left["Resources"].values()}
    assert len(gone) == 10
    assert not [name for name in gone if name in json.dumps(left)]
    conditions = before["Conditions"].keys() - left["Conditions"].keys()
    assert conditions == {"HasDatadog", "HasSlack", "HasTeams", "HasChat"}
    assert not [name for name in conditions if name in json.dumps(left)]
    assert {**before, "Resources": 0, "Conditions": 0} == {**left, "Resources": 0, "Conditions": 0}


def test_every_parameter_is_described_grouped_and_has_a_default(template: Properties) -> None:
    groups = template["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
    grouped = [name for group in groups for name in group["Parameters"]]
    assert sorted(grouped) == sorted(template["Parameters"])
    assert all({"Description", "Default"} <= parameter.keys() for parameter in template["Parameters"].values())


def test_a_new_stack_has_the_newest_forms_of_items_and_an_update_leaves_them(template: Properties) -> None:
    """An update without a value keeps that of the release before, which is a number below the newest."""
    forms = template["Parameters"]["ItemForms"]
    assert forms["Default"] == str(FORMS)
    assert re.fullmatch(forms["AllowedPattern"], "new")


ENVIRONMENT_BYTES = 4096
"""Of all variables of a function, with their names."""
REFERRED_BYTES = 170
"""At most, of the name, URL or ARN of a resource: a queue's URL with a stack name of 64 characters."""


def test_the_longest_values_of_all_parameters_fit_into_the_environment_of_each_function(template: Properties) -> None:
    """Else the deployment fails on the way, and not at once."""
    everywhere = template["Globals"]["Function"]["Environment"]["Variables"]
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::Serverless::Function":
            variables = everywhere | resource["Properties"]["Environment"]["Variables"]
            longest = sum(len(each) + longest_value(value, template["Parameters"]) for each, value in variables.items())
            assert longest <= ENVIRONMENT_BYTES, name


def longest_value(value: Any, parameters: Properties) -> int:
    match value:
        case {"Ref": name} if name in parameters:
            parameter = parameters[name]
            if parameter["Type"] == "Number":
                return len("9999999")
            return int(parameter.get("MaxLength") or max(map(len, parameter["AllowedValues"])))
        case {"Ref": "SettingsVersion"}:
            return len("999999")
        case {"Fn::If": [_, *branches]}:
            return max(longest_value(branch, parameters) for branch in branches)
        case {**members} if members:
            return REFERRED_BYTES
    return len(value)


def test_functions_are_for_the_chosen_processor(template: Properties) -> None:
    assert template["Parameters"]["Architecture"]["Default"] == "arm64"
    assert template["Globals"]["Function"]["Architectures"] == [{"Ref": "Architecture"}]


@pytest.mark.parametrize("layer", ["DependenciesLayer", "HeadwaterLayer"])
def test_a_layer_serves_each_processor_that_may_be_chosen(
    template: Properties, resources: Resources, layer: str
) -> None:
    assert resources[layer]["CompatibleArchitectures"] == template["Parameters"]["Architecture"]["AllowedValues"]


@pytest.mark.parametrize("layer", ["DependenciesLayer", "HeadwaterLayer"])
def test_every_function_has_both_layers(template: Properties, layer: str) -> None:
    assert {"Ref": layer} in template["Globals"]["Function"]["Layers"]


def test_a_skipped_security_check_has_a_reason(template: Properties) -> None:
    metadata = [resource.get("Metadata", {}) for resource in template["Resources"].values()]
    skips = [skip for resource in metadata for skip in resource.get("checkov", {}).get("skip", [])]
    assert skips
    assert all(len(skip["comment"]) > 20 for skip in skips)


def watched(alarm: Properties) -> tuple[str, str, str]:
    metric = watched_metric(alarm)
    (dimension,) = metric["Dimensions"]
    namespace = metric["Namespace"]
    name = namespace["Fn::Sub"] if isinstance(namespace, dict) else namespace
    return name, metric["MetricName"], subject(dimension["Value"])


def subject(value: str | Properties) -> str:
    """Return the name of the resource that a dimension refers to, or its text."""
    if isinstance(value, str):
        return value
    if "Fn::Sub" in value:
        return str(value["Fn::Sub"])
    reference = value["Ref"] if "Ref" in value else value["Fn::GetAtt"][0]
    return str(reference)


def test_keys_events_and_lookups_can_have_copies_of_their_own(resources: Resources) -> None:
    reserve = {"Fn::If": ["HasReserve", {"Ref": "ReservedConcurrency"}, {"Ref": "AWS::NoValue"}]}
    functions = resources.of_type("AWS::Serverless::Function")
    reserved = {name for name, each in functions.items() if each.get("ReservedConcurrentExecutions") == reserve}
    assert reserved == {"AuthoriseFunction", "IngestFunction", "LookupFunction"}


def test_the_example_of_terraform_sets_parameters_that_the_template_has(template: Properties) -> None:
    example = (ROOT / "examples" / "terraform" / "main.tf").read_text()
    (given,) = re.findall(r"parameters   = \{(.*)\}\n", example)
    assert {"Stage", *re.findall(r"(\w+) =", given)} <= template["Parameters"].keys()
    assert len([line for line in example.splitlines() if line and not line.startswith("#")]) <= 30
