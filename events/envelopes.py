"""Lambda events: requests in API Gateway's payload format 2.0, batches of the queue and of the stream, schedules."""

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from headwater.access.principal import Principal, Scope
from headwater.openlineage import exact_json
from headwater.openlineage.instant import instant_of
from headwater.openlineage.wire import read_event
from headwater.store.bulk import Item
from headwater.store.messages import write_message

Document = dict[str, Any]

KEY = "sample-key-of-the-shop"
CALLER = Principal("shop-etl", frozenset({Scope.INGEST, Scope.READ}), ("shop", "s3://shop-*"), seal="sample-seal")
CONTEXT = CALLER.to_context()
STEWARD = Principal("shop-steward", frozenset({Scope.ADMIN}), ("shop", "shop-*", "s3://shop-*"))
"""The principal of the curate samples, who may delete."""
ADMINISTRATOR = Principal("shop-administrator", frozenset({Scope.ADMIN}), ("*",))
"""The principal who describes the tags that all share."""
BEARER = {"authorization": f"Bearer {KEY}"}
RECEIVED_AT = datetime(2026, 11, 20, 8, 6, 3, tzinfo=UTC)
API, ACCOUNT, REGION = "a1b2c3d4e5", "123456789012", "us-east-1"
DOMAIN = f"{API}.execute-api.{REGION}.amazonaws.com"
ADDRESS, AGENT = "192.0.2.10", "curl/8.5.0"
QUEUE = f"arn:aws:sqs:{REGION}:{ACCOUNT}:headwater-dev-EventQueue-0123456789AB.fifo"


def post(path: str, document: Any, context: Mapping[str, str] = CONTEXT) -> Document:
    """A POST of a JSON document; `context` is the authoriser's context with the principal."""
    body = json.dumps(document)
    headers = {"content-type": "application/json; charset=UTF-8", "content-length": str(len(body)), **BEARER}
    return _with_principal(context, _request(f"POST {path}", path, headers) | {"body": body, "isBase64Encoded": False})


def post_gzip(path: str, document: Any, context: Mapping[str, str] = CONTEXT) -> Document:
    """A POST of a gzipped JSON document, which API Gateway encodes in base64."""
    packed = gzip.compress(json.dumps(document).encode(), mtime=0)
    headers = {"content-type": "application/json", "content-encoding": "gzip", "content-length": str(len(packed))}
    request = _request(f"POST {path}", path, headers | BEARER)
    body = {"body": base64.b64encode(packed).decode(), "isBase64Encoded": True}
    return _with_principal(context, request | body)


def write(method: str, target: str, document: Any = None, caller: Principal = STEWARD) -> Document:
    """A request to curate."""
    path, _, query = target.partition("?")
    request = _request(f"{method} /{{proxy+}}", unquote(path), BEARER, method=method)
    request["pathParameters"] = {"proxy": unquote(path).removeprefix("/")}
    if document is not None:
        request["headers"]["content-type"] = "application/json"
        request["body"] = json.dumps(document)
    return _with_principal(caller.to_context(), _with_query(request, query) | {"isBase64Encoded": False})


def get(target: str, caller: Principal = CALLER) -> Document:
    """A GET with the sample key, or of another caller; `target` is a path and a query as sent."""
    return _with_principal(caller.to_context(), _get(target, BEARER))


def get_file(target: str, route: str) -> Document:
    """A browser's GET of a file of the web page, which needs no key."""
    return _request(route, target, {"accept-encoding": "gzip, deflate, br"}, method="GET") | {"isBase64Encoded": False}


def get_by_iam(target: str) -> Document:
    """A GET signed with SigV4, as the API requires with LookupAuth=IAM."""
    signed = "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20261120/us-east-1/execute-api/aws4_request, ..."
    request = _get(target, {"authorization": signed})
    arn = f"arn:aws:iam::{ACCOUNT}:user/analyst"
    caller = {"accessKey": "AKIAIOSFODNN7EXAMPLE", "accountId": ACCOUNT, "callerId": "AIDACKCEVSQ6C2EXAMPLE"}
    more = {"cognitoIdentity": None, "principalOrgId": None, "userArn": arn, "userId": "AIDACKCEVSQ6C2EXAMPLE"}
    request["requestContext"]["authorizer"] = {"iam": caller | more}
    return request


