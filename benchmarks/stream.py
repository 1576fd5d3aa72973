"""A delivery stream that counts what Firehose limits."""

from typing import Any


class MeteredStream:
    """A client of Firehose that takes every record, and notes calls and the bytes of each record."""

    def __init__(self) -> None:
        self.calls = 0
        self.records: list[int] = []

    def put_record_batch(self, *, DeliveryStreamName: str, Records: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803
        self.calls += 1
        self.records += [len(record["Data"]) for record in Records]
        return {"FailedPutCount": 0}
