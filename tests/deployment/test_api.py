"""The HTTP API requires a key, throttles a flood of requests, and logs each request."""

import json
import re
import tomllib

import pytest

from tests.deployment.conftest import ROOT, Properties, Resources, chosen

INGEST_ROUTES = {"POST /api/v1/lineage", "POST /lineage", "POST /", "POST /api/v1/lineage/batch", "POST /lineage/batch"}
CURATE_ROUTES = {"PUT /{proxy+}", "POST /{proxy+}", "DELETE /{proxy+}"}
"""API Gateway takes the most specific route, so `POST /lineage` stays with ingest."""
PEOPLE_ROUTES = {f"{method} /people/{{proxy+}}" for method in ("GET", "PUT", "POST", "DELETE")}
WEB_ROUTES = {"GET /", "GET /assets/{proxy+}"}
LOOKUP_ROUTE = "$default"
SCHEDULED = ("GlueImportPermission", "ConnectPermission", "RegistryPermission", "SweepPermission")
"""Not the gateway's: EventBridge calls these."""


def test_every_route_of_events_asks_the_authoriser(resources: Resources) -> None:
    for key in INGEST_ROUTES:
        assert routes(resources)[key]["AuthorizationType"] == "CUSTOM"
        assert routes(resources)[key]["AuthorizerId"] == {"Ref": "KeyAuthoriser"}


@pytest.mark.parametrize("key", [LOOKUP_ROUTE, *sorted(CURATE_ROUTES)])
def test_all_else_asks_the_authoriser_or_iam(resources: Resources, key: str) -> None:
    route = routes(resources)[key]
    assert route["AuthorizationType"] == {"Fn::If": ["LookupByIam", "AWS_IAM", "CUSTOM"]}
    assert route["AuthorizerId"] == {"Fn::If": ["LookupByIam", {"Ref": "AWS::NoValue"}, {"Ref": "KeyAuthoriser"}]}


def test_events_go_to_ingest_lookups_to_lookup_and_other_writes_to_curate(resources: Resources) -> None:
    targets = {key: route["Target"]["Fn::Sub"] for key, route in routes(resources).items()}
    expected = dict.fromkeys(INGEST_ROUTES, "integrations/${IngestIntegration}")
    expected |= dict.fromkeys(CURATE_ROUTES | PEOPLE_ROUTES, "integrations/${CurateIntegration}")
    expected["GET /people/{proxy+}"] = "integrations/${LookupIntegration}"
    expected |= dict.fromkeys(WEB_ROUTES, "integrations/${WebIntegration}")
    assert targets == expected | {LOOKUP_ROUTE: "integrations/${LookupIntegration}"}


def test_anyone_gets_the_files_of_the_page_and_nothing_else(resources: Resources) -> None:
    open_routes = {key for key, route in routes(resources).items() if route["AuthorizationType"] == "NONE"}
    assert open_routes == WEB_ROUTES


def test_the_routes_of_people_ask_for_a_token_of_the_issuer(resources: Resources) -> None:
    for key in PEOPLE_ROUTES:
        route = routes(resources)[key]
        assert (route["AuthorizationType"], route["AuthorizerId"]) == ("JWT", {"Ref": "PeopleAuthoriser"})
    authoriser = resources["PeopleAuthoriser"]
    assert authoriser["AuthorizerType"] == "JWT"
    assert authoriser["IdentitySource"] == ["$request.header.Authorization"]
    assert authoriser["JwtConfiguration"] == {"Issuer": {"Ref": "OidcIssuer"}, "Audience": [{"Ref": "OidcAudience"}]}


def test_the_authoriser_sees_every_request_afresh_unless_keys_are_remembered(
    template: Properties, resources: Resources
) -> None:
    """A key comes in either of two headers, so there is no identity source, and nothing to cache by."""
    authoriser = resources["KeyAuthoriser"]
    assert authoriser["IdentitySource"] == {"Fn::If": ["CachesKeys", ["$request.header.Authorization"], []]}
    assert authoriser["AuthorizerResultTtlInSeconds"] == {"Ref": "KeyCacheSeconds"}
    assert template["Parameters"]["KeyCacheSeconds"]["Default"] == 0
    assert template["Conditions"]["CachesKeys"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "KeyCacheSeconds"}, 0]}]}
    assert authoriser["EnableSimpleResponses"] is True
    assert authoriser["AuthorizerPayloadFormatVersion"] == "2.0"


def test_the_gateway_outwaits_the_functions(resources: Resources) -> None:
    for name in ("Ingest", "Lookup", "Curate", "Web"):
        assert resources[f"{name}Integration"]["TimeoutInMillis"] > 1000 * resources[f"{name}Function"]["Timeout"]
        assert resources[f"{name}Integration"]["TimeoutInMillis"] <= 30_000
        assert resources[f"{name}Integration"]["PayloadFormatVersion"] == "2.0"
    assert resources["AuthoriseFunction"]["Timeout"] < 10


