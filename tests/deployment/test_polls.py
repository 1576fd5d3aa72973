"""connect and registry ask nobody unless a cluster or a registry is named, and run in a VPC if subnets are named."""

import pytest

from tests.deployment.conftest import Properties, Resources

POLLS = [
    ("Connect", "ConnectClusters", "FollowsConnect", ["HasConnectSecret", "ConnectsInVpc"]),
    ("Registry", "Registries", "FollowsRegistries", ["FollowsRegistries", "HasRegistrySecret", "RegistryInVpc"]),
]


@pytest.mark.parametrize("poll", POLLS)
def test_a_poll_costs_nothing_unless_it_is_wanted_and_then_has_the_rights_it_needs(
    template: Properties, resources: Resources, poll: tuple[str, str, str, list[str]]
) -> None:
    name, parameter, condition, policies = poll
    assert template["Parameters"][parameter]["Default"] == "{}"
    assert template["Conditions"][condition] == {"Fn::Not": [{"Fn::Equals": [{"Ref": parameter}, "{}"]}]}
    for on_demand in (f"{name}Schedule", f"{name}Permission", f"{name}ErrorsAlarm"):
        assert resources.whole(on_demand)["Condition"] == condition
    optional = [policy["Fn::If"][0] for policy in resources[f"{name}Role"]["Policies"] if "Fn::If" in policy]
    assert optional == policies
    assert resources[f"{name}Function"]["VpcConfig"]["Fn::If"][0] == policies[-1]


@pytest.mark.parametrize("name", ["Connect", "Registry"])
def test_only_the_schedule_invokes_a_poll_and_makes_up_for_none(resources: Resources, name: str) -> None:
    """The next poll finds what a missed one would have found."""
    permission = resources[f"{name}Permission"]
    assert permission["Principal"] == "events.amazonaws.com"
    assert permission["SourceArn"] == {"Fn::GetAtt": [f"{name}Schedule", "Arn"]}
    (target,) = resources[f"{name}Schedule"]["Targets"]
    assert target["Arn"] == {"Fn::GetAtt": [f"{name}Function", "Arn"]}
    assert target["RetryPolicy"]["MaximumRetryAttempts"] == 0


def test_registry_may_read_schemas_of_glue_and_no_more(resources: Resources) -> None:
    statements = resources["RegistryRole"]["Policies"][1]["Fn::If"][1]["PolicyDocument"]["Statement"]
    (of_glue,) = [statement for statement in statements if statement["Sid"] == "ReadGlueSchemas"]
    assert all(action.startswith(("glue:Get", "glue:List")) for action in of_glue["Action"])
    assert [arn["Fn::Sub"].rpartition(":")[2] for arn in of_glue["Resource"]] == ["registry/*", "schema/*"]
