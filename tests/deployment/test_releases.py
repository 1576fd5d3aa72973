"""What answers requests is released by aliases. A version has code, layers and parameters; CodeDeploy moves there."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from samtranslator.translator.transform import transform  # type: ignore[import-untyped]

from local.deploy.code_deploy import without_code_deploy
from local.deploy.template import code_resources, read_template
from tests.deployment.conftest import ROOT, Properties, Resources

RELEASED = ("AuthoriseFunction", "IngestFunction", "LookupFunction", "CurateFunction")
NOT_OF_A_VERSION = {"ReservedConcurrentExecutions", "DeploymentPreference"}


class ManagedPolicies:
    def load(self) -> dict[str, str]:
        return {"AWSCodeDeployRoleForLambdaLimited": "arn:unused"}


@pytest.fixture(autouse=True)
def region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


def resources_of(functions: str = "a", layers: str = "a", **parameters: str) -> Properties:
    """The resources that SAM makes of the template, with code at these places."""
    template = read_template(ROOT / "template.yaml")
    for name, resource, code in code_resources(template):
        resource["Properties"][code] = f"s3://bucket/{name}-{layers if name.endswith('Layer') else functions}"
    made: Properties = transform(template, parameters, ManagedPolicies())["Resources"]
    return made


def versions(resources: Properties) -> set[str]:
    return {name for name, resource in resources.items() if resource["Type"] == "AWS::Lambda::Version"}


def test_new_code_and_new_layers_are_new_versions() -> None:
    now = versions(resources_of())
    assert {re.sub("Version[0-9a-f]+$", "", name) for name in now} == set(RELEASED)
    assert not now & versions(resources_of(functions="b"))
    assert not now & versions(resources_of(layers="b"))


@pytest.mark.parametrize("function", RELEASED)
def test_another_value_of_a_parameter_is_a_new_version(written: Properties, function: str) -> None:
    """SAM does not see it: https://github.com/aws/serverless-application-model/issues/3820."""
    properties = written["Globals"]["Function"] | written["Resources"][function]["Properties"]
    environment = {"Globals": written["Globals"]["Function"]["Environment"], "Own": properties["Environment"]}
    of_versions = {name: value for name, value in properties.items() if name not in NOT_OF_A_VERSION} | environment
    role = written["Resources"][properties["Role"]["Fn::GetAtt"][0]]["Properties"]
    of_versions["Role"] = [role.get(name) for name in ("Path", "RoleName")]  # CloudFormation replaces a role for these
    used = set(parameters_in(of_versions, written))
    content = written["Resources"]["SettingsVersion"]["Properties"]["Content"]
    assert used
    assert used <= set(parameters_in(content, written))
    assert properties["VersionDescription"] == {"Fn::Sub": "settings ${SettingsVersion}"}
    assert properties["Environment"]["Variables"]["SETTINGS_VERSION"] == {"Ref": "SettingsVersion"}


def parameters_in(value: Any, template: Properties) -> Iterator[str]:
    """The parameters that decide a part of a template, also by a condition."""
    match value:
        case {"Ref": str(name)} if name in template["Parameters"]:
            yield name
        case {"Condition": str(name)} | {"Fn::If": [str(name), *_]}:
            yield from parameters_in(template["Conditions"][name], template)
        case {"Fn::Sub": str(text)}:
            yield from set(re.findall(r"\$\{(\w+)\}", text)) & template["Parameters"].keys()
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parameters_in(member, template)


def test_a_gradual_deployment_is_stopped_by_errors_and_one_at_once_by_none() -> None:
    """CodeDeploy ends a deployment while an alarm rings, also the one that mends the cause."""
    resources = resources_of(DeploymentType="Canary10Percent10Minutes")
    names = ("ApiServerErrorsAlarm", "NormaliseErrorsAlarm", "EventsQuarantinedAlarm")
    last = {"Fn::If": ["HasPrivateApi", {"Ref": "PrivateApiServerErrorsAlarm"}, {"Ref": "CorruptItemsAlarm"}]}
    alarms = [*({"Name": {"Ref": name}} for name in names), {"Name": last}]
    for function in RELEASED:
        group = resources[f"{function}DeploymentGroup"]["Properties"]
        braked = {"Enabled": True, "Alarms": alarms}
        assert group["AlarmConfiguration"] == {"Fn::If": ["DeploysGradually", braked, {}]}
        assert "DEPLOYMENT_STOP_ON_ALARM" in group["AutoRollbackConfiguration"]["Events"]
        config = {"ConfigName": "Canary10Percent10Minutes"}
        assert group["DeploymentConfigName"] == {"Fn::Sub": ["CodeDeployDefault.Lambda${ConfigName}", config]}
        assert group["ServiceRoleArn"] == {"Fn::GetAtt": ["DeploymentRole", "Arn"]}
        policy = resources[f"{function}Aliaslive"]["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]
        assert policy["DeploymentGroupName"] == {"Ref": f"{function}DeploymentGroup"}


def test_whatever_calls_a_released_function_calls_its_alias(resources: Resources) -> None:
    """A permission is of the alias or of the function, never of both."""
    callers = [f"AWS::{kind}" for kind in ("Lambda::Permission", "Lambda::EventSourceMapping", "ApiGateway::Method")]
    callers += [f"AWS::{kind}" for kind in ("ApiGateway::Authorizer", "ApiGatewayV2::Authorizer")]
    callers.append("AWS::ApiGatewayV2::Integration")
    texts = {name: str(each) for kind in callers for name, each in resources.of_type(kind).items()}
    by_alias = {name for name, text in texts.items() if any(f"{function}.Alias" in text for function in RELEASED)}
    assert len(by_alias) == 15
    for name, text in texts.items():
        assert not any(re.search(rf"{function}(?!\.Alias)\b", text) for function in RELEASED), name


def test_a_caller_may_call_an_alias_before_it_does(template: Properties) -> None:
    """An update over the release that brought the aliases changes permission and caller."""
    for caller in ("KeyAuthoriser", "IngestIntegration", "LookupIntegration", "CurateIntegration"):
        assert template["Resources"][caller]["DependsOn"] == f"{caller.removesuffix('Integration')}Permission"


def test_the_role_moves_the_aliases_of_these_functions_alone(resources: Resources) -> None:
    move, _ = resources["DeploymentRole"]["Policies"][0]["PolicyDocument"]["Statement"]
    own = {str({"Fn::GetAtt": [function, "Arn"]}) for function in RELEASED}
    qualified = {str({"Fn::Sub": f"${{{function}.Arn}}:live"}) for function in RELEASED}
    assert set(map(str, move["Resource"])) == own | qualified


def test_the_emulator_gets_versions_and_aliases_without_code_deploy() -> None:
    template = without_code_deploy(read_template(ROOT / "template.yaml"))
    assert "DeploymentPreference" not in str(template["Resources"])
    assert all(template["Resources"][function]["Properties"]["AutoPublishAlias"] == "live" for function in RELEASED)
