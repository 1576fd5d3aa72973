"""A request of the private API, a REST API, is the same request as over the HTTP API."""

from typing import Any
from urllib.parse import parse_qs

import pytest

from events.envelopes import CALLER, CONTEXT, by_person, get, get_by_iam, post, post_gzip
from headwater.access.principal import ALL, Scope
from headwater.http.gateway import accepts_gzip, request_of
from headwater.http.private_api import as_http_api, policy
from headwater.openlineage.faults import InvalidRequest

EVENT = {"eventTime": "2026-11-20T08:00:00Z"}


def of_rest_api(request: dict[str, Any]) -> dict[str, Any]:
    """A request of the HTTP API as a REST API passes it on: names of headers as the client wrote them, the query
    decoded, every body in base64 or none, the authoriser's context beside members of API Gateway."""
    authorizer = request["requestContext"]["authorizer"]
    user = authorizer.get("iam", {}).get("userArn")
    context = (
        {**authorizer.get("lambda", {}), "principalId": "headwater", "integrationLatency": 7} if not user else None
    )
    query = parse_qs(request["rawQueryString"], keep_blank_values=True)
    return {
        "resource": "/{proxy+}",
        "path": request["rawPath"],
        "httpMethod": request["requestContext"]["http"]["method"],
        "headers": {name.title(): value for name, value in request["headers"].items()},
        "multiValueHeaders": {name.title(): [value] for name, value in request["headers"].items()},
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "pathParameters": {"proxy": request["rawPath"][1:]},
        "stageVariables": None,
        "requestContext": {
            "path": f"/headwater{request['rawPath']}",
            "stage": "headwater",
            "requestId": request["requestContext"]["requestId"],
            "identity": {"userArn": user, "sourceIp": "10.0.0.7", "vpceId": "vpce-0123456789abcdef0"},
            "authorizer": context,
        },
        "body": request.get("body"),
        "isBase64Encoded": request["isBase64Encoded"],
    }


@pytest.mark.parametrize(
    "request_",
    [
        post("/api/v1/lineage", EVENT),
        post_gzip("/api/v1/lineage/batch", [EVENT]),
        get("/api/v1/lineage?nodeId=dataset%3As3%3A%2F%2Flake%3Aa%20b&depth=2"),
        get("/api/v1/events/lineage?after=2026-11-20T08%3A00%3A00%2B01%3A00&kind=RUN&kind=JOB&limit="),
        get("/api/v1/namespaces/s3%3A%2F%2Flake/datasets/a"),
    ],
    ids=["event", "gzip", "node", "repeated parameters", "path"],
)
def test_a_request_of_the_private_api_is_that_of_the_http_api(request_: dict[str, Any]) -> None:
    expected, received = request_of(request_), request_of(as_http_api(of_rest_api(request_)))
    assert vars(received) | {"received_at": None} == vars(expected) | {"received_at": None}
    assert received.principal == CALLER


def test_a_request_of_the_http_api_stays_as_it_is() -> None:
    request = get("/api/v1/jobs")
    assert as_http_api(request) is request


def test_a_client_of_either_api_may_accept_gzip() -> None:
    request = get("/api/v1/jobs")
    request["headers"]["accept-encoding"] = "gzip, deflate"
    assert accepts_gzip(as_http_api(of_rest_api(request)))
    assert not accepts_gzip(as_http_api(of_rest_api(get("/api/v1/jobs"))))


def test_a_request_without_a_key_is_refused() -> None:
    with pytest.raises(InvalidRequest) as refused:
        request_of(as_http_api(of_rest_api(post("/api/v1/lineage", EVENT, context={}))))
    assert refused.value.status == 401


def test_a_signed_request_has_the_principal_of_iam() -> None:
    principal = request_of(as_http_api(of_rest_api(get_by_iam("/api/v1/jobs")))).principal
    assert (principal.key_id, principal.namespaces, principal.may(Scope.INGEST)) == ("iam", (ALL,), False)


def test_claims_that_a_client_makes_up_are_no_person() -> None:
    """A REST API passes on the context of its authoriser alone; the private API has no routes of people."""
    request = of_rest_api(by_person(get("/api/v1/jobs")))
    request["headers"]["x-claims"] = "admin"
    with pytest.raises(InvalidRequest):
        request_of(as_http_api(request))


def test_the_authoriser_of_a_rest_api_answers_with_a_policy_for_this_request_alone() -> None:
    arn = "arn:aws:execute-api:us-east-1:123456789012:a1b2c3/headwater/POST/api/v1/lineage"
    answer = policy(arn, CONTEXT)
    (statement,) = answer["policyDocument"]["Statement"]
    assert (statement["Effect"], statement["Action"], statement["Resource"]) == ("Allow", "execute-api:Invoke", arn)
    assert answer["context"] == CONTEXT
