"""registry asks no schema registry unless one is named, and runs in a VPC if subnets are named."""

from tests.deployment.conftest import Properties, Resources

ON_DEMAND = ("RegistrySchedule", "RegistryPermission", "RegistryErrorsAlarm")


def test_without_a_registry_the_function_is_not_invoked_and_costs_nothing(
    template: Properties, resources: Resources
) -> None:
    assert template["Parameters"]["Registries"]["Default"] == "{}"
    assert template["Conditions"]["FollowsRegistries"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "Registries"}, "{}"]}]}
    for name in ON_DEMAND:
        assert resources.whole(name)["Condition"] == "FollowsRegistries"


def test_only_the_schedule_may_invoke_registry(resources: Resources) -> None:
    permission = resources["RegistryPermission"]
    assert permission["Principal"] == "events.amazonaws.com"
    assert permission["SourceArn"] == {"Fn::GetAtt": ["RegistrySchedule", "Arn"]}


def test_a_poll_that_was_missed_is_not_made_up_for(resources: Resources) -> None:
    """The next poll finds what the missed one would have found."""
    (target,) = resources["RegistrySchedule"]["Targets"]
    assert target["Arn"] == {"Fn::GetAtt": ["RegistryFunction", "Arn"]}
    assert target["RetryPolicy"]["MaximumRetryAttempts"] == 0


def test_the_function_may_keep_network_interfaces_and_read_the_secret_if_there_are_such(resources: Resources) -> None:
    policies = resources["RegistryRole"]["Policies"]
    assert [policy["Fn::If"][0] for policy in policies if "Fn::If" in policy] == [
        "FollowsRegistries",
        "HasRegistrySecret",
        "RegistryInVpc",
    ]
    assert resources["RegistryFunction"]["VpcConfig"]["Fn::If"][0] == "RegistryInVpc"


def test_the_function_may_read_schemas_of_glue_and_no_more(resources: Resources) -> None:
    statements = resources["RegistryRole"]["Policies"][1]["Fn::If"][1]["PolicyDocument"]["Statement"]
    (of_glue,) = [statement for statement in statements if statement["Sid"] == "ReadGlueSchemas"]
    assert all(action.startswith(("glue:Get", "glue:List")) for action in of_glue["Action"])
    assert [arn["Fn::Sub"].rpartition(":")[2] for arn in of_glue["Resource"]] == ["registry/*", "schema/*"]
