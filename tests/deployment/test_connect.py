"""connect asks no worker unless a cluster is named, and runs in a VPC if subnets are named."""

from tests.deployment.conftest import Properties, Resources

ON_DEMAND = ("ConnectSchedule", "ConnectPermission", "ConnectErrorsAlarm")


def test_without_a_cluster_the_function_is_not_invoked_and_costs_nothing(
    template: Properties, resources: Resources
) -> None:
    assert template["Parameters"]["ConnectClusters"]["Default"] == "{}"
    assert template["Conditions"]["FollowsConnect"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "ConnectClusters"}, "{}"]}]}
    for name in ON_DEMAND:
        assert resources.whole(name)["Condition"] == "FollowsConnect"


def test_only_the_schedule_may_invoke_connect(resources: Resources) -> None:
    permission = resources["ConnectPermission"]
    assert permission["Principal"] == "events.amazonaws.com"
    assert permission["SourceArn"] == {"Fn::GetAtt": ["ConnectSchedule", "Arn"]}


def test_a_poll_that_was_missed_is_not_made_up_for(resources: Resources) -> None:
    """The next poll finds what the missed one would have found."""
    (target,) = resources["ConnectSchedule"]["Targets"]
    assert target["Arn"] == {"Fn::GetAtt": ["ConnectFunction", "Arn"]}
    assert target["RetryPolicy"]["MaximumRetryAttempts"] == 0


def test_the_function_may_keep_network_interfaces_and_read_the_secret_if_there_are_such(resources: Resources) -> None:
    policies = resources["ConnectRole"]["Policies"]
    assert [policy["Fn::If"][0] for policy in policies if "Fn::If" in policy] == ["HasConnectSecret", "ConnectsInVpc"]
    assert resources["ConnectFunction"]["VpcConfig"]["Fn::If"][0] == "ConnectsInVpc"
