"""Someone hears of each failure: each stream reader and schedule has alarms, and each target may write to its queue."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.deployment.conftest import Properties, Resources, watched_metric
from tests.deployment.test_permissions import statements

READERS = ("AlertsStreamMapping", "CatalogStreamMapping")
SCHEDULES = ("SweepSchedule", "GlueImportSchedule", "ConnectSchedule", "RegistrySchedule")


def test_every_stream_reader_and_every_schedule_is_listed_here(resources: Resources) -> None:
    mappings = resources.of_type("AWS::Lambda::EventSourceMapping")
    assert {name for name, mapping in mappings.items() if "StartingPosition" in mapping} == set(READERS)
    rules = resources.of_type("AWS::Events::Rule")
    assert {name for name, rule in rules.items() if "ScheduleExpression" in rule} == set(SCHEDULES)


@pytest.mark.parametrize("reader", READERS)
def test_a_stream_reader_that_is_late_or_fails_raises_an_alarm_within_minutes(
    resources: Resources, reader: str
) -> None:
    alarms = alarms_of(resources, resources[reader]["FunctionName"]["Ref"])
    assert alarms.keys() == {"Errors", "IteratorAge"}
    errors = [metric["MetricStat"]["Period"] for metric in alarms["Errors"]["Metrics"] if "MetricStat" in metric]
    assert errors == [300, 300]
    assert alarms["IteratorAge"]["Period"] <= 300
    assert all(alarm["EvaluationPeriods"] == 1 for alarm in alarms.values())
    assert alarms["IteratorAge"]["Threshold"] <= 20 * 60 * 1000


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_function_that_a_schedule_invokes_raises_an_alarm_if_it_fails(resources: Resources, schedule: str) -> None:
    assert "Errors" in alarms_of(resources, scheduled(resources, schedule))


@pytest.mark.parametrize("schedule", ["SweepSchedule", "GlueImportSchedule"])
def test_what_a_scheduled_function_fails_for_goes_to_a_queue_with_an_alarm(resources: Resources, schedule: str) -> None:
    """A poll of Kafka Connect or registries has no queue: the next, a minute later, finds what it missed."""
    invocations = resources.of_type("AWS::Lambda::EventInvokeConfig").values()
    (config,) = [each for each in invocations if each["FunctionName"] == {"Ref": scheduled(resources, schedule)}]
    queue = queue_of(config["DestinationConfig"]["OnFailure"]["Destination"])
    (target,) = resources[schedule]["Targets"]
    assert queue_of(target["DeadLetterConfig"]["Arn"]) == queue
    depths = [
        alarm
        for alarm in resources.of_type("AWS::CloudWatch::Alarm").values()
        if {"Name": "QueueName", "Value": {"Fn::GetAtt": [queue, "QueueName"]}} in watched_metric(alarm)["Dimensions"]
    ]
    assert [alarm["MetricName"] for alarm in depths] == ["ApproximateNumberOfMessagesVisible"]


def test_every_rule_may_write_to_its_queues_and_the_dead_letter_queues_of_its_targets(resources: Resources) -> None:
    granted = {
        (queue, rule)
        for policy in resources.of_type("AWS::SQS::QueuePolicy").values()
        for queue in (each["Ref"] for each in policy["Queues"])
        for rule in rules_let_in(policy)
    }
    queues = resources.of_type("AWS::SQS::Queue")
    written = {
        (name, rule)
        for rule, properties in resources.of_type("AWS::Events::Rule").items()
        for target in properties["Targets"]
        for arn in (target["Arn"], target.get("DeadLetterConfig", target)["Arn"])
        for name in arn.get("Fn::GetAtt", [])[:1]
        if name in queues
    }
    assert written
    assert written == granted


def test_every_function_may_write_to_the_queue_of_its_failures(resources: Resources) -> None:
    configured = [
        *resources.of_type("AWS::Lambda::EventSourceMapping").values(),
        *resources.of_type("AWS::Lambda::EventInvokeConfig").values(),
    ]
    failing = [each for each in configured if "DestinationConfig" in each]
    assert len(failing) == 4
    for each in failing:
        role = resources[each["FunctionName"]["Ref"]]["Role"]["Fn::GetAtt"][0]
        sent_to = [grant["Resource"] for grant in statements(resources[role]) if grant["Action"] == "sqs:SendMessage"]
        assert each["DestinationConfig"]["OnFailure"]["Destination"] in sent_to


def test_a_queue_has_one_policy(resources: Resources) -> None:
    """A second policy of a queue would replace the first."""
    policies = resources.of_type("AWS::SQS::QueuePolicy").values()
    queues = [queue["Ref"] for policy in policies for queue in policy["Queues"]]
    assert sorted(queues) == sorted(resources.of_type("AWS::SQS::Queue"))


def test_the_dashboard_shows_metrics_of_this_stack_alone(template: Properties, resources: Resources) -> None:
    (dashboard,) = resources.of_type("AWS::CloudWatch::Dashboard").values()
    assert dashboard["DashboardName"] == {"Ref": "AWS::StackName"}
    widgets = json.loads(dashboard["DashboardBody"]["Fn::Sub"])["widgets"]
    shown = [metric for widget in widgets for metric in widget["properties"]["metrics"]]
    for namespace, *_, value in shown:
        assert namespace == "Headwater/${AWS::StackName}" or re.match(r"\$\{(\w+)", value)
    named = set(re.findall(r"\$\{(\w+)[.}]", json.dumps(widgets))) - {"AWS"}
    assert named <= template["Resources"].keys()
    unwatched = {"EventQueue", "JobRunEndQueue"}  # in the second, ends of what is no application with the jar wait
    assert {f"{name}" for name in resources.of_type("AWS::SQS::Queue")} - unwatched <= named
    assert resources.of_type("AWS::Serverless::Function").keys() <= named


def test_stacks_of_one_stage_share_no_metrics(resources: Resources, template: Properties) -> None:
    variables = template["Globals"]["Function"]["Environment"]["Variables"]
    assert variables["POWERTOOLS_METRICS_NAMESPACE"] == {"Fn::Sub": "Headwater/${AWS::StackName}"}
    assert "Headwater/${Stage}" not in json.dumps(template)
    assert not any("AlarmName" in alarm for alarm in resources.of_type("AWS::CloudWatch::Alarm").values())


def test_lambda_logs_no_line_for_each_start_and_end_and_drops_no_metric(template: Properties) -> None:
    """A metric is a line without a level, which Lambda takes for INFO."""
    assert template["Globals"]["Function"]["LoggingConfig"] == {
        "LogFormat": "JSON",
        "SystemLogLevel": {"Ref": "SystemLogLevel"},
        "ApplicationLogLevel": "TRACE",
    }
    assert template["Parameters"]["SystemLogLevel"]["Default"] == "WARN"


def test_no_arn_is_of_one_partition_of_aws(resources: Resources, template: Properties) -> None:
    assert not re.findall(r"arn:aws:", json.dumps([template["Resources"], template["Outputs"]]))


def alarms_of(resources: Resources, function: str) -> dict[str, Properties]:
    dimension = [{"Name": "FunctionName", "Value": {"Ref": function}}]
    watched = [(watched_metric(alarm), alarm) for alarm in resources.of_type("AWS::CloudWatch::Alarm").values()]
    return {metric["MetricName"]: alarm for metric, alarm in watched if metric["Dimensions"] == dimension}


def scheduled(resources: Resources, schedule: str) -> str:
    (target,) = resources[schedule]["Targets"]
    return str(target["Arn"]["Fn::GetAtt"][0])


def queue_of(arn: Any) -> str:
    name, attribute = arn["Fn::GetAtt"]
    assert attribute == "Arn"
    return str(name)


def rules_let_in(policy: Properties) -> Iterator[str]:
    for statement in policy["PolicyDocument"]["Statement"]:
        granted = statement["Fn::If"][1] if "Fn::If" in statement else statement
        if granted["Effect"] == "Allow" and granted["Principal"] == {"Service": "events.amazonaws.com"}:
            yield from re.findall(r"'Fn::GetAtt': \['(\w+)', 'Arn'\]", str(granted["Condition"]))
