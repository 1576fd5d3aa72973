"""Alarms, logs and outputs of the stack, and one processor for all functions."""

import re

import pytest

from headwater.store.table import FORMS
from tests.deployment.conftest import Properties, Resources

WATCHED = {
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "DeadLetterQueue"),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "AlertDeadLetters"),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "StreamDeadLetters"),
    ("AWS/SQS", "ApproximateAgeOfOldestMessage", "EventQueue"),
    ("AWS/ApiGateway", "4xx", "HttpApi"),
    ("AWS/ApiGateway", "5xx", "HttpApi"),
    ("Headwater/${AWS::StackName}", "RequestsThrottled", "HttpApi"),
    ("AWS/Lambda", "Throttles", "IngestFunction"),
    ("AWS/Lambda", "Throttles", "NormaliseFunction"),
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
    "PrivateApiUrl",
    "TableName",
    "QueueUrl",
    "DeadLetterQueueUrl",
    "ArchiveBucketName",
    "ArchiveStreamName",
    "KeysSecretArn",
    "AlertBusName",
    "AlertTopicArn",
    "FunctionNames",
}


def test_each_fault_raises_an_alarm(resources: Resources) -> None:
    assert {watched(alarm) for alarm in resources.of_type("AWS::CloudWatch::Alarm").values()} == WATCHED


def test_alarms_go_to_the_topic_if_there_is_one(resources: Resources) -> None:
    actions = {"Fn::If": ["HasAlarmTopic", [{"Ref": "AlarmTopicArn"}], {"Ref": "AWS::NoValue"}]}
    for alarm in resources.of_type("AWS::CloudWatch::Alarm").values():
        assert alarm["AlarmActions"] == alarm["OKActions"] == actions


def test_silence_is_no_alarm(resources: Resources) -> None:
    """A collector that nobody uses has no data, and costs nothing."""
    for alarm in resources.of_type("AWS::CloudWatch::Alarm").values():
        assert alarm["TreatMissingData"] == "notBreaching"


def test_one_failure_is_enough_where_an_event_or_an_alert_is_at_stake(resources: Resources) -> None:
    watched = ("DeadLettersAlarm", "AlertDeadLettersAlarm", "EventsQuarantinedAlarm", "ApiServerErrorsAlarm")
    for name in (*watched, "ApiThrottledAlarm", "CorruptItemsAlarm", "AuditEntriesLostAlarm"):
        assert resources[name]["Threshold"] == 1
        assert resources[name]["EvaluationPeriods"] == 1
        assert resources[name]["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"


def test_logs_do_not_pile_up(resources: Resources) -> None:
    for logs in resources.of_type("AWS::Logs::LogGroup").values():
        assert logs["RetentionInDays"] == {"Ref": "LogRetentionDays"}


def test_outputs_name_the_resources(template: Properties) -> None:
    assert template["Outputs"].keys() == OUTPUTS
    assert all(output["Description"] for output in template["Outputs"].values())


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
    (dimension,) = alarm["Dimensions"]
    namespace = alarm["Namespace"]
    name = namespace["Fn::Sub"] if isinstance(namespace, dict) else namespace
    return name, alarm["MetricName"], subject(dimension["Value"])


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
