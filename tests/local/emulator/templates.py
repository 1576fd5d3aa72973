"""CloudFormation templates for the emulator: an HTTP API that echoes requests, and a reader of a table's stream."""

import json
import time
from collections.abc import Iterator
from typing import Any

from local.emulator.account import Account

Template = dict[str, Any]

ECHO = """
import json, time

def handler(event, context):
    time.sleep(float((event.get("queryStringParameters") or {}).get("seconds", 0)))
    answer = {"body": event.get("body", ""), "isBase64Encoded": event["isBase64Encoded"], "headers": event["headers"]}
    return {"statusCode": 200, "body": json.dumps(answer)}
"""


def role(*actions: str) -> Template:
    """A role for functions that may do this, on any resource."""
    trust = {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
    allowed = {"Effect": "Allow", "Action": [*actions, "logs:*"], "Resource": "*"}
    policies = [{"PolicyName": "own", "PolicyDocument": {"Version": "2012-10-17", "Statement": [allowed]}}]
    document = {"Version": "2012-10-17", "Statement": [trust]}
    return {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": document, "Policies": policies}}


def function(code: str) -> Template:
    properties = {"Handler": "index.handler", "Runtime": "python3.11", "Timeout": 10, "Code": {"ZipFile": code}}
    return {"Type": "AWS::Lambda::Function", "Properties": {**properties, "Role": {"Fn::GetAtt": ["Role", "Arn"]}}}


ECHO_API: Template = {
    "Resources": {
        "Role": role(),
        "Echo": function(ECHO),
        "Permission": {
            "Type": "AWS::Lambda::Permission",
            "Properties": {
                "FunctionName": {"Ref": "Echo"},
                "Action": "lambda:InvokeFunction",
                "Principal": "apigateway.amazonaws.com",
            },
        },
        "Api": {"Type": "AWS::ApiGatewayV2::Api", "Properties": {"Name": "echo", "ProtocolType": "HTTP"}},
        "Integration": {
            "Type": "AWS::ApiGatewayV2::Integration",
            "Properties": {
                "ApiId": {"Ref": "Api"},
                "IntegrationType": "AWS_PROXY",
                "IntegrationUri": {"Fn::GetAtt": ["Echo", "Arn"]},
                "PayloadFormatVersion": "2.0",
                "TimeoutInMillis": 1000,
            },
        },
        "Route": {
            "Type": "AWS::ApiGatewayV2::Route",
            "Properties": {
                "ApiId": {"Ref": "Api"},
                "RouteKey": "$default",
                "Target": {"Fn::Sub": "integrations/${Integration}"},
            },
        },
        "Stage": {
            "Type": "AWS::ApiGatewayV2::Stage",
            "Properties": {"ApiId": {"Ref": "Api"}, "StageName": "$default", "AutoDeploy": True},
        },
    },
    "Outputs": {"Api": {"Value": {"Ref": "Api"}}},
}

FAILING_READER = """
def handler(event, context):
    print("invoked", flush=True)
    return {"batchItemFailures": [{"itemIdentifier": event["Records"][0]["dynamodb"]["SequenceNumber"]}]}
"""
STREAM_READER: Template = {
    "Resources": {
        "Role": role("dynamodb:*"),
        "Table": {
            "Type": "AWS::DynamoDB::Table",
            "Properties": {
                "KeySchema": [{"AttributeName": "key", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "key", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
                "StreamSpecification": {"StreamViewType": "NEW_IMAGE"},
            },
        },
        "Reader": function(FAILING_READER),
        "Mapping": {
            "Type": "AWS::Lambda::EventSourceMapping",
            "Properties": {
                "FunctionName": {"Ref": "Reader"},
                "EventSourceArn": {"Fn::GetAtt": ["Table", "StreamArn"]},
                "StartingPosition": "TRIM_HORIZON",
                "FunctionResponseTypes": ["ReportBatchItemFailures"],
            },
        },
    },
    "Outputs": {"Table": {"Value": {"Ref": "Table"}}, "Reader": {"Value": {"Ref": "Reader"}}},
}


class DeploymentFailed(Exception):
    """A stack that was rolled back, with the reasons."""


def deploy(account: Account, name: str, template: Template, **parameters: str) -> dict[str, str]:
    """Create a stack and return its outputs. Raises DeploymentFailed, or ClientError if the template is refused."""
    cloudformation = account.cloudformation
    cloudformation.create_stack(
        StackName=name,
        TemplateBody=json.dumps(template),
        Capabilities=["CAPABILITY_IAM"],
        Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
    )
    while (stack := cloudformation.describe_stacks(StackName=name)["Stacks"][0])["StackStatus"].endswith("IN_PROGRESS"):
        time.sleep(0.1)
    if stack["StackStatus"] != "CREATE_COMPLETE":
        raise DeploymentFailed("; ".join(reasons(account, name)))
    return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}


def reasons(account: Account, name: str) -> Iterator[str]:
    for event in account.cloudformation.describe_stack_events(StackName=name)["StackEvents"]:
        if event.get("ResourceStatus", "").endswith("_FAILED"):
            yield event.get("ResourceStatusReason", "")