def by_person(request: Document) -> Document:
    """A request of a person who has signed in: API Gateway has checked the token, and passes its claims on."""
    method, path = request["requestContext"]["http"]["method"], f"/people{request['rawPath']}"
    claims = {
        "sub": "3f1c0b2a",
        "email": "ann@example.com",
        "groups": "[shop-stewards]",
        "iss": "https://id.example.com",
    }
    http = {**request["requestContext"]["http"], "path": path}
    context = {"http": http, "routeKey": f"{method} /people/{{proxy+}}", "authorizer": {"jwt": {"claims": claims}}}
    return {
        **request,
        "routeKey": context["routeKey"],
        "rawPath": path,
        "headers": {**request["headers"], "authorization": "Bearer eyJhbGciOiJSUzI1NiJ9..."},
        "requestContext": {**request["requestContext"], **context},
        "pathParameters": {"proxy": path.removeprefix("/people/")},
    }


def authoriser_request(headers: Mapping[str, str]) -> Document:
    """API Gateway's request to the authoriser before a POST."""
    path = "/api/v1/lineage"
    request = _request(f"POST {path}", path, {"content-type": "application/json", **headers})
    route_arn = f"arn:aws:execute-api:{REGION}:{ACCOUNT}:{API}/$default/POST{path}"
    return {"version": "2.0", "type": "REQUEST", "routeArn": route_arn, "identitySource": [], **request}


def queued(*documents: Document) -> Document:
    """A batch of the queue, with messages as ingest writes them."""
    return {"Records": [_record(index, document) for index, document in enumerate(documents)]}


def forwarded(target: str, *documents: Document) -> Document:
    """A batch of the queue of events that are forwarded to a target."""
    batch = queued(*documents)
    for record in batch["Records"]:
        record["attributes"]["MessageGroupId"] = f"{target}/{record['attributes']['MessageGroupId']}"
    return batch


def notified(*notifications: Document) -> Document:
    """A batch of the queue of notifications of S3, or of notices of EventBridge."""
    bodies = [json.dumps(notification) for notification in notifications]
    return {"Records": [{"messageId": f"notification-{number}", "body": body} for number, body in enumerate(bodies)]}


def streamed(*changes: tuple[Item | None, Item]) -> Document:
    """A batch of the table's stream: items before and after a change."""
    return {"Records": [_change(index, before, after) for index, (before, after) in enumerate(changes)]}


def scheduled() -> Document:
    """The event of an EventBridge schedule."""
    return {
        "version": "0",
        "id": "53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa",
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": ACCOUNT,
        "time": RECEIVED_AT.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": REGION,
        "resources": [f"arn:aws:events:{REGION}:{ACCOUNT}:rule/headwater-dev-Schedule-0123456789AB"],
        "detail": {},
    }


def step_ended() -> Document:
    """What EventBridge sends of a step of EMR that failed (Amazon EMR Management Guide)."""
    step = "Step s-36ZWOFMZ19IUZ (revenue) in Amazon EMR cluster j-1YONHTCP3YZKC (etl)"
    return scheduled() | {
        "detail-type": "EMR Step Status Change",
        "source": "aws.emr",
        "resources": [],
        "detail": {
            "severity": "ERROR",
            "actionOnFailure": "CONTINUE",
            "stepId": "s-36ZWOFMZ19IUZ",
            "name": "revenue",
            "clusterId": "j-1YONHTCP3YZKC",
            "state": "FAILED",
            "message": f"{step} failed at {RECEIVED_AT:%Y-%m-%d %H:%M} UTC.",
        },
    }


def _with_principal(context: Mapping[str, str], request: Document) -> Document:
    """The request with the authoriser's context."""
    request["requestContext"]["authorizer"] = {"lambda": dict(context)}
    return request


