"""pickup is invoked for the objects of one bucket, if a bucket is named, and loses none."""

from tests.deployment.conftest import Properties, Resources

BUCKET = {"Fn::Sub": "arn:${AWS::Partition}:s3:::${PickupBucketName}"}


def test_without_a_bucket_the_function_is_idle_and_costs_nothing(template: Properties, resources: Resources) -> None:
    assert template["Parameters"]["PickupBucketName"]["Default"] == ""
    assert template["Conditions"]["PicksUp"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "PickupBucketName"}, ""]}]}
    for name in ("PickupQueuePolicy", "PickupQueueMapping", "PickupDeadLettersAlarm"):
        assert resources.whole(name)["Condition"] == "PicksUp"


def test_s3_alone_may_send_for_this_bucket_of_this_account(resources: Resources) -> None:
    allowed, denied = resources["PickupQueuePolicy"]["PolicyDocument"]["Statement"]
    assert (allowed["Principal"], allowed["Action"]) == ({"Service": "s3.amazonaws.com"}, "sqs:SendMessage")
    assert allowed["Condition"] == {
        "ArnEquals": {"aws:SourceArn": BUCKET},
        "StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}},
    }
    assert denied["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_an_object_is_tried_for_an_hour_and_its_name_kept_for_as_long_as_sqs_can(resources: Resources) -> None:
    """The age of a standard queue's oldest message leaves out those that were received three times."""
    queue = resources["PickupQueue"]
    assert queue["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": ["PickupDeadLetters", "Arn"]}
    assert queue["RedrivePolicy"]["maxReceiveCount"] * queue["VisibilityTimeout"] == 60 * 60
    assert resources["PickupDeadLetters"]["MessageRetentionPeriod"] == 14 * 24 * 60 * 60
    assert queue["VisibilityTimeout"] >= resources["PickupFunction"]["Timeout"]
    mapping = resources["PickupQueueMapping"]
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BatchSize"] == 1  # an object that ends its invocation takes no other with it
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 10}


def test_the_function_reads_the_objects_of_the_bucket_and_changes_none(resources: Resources) -> None:
    (policy,) = [each["Fn::If"][1] for each in resources["PickupRole"]["Policies"] if "Fn::If" in each]
    (read,) = [each for each in policy["PolicyDocument"]["Statement"] if each["Sid"] == "ReadObjects"]
    assert (read["Action"], read["Resource"]) == ("s3:GetObject", {"Fn::Sub": f"{BUCKET['Fn::Sub']}/*"})
