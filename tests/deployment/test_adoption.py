"""A stack may take over a table, a bucket and keys: then nothing of it refers to those that it would have made."""

import json
import re
from typing import Any

import pytest

from tests.deployment.conftest import Properties, Resources, chosen
from tests.deployment.test_permissions import as_list, statements

ADOPTED = {"OwnTable": "LineageTable", "OwnBucket": "ArchiveBucket", "OwnKeys": "KeysSecret"}
OF_THE_BUCKET = "ArchiveBucketOverTlsOnly"
"""The policy of a bucket is replaced as a whole: the one of an adopted bucket is its owner's."""
ARNS = {
    "LineageTable.Arn": "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${TableName}",
    "LineageTable.StreamArn": "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${TableName}"
    "/stream/${TableStreamLabel}",
    "ArchiveBucket.Arn": "arn:${AWS::Partition}:s3:::${ArchiveBucketName}",
    "KeysSecret.Id": "KeysSecretArn",
    "LineageTable": "TableName",
    "ArchiveBucket": "ArchiveBucketName",
}
"""What is said of an adopted resource in place of what is said of the stack's own."""


@pytest.fixture
def adopting(written: Properties) -> Properties:
    adopting: Properties = chosen(written, dict.fromkeys(ADOPTED, 2) | {"HasDatabase": 1})
    return adopting


@pytest.mark.parametrize(("condition", "name"), ADOPTED.items())
def test_what_is_taken_over_is_not_made_and_what_is_no_longer_made_is_kept(
    resources: Resources, condition: str, name: str
) -> None:
    assert resources.whole(name)["Condition"] == condition
    assert resources.whole(name)["UpdateReplacePolicy"] == "Retain"
    assert resources.whole(OF_THE_BUCKET)["Condition"] == "OwnBucket"


def test_nothing_refers_to_what_is_not_made(adopting: Properties) -> None:
    for name in (*ADOPTED.values(), OF_THE_BUCKET):
        del adopting["Resources"][name]
    rest = json.dumps([adopting["Resources"], adopting["Outputs"]])
    for name in ADOPTED.values():
        assert not re.search(rf'"{name}"|\$\{{{name}\b', rest)


def test_a_role_may_do_with_what_is_taken_over_what_it_may_do_with_what_is_made(
    resources: Resources, adopting: Properties
) -> None:
    """Statement by statement: the same actions and conditions, on the same parts of the resource."""
    for name, role in resources.of_type("AWS::IAM::Role").items():
        own = list(statements(role))
        for before, after in zip(own, list(statements(adopting["Resources"][name]["Properties"])), strict=True):
            assert before | {"Resource": None} == after | {"Resource": None}
            expected = [in_place_of(text_of(each)) for each in as_list(before["Resource"])]
            assert [text_of(each) for each in as_list(after["Resource"])] == expected


def test_the_outputs_name_what_is_taken_over(adopting: Properties) -> None:
    for name in ("TableName", "ArchiveBucketName", "KeysSecretArn"):
        assert adopting["Outputs"][name]["Value"] == {"Ref": name}


def text_of(resource: Any) -> str:
    match resource:
        case str(text):
            return text
        case {"Ref": name}:
            return str(name)
        case {"Fn::GetAtt": [name, attribute]}:
            return f"{name}.{attribute}"
        case {"Fn::If": [_, reference, _]}:
            return text_of(reference)
        case {"Fn::Sub": [text, {**names}]}:
            return f"{text} {json.dumps(names)}"
    return str(resource["Fn::Sub"])


def in_place_of(text: str) -> str:
    if text in ARNS:
        return ARNS[text]
    for own, adopted in ARNS.items():
        text = text.replace(f"${{{own}}}", adopted)
    return text