def _get(target: str, headers: Mapping[str, str]) -> Document:
    path, _, query = target.partition("?")
    return _with_query(_request("$default", unquote(path), headers, method="GET"), query) | {"isBase64Encoded": False}


def _with_query(request: Document, query: str) -> Document:
    """The request with a query."""
    parts = [parameter.partition("=") for parameter in query.split("&")] if query else []
    named = {"queryStringParameters": {name: unquote(value) for name, _, value in parts}} if parts else {}
    return request | {"rawQueryString": query} | named


def _request(route: str, path: str, headers: Mapping[str, str], method: str = "POST") -> Document:
    forwarded = {"x-forwarded-for": ADDRESS, "x-forwarded-port": "443", "x-forwarded-proto": "https"}
    return {
        "version": "2.0",
        "routeKey": route,
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"accept": "*/*", "host": DOMAIN, "user-agent": AGENT, **forwarded, **headers},
        "requestContext": {
            "accountId": ACCOUNT,
            "apiId": API,
            "domainName": DOMAIN,
            "domainPrefix": API,
            "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": ADDRESS, "userAgent": AGENT},
            "requestId": "Uq3xVhBYIAMEPHA=",
            "routeKey": route,
            "stage": "$default",
            "time": RECEIVED_AT.strftime("%d/%b/%Y:%H:%M:%S +0000"),
            "timeEpoch": int(RECEIVED_AT.timestamp() * 1000),
        },
    }


class _NoBucket:
    """The bucket of long bodies, which no sample has."""

    def put(self, key: str, content: bytes) -> None:
        raise ValueError(f"a sample is too long for a message: {len(content)} bytes for {key}")

    def get(self, key: str) -> bytes:
        raise KeyError(key)


def _change(index: int, before: Item | None, after: Item) -> Document:
    images = {"NewImage": _image(after), **({"OldImage": _image(before)} if before else {})}
    return {
        "eventID": f"c81e728d9d4c2f636f067f89cc14862{index}",
        "eventName": "MODIFY" if before else "INSERT",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": REGION,
        "dynamodb": {
            "ApproximateCreationDateTime": int(RECEIVED_AT.timestamp()),
            "Keys": {"PK": {"S": after.key.pk}, "SK": {"S": after.key.sk}},
            **images,
            "SequenceNumber": str(400000000000000499660 + index),
            "SizeBytes": 1024,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
        "eventSourceARN": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/headwater-dev/stream/2026-11-20T08:00:00.000",
    }


def _image(item: Item) -> Document:
    strings = {"PK": item.key.pk, "SK": item.key.sk, "v": item.version, **item.labels}
    image: Document = {name: {"S": value} for name, value in strings.items()}
    return image | {name: {"B": base64.b64encode(part).decode()} for name, part in item.parts.items()}


def _record(index: int, document: Document) -> Document:
    event = read_event(document)
    message = write_message(event, exact_json.dumps(document), instant_of(RECEIVED_AT), _NoBucket())
    sent = str(int(RECEIVED_AT.timestamp() * 1000) + index)
    return {
        "messageId": f"059f36b4-87a3-44ab-83d2-66197578000{index}",
        "receiptHandle": f"AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a{index}",
        "body": message.body,
        "attributes": {
            "ApproximateReceiveCount": "1",
            "SentTimestamp": sent,
            "SequenceNumber": str(18889000000000000000 + index),
            "MessageGroupId": message.group,
            "SenderId": f"AROACKCEVSQ6C2EXAMPLE:{ACCOUNT}",
            "MessageDeduplicationId": message.deduplication_id,
            "ApproximateFirstReceiveTimestamp": sent,
        },
        "messageAttributes": {},
        "md5OfBody": hashlib.md5(message.body.encode(), usedforsecurity=False).hexdigest(),
        "eventSource": "aws:sqs",
        "eventSourceARN": QUEUE,
        "awsRegion": REGION,
    }
