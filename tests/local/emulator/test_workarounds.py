"""Each fault of the emulator that docs/emulator.md lists is still there.

A test fails once an upgrade of MiniStack has mended its fault. Then the workaround goes, with its row in the docs and
its test.
"""

import base64
import gzip
import inspect
import json
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import botocore.session
import pytest
from botocore.exceptions import ClientError
from ministack import app  # type: ignore[import-untyped]
from ministack.core.lambda_runtime import Worker  # type: ignore[import-untyped]
from ministack.services import apigateway  # type: ignore[import-untyped]

from headwater.cli.machine.ports import free_port
from headwater.cli.machine.process_group import end_group
from local.deploy.template import without_key_guards
from local.emulator.account import REGION, Account
from local.emulator.ministack import Emulator, account_of, run_emulator, wait_until_ready
from local.emulator.options import EmulatorOptions, environment
from local.emulator.proxy import MAX_BODY_BYTES, MAX_HEADER_BYTES
from tests.local.emulator.documented import mended
from tests.local.emulator.templates import ECHO_API, STREAM_READER, DeploymentFailed, deploy

pytestmark = [
    pytest.mark.emulator,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="the emulator makes its certificate with openssl"),
]

METRIC = {"Metric": {"Namespace": "Test", "MetricName": "errors"}, "Period": 60, "Stat": "Sum"}


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """The account of an emulator that enforces IAM, without a front and without a deployment."""
    with run_emulator(EmulatorOptions(tmp_path_factory.mktemp("emulator"), free_port(), iam=True)) as emulator:
        yield emulator.account


@dataclass(frozen=True)
class EchoApi:
    """An HTTP API of the emulator whose function answers with its request."""

    account: Account
    url: str

    def post(self, body: bytes = b"", path: str = "/", **headers: str) -> tuple[int, Any]:
        """Post a body that claims to be JSON; return the status and the request as the function got it."""
        named = {"Content-Type": "application/json"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        request = urllib.request.Request(self.url + path, body, named)  # noqa: S310 - the emulator
        with urllib.request.urlopen(request, timeout=30, context=self.account.trust) as answer:  # noqa: S310
            return answer.status, json.load(answer)


@pytest.fixture(scope="module")
def echo(account: Account) -> EchoApi:
    api = deploy(account, "echo", ECHO_API)["Api"]
    return EchoApi(account, f"{account.endpoint}/_aws/execute-api/{api}/$default")


def refusal(call: Callable[[], object]) -> str:
    """Return why a call is refused, or the stack that it creates is rolled back; an empty text if neither is."""
    try:
        call()
    except (ClientError, DeploymentFailed) as error:
        return str(error)
    return ""


def resource(kind: str, **properties: Any) -> dict[str, Any]:
    return {"Resources": {"Only": {"Type": kind, "Properties": properties}}}


def test_http_api_body(account: Account) -> None:
    integration = {"type": "HTTP_PROXY", "httpMethod": "GET", "uri": "https://example.com"}
    operation = {"x-amazon-apigateway-integration": {**integration, "payloadFormatVersion": "1.0"}, "responses": {}}
    body = {"openapi": "3.0.1", "info": {"title": "api", "version": "1"}, "paths": {"/jobs": {"get": operation}}}
    template = resource("AWS::ApiGatewayV2::Api", Body=body) | {"Outputs": {"Api": {"Value": {"Ref": "Only"}}}}
    api: Any = account.client("apigatewayv2")
    routes = api.get_routes(ApiId=deploy(account, "http-api-body", template)["Api"])["Items"]
    assert routes == [], mended("http-api-body")


def test_metric_math(account: Account) -> None:
    metrics = [{"Id": "sum", "Expression": "errors * 2"}, {"Id": "errors", "MetricStat": METRIC, "ReturnData": False}]
    condition = {"ComparisonOperator": "GreaterThanThreshold", "EvaluationPeriods": 1, "Threshold": 1}
    alarm = resource("AWS::CloudWatch::Alarm", Metrics=metrics, **condition)
    assert "metric math" in refusal(lambda: deploy(account, "metric-math", alarm)), mended("metric-math")


@pytest.mark.parametrize("kind", ["Archive", "Connection", "ApiDestination"])
def test_event_types(account: Account, kind: str) -> None:
    refused = refusal(lambda: deploy(account, f"event-types-{kind}", resource(f"AWS::Events::{kind}")))
    assert f"Unrecognized resource types: [AWS::Events::{kind}]" in refused, mended("event-types")


def test_code_deploy(account: Account) -> None:
    refused = refusal(lambda: deploy(account, "code-deploy", resource("AWS::CodeDeploy::Application")))
    assert "Unrecognized resource types: [AWS::CodeDeploy::Application]" in refused, mended("code-deploy")


def test_unknown_parameters(account: Account) -> None:
    queue = resource("AWS::SQS::Queue")
    refused = refusal(lambda: deploy(account, "unknown-parameters", queue, NoSuchParameter="1"))
    assert not refused, mended("unknown-parameters")


def test_batch_action(account: Account) -> None:
    sqs = client_of_user(account, "sqs", "sqs:SendMessage", {})
    queue = account.sqs.create_queue(QueueName="batch-action")["QueueUrl"]
    assert sqs.send_message(QueueUrl=queue, MessageBody="one")["MessageId"]
    entries = [{"Id": "1", "MessageBody": "one"}]
    refused = refusal(lambda: sqs.send_message_batch(QueueUrl=queue, Entries=entries))
    assert "not authorized to perform: sqs:SendMessageBatch" in refused, mended("batch-action")


def test_leading_keys(account: Account) -> None:
    """With the workaround, the condition on the keys is left, which the emulator takes for fulfilled."""
    fit = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["own"]}}
    guarded = {"Condition": fit | {"Null": {"dynamodb:LeadingKeys": "false"}}}
    item = {"TableName": "none", "Item": {"PK": {"S": "own"}}}
    writer = client_of_user(account, "dynamodb", "dynamodb:PutItem", guarded)
    assert "not authorized" in refusal(lambda: writer.put_item(**item)), mended("leading-keys")
    assert without_key_guards([guarded]) == [{"Condition": fit}]


