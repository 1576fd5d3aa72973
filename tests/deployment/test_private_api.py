"""The private API is off by default, is reached by one VPC endpoint, and has the HTTP API's keys and functions."""

from tests.deployment.conftest import Properties, Resources

NAMES = (
    "PrivateApi",
    "PrivateAuthoriser",
    "PrivateAuthoriserPermission",
    "PrivateIngestPermission",
    "PrivateLookupPermission",
    "PrivatePath",
    "PrivatePost",
    "PrivateGet",
    "PrivateStage",
    "PrivateApiServerErrorsAlarm",
)
DEPLOYMENTS = {"PrivateByKey": "PrivateDeployment3", "PrivateByIam": "PrivateIamDeployment3"}


def test_without_an_endpoint_there_is_no_private_api(template: Properties, resources: Resources) -> None:
    assert template["Parameters"]["PrivateEndpointId"]["Default"] == ""
    assert {resources.whole(name)["Condition"] for name in NAMES} == {"HasPrivateApi"}
    assert template["Outputs"]["PrivateApiUrl"]["Condition"] == "HasPrivateApi"
    of_rest_apis = {name for name, each in template["Resources"].items() if "AWS::ApiGateway::" in each["Type"]}
    assert of_rest_apis <= {*NAMES, *DEPLOYMENTS.values()}


def test_only_the_endpoints_reach_the_private_api(template: Properties, resources: Resources) -> None:
    assert template["Parameters"]["PrivateEndpointId"]["Type"] == "CommaDelimitedList"
    api, endpoints = resources["PrivateApi"], {"Ref": "PrivateEndpointId"}
    assert api["EndpointConfiguration"] == {"Types": ["PRIVATE"], "VpcEndpointIds": endpoints}
    allowed, denied = api["Policy"]["Statement"]
    assert (allowed["Effect"], denied["Effect"]) == ("Allow", "Deny")
    assert allowed["Condition"] == {"StringEquals": {"aws:SourceVpce": endpoints}}
    assert denied["Condition"] == {"StringNotEquals": {"aws:SourceVpce": endpoints}}
    assert denied["Resource"] == "execute-api:/*"


def test_by_iam_only_iam_permits_a_lookup(resources: Resources) -> None:
    """In its account a call is permitted if either IAM or the policy of the API allows it."""
    allowed, _ = resources["PrivateApi"]["Policy"]["Statement"]
    assert allowed["Resource"] == {"Fn::If": ["LookupByIam", "execute-api:/*/POST/*", "execute-api:/*"]}


def test_a_gzipped_body_arrives_whole(resources: Resources) -> None:
    """A REST API damages a body that is no text, unless its type is binary; the listener gzips application/json."""
    assert resources["PrivateApi"]["BinaryMediaTypes"] == ["*/*"]
    assert "MinimumCompressionSize" not in resources["PrivateApi"]


def test_events_go_to_ingest_and_lookups_to_lookup_with_a_key(resources: Resources) -> None:
    for name, function in (("PrivatePost", "IngestFunction"), ("PrivateGet", "LookupFunction")):
        method = resources[name]
        assert f"${{{function}.Alias}}" in method["Integration"]["Uri"]["Fn::Sub"]
        assert method["Integration"]["Type"] == "AWS_PROXY"
    assert resources["PrivatePost"]["AuthorizationType"] == "CUSTOM"
    assert resources["PrivateGet"]["AuthorizationType"] == {"Fn::If": ["LookupByIam", "AWS_IAM", "CUSTOM"]}


def test_no_answer_of_the_authoriser_is_kept(resources: Resources) -> None:
    """A policy names one request; kept for a key, it would refuse the next."""
    assert resources["PrivateAuthoriser"]["AuthorizerResultTtlInSeconds"] == 0


def test_only_the_methods_of_the_private_api_may_invoke_the_functions(resources: Resources) -> None:
    arns = [resources[name]["SourceArn"]["Fn::Sub"].rpartition(":")[2] for name in NAMES if "Permission" in name]
    assert arns == ["${PrivateApi}/authorizers/${PrivateAuthoriser}", "${PrivateApi}/*/POST/*", "${PrivateApi}/*/GET/*"]


def test_a_flood_is_answered_429(resources: Resources) -> None:
    (settings,) = resources["PrivateStage"]["MethodSettings"]
    assert settings == {
        "HttpMethod": "*",
        "ResourcePath": "/*",
        "ThrottlingRateLimit": {"Ref": "RequestsPerSecond"},
        "ThrottlingBurstLimit": {"Ref": "RequestBurst"},
    }


def test_a_deployment_has_all_methods_and_another_way_to_ask_is_another_deployment(
    template: Properties, resources: Resources
) -> None:
    """A deployment is a snapshot: without another one the lookups would be those of the former LookupAuth."""
    methods = {name for name, each in template["Resources"].items() if each["Type"] == "AWS::ApiGateway::Method"}
    permissions = {name for name in NAMES if "Permission" in name}
    for condition, name in DEPLOYMENTS.items():
        assert resources.whole(name)["Condition"] == condition
        assert set(resources.whole(name)["DependsOn"]) == methods | permissions
        assert template["Conditions"][condition]["Fn::And"][0] == {"Condition": "HasPrivateApi"}
    by_key, by_iam = ({"Ref": name} for name in DEPLOYMENTS.values())
    assert resources["PrivateStage"]["DeploymentId"] == {"Fn::If": ["LookupByIam", by_iam, by_key]}
