"""Each function has the permissions of the lists here, and no others."""

from collections.abc import Iterator
from typing import Any

import pytest

from headwater.store import keys
from tests.deployment.conftest import Properties, Resources

LOGS = {"logs:CreateLogStream", "logs:PutLogEvents"}
ALLOWED = {
    "AuthoriseRole": LOGS | {"secretsmanager:GetSecretValue"},
    "IngestRole": LOGS | {"sqs:SendMessage", "s3:PutObject"},
    "NormaliseRole": LOGS
    | {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
    | {"dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:Query", "dynamodb:PutItem"}
    | {"s3:GetObject", "s3:PutObject", "firehose:PutRecordBatch"},
    "LookupRole": LOGS | {"dynamodb:BatchGetItem", "dynamodb:Query", "s3:GetObject"},
    "CurateRole": LOGS
    | {"sqs:SendMessage", "s3:GetObject", "s3:PutObject"}
    | {"dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:Query", "dynamodb:PutItem"},
    "CatalogRole": LOGS
    | {"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"}
    | {"sqs:SendMessage", "dynamodb:BatchGetItem", "dynamodb:Query", "s3:GetObject"}
    | {"glue:GetDatabases", "glue:GetTables", "glue:GetTable", "glue:UpdateTable", "glue:CreateTable"}
    | {"glue:CreateDatabase", "glue:BatchGetPartition", "glue:BatchCreatePartition", "glue:BatchUpdatePartition"},
    "GlueImportRole": LOGS
    | {"glue:GetDatabases", "glue:GetTables", "glue:GetTable", "sqs:SendMessage"}
    | {"dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "s3:GetObject", "s3:PutObject"},
    "ArchiveStreamRole": {"logs:PutLogEvents", "s3:AbortMultipartUpload", "s3:GetBucketLocation", "s3:GetObject"}
    | {"s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:PutObject"},
    "AlertsRole": LOGS
    | {"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"}
    | {"dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:BatchWriteItem", "s3:GetObject", "s3:PutObject"}
    | {"events:PutEvents", "sqs:SendMessage"},
    "SweepRole": LOGS
    | {"dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:BatchWriteItem", "dynamodb:PutItem"}
    | {"s3:GetObject", "s3:PutObject", "events:PutEvents"},
    "WebRole": LOGS,
    "AlertsToTopicRole": {"sns:Publish"},
    "AlertsToDatadogRole": {"events:InvokeApiDestination"},
}
PREFIXES_PUT = {
    "IngestRole": {"bodies"},
    "NormaliseRole": {"bodies", "items", "quarantine"},
    "LookupRole": set[str](),
    "CurateRole": {"bodies", "items"},
    "CatalogRole": set[str](),
    "GlueImportRole": {"bodies"},
    "AlertsRole": {"quarantine"},
    "SweepRole": {"bodies"},
    "WebRole": set[str](),
    "ArchiveStreamRole": {"events", "archive-errors"},
}
OWN_CATALOG = "arn:${AWS::Partition}:glue:${AWS::Region}:${AWS::AccountId}:"
FUNCTIONS = ("Authorise", "Ingest", "Normalise", "Lookup", "Curate", "Catalog", "GlueImport", "Alerts", "Sweep", "Web")


def test_every_role_is_listed_here(resources: Resources) -> None:
    assert set(resources.of_type("AWS::IAM::Role")) == set(ALLOWED)


@pytest.mark.parametrize("role", ALLOWED)
def test_a_role_may_do_no_more_than_is_listed(resources: Resources, role: str) -> None:
    granted = {action for statement in statements(resources[role]) for action in as_list(statement["Action"])}
    assert granted <= ALLOWED[role]


@pytest.mark.parametrize("role", ALLOWED)
def test_a_role_reaches_only_named_resources(resources: Resources, role: str) -> None:
    """Only the keys of a bucket's folder and the tables of this account's catalogue are left open."""
    for statement in statements(resources[role]):
        assert statement["Effect"] == "Allow"
        assert not {"NotAction", "NotResource"} & statement.keys()
        for resource in as_list(statement["Resource"]):
            name = referred(resource)
            assert "*" not in name.removesuffix("/*")
            assert not name.endswith("/*") or name.startswith(("${ArchiveBucket.Arn}/", OWN_CATALOG))


@pytest.mark.parametrize("role", ["AlertsRole", "SweepRole"])
def test_what_announces_alerts_puts_no_other_items_in_batches(resources: Resources, role: str) -> None:
    puts = [each for each in statements(resources[role]) if "dynamodb:BatchWriteItem" in as_list(each["Action"])]
    only_alerts = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [keys.alert("*").pk]}}
    assert [each["Condition"] for each in puts] == [only_alerts]


@pytest.mark.parametrize("role", ALLOWED)
def test_a_role_has_nothing_but_its_own_policies(resources: Resources, role: str) -> None:
    assert "ManagedPolicyArns" not in resources[role]


@pytest.mark.parametrize(("role", "prefixes"), PREFIXES_PUT.items())
def test_only_firehose_writes_events_and_only_their_readers_write_to_quarantine(
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
        ("QueuesOverTlsOnly", ("EventQueue", "DeadLetterQueue", "StreamDeadLetters")),
        ("CatalogQueueOverTlsOnly", ("CatalogDeadLetterQueue",)),
        ("ArchiveBucketOverTlsOnly", ("ArchiveBucket",)),
    ],
)
def test_plain_http_is_refused(resources: Resources, policy: str, kept: tuple[str, ...]) -> None:
    properties = resources[policy]
    (statement,) = properties["PolicyDocument"]["Statement"]
    named = properties["Queues"] if "Queues" in properties else [properties["Bucket"]]
    assert named == [{"Ref": name} for name in kept]
    assert (statement["Effect"], statement["Principal"]) == ("Deny", "*")
    assert statement["Action"] in {"sqs:*", "s3:*"}
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


def test_plain_http_is_refused_for_the_bucket_and_its_objects(resources: Resources) -> None:
    (statement,) = resources["ArchiveBucketOverTlsOnly"]["PolicyDocument"]["Statement"]
    assert statement["Resource"] == [{"Fn::GetAtt": ["ArchiveBucket", "Arn"]}, {"Fn::Sub": "${ArchiveBucket.Arn}/*"}]


def statements(role: Properties) -> Iterator[Properties]:
    for policy in role["Policies"]:
        yield from policy["PolicyDocument"]["Statement"]


def referred(resource: Any) -> str:
    """Return what a reference refers to; a name written out is refused."""
    assert isinstance(resource, dict), f"{resource} is no reference to a resource of the template"
    return str(resource["Fn::Sub"]) if "Fn::Sub" in resource else ".".join(resource["Fn::GetAtt"])


def as_list(one_or_many: Any) -> list[Any]:
    return one_or_many if isinstance(one_or_many, list) else [one_or_many]
