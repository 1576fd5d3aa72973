"""catalog touches no Glue table unless it is switched on, and creates tables in one database alone."""

import json
import re

from headwater.catalog.affected_tables import KINDS
from tests.deployment.conftest import Properties, Resources

ON_DEMAND = ("CatalogStreamMapping", "GlueImportSchedule", "GlueImportPermission", "GlueImportFailures")
ALARMS = (
    *("CatalogDeadLettersAlarm", "TablesRefusedAlarm", "GlueImportErrorsAlarm"),
    *("CatalogErrorsAlarm", "CatalogLateAlarm"),
)


def test_without_catalog_sync_the_functions_are_not_invoked_and_cost_nothing(
    template: Properties, resources: Resources
) -> None:
    assert template["Parameters"]["CatalogSync"]["Default"] == "OFF"
    assert template["Conditions"]["SyncsCatalog"] == {"Fn::Equals": [{"Ref": "CatalogSync"}, "ON"]}
    for name in ON_DEMAND + ALARMS:
        assert resources.whole(name)["Condition"] == "SyncsCatalog"


def test_only_items_that_can_change_a_table_invoke_catalog(resources: Resources) -> None:
    filters = [json.loads(each["Pattern"]) for each in resources["CatalogStreamMapping"]["FilterCriteria"]["Filters"]]
    kinds = {kind: image for each in filters for image in [each["dynamodb"]["NewImage"]] for kind in image["kind"]["S"]}
    assert set(kinds) == set(KINDS)
    assert {kind: image["state"] for kind, image in kinds.items() if "state" in image} == {"run": {"S": ["COMPLETED"]}}


def test_the_stream_is_followed_from_its_oldest_record_in_windows(resources: Resources) -> None:
    mapping = resources["CatalogStreamMapping"]
    assert mapping["EventSourceArn"] == {"Fn::GetAtt": ["LineageTable", "StreamArn"]}
    assert mapping["StartingPosition"] == "TRIM_HORIZON"
    assert mapping["MaximumBatchingWindowInSeconds"] == {"Ref": "CatalogWindowSeconds"}
    assert mapping["BatchSize"] == 1000


def test_a_record_that_fails_is_tried_a_few_times_alone_and_then_set_aside(resources: Resources) -> None:
    mapping = resources["CatalogStreamMapping"]
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping["BisectBatchOnFunctionError"] is True
    assert mapping["MaximumRetryAttempts"] == 5
    failed = mapping["DestinationConfig"]["OnFailure"]["Destination"]
    assert failed == {"Fn::GetAtt": ["CatalogDeadLetterQueue", "Arn"]}


def test_tables_are_created_in_one_database_alone(template: Properties, resources: Resources) -> None:
    assert template["Parameters"]["CreateMissingTables"]["Default"] == "OFF"
    (policy,) = [each for each in resources["CatalogRole"]["Policies"] if "glue:CreateTable" in json.dumps(each)]
    condition, creating, otherwise = policy["Fn::If"]
    assert (condition, otherwise) == ("CreatesTables", {"Ref": "AWS::NoValue"})
    (statement,) = creating["PolicyDocument"]["Statement"]
    places = [resource["Fn::Sub"].rpartition(":")[2] for resource in statement["Resource"]]
    assert places == ["catalog", "database/${CatalogDatabase}", "table/${CatalogDatabase}/*"]


def test_without_catalog_sync_no_role_may_write_in_glue(template: Properties, resources: Resources) -> None:
    both = [{"Condition": "SyncsCatalog"}, {"Fn::Equals": [{"Ref": "CreateMissingTables"}, "ON"]}]
    assert template["Conditions"]["CreatesTables"] == {"Fn::And": both}
    always = [
        policy
        for name, role in resources.of_type("AWS::IAM::Role").items()
        if template["Resources"][name].get("Condition") != "HasLakehouse"  # writes the tables of the lakehouse alone
        for policy in role["Policies"]
    ]
    granted = json.dumps([policy for policy in always if "Fn::If" not in policy])
    assert re.findall(r"glue:\w+", granted) == []
    for policy in always:
        if "glue:" in json.dumps(policy) and "Fn::If" in policy:
            assert policy["Fn::If"][0] in {"SyncsCatalog", "CreatesTables", "FollowsRegistries"}


def test_no_role_may_delete_anything_in_glue(resources: Resources) -> None:
    assert "glue:Delete" not in json.dumps(resources["CatalogRole"])
    assert "glue:BatchDelete" not in json.dumps(resources["CatalogRole"])


def test_only_the_schedule_may_invoke_the_glue_import(resources: Resources) -> None:
    permission = resources["GlueImportPermission"]
    assert permission["Principal"] == "events.amazonaws.com"
    assert permission["SourceArn"] == {"Fn::GetAtt": ["GlueImportSchedule", "Arn"]}
    (target,) = resources["GlueImportSchedule"]["Targets"]
    assert target["Arn"] == {"Fn::GetAtt": ["GlueImportFunction", "Arn"]}
