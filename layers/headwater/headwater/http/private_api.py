"""Requests of the private API, a REST API, in the form of the HTTP API: payload format 2.0.

    of a REST API                                   in payload format 2.0
    path "/api/v1/jobs", without the stage          rawPath
    multiValueQueryStringParameters, decoded        rawQueryString
    headers, as the client wrote their names        headers, in lower case
    requestContext.authorizer, a flat context       requestContext.authorizer.lambda
    requestContext.identity.userArn, by SigV4       requestContext.authorizer.iam

A response has the same form in both.
https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode


def as_http_api(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """A request of either API in payload format 2.0."""
    if "httpMethod" not in request:
        return request
    context = request["requestContext"]
    query = request.get("multiValueQueryStringParameters") or {}
    return {
        "rawPath": request["path"],
        "rawQueryString": urlencode(query, doseq=True),
        "headers": {name.lower(): value for name, value in (request.get("headers") or {}).items()},
        "body": request.get("body"),
        "isBase64Encoded": request.get("isBase64Encoded"),
        "requestContext": {
            "http": {"method": request["httpMethod"]},
            "requestId": context.get("requestId"),
            "authorizer": _authorizer(context),
        },
    }


def _authorizer(context: Mapping[str, Any]) -> dict[str, Any]:
    """API Gateway names a user only of a request whose signature it has checked."""
    user = (context.get("identity") or {}).get("userArn")
    return {"iam": {"userArn": user}} if user else {"lambda": context.get("authorizer") or {}}


def policy(method_arn: str, context: Mapping[str, str]) -> dict[str, Any]:
    """The answer of the authoriser of a REST API, which takes a policy: it lets the request pass, with a context."""
    statement = {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": method_arn}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    return {"principalId": "headwater", "policyDocument": document, "context": dict(context)}