def test_only_the_gateway_may_invoke_the_functions_of_its_routes(resources: Resources) -> None:
    permissions = [
        permission
        for name, permission in resources.of_type("AWS::Lambda::Permission").items()
        if name not in SCHEDULED and not name.startswith("Private")  # test_private_api.py
    ]
    assert {permission["FunctionName"]["Ref"] for permission in permissions} == {
        "AuthoriseFunction.Alias",
        "IngestFunction.Alias",
        "LookupFunction.Alias",
        "CurateFunction.Alias",
        "WebFunction",
    }
    for permission in permissions:
        assert permission["Principal"] == "apigateway.amazonaws.com"
        assert "${HttpApi}/" in str(permission["SourceArn"]["Fn::Sub"])


def test_a_flood_is_answered_429(resources: Resources) -> None:
    assert resources["ApiStage"]["DefaultRouteSettings"] == {
        "ThrottlingRateLimit": {"Ref": "RequestsPerSecond"},
        "ThrottlingBurstLimit": {"Ref": "RequestBurst"},
    }


def test_producers_have_limits_that_a_flood_on_other_routes_does_not_use_up(resources: Resources) -> None:
    """Events alone have the limits of the parameters, beside people with a token."""
    settings = resources["ApiStage"]["RouteSettings"]
    assert not settings.keys() & (INGEST_ROUTES | PEOPLE_ROUTES)
    assert settings.keys() | INGEST_ROUTES | PEOPLE_ROUTES == routes(resources).keys()
    for key, route in routes(resources).items():
        if route["AuthorizationType"] == "NONE":
            assert settings[key] == {"ThrottlingRateLimit": 50, "ThrottlingBurstLimit": 100}


def test_limits_of_routes_are_numbers(resources: Resources) -> None:
    """CloudFormation makes a text of a parameter, and knows no types of the members of RouteSettings, which would make
    it a number again."""
    for settings in resources["ApiStage"]["RouteSettings"].values():
        assert all(type(limit) is int for limit in settings.values())


def test_no_deployment_asks_for_a_larger_burst_than_a_new_region_has() -> None:
    deployments = tomllib.loads((ROOT / "samconfig.toml").read_text())
    for stage in ("dev", "prod"):
        given = dict(each.split("=") for each in deployments[stage]["deploy"]["parameters"]["parameter_overrides"])
        assert int(given["RequestBurst"]) <= 1250
        assert int(given["RequestsPerSecond"]) <= 2500


def test_the_stage_is_made_after_the_routes_that_its_settings_name(template: Properties, resources: Resources) -> None:
    made_before = {resources[name]["RouteKey"] for name in template["Resources"]["ApiStage"]["DependsOn"]}
    assert made_before == set(resources["ApiStage"]["RouteSettings"])


def test_a_domain_of_ones_own_leads_to_the_api_and_is_in_every_url(written: Properties) -> None:
    """So that producers and links stay as they are if another stack takes the place of this one."""
    with_domain: Properties = chosen(written, {"HasDomain": 1})
    made = with_domain["Resources"]
    for name in ("ApiDomain", "ApiMapping"):
        assert made[name]["Condition"] == "HasDomain"
    (configuration,) = made["ApiDomain"]["Properties"]["DomainNameConfigurations"]
    assert configuration["CertificateArn"] == {"Ref": "CertificateArn"}
    mapped = {"ApiId": {"Ref": "HttpApi"}, "Stage": {"Ref": "ApiStage"}, "DomainName": {"Ref": "ApiDomain"}}
    assert made["ApiMapping"]["Properties"] == mapped
    assert with_domain["Outputs"]["ApiUrl"]["Value"] == {"Fn::Sub": "https://${DomainName}"}
    assert "HttpApi.ApiEndpoint" not in str(with_domain)
    assert "['HttpApi', 'ApiEndpoint']" not in str(with_domain)


def test_urls_have_no_stage_in_them(resources: Resources) -> None:
    assert resources["ApiStage"]["StageName"] == "$default"
    assert resources["ApiStage"]["AutoDeploy"] is True


def test_an_access_log_line_is_json_and_counts_what_was_throttled(resources: Resources) -> None:
    line = json.loads(resources["ApiStage"]["AccessLogSettings"]["Format"])
    assert line["status"] == "$context.status"
    counted = resources["ApiThrottledRequests"]
    fields = set(re.findall(r"\$\.(\w+)", str(counted)))
    assert fields == {"status", "apiId"}
    assert fields <= line.keys()
    assert counted["LogGroupName"] == {"Ref": "ApiLogs"}
    assert resources["ApiStage"]["AccessLogSettings"]["DestinationArn"] == {"Fn::GetAtt": ["ApiLogs", "Arn"]}


def routes(resources: Resources) -> dict[str, Properties]:
    return {route["RouteKey"]: route for route in resources.of_type("AWS::ApiGatewayV2::Route").values()}
