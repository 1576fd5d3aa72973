"""Each function has the permissions of the lists here, and no others."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from headwater.store import keys
from tests.deployment.conftest import ROOT, Properties, Resources

TEMPLATE = (ROOT / "template.yaml").read_text()
LOGS = {"logs:CreateLogStream", "logs:PutLogEvents"}
OF_STREAMS = {f"dynamodb:{name}" for name in ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")}
"""Of AWS's example for Lambda; when Lambda makes a mapping, it refuses a role that may not do these on the stream:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/iam-policy-example-lamda-process-dynamodb-streams.html"""
ALLOWED = {
    "AuthoriseRole": LOGS | {"secretsmanager:GetSecretValue"},
    "DeploymentRole": {"lambda:GetAlias", "lambda:UpdateAlias", "lambda:GetProvisionedConcurrencyConfig"}
    | {"cloudwatch:DescribeAlarms"},
    "IngestRole": LOGS | {"sqs:SendMessage", "s3:PutObject", "dynamodb:PutItem"},
    "NormaliseRole": LOGS
    | {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ChangeMessageVisibility"}
    | {"dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:Query", "dynamodb:PutItem"}
    | {"s3:GetObject", "s3:PutObject", "firehose:PutRecordBatch", "sqs:SendMessage"},
    "LookupRole": LOGS | {"dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:PutItem", "s3:GetObject"},
    "CurateRole": LOGS
    | {"sqs:SendMessage", "s3:GetObject", "s3:PutObject"}
    | {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
    | {"dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:Query", "dynamodb:PutItem"},
    "CatalogRole": LOGS
    | OF_STREAMS
    | {"sqs:SendMessage", "dynamodb:BatchGetItem", "dynamodb:Query", "s3:GetObject"}
    | {"glue:GetDatabases", "glue:GetTables", "glue:GetTable", "glue:UpdateTable", "glue:CreateTable"}
    | {"glue:CreateDatabase", "glue:BatchGetPartition", "glue:BatchCreatePartition", "glue:BatchUpdatePartition"},
    "GlueImportRole": LOGS
    | {"glue:GetDatabases", "glue:GetTables", "glue:GetTable", "sqs:SendMessage"}
    | {"dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "s3:GetObject", "s3:PutObject"},
    "PickupRole": LOGS
    | {"secretsmanager:GetSecretValue", "dynamodb:PutItem", "s3:GetObject", "s3:PutObject"}
    | {"sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"},
    "ForwardRole": LOGS
    | {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
    | {"s3:GetObject", "secretsmanager:GetSecretValue", "datazone:PostLineageEvent"},
    "ConnectRole": LOGS
    | {"sqs:SendMessage", "dynamodb:BatchGetItem", "dynamodb:Query", "s3:GetObject", "s3:PutObject"}
    | {"secretsmanager:GetSecretValue", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface"}
    | {"ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets"}
    | {"ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses"},
    "RegistryRole": LOGS
    | {"sqs:SendMessage", "dynamodb:BatchGetItem", "dynamodb:Query", "s3:GetObject", "s3:PutObject"}
    | {"glue:ListSchemas", "glue:GetSchema", "glue:ListSchemaVersions", "glue:GetSchemaVersion"}
    | {"secretsmanager:GetSecretValue", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface"}
    | {"ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets"}
    | {"ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses"},
    "ArchiveStreamRole": {"logs:PutLogEvents", "s3:AbortMultipartUpload", "s3:GetBucketLocation", "s3:GetObject"}
    | {"s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:PutObject"},
    "ReplicaRole": set[str](),  # ReplicaPolicy: test_storage.py
    "AlertsRole": LOGS
    | OF_STREAMS
    | {"dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:BatchWriteItem", "s3:GetObject", "s3:PutObject"}
    | {"events:PutEvents", "sqs:SendMessage"},
    "SweepRole": LOGS
    | {"dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:BatchWriteItem", "dynamodb:PutItem"}
    | {"s3:GetObject", "s3:PutObject", "events:PutEvents", "sqs:SendMessage"},
    "WebRole": LOGS,
    "AlertsToTopicRole": {"sns:Publish"},
    "AlertsToDatadogRole": {"events:InvokeApiDestination"},
    "AlertsToChatRole": {"events:InvokeApiDestination"},
    "LakehouseRole": {
        "s3:ListBucket",
        "s3:GetObject",
        "s3:PutObject",
        "s3:DeleteObject",
        "secretsmanager:GetSecretValue",
    }
    | {"glue:GetDatabase", "glue:CreateDatabase", "glue:GetTable", "glue:GetTables", "glue:CreateTable"}
    | {"glue:UpdateTable"},
    "LakehouseScheduleRole": {"emr-serverless:StartJobRun", "iam:PassRole"},
}
PREFIXES_PUT = {
    "IngestRole": {"bodies"},
    "NormaliseRole": {"bodies", "items", "quarantine", "events"},
    "LookupRole": set[str](),
    "CurateRole": {"bodies", "items"},
    "CatalogRole": set[str](),
    "GlueImportRole": {"bodies"},
    "PickupRole": {"bodies"},
    "ForwardRole": set[str](),
    "ConnectRole": {"bodies"},
    "RegistryRole": {"bodies"},
    "AlertsRole": {"quarantine"},
    "SweepRole": {"bodies"},
    "WebRole": set[str](),
    "ArchiveStreamRole": {"events", "archive-errors"},
    "LakehouseRole": {"lake"},
}
AUDIT_KEYS = {"dynamodb:LeadingKeys": ["AUDIT#*"]}


def only_keys(*patterns: str) -> dict[str, Any]:
    """The condition that all keys of a request fit, and that it has keys: of none, all fit."""
    fit = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [*patterns]}}
    return fit | {"Null": {"dynamodb:LeadingKeys": "false"}}


OF_ALERTS, OF_RUNS = only_keys(keys.alert("*").pk), only_keys(keys.RUNS.pk + "*", keys.RHYTHMS.pk + "*")
OF_PROGRESS, OF_REFUSALS = only_keys(keys.catalog_progress().pk), only_keys(keys.REFUSALS + "*")
OF_OTHER_ITEMS = (OF_ALERTS, OF_RUNS, OF_PROGRESS, OF_REFUSALS)
OF_AUDIT = {"ForAllValues": only_keys("AUDIT#*"), "ForAnyValue": {"ForAnyValue:StringLike": AUDIT_KEYS}}
"""A write of audit entries alone, and a write that has one of them."""
WRITES = {"dynamodb:PutItem", "dynamodb:BatchWriteItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"}
OWN_CATALOG = "arn:${AWS::Partition}:glue:${AWS::Region}:${AWS::AccountId}:"
PICKUP_BUCKET = "arn:${AWS::Partition}:s3:::${PickupBucketName}/"
QUEUES_OF_FUNCTIONS = (
    *("EventQueue", "DeadLetterQueue", "StreamDeadLetters", "PickupDeadLetters"),
    *("ForwardQueue", "ForwardDeadLetters"),
)
OF_THE_NETWORK = "KeepNetworkInterfaces"
"""The statement of a function in a VPC, for Lambda itself: the code of the function is denied. EC2 knows no narrower
resource for network interfaces."""
FUNCTIONS = (
    *("Authorise", "Ingest", "Normalise", "Lookup", "Curate", "Catalog", "GlueImport", "Connect", "Alerts"),
    *("Sweep", "Web", "Registry", "Pickup", "Forward"),
)


def test_every_role_is_listed_here(resources: Resources) -> None:
    assert set(resources.of_type("AWS::IAM::Role")) == set(ALLOWED)


@pytest.mark.parametrize("role", ALLOWED)
def test_a_role_may_do_no_more_than_is_listed(resources: Resources, role: str) -> None:
    allowed = [statement for statement in statements(resources[role]) if statement["Effect"] == "Allow"]
    assert {action for statement in allowed for action in as_list(statement["Action"])} <= ALLOWED[role]


@pytest.mark.parametrize("role", ALLOWED)
def test_a_role_reaches_only_named_resources(resources: Resources, role: str) -> None:
    """Only the keys of a bucket's folder, those of the bucket that events are taken from, and the tables of this
    account's catalogue are left open."""
    for statement in statements(resources[role]):
        assert statement["Effect"] == "Allow" or statement["Condition"] == OF_AUDIT["ForAnyValue"]
        assert not {"NotAction", "NotResource"} & statement.keys()
        if statement.get("Sid") == OF_THE_NETWORK:
            assert all(action.startswith("ec2:") for action in statement["Action"])
            assert statement["Condition"] == {"Null": {"lambda:SourceFunctionArn": "true"}}
            continue
        if statement["Action"] == "cloudwatch:DescribeAlarms":
            continue  # as in AWSCodeDeployRoleForLambdaLimited
        for resource in as_list(statement["Resource"]):
            name = referred(resource)
            assert "*" not in name.removesuffix("/*")
            assert not name.endswith("/*") or name.startswith(("${ArchiveBucket.Arn}/", PICKUP_BUCKET, OWN_CATALOG))


@pytest.mark.parametrize("mapping", ["AlertsStreamMapping", "CatalogStreamMapping"])
def test_what_reads_the_stream_may_do_what_aws_says_it_needs(resources: Resources, mapping: str) -> None:
    role = resources[resources[mapping]["FunctionName"]["Ref"]]["Role"]["Fn::GetAtt"][0]
    (read,) = [each for each in statements(resources[role]) if OF_STREAMS & set(as_list(each["Action"]))]
    assert set(read["Action"]) == OF_STREAMS
    assert read["Resource"] == resources[mapping]["EventSourceArn"]


def test_an_arn_has_the_form_that_its_service_gives_it() -> None:
    """Another form grants nothing: https://docs.aws.amazon.com/service-authorization/latest/reference/."""
    of_services = {
        "dynamodb": {"table/"},
        "datazone": {"domain/"},
        "events": {"rule/"},
        "glue": {"catalog", "database/", "table/", "registry/", "schema/"},
    }
    arns = re.findall(r"arn:\$\{AWS::Partition\}:(\w+):\$\{AWS::Region\}:\$\{AWS::AccountId\}:([a-z/]+)", TEMPLATE)
    assert {service for service, _ in arns} == of_services.keys()
    assert not [arn for arn in arns if arn[1] not in of_services[arn[0]]]


@pytest.mark.parametrize("role", ["AlertsRole", "SweepRole"])
def test_what_announces_alerts_puts_no_other_items_in_batches(resources: Resources, role: str) -> None:
    puts = [each for each in statements(resources[role]) if "dynamodb:BatchWriteItem" in as_list(each["Action"])]
    assert [each["Condition"] for each in puts] == [OF_ALERTS]


def test_the_sweep_the_import_and_pickup_write_only_what_they_change(resources: Resources) -> None:
    for role, action, condition in (
        ("SweepRole", "dynamodb:PutItem", OF_RUNS),
        ("GlueImportRole", "dynamodb:BatchWriteItem", OF_PROGRESS),
        ("PickupRole", "dynamodb:PutItem", OF_REFUSALS),
    ):
        allowed = [each for each in statements(resources[role]) if action in as_list(each["Action"])]
        assert [each["Condition"] for each in allowed if each.get("Condition") != OF_ALERTS] == [condition]


@pytest.mark.parametrize("role", ALLOWED)
def test_a_condition_on_all_keys_demands_that_there_are_some(resources: Resources, role: str) -> None:
    for statement in statements(resources[role]):
        condition = statement.get("Condition", {})
        if "ForAllValues:StringLike" in condition:
            assert condition["Null"] == {"dynamodb:LeadingKeys": "false"}


@pytest.mark.parametrize("role", ["CatalogRole", "GlueImportRole", "RegistryRole"])
def test_glue_is_reached_only_if_a_feature_needs_it(resources: Resources, role: str) -> None:
    always = [policy for policy in resources[role]["Policies"] if "Fn::If" not in policy]
    actions = [
        action for policy in always for each in policy["PolicyDocument"]["Statement"] for action in each["Action"]
    ]
    assert not [action for action in actions if action.startswith("glue:")]


def test_only_tables_of_the_named_databases_are_written(resources: Resources) -> None:
    (keep,) = [each for each in statements(resources["CatalogRole"]) if "glue:UpdateTable" in as_list(each["Action"])]
    named = [resource["Fn::Sub"].removeprefix(OWN_CATALOG) for resource in keep["Resource"]]
    assert named == ["catalog", "database/${SyncedDatabases}", "table/${SyncedDatabases}/*"]


@pytest.mark.parametrize("role", ["IngestRole", "LookupRole"])
def test_a_function_that_only_reads_the_table_writes_audit_entries_alone(resources: Resources, role: str) -> None:
    writes = [statement for statement in statements(resources[role]) if WRITES & set(as_list(statement["Action"]))]
    assert [(write["Action"], write["Condition"]) for write in writes] == [
        ("dynamodb:PutItem", OF_AUDIT["ForAllValues"])
    ]


@pytest.mark.parametrize("role", ALLOWED)
def test_no_role_changes_or_removes_an_audit_entry(resources: Resources, role: str) -> None:
    """IAM knows no condition that a put is of a new item: the code sets it. Only functions that answer requests put
    one, and none puts many at once, since BatchWriteItem has no conditions."""
    writable = set[str]()
    for statement in statements(resources[role]):
        if statement["Effect"] == "Allow" and statement.get("Condition") not in OF_OTHER_ITEMS:
            writable |= WRITES & set(as_list(statement["Action"]))
    for statement in statements(resources[role]):
        if statement["Effect"] == "Deny":
            writable -= set(as_list(statement["Action"]))
    answers = role in {"IngestRole", "LookupRole", "CurateRole"}
    assert writable == ({"dynamodb:PutItem"} if answers else set())


def test_whoever_reaches_what_a_key_encrypts_may_use_the_key(resources: Resources) -> None:
    policy = resources["UseKeyPolicy"]
    assert resources.whole("UseKeyPolicy")["Condition"] == "HasKmsKey"
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Resource"]) == ("Allow", {"Ref": "KmsKeyArn"})
    assert {action.partition(":")[0] for action in statement["Action"]} == {"kms"}
    services = {service.partition(".")[0] for service in statement["Condition"]["StringLike"]["kms:ViaService"]}
    reaching = {
        role for role, actions in ALLOWED.items() if services & {action.partition(":")[0] for action in actions}
    }
    assert {referred(role) for role in policy["Roles"]} == reaching


def test_functions_are_traced_if_wanted_and_may_do_no_more_for_it(template: Properties, resources: Resources) -> None:
    assert template["Parameters"]["Tracing"]["Default"] == "OFF"
    assert template["Globals"]["Function"]["Tracing"] == {"Fn::If": ["Traces", "Active", "PassThrough"]}
    waits_for_it = {"traces": {"Fn::If": ["Traces", {"Ref": "TracePolicy"}, "none"]}}
    assert template["Globals"]["Function"]["Tags"] == waits_for_it
    assert resources.whole("TracePolicy")["Condition"] == "Traces"
    policy = resources["TracePolicy"]
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert statement["Action"] == ["xray:PutTraceSegments", "xray:PutTelemetryRecords"]
    assert {role["Ref"] for role in policy["Roles"]} == {f"{name}Role" for name in FUNCTIONS}


@pytest.mark.parametrize("role", ALLOWED)
def test_the_account_may_bound_each_role_and_say_its_path(resources: Resources, role: str) -> None:
    bound, nothing = {"Ref": "PermissionsBoundary"}, {"Ref": "AWS::NoValue"}
    assert resources[role]["PermissionsBoundary"] == {"Fn::If": ["HasBoundary", bound, nothing]}
    assert resources[role]["Path"] == {"Fn::If": ["HasRolePath", {"Ref": "RolePath"}, nothing]}


@pytest.mark.parametrize("role", ALLOWED)
def test_a_role_has_nothing_but_its_own_policies(resources: Resources, role: str) -> None:
    assert "ManagedPolicyArns" not in resources[role]


@pytest.mark.parametrize(("role", "prefixes"), PREFIXES_PUT.items())
def test_only_the_archive_s_writers_write_events_and_only_their_readers_write_to_quarantine(
    resources: Resources, role: str, prefixes: set[str]
) -> None:
    puts = [statement for statement in statements(resources[role]) if "s3:PutObject" in as_list(statement["Action"])]
    written = [resource["Fn::Sub"] for statement in puts for resource in as_list(statement["Resource"])]
    assert {name.split("/")[1] for name in written} == prefixes


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_its_own_role_and_log(resources: Resources, name: str) -> None:
    function = resources[f"{name}Function"]
    assert function["Role"] == {"Fn::GetAtt": [f"{name}Role", "Arn"]}
    assert function["LoggingConfig"]["LogGroup"] == {"Ref": f"{name}Logs"}
    logged = [
        statement for statement in statements(resources[f"{name}Role"]) if set(as_list(statement["Action"])) & LOGS
    ]
    assert [statement["Resource"] for statement in logged] == [{"Fn::GetAtt": [f"{name}Logs", "Arn"]}]
    assert "Policies" not in function


def test_every_function_is_listed_here(resources: Resources) -> None:
    assert set(resources.of_type("AWS::Serverless::Function")) == {f"{name}Function" for name in FUNCTIONS}


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        ("QueuesOverTlsOnly", QUEUES_OF_FUNCTIONS),
        ("CatalogQueueFromSchedule", ("CatalogDeadLetterQueue",)),
        ("ArchiveBucketOverTlsOnly", ("ArchiveBucket",)),
    ],
)
def test_plain_http_is_refused(resources: Resources, policy: str, kept: tuple[str, ...]) -> None:
    properties = resources[policy]
    *_, statement = properties["PolicyDocument"]["Statement"]
    named = properties["Queues"] if "Queues" in properties else [properties["Bucket"]]
    assert named == [{"Ref": name} for name in kept]
    assert (statement["Effect"], statement["Principal"]) == ("Deny", "*")
    assert statement["Action"] in {"sqs:*", "s3:*"}
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_plain_http_is_refused_for_the_bucket_and_its_objects(resources: Resources) -> None:
    (statement,) = resources["ArchiveBucketOverTlsOnly"]["PolicyDocument"]["Statement"]
    assert statement["Resource"] == [{"Fn::GetAtt": ["ArchiveBucket", "Arn"]}, {"Fn::Sub": "${ArchiveBucket.Arn}/*"}]


def statements(role: Properties) -> Iterator[Properties]:
    """The statements of a role, also of policies that a condition of the template adds."""
    for policy in role["Policies"]:
        granted = policy["Fn::If"][1] if "Fn::If" in policy else policy
        yield from granted["PolicyDocument"]["Statement"]


def referred(resource: Any) -> str:
    """Return what a reference refers to; a name written out is refused."""
    assert isinstance(resource, dict), f"{resource} is no reference to a resource of the template"
    if "Fn::If" in resource:
        _condition, conditional, otherwise = resource["Fn::If"]
        assert otherwise == {"Ref": "AWS::NoValue"}
        return referred(conditional)
    if "Ref" in resource:
        return str(resource["Ref"])
    return str(resource["Fn::Sub"]) if "Fn::Sub" in resource else ".".join(resource["Fn::GetAtt"])


def as_list(one_or_many: Any) -> list[Any]:
    return one_or_many if isinstance(one_or_many, list) else [one_or_many]