def client_of_user(account: Account, service: str, action: str, conditions: dict[str, Any]) -> Any:
    account.iam.create_user(UserName=service)
    statement = {"Effect": "Allow", "Action": action, "Resource": "*", **conditions}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    account.iam.put_user_policy(UserName=service, PolicyName="own", PolicyDocument=policy)
    key = account.iam.create_access_key(UserName=service)["AccessKey"]
    return botocore.session.get_session().create_client(
        service,
        region_name=REGION,
        endpoint_url=account.endpoint,
        verify=str(account.certificate),
        aws_access_key_id=key["AccessKeyId"],
        aws_secret_access_key=key["SecretAccessKey"],
    )


def test_binary_bodies(echo: EchoApi) -> None:
    """MiniStack looks at the content type alone. With the workaround, gzip arrives as on AWS."""
    assert apigateway._v2_request_body_is_text("application/json"), mended("binary-bodies")
    zipped = gzip.compress(b"{}")
    _, received = echo.post(zipped, Content_Encoding="gzip", Content_Type="application/json")
    assert received["isBase64Encoded"]
    assert base64.b64decode(received["body"]) == zipped
    assert (received["headers"]["content-encoding"], received["headers"]["content-type"]) == (
        "gzip",
        "application/json",
    )
    _, received = echo.post('{"name": "Müller"}'.encode(), Content_Type="application/json")
    assert (received["isBase64Encoded"], received["body"]) == (False, '{"name": "Müller"}')


def test_body_limit(echo: EchoApi) -> None:
    status, received = echo.post(b"x" * (MAX_BODY_BYTES + 1))
    assert (status, len(received["body"])) == (200, MAX_BODY_BYTES + 1), mended("body-limit")


def test_header_limit(echo: EchoApi) -> None:
    assert echo.post(x_long="x" * MAX_HEADER_BYTES)[0] == 200, mended("header-limit")


def test_answer_time(echo: EchoApi) -> None:
    """The integration's own timeout of a second has no effect either, and takes less time to try than 30 s."""
    assert echo.post(path="/?seconds=2")[0] == 200, mended("answer-time")


def test_metrics_in_logs(account: Account) -> None:
    cloudwatch: Any = account.client("cloudwatch")
    now = round(time.time() * 1000)
    directive = {"Namespace": "Test", "Dimensions": [[]], "Metrics": [{"Name": "events"}]}
    line = json.dumps({"_aws": {"Timestamp": now, "CloudWatchMetrics": [directive]}, "events": 1})
    logs: Any = account.logs
    stream = {"logGroupName": "metrics-in-logs", "logStreamName": "own"}
    logs.create_log_group(logGroupName="metrics-in-logs")
    logs.create_log_stream(**stream)
    logs.put_log_events(**stream, logEvents=[{"timestamp": now, "message": line}])
    assert cloudwatch.list_metrics(Namespace="Test")["Metrics"] == [], mended("metrics-in-logs")


def test_queue_addresses(account: Account) -> None:
    url, endpoint = urlsplit(account.sqs.create_queue(QueueName="addresses")["QueueUrl"]), urlsplit(account.endpoint)
    assert (url.scheme, url.port) == (endpoint.scheme, endpoint.port), mended("queue-addresses")


