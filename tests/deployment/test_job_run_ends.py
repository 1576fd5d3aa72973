"""The ends of steps and job runs reach curate, again and again while their runs are not known."""

from events.envelopes import step_ended
from headwater.curate.run_lifecycle import ENDS
from tests.deployment.conftest import Resources

QUEUE = {"Fn::GetAtt": ["JobRunEndQueue", "Arn"]}


def test_a_rule_passes_on_each_end_of_a_step_or_job_run_and_nothing_else(resources: Resources) -> None:
    pattern = resources["JobRunEnds"]["EventPattern"]
    assert pattern["source"] == ["aws.emr", "aws.emr-serverless", "aws.glue"]
    assert step_ended()["detail-type"] in pattern["detail-type"]
    assert set(pattern["detail"]["state"]) == ENDS.keys()
    (target,) = resources["JobRunEnds"]["Targets"]
    assert target["Arn"] == QUEUE


def test_the_rule_alone_may_send(resources: Resources) -> None:
    allowed, denied = resources["JobRunEndQueuePolicy"]["PolicyDocument"]["Statement"]
    assert (allowed["Principal"], allowed["Action"]) == ({"Service": "events.amazonaws.com"}, "sqs:SendMessage")
    assert allowed["Condition"] == {"ArnEquals": {"aws:SourceArn": {"Fn::GetAtt": ["JobRunEnds", "Arn"]}}}
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_an_end_that_comes_before_its_run_is_told_again_for_six_hours(resources: Resources) -> None:
    queue = resources["JobRunEndQueue"]
    assert (queue["MessageRetentionPeriod"], queue["VisibilityTimeout"]) == (6 * 60 * 60, 5 * 60)
    assert queue["VisibilityTimeout"] >= 6 * resources["CurateFunction"]["Timeout"]
    mapping = resources["JobRunEndMapping"]
    assert (mapping["EventSourceArn"], mapping["FunctionName"]) == (QUEUE, {"Ref": "CurateFunction.Alias"})
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
