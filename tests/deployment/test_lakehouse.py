"""The lakehouse is off by default; its job runs have the names, the listener and the network that they need."""

import json
from argparse import Namespace
from typing import Any, cast

from emr_jobs.cluster.configuration import serverless
from tests.deployment.conftest import Properties, Resources
from tests.deployment.test_permissions import OWN_CATALOG, statements

NOTHING = {"Ref": "AWS::NoValue"}


def runtime(resources: Resources) -> dict[str, Any]:
    (configuration,) = resources["LakehouseApplication"]["RuntimeConfiguration"]
    assert configuration["Classification"] == "spark-defaults"
    properties: dict[str, Any] = configuration["Properties"]
    return properties


def test_without_a_schedule_there_is_no_application(template: Properties, resources: Resources) -> None:
    assert template["Parameters"]["LakehouseSchedule"]["Default"] == ""
    for name in ("LakehouseApplication", "LakehouseRole", "LakehouseScheduleRole", "LakehouseJobSchedule"):
        assert resources.whole(name)["Condition"] == "HasLakehouse"


def test_the_smallest_capacity_has_room_for_driver_and_executor(template: Properties, resources: Resources) -> None:
    """EMR Serverless gives either four cores unless it is told otherwise; a driver alone would wait and be billed."""
    assert not [name for name in runtime(resources) if name.endswith(".cores")]
    assert template["Parameters"]["LakehouseMaxVcpu"]["MinValue"] == 4 + 4 + 4


def test_names_mean_in_the_tables_what_they_mean_in_the_graph(resources: Resources) -> None:
    assert runtime(resources)["spark.emr-serverless.driverEnv.NAMESPACE_ALIASES"] == {"Ref": "NamespaceAliases"}


def test_two_stages_of_an_account_share_no_database(written: Properties, resources: Resources) -> None:
    """`headwater_STAGE` without hyphens, which a name in SQL may not have; a stack that has a name keeps it."""
    by_stage = {"Fn::Join": ["_", {"Fn::Split": ["-", {"Ref": "Stage"}]}]}
    of_stage = {"Fn::Sub": ["headwater_${Name}", {"Name": by_stage}]}
    name = {"Fn::If": ["HasDatabase", {"Ref": "CatalogDatabase"}, of_stage]}
    assert written["Parameters"]["CatalogDatabase"]["Default"] == ""
    catalog = written["Resources"]["CatalogFunction"]["Properties"]["Environment"]["Variables"]
    (application,) = written["Resources"]["LakehouseApplication"]["Properties"]["RuntimeConfiguration"]
    assert catalog["CATALOG_DATABASE"] == name
    assert application["Properties"]["spark.emr-serverless.driverEnv.CATALOG_DATABASE"] == name
    reached = [each["Resource"] for each in statements(resources["LakehouseRole"]) if each["Sid"] == "KeepCatalog"]
    places = [place["Fn::Sub"].removeprefix(OWN_CATALOG) for place in reached[0]]
    assert places == ["catalog", "database/${CatalogDatabase}", "table/${CatalogDatabase}/*"]


def test_with_a_key_the_job_runs_have_the_listener_as_configuration_prints_it(resources: Resources) -> None:
    reported = {}
    for name, value in runtime(resources).items():
        if isinstance(value, dict) and "Fn::If" in value:
            condition, reported[name], otherwise = value["Fn::If"]
            assert (condition, otherwise) == ("LakehouseReports", NOTHING)
    options = Namespace(release="7.11.0", url="https://url", namespace="headwater", secret="arn:aws:secret", jar=None)
    (printed,) = cast(list[dict[str, Any]], serverless(options))
    assert reported.pop("spark.openlineage.transport.url") == {"Fn::GetAtt": ["HttpApi", "ApiEndpoint"]}
    key = {"Fn::Sub": "EMR.secret@${LakehouseKeySecretArn}"}
    assert reported.pop("spark.openlineage.transport.auth.apiKey") == key
    expected = printed["properties"]
    assert expected.pop("spark.openlineage.transport.url") == "https://url"
    assert expected.pop("spark.openlineage.transport.auth.apiKey") == "EMR.secret@arn:aws:secret"
    assert reported == expected


def test_the_role_reads_the_two_keys_and_no_other_secret(resources: Resources) -> None:
    policies = [policy["Fn::If"] for policy in resources["LakehouseRole"]["Policies"] if "Fn::If" in policy]
    read = {
        condition: policy["PolicyDocument"]["Statement"][0]["Resource"] for condition, policy, _otherwise in policies
    }
    assert read == {
        "LakehouseReports": {"Ref": "LakehouseKeySecretArn"},
        "PostsInsights": {"Ref": "InsightsKeySecretArn"},
    }


def test_the_job_runs_are_in_the_subnets_from_which_they_reach_the_api(resources: Resources) -> None:
    network = {"SubnetIds": {"Ref": "LakehouseSubnetIds"}, "SecurityGroupIds": {"Ref": "LakehouseSecurityGroupIds"}}
    assert resources["LakehouseApplication"]["NetworkConfiguration"] == {"Fn::If": ["LakehouseInVpc", network, NOTHING]}


def test_the_schedules_start_job_runs_with_json(resources: Resources) -> None:
    started = {}
    for name in ("LakehouseJobSchedule", "InsightsJobSchedule"):
        text = resources[name]["Target"]["Input"]["Fn::Sub"]
        if isinstance(text, list):
            text = text[0].replace("${Post}", ', "--post"')
        driver = json.loads(text)["JobDriver"]["SparkSubmit"]
        started[driver["EntryPoint"]] = driver["EntryPointArguments"]
    bucket = "s3://${ArchiveBucket}"
    assert started == {
        f"{bucket}/jobs/lakehouse.py": [bucket, "--warehouse", f"{bucket}/lake"],
        f"{bucket}/jobs/insights.py": [
            *("--warehouse", f"{bucket}/lake", "--report", f"{bucket}/lake/insights.html", "--post")
        ],
    }