def test_log_wait() -> None:
    """Read from the installed package, since the running emulator has the workaround."""
    waits = inspect.signature(Worker._drain_stderr_bounded).parameters
    assert waits["first_line_wait"].default >= 0.05, mended("log-wait")


def test_unpacked_packages() -> None:
    assert "self._tmpdir" in inspect.getsource(Worker._spawn), mended("unpacked-packages")


def test_saved_at_end(tmp_path: Path) -> None:
    """MiniStack has one call that saves, at its shutdown."""
    assert inspect.getsource(app).count("save_all(_build_persistence_save_dict())") == 1, mended("saved-at-end")


def test_open_connections(tmp_path: Path) -> None:
    with plain_ministack(EmulatorOptions(tmp_path, free_port(), iam=True)) as emulator, idle_connection(emulator):
        emulator.process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            emulator.process.wait(3)
        assert not emulator.has_ended(), mended("open-connections")


@contextmanager
def plain_ministack(options: EmulatorOptions) -> Iterator[Emulator]:
    """MiniStack without the workarounds of local/emulator/child.py."""
    options.scratch.mkdir(parents=True, exist_ok=True)
    with options.log.open("wb") as log:
        command = [sys.executable, "-m", "ministack"]
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment(options), start_new_session=True)  # noqa: S603
    emulator = Emulator(account_of(options), process)
    try:
        wait_until_ready(emulator, options.log)
        yield emulator
    finally:
        end_group(process)


@contextmanager
def idle_connection(emulator: Emulator) -> Iterator[None]:
    """A TLS connection that stays open after a request."""
    address = urlsplit(emulator.account.endpoint)
    assert emulator.account.trust
    assert address.hostname
    with (
        socket.create_connection((address.hostname, address.port or 0)) as plain,
        emulator.account.trust.wrap_socket(plain, server_hostname=address.hostname) as connection,
    ):
        connection.sendall(b"GET /_ministack/ready HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
        yield


def test_redrive(account: Account) -> None:
    account.sqs.create_queue(QueueName="dead-letters")
    source = f"arn:aws:sqs:{REGION}:000000000000:dead-letters"
    assert "InvalidAction" in refusal(lambda: account.sqs.start_message_move_task(SourceArn=source)), mended("redrive")


def test_joined_conditions(account: Account) -> None:
    empty = {"Fn::Equals": [{"Fn::Join": ["", {"Ref": "Ids"}]}, ""]}
    template = {
        "Parameters": {"Ids": {"Type": "CommaDelimitedList", "Default": ""}},
        "Conditions": {"HasIds": {"Fn::Not": [empty]}},
        "Resources": {
            "Only": {"Type": "AWS::SQS::Queue", "Condition": "HasIds"},
            "Always": {"Type": "AWS::SQS::Queue"},
        },
    }
    deploy(account, "joined-conditions", template)
    made = account.cloudformation.list_stack_resources(StackName="joined-conditions")["StackResourceSummaries"]
    assert "Only" in {each["LogicalResourceId"] for each in made}, mended("joined-conditions")


def test_restore_time(account: Account) -> None:
    dynamodb: Any = account.client("dynamodb")
    key = {"AttributeName": "key"}
    keys = {"KeySchema": [key | {"KeyType": "HASH"}], "AttributeDefinitions": [key | {"AttributeType": "S"}]}
    dynamodb.create_table(TableName="restored", BillingMode="PAY_PER_REQUEST", **keys)
    dynamodb.put_item(TableName="restored", Item={"key": {"S": "1"}})
    before = {"SourceTableName": "restored", "RestoreDateTime": datetime.now(UTC) - timedelta(days=1)}
    dynamodb.restore_table_to_point_in_time(TargetTableName="of-yesterday", **before)
    assert dynamodb.scan(TableName="of-yesterday")["Count"] == 1, mended("restore-time")


def test_stream_failures(account: Account) -> None:
    """AWS delivers a failed record again at once, and over and over."""
    outputs = deploy(account, "stream-failures", STREAM_READER)
    dynamodb: Any = account.client("dynamodb")
    dynamodb.put_item(TableName=outputs["Table"], Item={"key": {"S": "1"}})
    deadline = time.monotonic() + 120
    while invocations(account, outputs["Reader"]) == 0:
        assert time.monotonic() < deadline, "the function is not invoked at all"
        time.sleep(0.2)
    time.sleep(3)
    assert invocations(account, outputs["Reader"]) == 1, mended("stream-failures")


def invocations(account: Account, function: str) -> int:
    try:
        events = account.logs.filter_log_events(logGroupName=f"/aws/lambda/{function}")["events"]
    except ClientError:  # the log group comes with the first invocation
        return 0
    return sum("invoked" in event["message"] for event in events)
