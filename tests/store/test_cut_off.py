"""normalise may fail at any call to AWS: once its messages are delivered again, the table is as without the failure."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headwater.fold.fold import NO_THRESHOLDS
from headwater.fold.normalise import Delivery, Normaliser
from headwater.graph.names.naming import Naming
from headwater.openlineage import exact_json
from headwater.openlineage.instant import Instant
from headwater.openlineage.wire import read_event
from headwater.store.aws.firehose import Archive
from headwater.store.graph_store import GraphStore
from headwater.store.messages import write_message
from headwater.store.table import Retention
from tests import factory
from tests.factory import Document
from tests.fakes import FakeBucket
from tests.store.conftest import dynamo_table

AT = Instant("2026-11-20T08:00:02.000000000Z")
A = factory.dataset("a", schema=factory.schema("id:long"), version=factory.facet(datasetVersion="1"))
B = factory.dataset("b", schema=factory.schema("id:long"), columnLineage=factory.columns(id=("s3://lake", "a", "id")))
DRIFTED = factory.dataset("a", schema=factory.schema("id:string"))
BEFORE = [
    factory.run_event("COMPLETE", seconds=0, run=1, inputs=[A], outputs=[B]),
    factory.run_event("RUNNING", seconds=10, run=2, outputs=[B]),
    factory.run_event("COMPLETE", seconds=2, run=3, job="report", inputs=[A]),
]
BATCH = [
    factory.run_event("START", seconds=1, run=2, inputs=[A], outputs=[B]),  # the chosen run started earlier
    factory.run_event("COMPLETE", seconds=20, run=4, job="report", inputs=[DRIFTED]),  # two jobs disagree
    factory.run_event("START", seconds=30, run=5, job="new", inputs=[B], outputs=[factory.dataset("c", "file")]),
    factory.job_event(seconds=40, job="static", outputs=[A]),
    factory.dataset_event(factory.dataset("b", documentation=factory.facet(description="x")), seconds=50),
]


class Killed(BaseException):
    """The end of a process: nothing catches it."""


class KillingClient:
    """A client of AWS that is killed just before its nth call, or just after it, once."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.calls = 0
        self.nth = 0
        self.after = False

    def __getattr__(self, operation: str) -> Any:
        def call(**arguments: Any) -> Any:
            self.calls += 1
            mine = self.calls == self.nth
            if mine and not self.after:
                raise Killed
            answer = getattr(self._client, operation)(**arguments)
            if mine:
                raise Killed
            return answer

        return call


class FakeFirehose:
    def put_record_batch(self, **_: Any) -> dict[str, Any]:
        return {"FailedPutCount": 0}


class Stack:
    """A normaliser over an empty table; every call to AWS goes through `client`."""

    def __init__(self, dynamodb: Any) -> None:
        self.bucket = FakeBucket()
        self.table = dynamo_table(dynamodb, self.bucket)
        self.client = KillingClient(dynamodb)
        self.table._client = self.client
        self._dynamodb = dynamodb
        archive = Archive(FakeFirehose(), "stream", self.bucket)
        store = GraphStore(self.table, Retention(runs=timedelta(days=90), events=timedelta(days=30)))
        self._normaliser = Normaliser(
            store, self.bucket, archive, Naming(), NO_THRESHOLDS, now=lambda: AT, log=lambda *_, **__: None
        )

    def deliver(self, documents: Sequence[Document]) -> None:
        outcome = self._normaliser.normalise(
            [self._delivery(number, document) for number, document in enumerate(documents)]
        )
        assert (outcome.failed, outcome.quarantined) == ([], 0)

    def items(self) -> dict[tuple[str, str], Any]:
        pages = self._dynamodb.get_paginator("scan").paginate(TableName=self.table._name)
        return {(item["PK"]["S"], item["SK"]["S"]): item for page in pages for item in page["Items"]}

    def _delivery(self, number: int, document: Document) -> Delivery:
        canonical = exact_json.dumps(document)
        event = read_event(document, now=datetime(2026, 11, 20, 12, tzinfo=UTC))
        message = write_message(event, canonical, AT, self.bucket)
        return Delivery(str(number), message.group, message.body)


@pytest.mark.parametrize("after", [False, True], ids=["before it reaches AWS", "after AWS has done it"])
def test_a_failure_at_any_call_changes_nothing(dynamodb: Any, after: bool) -> None:
    undisturbed = Stack(dynamodb)
    undisturbed.deliver(BEFORE)
    calls_before = undisturbed.client.calls
    undisturbed.deliver(BATCH)
    calls = undisturbed.client.calls - calls_before
    assert calls > 20
    for nth in range(1, calls + 1):
        stack = Stack(dynamodb)
        stack.deliver(BEFORE)
        stack.client.calls, stack.client.nth, stack.client.after = 0, nth, after
        with pytest.raises(Killed):
            stack.deliver(BATCH)
        stack.deliver(BATCH)
        assert stack.items() == undisturbed.items(), f"killed at call {nth} of {calls}"
