"""forward is invoked for the events of the stack, if they go anywhere, and loses none."""

from tests.deployment.conftest import Properties, Resources

TARGETS = {"ForwardsToUrl": "ForwardToUrl", "ForwardsToCatalog": "ForwardToCatalog"}


def test_without_a_target_the_function_is_idle_and_costs_nothing(template: Properties, resources: Resources) -> None:
    for condition, parameter in TARGETS.items():
        assert template["Parameters"][parameter]["Default"] == ""
        assert template["Conditions"][condition] == {"Fn::Not": [{"Fn::Equals": [{"Ref": parameter}, ""]}]}
    assert template["Conditions"]["Forwards"] == {"Fn::Or": [{"Condition": name} for name in TARGETS]}
    for name in ("ForwardQueueMapping", "ForwardDeadLettersAlarm", "EventsNotForwardedAlarm"):
        assert resources.whole(name)["Condition"] == "Forwards"
    sent_to = resources["NormaliseFunction"]["Environment"]["Variables"]["FORWARD_TO"]
    assert sent_to["Fn::If"][2]["Fn::If"] == ["ForwardsToCatalog", "catalog", "NONE"]


def test_an_event_is_tried_for_ten_hours_in_the_order_of_its_run_and_kept_for_two_weeks(resources: Resources) -> None:
    queue, dead = resources["ForwardQueue"], resources["ForwardDeadLetters"]
    assert queue["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": ["ForwardDeadLetters", "Arn"]}
    assert queue["RedrivePolicy"]["maxReceiveCount"] * queue["VisibilityTimeout"] == 10 * 60 * 60
    assert queue["VisibilityTimeout"] >= 6 * resources["ForwardFunction"]["Timeout"]
    for each in (queue, dead):
        assert (each["FifoQueue"], each["MessageRetentionPeriod"]) == (True, 14 * 24 * 60 * 60)
        assert (each["DeduplicationScope"], each["FifoThroughputLimit"]) == ("messageGroup", "perMessageGroupId")
    mapping = resources["ForwardQueueMapping"]
    assert mapping["EventSourceArn"] == {"Fn::GetAtt": ["ForwardQueue", "Arn"]}
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_the_function_posts_to_one_domain_and_reads_one_secret(resources: Resources) -> None:
    granted = {
        statement["Sid"]: (policy["Fn::If"][0], statement["Resource"])
        for policy in resources["ForwardRole"]["Policies"]
        if "Fn::If" in policy
        for statement in policy["Fn::If"][1]["PolicyDocument"]["Statement"]
    }
    domain = "arn:${AWS::Partition}:datazone:${AWS::Region}:${AWS::AccountId}:domain/${ForwardToCatalog}"
    assert granted["PostToCatalog"] == ("ForwardsToCatalog", {"Fn::Sub": domain})
    assert granted["ReadHeader"] == ("HasForwardSecret", {"Ref": "ForwardSecretArn"})
    assert granted["ReadLargeBodies"][1] == {"Fn::Sub": "${ArchiveBucket.Arn}/bodies/*"}
