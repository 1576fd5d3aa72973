"""Attributes that no release writes: the part counts as missing, its read raises an error, other items are read."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from headwater.graph.names.identity import job_id
from headwater.openlineage.event import Name
from headwater.store import keys
from headwater.store.aws.dynamodb import item_of
from headwater.store.aws.s3 import Bucket
from headwater.store.errors import CorruptItem, StorageError, UnreadableBody
from headwater.store.items.codec import DOC
from headwater.store.items.jobs import JOB
from tests.fakes import FakeBucket

KEY = keys.job_head(job_id(Name("demo", "load")))
STORED: dict[str, dict[str, Any]] = {
    "PK": {"S": KEY.pk},
    "SK": {"S": KEY.sk},
    "v": {"S": "1"},
    "kind": {"S": "job"},
    "expires_at": {"N": "1800000000"},
    DOC: {"B": b"{}"},
}


@pytest.mark.parametrize("part", [{"M": {}}, {"M": {"s3": {}}}, {"M": {"s3": {"S": "items/gone"}}}, {"N": "1"}])
def test_a_part_of_another_form_or_that_is_gone_from_the_bucket_is_missing(part: dict[str, Any]) -> None:
    item = item_of({**STORED, DOC: part}, FakeBucket())
    with pytest.raises(CorruptItem, match="missing") as fault:
        JOB.read(item)
    assert (fault.value.key, fault.value.member) == (KEY, DOC)


@pytest.mark.parametrize("expiry", [{"S": "soon"}, {"N": "1.5"}, {"N": "-1"}])
def test_an_expiry_of_another_form_is_none(expiry: dict[str, Any]) -> None:
    assert item_of({**STORED, "expires_at": expiry}, FakeBucket()).expires_at is None


def test_a_bucket_that_does_not_answer_damages_nothing() -> None:
    bucket = FakeBucket()
    bucket.broken = True
    with pytest.raises(StorageError):
        item_of({**STORED, DOC: {"M": {"s3": {"S": "items/there"}}}}, bucket)


@pytest.mark.parametrize(
    ("code", "error"), [("NoSuchKey", UnreadableBody), ("AccessDenied", UnreadableBody), ("SlowDown", StorageError)]
)
def test_the_bucket_tells_a_missing_object_from_a_call_that_failed(code: str, error: type[StorageError]) -> None:
    with pytest.raises(StorageError) as fault:
        Bucket(Failing(code), "archive").get("items/gone")
    assert type(fault.value) is error


class Failing:
    def __init__(self, code: str) -> None:
        self.code = code

    def get_object(self, **_: str) -> None:
        raise ClientError({"Error": {"Code": self.code, "Message": self.code}}, "GetObject")
